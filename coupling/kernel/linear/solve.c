/* Solutions of the sparse linear equations from their factors: by these alone, by least squares where S is not to be believed, and in
 * damped passes. */
#include "linear/linear_internal.h"

#include <math.h>
#include <string.h>

static const double SAME = 1e-6; /* what is left of a base vector that others contain */
enum { PASSES = 3 };

/* Least squares, as far as S is not to be believed. */
static void solve_weak(Linear *a, double *b)
{
    double *prior = a->prior;
    memset(prior, 0, (size_t)a->weak * sizeof *prior);
    linear_least_squares(a, EQUATIONS, b, prior);
    linear_project(a, EQUATIONS, b, prior);
    for (int k = 0; k < a->weak; k++) {
        const double kept = prior[k] + a->length[EQUATIONS][k] * a->length[EQUATIONS][k] * a->coefficient[k];
        prior[k] = k < a->rank ? -kept / a->block[k * a->size + k] : 0;
    }
    linear_load(a, EQUATIONS, b);
    linear_apply(a, a->y);
    linear_store(a, UNKNOWNS, b);
    linear_least_squares(a, UNKNOWNS, b, prior);
}

static void solve_undamped(Linear *a, double *b)
{
    if (a->weak > 0) {
        solve_weak(a, b);
    } else {
        linear_load(a, EQUATIONS, b);
        linear_apply(a, a->y);
        linear_store(a, UNKNOWNS, b);
    }
}

/* y = D x, on one cycle. */
static void multiply_blocks(const Linear *a, int cycle, const double *x, double *y)
{
    const Cycles *d = a->cycles;
    memset(y, 0, (size_t)a->count * sizeof *y);
    for (int j = 0; j < d->joints; j++) {
        const int first = d->first[j], *entry = d->entry + d->first_entry[j];
        for (int i = first; i < d->first[j + 1] && d->cycle[d->member[first]] == cycle; i++)
            for (int k = first; k <= i; k++, entry++) {
                const int row = d->member[i], column = d->member[k];
                if (*entry < 0)
                    continue;
                y[row] += d->values[*entry] * x[column];
                y[column] += row == column ? 0 : d->values[*entry] * x[row];
            }
    }
}

/* Appends to the base the direction that is weakest around a row: by inverse iteration, made orthogonal to those before. */
static bool add_base_vector(Linear *a, int row)
{
    Cycles *d = a->cycles;
    const size_t n = (size_t)a->count, needed = ((size_t)d->base_count + 1) * n;
    d->base = grown(d->base, &d->base_room, needed, sizeof *d->base);
    if (d->base_room < needed)
        return false;
    double *v = d->base + (size_t)d->base_count * n;
    const int cycle = d->cycle[row];
    memset(d->left, 0, n * sizeof *d->left);
    d->left[row] = 1;
    for (int pass = 0; pass < PASSES; pass++) {
        if (pass > 0)
            multiply_blocks(a, cycle, v, d->left);
        solve_undamped(a, d->left);
        for (size_t i = 0; i < n; i++)
            v[i] = d->added[cycle] * d->left[i];
    }
    double length = sqrt(linear_square(v, a->count));
    const double before = length;
    for (int twice = 0; twice < 2; twice++) {
        for (const double *u = d->base; u < v; u += n) {
            double product = 0;
            for (size_t i = 0; i < n; i++)
                product += u[i] * v[i];
            for (size_t i = 0; i < n; i++)
                v[i] -= product * u[i];
        }
        length = sqrt(linear_square(v, a->count));
    }
    for (size_t i = 0; i < n && length > SAME * before; i++)
        v[i] /= length;
    d->base_count += length > SAME * before;
    return true;
}

/* Finds a base of the solutions that redundant constraints leave open. */
static void find_base(Linear *a)
{
    Cycles *d = a->cycles;
    d->base_count = 0;
    for (int i = 0; i < a->count && d->redundancies; i++)
        if (d->redundant[i] && !add_base_vector(a, i))
            return;
}

static void solve_damped(Linear *a, double *b)
{
    Cycles *d = a->cycles;
    double *sum = d->sum, *left = d->left;
    if (d->base_count < 0)
        find_base(a);
    memset(sum, 0, (size_t)a->count * sizeof *sum);
    for (int pass = 0; pass < PASSES; pass++) {
        for (int i = 0; i < a->count; i++) {
            left[i] = b[i];
            for (int e = a->row_start[i]; e < a->row_start[i + 1] && pass > 0; e++)
                left[i] -= d->values[e] * sum[a->column[e]];
        }
        solve_undamped(a, left);
        for (int i = 0; i < a->count; i++)
            sum[i] += left[i];
    }
    for (int j = 0; j < d->base_count; j++) {
        const double *v = d->base + (size_t)j * (size_t)a->count;
        double product = 0;
        for (int i = 0; i < a->count; i++)
            product += v[i] * sum[i];
        for (int i = 0; i < a->count; i++)
            sum[i] -= product * v[i];
    }
    memcpy(b, sum, (size_t)a->count * sizeof *b);
}

void linear_damped_extent(Linear *a, double *unknowns, double *equations)
{
    Cycles *d = a->cycles;
    find_base(a);
    const int redundancies = d->base_count;
    for (int i = 0; i < a->count; i++)
        if (d->weak[i] && !add_base_vector(a, i))
            break;
    for (int i = 0; i < a->count; i++) {
        double sum = 0;
        for (int j = 0; j < d->base_count; j++) {
            const double entry = d->base[(size_t)j * (size_t)a->count + (size_t)i];
            sum += entry * entry;
        }
        unknowns[i] = equations[i] = sqrt(fmin(sum, 1));
    }
    d->base_count = redundancies;
}

void linear_tied(Linear *a, int unknown, double *share)
{
    Cycles *d = a->cycles;
    const size_t n = (size_t)a->count;
    memset(share, 0, n * sizeof *share);
    if (!d || !linear_damped(a))
        return;
    if (d->base_count < 0)
        find_base(a);
    for (size_t j = 0; j < (size_t)d->base_count; j++)
        for (size_t i = 0; i < n; i++)
            share[i] += d->base[j * n + i] * d->base[j * n + (size_t)unknown];
}

void linear_solve(Linear *a, double *b)
{
    if (!a->factorised) {
        for (int i = 0; i < a->count; i++)
            b[i] = NAN;
    } else if (linear_damped(a)) {
        solve_damped(a, b);
    } else {
        solve_undamped(a, b);
    }
}
