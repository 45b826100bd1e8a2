/* LU factorisation with a sequence that is known, and solutions by its factors. */
#include "linear/linear_internal.h"

#include <math.h>

static const double FAINT = 1e-10;     /* where many pivots are weak, those that are not as small as this leave them, which keeps S small */
static const double STALE = 1e-2;      /* an entry in the diagonal that has become so small needs a new scale before it is called weak */
static const double RISEN = 0.5;        /* a pivot that was weak when the sequence was chosen, and is not any more: what is added to it might leave 0 */
static const double MOST_GROWTH = 1e6; /* of the sum of squares of the factors */

/* False where the factors have grown, or are not finite. */
static bool moderate(const Linear *a)
{
    const int stored = a->start[a->count];
    double sum[4] = {0};
    int p = 0;
    for (; p + 4 <= stored; p += 4)
        for (int lane = 0; lane < 4; lane++)
            sum[lane] += a->factor[p + lane] * a->factor[p + lane];
    for (; p < stored; p++)
        sum[0] += a->factor[p] * a->factor[p];
    return sum[0] + sum[1] + sum[2] + sum[3] <= MOST_GROWTH + stored;
}

/* Factorises B with the sequence that there is; false where this does not suit the values. In a definite matrix pivots below the
 * floor are weak, if it is not known otherwise that they are not for a lack of rank. */
static bool eliminate_above(Linear *a, const double *values, double floor)
{
    const int *start = a->start, *upper = a->upper, *at = a->at, *target = a->target;
    double *restrict factor = a->factor, *restrict inverse = a->inverse;
    bool suits = true;
    for (int p = 0; p < start[a->count]; p++)
        factor[p] = 0;
    for (int e = 0; e < a->row_start[a->count]; e++)
        factor[a->place[e]] = values[e] * a->scale[e];
    linear_add_damping(a, values);
    a->weak = 0;
    for (int k = 0; k < a->count; k++) {
        const double natural = factor[upper[k]];
        for (int p = start[k]; p < upper[k]; p++) {
            const double multiple = factor[p] * inverse[at[p]];
            for (int q = upper[at[p]] + 1; q < start[at[p] + 1]; q++)
                factor[*target++] -= multiple * factor[q];
        }
        const double pivot = a->pivot[k] = factor[upper[k]];
        if (!(fabs(pivot) >= (a->definite ? floor : a->least[k]))) {
            if (a->definite)
                suits = suits && !(natural < STALE && natural > 0);
            else
                suits = suits && isinf(a->least[k]) && fabs(pivot) < RISEN;
            if (!a->definite || !(pivot > ROUNDING * natural && linear_counts(a, a->row_at[k]))) {
                factor[upper[k]] += 1;
                a->weak_at[a->weak++] = k;
            }
        }
        inverse[k] = 1 / factor[upper[k]];
    }
    return suits && moderate(a);
}

/* Replaces y by inv(B) y, by position. */
void linear_apply(const Linear *a, double *restrict y)
{
    const double *restrict factor = a->factor, *restrict inverse = a->inverse;
    for (int k = 0; k < a->count; k++) {
        double sum = y[k];
        for (int p = a->start[k]; p < a->upper[k]; p++)
            sum -= factor[p] * y[a->at[p]];
        y[k] = sum * inverse[k];
    }
    for (int k = a->count - 1; k >= 0; k--) {
        double sum = 0;
        for (int q = a->upper[k] + 1; q < a->start[k + 1]; q++)
            sum += factor[q] * y[a->at[q]];
        y[k] -= inverse[k] * sum;
    }
}

/* Replaces y by inv(B)' y, by position. */
void linear_apply_transposed(const Linear *a, double *restrict y)
{
    for (int k = 0; k < a->count; k++) {
        y[k] *= a->inverse[k];
        for (int q = a->upper[k] + 1; q < a->start[k + 1]; q++)
            y[a->at[q]] -= a->factor[q] * y[k];
    }
    for (int k = a->count - 1; k >= 0; k--)
        for (int p = a->start[k]; p < a->upper[k]; p++)
            y[a->at[p]] -= a->inverse[a->at[p]] * a->factor[p] * y[k];
}

/* Factorises B with such weak pivots as suit their number. */
static bool eliminate_weak(Linear *a, const double *values)
{
    const bool suits = eliminate_above(a, values, a->floor = WEAK);
    if (!suits || !a->definite || a->weak == 0)
        return suits;
    if (a->weak > FEW)
        return eliminate_above(a, values, a->floor = FAINT);
    return eliminate_above(a, values, SOUND) && (a->weak <= FEW || eliminate_above(a, values, WEAK));
}

/* The same, where directions that have become weak are damped. */
bool linear_eliminate(Linear *a, const double *values)
{
    linear_begin_damping(a);
    return eliminate_weak(a, values) && (!linear_find_weak(a, values) || eliminate_weak(a, values));
}
