/* Notes values that leave the range in which their model holds. Accepted steps and communication points are looked at; the run does not change.
 * Values beyond any physical scale end it. */
#include "runs/run.h"

#include <math.h>

void kernel_watch_bounds(Kernel *k, Bound *bound, int count)
{
    k->run->bound = bound;
    k->run->bounds = count;
}

void kernel_watch_points(Kernel *k, Bound *bound, int count, int limits)
{
    k->coupling->bound = bound;
    k->coupling->bounds = count;
    k->coupling->limits = limits;
}

static void note(Bound *bound, int count, double t, const double *values)
{
    for (int i = 0; i < count; i++) {
        Bound *b = &bound[i];
        const double value = values[b->slot], off = value < b->low ? b->low - value : value - b->high;
        if (!(off > b->off))
            continue;
        if (b->off == b->slack)
            b->first = t;
        b->off = off;
        b->worst = value;
        b->when = t;
    }
}

void note_bounds(Kernel *k)
{
    note(k->run->bound, k->run->bounds, k->run->t, k->run->present);
}

int kernel_note_point(Kernel *k)
{
    const Coupling *c = k->coupling;
    note(c->bound, c->bounds, k->t, k->v);
    for (int i = c->bounds - c->limits; i < c->bounds; i++)
        if (c->bound[i].off > c->bound[i].slack) {
            failed(k, KERNEL_BEYOND_LIMIT, "stepping", -1, OK);
            k->failure.slot = k->states + c->bound[i].slot;
            return KERNEL_BEYOND_LIMIT;
        }
    return KERNEL_DONE;
}

void visit_bounds(Visit *v, Bound *bound, int count)
{
    visit_same(v, count);
    for (int i = 0; i < count && v->result == VISITED; i++) {
        visit_equal(v, &bound[i].slot, sizeof bound[i].slot);
        VISIT_FROM_TO(v, &bound[i], off, when);
    }
}

int check_limits(Kernel *k)
{
    const double *x = k->run->present, *limit = k->value_limit;
    int beyond = 0; /* of all states, for a loop without branches */
    for (int i = 0; limit && i < k->states; i++)
        beyond |= fabs(x[i]) > limit[i];
    for (int i = 0; beyond && i < k->states; i++)
        if (fabs(x[i]) > limit[i]) {
            failed(k, KERNEL_BEYOND_LIMIT, "integrating", -1, OK);
            k->failure.slot = i;
            return KERNEL_BEYOND_LIMIT;
        }
    return KERNEL_DONE;
}
