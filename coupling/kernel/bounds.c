/* States that leave the range in which a model holds: noted at accepted steps, where nothing follows from it. */
#include "run.h"

int kernel_watch_bounds(Kernel *k, Bound *bound, int count)
{
    k->run->bound = bound;
    k->run->bounds = count;
    return KERNEL_DONE;
}

void note_bounds(Kernel *k)
{
    const Run *run = k->run;
    for (int i = 0; i < run->bounds; i++) {
        Bound *b = &run->bound[i];
        const double value = run->present[b->state], off = value < b->low ? b->low - value : value - b->high;
        if (!(off > b->off))
            continue;
        if (b->off == b->slack)
            b->first = run->t;
        b->off = off;
        b->worst = value;
        b->when = run->t;
    }
}
