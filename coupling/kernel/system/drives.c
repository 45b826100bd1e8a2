/* Evaluates drives of inputs at a time: a function that is called back, a polynomial from outside, a table, pieces of polynomials, or a
 * formula. */
#include "system/kernel_internal.h"

#include <math.h>

/* Finds the place of a time in a table or in pieces. At a jump it is the place before the jump, unless the event there has
 * passed. */
static int place(Drive *d, double t, double passed)
{
    int i = d->last;
    while (i >= 0 && (t < d->times[i] || (t == d->times[i] && t > passed)))
        i--;
    while (i + 1 < d->points && (t > d->times[i + 1] || (t == d->times[i + 1] && t <= passed)))
        i++;
    return d->last = i;
}

static double interpolate(Drive *d, double t, double passed)
{
    const int i = place(d, t, passed);
    if (i < 0 || i + 1 == d->points)
        return d->values[i < 0 ? 0 : i];
    const double *x = d->times + i, *y = d->values + i;
    return y[0] + (y[1] - y[0]) * ((t - x[0]) / (x[1] - x[0]));
}

/* Values: those before and after all pieces, then the coefficients of each piece, of so many that rise with the power of the time in it. */
static double follow_piece(Drive *d, double t, double passed)
{
    const bool ends = t == d->times[d->points - 1]; /* which belongs to the last piece, so that a run that ends there has its values */
    const int i = ends ? d->points - 2 : place(d, t, passed), count = d->count;
    if (i < 0 || i + 1 == d->points)
        return d->values[i < 0 ? 0 : 1];
    const double *c = d->values + 2 + count * i, x = t - d->times[i];
    double sum = 0;
    for (int k = count - 1; k >= 0; k--)
        sum = sum * x + c[k];
    return sum;
}

/* A time that is as close to a jump as numbers come, before it or after it. */
static double beside_jump(const Drive *d, double t, double passed)
{
    for (int i = 0; i < d->points; i++)
        if (t == d->times[i])
            return nextafter(t, t > passed ? -INFINITY : INFINITY);
    return t;
}

static double follow_polynomial(const Drive *d, double t)
{
    return d->coefficient[0] + (t - d->start) * (d->coefficient[1] + (t - d->start) * d->coefficient[2]);
}

double drive_value(Drive *d, double t, double passed)
{
    switch (d->kind) {
    case BY_TABLE: return interpolate(d, t, passed);
    case BY_PIECES: return follow_piece(d, t, passed);
    case BY_POLYNOMIAL: return follow_polynomial(d, t);
    case BY_FUNCTION: return d->function.value(beside_jump(d, t, passed), d->function.context);
    case BY_FORMULA: return d->formula(d->values, d->count, beside_jump(d, t, passed));
    }
    return NAN;
}

/* Returns true where the curve is constant just before the time of piece j. It always is before the first piece. */
static bool rests_before(const Drive *d, int j)
{
    for (int i = 1; i < d->count && j > 0; i++)
        if (d->values[2 + d->count * (j - 1) + i] != 0)
            return false;
    return true;
}

/* The next kink or jump of a table, a function or a formula; of pieces, where they or their rests begin and end. */
double drive_next_time(const Drive *d, double t)
{
    for (int j = 0; j < d->points; j++) {
        const bool inside = d->kind == BY_PIECES && j > 0 && j < d->points - 1;
        if (d->times[j] > t && !(inside && rests_before(d, j) == rests_before(d, j + 1)))
            return d->times[j];
    }
    return INFINITY;
}

double drive_next_piece(const Drive *d, double t)
{
    for (int j = 0; j < d->points && d->kind == BY_PIECES; j++)
        if (d->times[j] > t)
            return d->times[j];
    return INFINITY;
}
