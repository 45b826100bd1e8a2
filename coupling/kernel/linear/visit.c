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
    VISIT_TRUTHS(v, d, exposed, reconsidered);
    visit(v, d->redundant, (size_t)(d->damps + d->cycles - d->redundant));
    visit_truths(v, d->redundant, (size_t)(d->damps + d->cycles - d->redundant));
    VISIT_FROM_TO(v, d, redundancies, damped);
    VISIT_WITHIN(v, d, redundancies, passing, 0, a->count);
    VISIT_WITHIN(v, d, damped, damped, 0, d->cycles);
    VISIT(v, d->base_count);
    if (!VISIT_WITHIN(v, d, base_count, base_count, -1, a->count))
        d->base_count = -1;
    if (d->base_count > 0)
        d->base = visit_array(v, d->base, &d->base_room, (size_t)d->base_count * n, sizeof *d->base);
    bool of_other = other && d->values == other;
    VISIT(v, of_other);
    if (v->mode == LOADING)
        d->values = visit_truths(v, &of_other, 1) && of_other && other ? other : values;
}

/* Says whether a sequence of pivots and the pattern of its factors are valid: each index lies within its range. */
static bool is_sequence(const Linear *a)
{
    const int n = a->count;
    bool holds = a->start[0] == 0;
    for (int k = 0; k < n && holds; k++)
        holds = a->row_at[k] >= 0 && a->row_at[k] < n && a->column_at[k] >= 0 && a->column_at[k] < n && a->position[a->column_at[k]] == k &&
                a->start[k] <= a->upper[k] && a->upper[k] < a->start[k + 1] && a->start[k + 1] <= MOST_STORED;
    return holds;
}

/* Says whether the columns of the factors lie before the pivot, at it, and after it, in this order. */
static bool is_pattern(const Linear *a)
{
    bool holds = true;
    for (int k = 0; k < a->count && holds; k++)
        for (int p = a->start[k]; p < a->start[k + 1] && holds; p++) {
            const int at = a->at[p], upper = a->upper[k];
            holds = p < upper ? at >= 0 && at < k : p == upper ? at == k : at > k && at < a->count;
        }
    return holds;
}

/* Traces the elimination, where a product or an entry without a place in the pattern is found by the -1 that it would have. */
static bool trace(Linear *a, Visit *v)
{
    const int n = a->count, stored = a->start[n];
    for (int i = 0; i < n; i++)
        a->list[i] = -1;
    if (!linear_trace(a)) {
        v->result = VISIT_NO_MEMORY;
        return false;
    }
    size_t products = 0;
    for (int k = 0; k < n; k++)
        for (int p = a->start[k]; p < a->upper[k]; p++)
            products += (size_t)(a->start[a->at[p] + 1] - a->upper[a->at[p]] - 1);
    return visit_within(v, a->target, products, 0, stored - 1) && visit_within(v, a->place, (size_t)a->row_start[n], 0, stored - 1);
}

/* Base vectors that are not believed have room for as many as the deficiency says. */
static bool has_room(const Linear *a)
{
    int doubted = 0;
    for (int k = 0; k < a->weak; k++)
        doubted += !(a->filter[k] >= 1);
    return !a->factorised || doubted <= a->deficiency;
}

void linear_visit(Linear *a, Visit *v, const double *values, const double *other)
{
    const size_t n = (size_t)a->count + 1, entries = (size_t)a->row_start[a->count];
    visit_same(v, a->count);
    visit_same(v, (long)entries);
    visit_equal(v, a->row_start, 3 * n * sizeof *a->row_start);      /* with the order and the diagonal; as linear_new lays them out */
    visit(v, a->row_at, 12 * n * sizeof *a->row_at);
    visit_equal(v, a->column, 2 * entries * sizeof *a->column); /* with what lies across the diagonal */
    visit(v, a->place, entries * sizeof *a->place);
    visit(v, a->row_scale, (20 * n + entries) * sizeof *a->row_scale);
    visit_same(v, a->symmetric_pattern);
    VISIT_FROM_TO(v, a, chosen, factorised);
    VISIT_TRUTHS(v, a, chosen, factorised);
    VISIT(v, a->definite);
    VISIT_TRUTHS(v, a, definite, definite);
    VISIT(v, a->floor);
    VISIT_FROM_TO(v, a, weak, deficiency);
    VISIT_WITHIN(v, a, weak, deficiency, 0, a->count);
    visit_within(v, a->weak_at, 3 * n, 0, a->count ? a->count - 1 : 0); /* with rows and columns */
    if (v->result != VISITED || !visit_check(v, a->rank <= a->size && (a->chosen || !a->factorised))) {
        a->chosen = a->factorised = false;
        return;
    }
    if (a->chosen && visit_check(v, is_sequence(a))) {
        const size_t stored = (size_t)a->start[a->count];
        a->at = visit_array(v, a->at, &a->at_room, stored, sizeof *a->at);
        a->factor = visit_array(v, a->factor, &a->factor_room, stored, sizeof *a->factor);
        a->block = visit_array(v, a->block, &a->block_room, (size_t)a->size * (size_t)a->size, sizeof *a->block);
        if (v->mode == LOADING && v->result == VISITED && visit_check(v, has_room(a) && is_pattern(a)))
            trace(a, v);
    }
    visit_same(v, a->cycles != NULL);
    if (a->cycles && v->result == VISITED)
        visit_cycles(a, v, values, other);
}
