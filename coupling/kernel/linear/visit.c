/* Linear equations in a walk over the state of a run: scales, sequence and peaks of pivots remember what was factorised before. */
#include "linear/linear_internal.h"
#include "platform/visit.h"

#include <string.h>

static void visit_cycles(Linear *a, Visit *v, const double *values, const double *other)
{
    Cycles *d = a->cycles;
    const size_t n = (size_t)a->count;
    visit(v, d->share, (size_t)((unsigned char *)d->block - (unsigned char *)d->share)); /* with peaks, sums and what is added */
    VISIT_FROM_TO(v, d, sigma2, all);
    VISIT_FROM_TO(v, d, exposed, reconsidered);
    visit(v, d->redundant, (size_t)(d->damps + d->cycles - d->redundant));
    VISIT_FROM_TO(v, d, redundancies, damped);
    VISIT(v, d->base_count);
    if (d->base_count > 0)
        d->base = visit_array(v, d->base, &d->base_room, (size_t)d->base_count * n, sizeof *d->base);
    bool of_other = other && d->values == other;
    VISIT(v, of_other);
    if (v->mode == LOADING)
        d->values = of_other ? other : values;
}

void linear_visit(Linear *a, Visit *v, const double *values, const double *other)
{
    const size_t n = (size_t)a->count + 1, entries = (size_t)a->row_start[a->count];
    visit_same(v, a->count);
    visit_same(v, (long)entries);
    visit(v, a->row_start, (15 * n + 3 * entries) * sizeof *a->row_start); /* as linear_new lays them out */
    visit(v, a->row_scale, (20 * n + entries) * sizeof *a->row_scale);
    VISIT_FROM_TO(v, a, symmetric_pattern, factorised);
    VISIT(v, a->definite);
    VISIT(v, a->floor);
    VISIT_FROM_TO(v, a, weak, deficiency);
    if (a->chosen) {
        const size_t stored = (size_t)a->start[a->count];
        a->at = visit_array(v, a->at, &a->at_room, stored, sizeof *a->at);
        a->factor = visit_array(v, a->factor, &a->factor_room, stored, sizeof *a->factor);
        a->block = visit_array(v, a->block, &a->block_room, (size_t)a->size * (size_t)a->size, sizeof *a->block);
        if (v->mode == LOADING && v->result == VISITED && !linear_trace(a))
            v->result = VISIT_NO_MEMORY;
    }
    visit_same(v, a->cycles != NULL);
    if (a->cycles && v->result == VISITED)
        visit_cycles(a, v, values, other);
}
