/* Formulas of time in reverse Polish notation: pairs of an operation and a number, which is a value or how many operands there are. */
#include "rows/rows.h"

#include <math.h>
#include <stddef.h>

/* Operations of a formula, by their places in formulas.py. Operations from FORMULA_COLUMN on occur in formulas of a row alone. */
typedef enum {
    FORMULA_NUMBER, FORMULA_TIME, FORMULA_ADD, FORMULA_MULTIPLY, FORMULA_POWER, FORMULA_SIN, FORMULA_COS, FORMULA_TAN, FORMULA_ASIN,
    FORMULA_ACOS, FORMULA_ATAN, FORMULA_SINH, FORMULA_COSH, FORMULA_TANH, FORMULA_EXP, FORMULA_LOG, FORMULA_LESS, FORMULA_AT_MOST,
    FORMULA_BOTH, FORMULA_EITHER, FORMULA_NOT, FORMULA_PIECEWISE, FORMULA_COLUMN, FORMULA_ABS, FORMULA_LEAST, FORMULA_GREATEST, FORMULA_ATAN2
} FormulaOperation;
enum { FORMULA_DEPTH = 256 }; /* values that may wait for each other */

/* The first value whose condition holds; there is no number where none does. */
static double choose(const double *pairs, int count)
{
    for (int i = 0; i + 1 < count; i += 2)
        if (pairs[i + 1] != 0)
            return pairs[i];
    return NAN;
}

double formula_value(const double *pairs, int count, double t)
{
    return formula_of_row(pairs, count, t, NULL);
}

double formula_of_row(const double *pairs, int count, double t, const double *row)
{
    double stack[FORMULA_DEPTH] = {0}, *top = stack; /* after the last value */
    for (int i = 0; i < count; i++) {
        const double number = pairs[2 * i + 1];
        const FormulaOperation operation = (FormulaOperation)pairs[2 * i];
        if (operation == FORMULA_NUMBER || operation == FORMULA_TIME) {
            *top++ = operation == FORMULA_TIME ? t : number;
            continue;
        }
        if (operation == FORMULA_COLUMN) {
            *top++ = row[(int)number];
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
        case FORMULA_ABS: *x = fabs(*x); break;
        case FORMULA_LEAST: *x = fmin(*x, x[1]); break;
        case FORMULA_GREATEST: *x = fmax(*x, x[1]); break;
        case FORMULA_ATAN2: *x = atan2(*x, x[1]); break;
        case FORMULA_PIECEWISE: *x = choose(x, operands); break;
        default: return NAN;
        }
    }
    return *stack;
}
