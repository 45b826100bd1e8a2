#include "tape.h"

#include <math.h>
#include <stddef.h>

/* Operations by name (expressions.py has the same), number of operands and value. What joins a product and a sum rounds twice, as these two do. */
#define OPERATIONS(OP)                    \
    OP("ADD", 2, A + B)                   \
    OP("SUBTRACT", 2, A - B)              \
    OP("MULTIPLY", 2, A * B)              \
    OP("DIVIDE", 2, A / B)                \
    OP("NEGATE", 1, -A)                   \
    OP("MULTIPLY_ADD", 3, A + B * C)      \
    OP("MULTIPLY_SUBTRACT", 3, A - B * C) \
    OP("SQRT", 1, sqrt(A))                \
    OP("SIN", 1, sin(A))                  \
    OP("COS", 1, cos(A))                  \
    OP("TAN", 1, tan(A))                  \
    OP("ASIN", 1, asin(A))                \
    OP("ACOS", 1, acos(A))                \
    OP("ATAN", 1, atan(A))                \
    OP("ATAN2", 2, atan2(A, B))           \
    OP("SINH", 1, sinh(A))                \
    OP("COSH", 1, cosh(A))                \
    OP("TANH", 1, tanh(A))                \
    OP("EXP", 1, exp(A))                  \
    OP("LOG", 1, log(A))                  \
    OP("POWER", 2, pow(A, B))             \
    OP("ABS", 1, fabs(A))                 \
    OP("SIGN", 1, (A > 0) - (A < 0))      \
    OP("FLOOR", 1, floor(A))              \
    OP("CEILING", 1, ceil(A))             \
    OP("MAX", 2, A > B ? A : B)           \
    OP("MIN", 2, A < B ? A : B)           \
    OP("GREATER", 2, A > B)               \
    OP("GREATER_EQUAL", 2, A >= B)        \
    OP("EQUAL", 2, A == B)                \
    OP("AND", 2, A != 0 && B != 0)        \
    OP("OR", 2, A != 0 || B != 0)         \
    OP("NOT", 1, A == 0)                  \
    OP("SELECT", 3, A != 0 ? B : C)

#define A w[at[0]]
#define B w[at[1]]
#define C w[at[2]]

enum { FIRST = __COUNTER__ };

/* No result of a batch is one of its operands: stores do not hold up loads. */
#define RUN(name, operands, value)                             \
    case __COUNTER__ - FIRST - 1:                              \
        for (int i = 0; i < count; i++, at += operands)        \
            result[i] = (value);                               \
        break;

void tape_run(const void *tape, double *workspace)
{
    const int *at = tape;
    const double *const w = workspace;
    while (*at != TAPE_END) {
        const int operation = at[0], count = at[1];
        double *const restrict result = workspace + at[2];
        at += 3;
        switch (operation) {
            OPERATIONS(RUN)
        }
    }
}

#define NAME(name, operands, value) {name, operands},

const char *tape_operation(int operation, int *operands)
{
    static const struct {
        const char *name;
        int operands;
    } table[] = {OPERATIONS(NAME)};
    if (operation < 0 || (size_t)operation >= sizeof table / sizeof *table)
        return NULL;
    *operands = table[operation].operands;
    return table[operation].name;
}
