/* The operations of tapes: name (expressions.py has the same), number of operands and value. Operations that join a product and a sum
 * round twice, as these two do. */
#ifndef KERNEL_OPERATIONS_H
#define KERNEL_OPERATIONS_H

#define OPERATIONS(OP)                  \
    OP(ADD, 2, A + B)                   \
    OP(SUBTRACT, 2, A - B)              \
    OP(MULTIPLY, 2, A * B)              \
    OP(DIVIDE, 2, A / B)                \
    OP(NEGATE, 1, -A)                   \
    OP(MULTIPLY_ADD, 3, A + B * C)      \
    OP(MULTIPLY_SUBTRACT, 3, A - B * C) \
    OP(SQRT, 1, sqrt(A))                \
    OP(SIN, 1, sin(A))                  \
    OP(COS, 1, cos(A))                  \
    OP(TAN, 1, tan(A))                  \
    OP(ASIN, 1, asin(A))                \
    OP(ACOS, 1, acos(A))                \
    OP(ATAN, 1, atan(A))                \
    OP(ATAN2, 2, atan2(A, B))           \
    OP(SINH, 1, sinh(A))                \
    OP(COSH, 1, cosh(A))                \
    OP(TANH, 1, tanh(A))                \
    OP(EXP, 1, exp(A))                  \
    OP(LOG, 1, log(A))                  \
    OP(POWER, 2, pow(A, B))             \
    OP(ABS, 1, fabs(A))                 \
    OP(SIGN, 1, (A > 0) - (A < 0))      \
    OP(FLOOR, 1, floor(A))              \
    OP(CEILING, 1, ceil(A))             \
    OP(MAX, 2, A > B ? A : B)           \
    OP(MIN, 2, A < B ? A : B)           \
    OP(GREATER, 2, A > B)               \
    OP(GREATER_EQUAL, 2, A >= B)        \
    OP(EQUAL, 2, A == B)                \
    OP(AND, 2, A != 0 && B != 0)        \
    OP(OR, 2, A != 0 || B != 0)         \
    OP(NOT, 1, A == 0)                  \
    OP(SELECT, 3, A != 0 ? B : C)

/* Values of tables: name and number of operands. Orders, kind and sizes are numbers; of each array its first place is the operand. */
#define LOOKUPS(OP) OP(CURVE, 6, ) OP(SURFACE, 10, )

#define NUMBER_OF(name, operands, value) name##_OPERATION,

enum { OPERATIONS(NUMBER_OF) LOOKUPS(NUMBER_OF) ALL_OPERATIONS };

#define OPERANDS_OF(name, operands, value) operands,

static const int operands_of[] = {OPERATIONS(OPERANDS_OF) LOOKUPS(OPERANDS_OF)};

#endif
