/* Sparse linear equations: their life, and their factors. */
#include "linear/linear_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Finds what lies across the diagonal: rows in ascending order come upon the entries of a column in ascending order. */
static void mirror_pattern(Linear *a)
{
    int *next = a->list;
    memcpy(next, a->row_start, (size_t)a->count * sizeof *next);
    a->symmetric_pattern = true;
    for (int i = 0; i < a->count; i++) {
        a->diagonal[i] = -1;
        for (int e = a->row_start[i]; e < a->row_start[i + 1]; e++) {
            int j = a->column[e], across = next[j];
            if (j == i)
                a->diagonal[i] = e;
            if (across < a->row_start[j + 1] && a->column[across] == i)
                a->mirror[e] = next[j]++;
            else
                a->symmetric_pattern = false;
        }
    }
}

Linear *linear_new(int count, const int *row_start, const int *column, const int *order)
{
    Linear *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    int **by_row[] = {&a->row_start, &a->order,   &a->diagonal,   &a->row_at,      &a->column_at, &a->position, &a->start,  &a->upper,
                      &a->weak_at,   &a->weak_row, &a->weak_column, &a->mark, &a->list,      &a->heap,     &a->waiting};
    int **by_entry[] = {&a->column, &a->mirror, &a->place};
    double **by_unknown[] = {&a->row_scale, &a->column_scale, &a->inverse, &a->least, &a->y,      &a->image, &a->other,
                             &a->filter,    &a->pivot, &a->length[0],    &a->length[1], &a->along, &a->coefficient, &a->damping_residual,  &a->gradient,
                             &a->direction,    &a->weights,         &a->preconditioner,  &a->damping,  &a->prior};
    const size_t n = (size_t)count + 1, entries = (size_t)row_start[count], rows = sizeof by_row / sizeof *by_row,
                 unknowns = sizeof by_unknown / sizeof *by_unknown;
    int *integers = calloc(rows * n + 3 * entries, sizeof *integers);
    double *doubles = calloc(unknowns * n + entries, sizeof *doubles);
    if (!integers || !doubles) {
        free(integers);
        free(doubles);
        free(a);
        return NULL;
    }
    for (size_t i = 0; i < rows; i++)
        *by_row[i] = integers + i * n;
    for (size_t i = 0; i < 3; i++)
        *by_entry[i] = integers + rows * n + i * entries;
    for (size_t i = 0; i < unknowns; i++)
        *by_unknown[i] = doubles + i * n;
    a->scale = doubles + unknowns * n;
    a->count = count;
    memcpy(a->row_start, row_start, n * sizeof *row_start);
    if (entries)
        memcpy(a->column, column, entries * sizeof *column);
    memcpy(a->order, order, (n - 1) * sizeof *order);
    mirror_pattern(a);
    return a;
}

void linear_free(Linear *a)
{
    if (!a)
        return;
    free(a->row_start); /* with all integers by row and entry */
    free(a->row_scale); /* with all numbers by unknown and entry */
    free(a->at);
    free(a->factor);
    free(a->target);
    free(a->block);
    linear_free_damping(a);
    free(a);
}

int linear_stored(const Linear *a)
{
    return a->chosen ? a->start[a->count] : 0;
}

/* In a cycle whose redundant rows have been decided and are damped, weak pivots are rounding, as the own blocks of thin bodies leave it:
 * what is missing there is known already. */
static int weak_by_rounding(const Linear *a)
{
    const Cycles *d = a->cycles;
    int count = 0;
    for (int w = 0; w < a->weak && d->redundancies; w++) {
        const int row = a->row_at[a->weak_at[w]];
        count += d->cycle[row] >= 0 && d->damps[d->cycle[row]];
    }
    return count;
}

static int missing(const Linear *a)
{
    const Cycles *d = a->cycles;
    const int undetermined = a->weak > 0 ? a->deficiency : 0;
    if (!d || !d->damped)
        return undetermined;
    const int rounding = weak_by_rounding(a);
    return (undetermined > rounding ? undetermined - rounding : 0) + d->redundancies + d->passing;
}

int linear_factorise(Linear *a, const double *values)
{
    a->factorised = false;
    if (a->cycles)
        a->cycles->values = values;
    bool serves = a->chosen && linear_eliminate(a, values);
    a->chosen = false;
    if (serves && a->weak > 0) {
        if (!linear_factorise_block(a, values))
            return -1;
        serves = a->definite || a->rank == 0 || fabs(a->block[0]) < 10 * WEAK;
    }
    if (!serves) {
        for (int e = 0; e < a->row_start[a->count]; e++)
            if (!isfinite(values[e]))
                return -1;
        Choice choice = linear_scale_by_diagonal(a, values) ? linear_choose_pivots(a, values, true) : UNSUITED;
        if (choice == UNSUITED) {
            linear_scale_by_sweeps(a, values);
            choice = linear_choose_pivots(a, values, false);
        }
        if (choice == NO_MEMORY || !linear_arrange(a))
            return -1;
        linear_eliminate(a, values);
        if (a->weak > 0 && !linear_factorise_block(a, values))
            return -1;
    }
    a->chosen = a->factorised = true;
    return missing(a);
}

int linear_weak(const Linear *a)
{
    return a->weak;
}

int linear_passing(const Linear *a)
{
    return linear_damped(a) ? a->cycles->passing : 0;
}
