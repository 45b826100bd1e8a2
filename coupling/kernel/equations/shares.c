#include "equations/shares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct Shares {
    int redundant;
    Linear *kept; /* the equations without those that have been left out */
    double *values, *base;
};

/* Makes v orthogonal to `count` vectors of length 1, twice because of rounding; returns the length that is left. */
static double free_of(const double *base, int count, int size, double *v)
{
    for (int twice = 0; twice < 2; twice++)
        for (const double *u = base; u < base + (size_t)count * (size_t)size; u += size) {
            double along = 0;
            for (int i = 0; i < size; i++)
                along += u[i] * v[i];
            for (int i = 0; i < size; i++)
                v[i] -= along * u[i];
        }
    double square = 0;
    for (int i = 0; i < size; i++)
        square += v[i] * v[i];
    return sqrt(square);
}

/* Finds the multipliers that cancel a redundant row's multiplier of 1: together they move nothing. */
static void answer(const Loop *l, Linear *kept, const int *left_out, int row, double *v)
{
    const double *const entry = l->term + l->first_entry;
    memset(v, 0, (size_t)l->count * sizeof *v);
    for (int i = 0; i < l->count; i++)
        for (int e = l->row_start[i]; e < l->row_start[i + 1] && !left_out[i]; e++)
            if (l->column[e] == row)
                v[i] = -entry[e];
    linear_solve(kept, v);
    v[row] = 1;
}

static bool begin(const Loop *l, const int *left_out, Shares *s)
{
    const size_t n = (size_t)l->count, entries = (size_t)l->row_start[n];
    for (size_t i = 0; i < n; i++)
        s->redundant += left_out[i] != 0;
    if (!s->redundant)
        return true;
    s->kept = linear_new(l->count, l->row_start, l->column, l->order);
    s->values = malloc((entries + (size_t)s->redundant * n + 1) * sizeof *s->values);
    s->base = s->values ? s->values + entries : NULL;
    return s->kept && s->values;
}

static bool share_loop(const Kernel *k, const Loop *l, const Shares *s, const int *left_out)
{
    const int n = l->count;
    const double *const entry = l->term + l->first_entry;
    int found = 0;
    for (int i = 0; i < n && s->redundant; i++)
        for (int e = l->row_start[i]; e < l->row_start[i + 1]; e++)
            s->values[e] = left_out[i] || left_out[l->column[e]] ? i == l->column[e] : entry[e];
    if (s->redundant && linear_factorise(s->kept, s->values) < 0)
        return false;
    for (int i = 0; i < n && s->redundant; i++) {
        double *const v = s->base + (size_t)found * (size_t)n;
        if (!left_out[i])
            continue;
        answer(l, s->kept, left_out, i, v);
        const double length = free_of(s->base, found++, n, v);
        for (int j = 0; j < n; j++)
            v[j] /= length; /* which is not 0: each has an unknown of its own */
    }
    free_of(s->base, found, n, k->v + l->first);
    return true;
}

bool share_loads(Kernel *k, Shares **shares, const int *left_out)
{
    bool done = true;
    if (!*shares) {
        *shares = calloc((size_t)k->loop_count + 1, sizeof **shares);
        for (int i = 0, first = 0; i < k->loop_count && *shares && done; first += k->loops[i++].count)
            done = begin(&k->loops[i], left_out + first, &(*shares)[i]);
    }
    for (int i = 0; i < k->loop_count && *shares && done; left_out += k->loops[i++].count)
        done = share_loop(k, &k->loops[i], &(*shares)[i], left_out);
    return *shares && done;
}

void free_shares(const Kernel *k, Shares *shares)
{
    for (int i = 0; i < k->loop_count && shares; i++) {
        linear_free(shares[i].kept);
        free(shares[i].values);
    }
    free(shares);
}
