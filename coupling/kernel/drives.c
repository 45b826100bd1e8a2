/* What drives inputs, at a time: a function that is called back, a polynomial from outside, a table, pieces of polynomials, or a formula. */
#include "kernel_internal.h"

#include <math.h>

/* Where a table or a piece begins that holds at a time; where it jumps, that before the jump unless the event at that time has been passed. */
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

/* The first value whose condition holds; there is no number where none does. */
static double choose(const double *pairs, int count)
{
    for (int i = 0; i + 1 < count; i += 2)
        if (pairs[i + 1] != 0)
            return pairs[i];
    return NAN;
}

/* Reverse Polish notation: pairs of an operation and a number, which is a value or how many operands there are. */
static double calculate(const Drive *d, double t)
{
    double stack[FORMULA_DEPTH] = {0}, *top = stack; /* behind the last value */
    for (int i = 0; i < d->count; i++) {
        const double number = d->values[2 * i + 1];
        const FormulaOperation operation = (FormulaOperation)d->values[2 * i];
        if (operation == FORMULA_NUMBER || operation == FORMULA_TIME) {
            *top++ = operation == FORMULA_TIME ? t : number;
            continue;
        }
        top -= (int)number;
        double *const x = top++; /* its operands, the first of which gives way to the result */
        const int operands = (int)number;
        switch (operation) {
        case FORMULA_ADD:
            for (int j = 1; j < operands; j++)
                *x += x[j];
            break;
        case FORMULA_MULTIPLY:
            for (int j = 1; j < operands; j++)
                *x *= x[j];
            break;
        case FORMULA_POWER: *x = x[1] == 2 ? *x * *x : pow(*x, x[1]); break;
        case FORMULA_SIN: *x = sin(*x); break;
        case FORMULA_COS: *x = cos(*x); break;
        case FORMULA_TAN: *x = tan(*x); break;
        case FORMULA_ASIN: *x = asin(*x); break;
        case FORMULA_ACOS: *x = acos(*x); break;
        case FORMULA_ATAN: *x = atan(*x); break;
        case FORMULA_SINH: *x = sinh(*x); break;
        case FORMULA_COSH: *x = cosh(*x); break;
        case FORMULA_TANH: *x = tanh(*x); break;
        case FORMULA_EXP: *x = exp(*x); break;
        case FORMULA_LOG: *x = log(*x); break;
        case FORMULA_LESS: *x = *x < x[1]; break;
        case FORMULA_AT_MOST: *x = *x <= x[1]; break;
        case FORMULA_BOTH:
            for (int j = 1; j < operands; j++)
                *x = *x != 0 && x[j] != 0;
            break;
        case FORMULA_EITHER:
            for (int j = 1; j < operands; j++)
                *x = *x != 0 || x[j] != 0;
            break;
        case FORMULA_NOT: *x = *x == 0; break;
        case FORMULA_PIECEWISE: *x = choose(x, operands); break;
        default: return NAN;
        }
    }
    return *stack;
}

double drive_value(Drive *d, double t, double passed)
{
    switch (d->kind) {
    case BY_TABLE: return interpolate(d, t, passed);
    case BY_PIECES: return follow_piece(d, t, passed);
    case BY_POLYNOMIAL: return follow_polynomial(d, t);
    case BY_FUNCTION: return d->function(beside_jump(d, t, passed));
    case BY_FORMULA: return calculate(d, beside_jump(d, t, passed));
    }
    return NAN;
}

/* The next kink or jump of a table, a function or a formula; of pieces, where they begin and end. */
double drive_next_time(const Drive *d, double t)
{
    const int step = d->kind == BY_PIECES && d->points > 1 ? d->points - 1 : 1;
    for (int j = 0; j < d->points; j += step)
        if (d->times[j] > t)
            return d->times[j];
    return INFINITY;
}
