/* Fixed points by what repetitions have shown so far: IQN-ILS, which in one dimension is the secant method.
 *
 * J. Degroote, K.-J. Bathe, J. Vierendeels, Performance of a new partitioned procedure versus a monolithic procedure in fluid-structure
 * interaction, Computers and Structures 87 (2009); differences of former steps are kept, the oldest first to go. */
#include "cosimulation/implicit.h"

#include <math.h>
#include <string.h>

/* The share of a difference that newer ones do not span already, from which on it is useful. */
static const double independent = 1e-2;
/* The least size of a difference, relative to the rest: smaller ones say nothing about such large moves. */
static const double reach = 1e-2;
/* The size of a move, relative to the unknowns, from which on its response measures the strength of the coupling. */
static const double telling = 1e-6;

size_t fixed_point_room(int size)
{
    return (size_t)(4 + 3 * MOST_ANSWERS) * (size_t)size;
}

void fixed_point_begin(FixedPoint *f, int size, double *room)
{
    *f = (FixedPoint){.size = size, .x = room, .value = room + size, .residual = room + 2 * (size_t)size, .left = room + 3 * (size_t)size};
    for (int i = 0; i < MOST_ANSWERS; i++) {
        f->change[i] = room + (size_t)(4 + 3 * i) * (size_t)size;
        f->difference[i] = f->change[i] + size;
        f->base[i] = f->difference[i] + size;
    }
}

void fixed_point_forget(FixedPoint *f)
{
    f->known = f->gains = 0;
    f->goes_on = false;
}

void fixed_point_leave(FixedPoint *f)
{
    f->goes_on = false;
}

static double product(const double *a, const double *b, int size)
{
    double sum = 0;
    for (int i = 0; i < size; i++)
        sum += a[i] * b[i];
    return sum;
}

static double length(const double *a, int size)
{
    return sqrt(product(a, a, size));
}

/* Notes what has changed since the last point of the same step. */
static void learn(FixedPoint *f, const double *x, const double *value, const double *scale)
{
    const int last = MOST_ANSWERS - 1;
    double *const change = f->change[last], *const difference = f->difference[last];
    memmove(f->change + 1, f->change, (size_t)last * sizeof *f->change);
    memmove(f->difference + 1, f->difference, (size_t)last * sizeof *f->difference);
    f->change[0] = change;
    f->difference[0] = difference;
    f->known += f->known < MOST_ANSWERS;
    double moved = 0, answered = 0, greatest = 0;
    for (int i = 0; i < f->size; i++) {
        const double move = (x[i] - f->x[i]) / scale[i];
        change[i] = value[i] - f->value[i];
        difference[i] = value[i] - x[i] - f->residual[i];
        moved += move * move;
        answered += change[i] / scale[i] * (change[i] / scale[i]);
        greatest = fmax(greatest, fabs(move));
    }
    if (greatest > telling) {
        f->gain[1] = f->gain[0];
        f->gain[0] = sqrt(answered) / sqrt(moved);
        f->gains += f->gains < 2;
    }
}

/* The first unknowns moved on the way to a result. */
static bool moved(const FixedPoint *f, int answer, int first)
{
    for (int i = 0; i < first; i++)
        if (f->change[answer][i] != f->difference[answer][i])
            return true;
    return false;
}

void fixed_point_next(FixedPoint *f, const double *x, const double *value, const double *scale, int held, double *next)
{
    const int n = f->size;
    if (f->goes_on)
        learn(f, x, value, scale);
    f->goes_on = true;
    memcpy(f->x, x, (size_t)n * sizeof *x);
    memcpy(f->value, value, (size_t)n * sizeof *value);
    for (int i = 0; i < n; i++) {
        f->residual[i] = value[i] - f->x[i];
        f->left[i] = f->residual[i] / scale[i];
    }
    double triangle[MOST_ANSWERS][MOST_ANSWERS], wanted[MOST_ANSWERS];
    const double left = length(f->left, n);
    int used[MOST_ANSWERS], count = 0;
    for (int a = 0; a < f->known; a++) {
        if (moved(f, a, held))
            continue;
        double *const rest = f->base[count];
        for (int i = 0; i < n; i++)
            rest[i] = f->difference[a][i] / scale[i];
        const double whole = length(rest, n);
        if (whole < reach * left)
            continue;
        for (int b = 0; b < count; b++) {
            const double share = triangle[count][b] = product(f->base[b], rest, n);
            for (int i = 0; i < n; i++)
                rest[i] -= share * f->base[b][i];
        }
        const double size = length(rest, n);
        if (!(size > independent * whole))
            continue;
        for (int i = 0; i < n; i++)
            rest[i] /= size;
        triangle[count][count] = size;
        wanted[count] = -product(rest, f->left, n);
        used[count++] = a;
    }
    memcpy(next, f->value, (size_t)n * sizeof *next);
    for (int b = count; b-- > 0;) { /* the triangle, from its last row */
        const double share = wanted[b] / triangle[b][b], *const change = f->change[used[b]];
        for (int j = 0; j < b; j++)
            wanted[j] -= share * triangle[b][j];
        for (int i = 0; i < n; i++)
            next[i] += share * change[i];
    }
}
