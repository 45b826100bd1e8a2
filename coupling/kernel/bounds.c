/* Notes states that leave the range in which their model holds. Accepted steps are looked at; the run does not change. */
#include "run.h"

void kernel_watch_bounds(Kernel *k, Bound *bound, int count)
{
    k->run->bound = bound;
    k->run->bounds = count;
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
