#include "tapes/tape.h"

#include "tapes/looked_up.h"
#include "tapes/operations.h"
#include "tapes/turned.h"

#include <math.h>
#include <stddef.h>

#define A w[at[0]]
#define B w[at[1]]
#define C w[at[2]]

/* A batch never reads its own results: stores do not delay loads. */
#define RUN(name, operands, value)                      \
    case name##_OPERATION:                              \
        for (int i = 0; i < count; i++, at += operands) \
            result[i] = (value);                        \
        break;

void tape_run(const void *tape, double *workspace)
{
    const int *at = tape;
    const double *const w = workspace;
    while (*at != TAPE_END) {
        const int operation = at[0], count = at[1];
        double *const restrict result = workspace + at[2];
        at += 3;
        if (is_of_angles(operation)) {
            turn(at, count, w, operation == SIN_OPERATION ? result : NULL, operation == COS_OPERATION ? result : NULL);
            at += count;
            continue;
        }
        if (is_lookup(operation)) {
            for (int i = 0; i < count; i++, at += operands_of[operation])
                result[i] = look_up[operation - CURVE_OPERATION](at, w);
            continue;
        }
        switch (operation) {
            OPERATIONS(RUN)
        }
    }
}

#define NAME(name, operands, value) #name,

const char *tape_operation(int operation, int *operands)
{
    static const char *const names[] = {OPERATIONS(NAME) LOOKUPS(NAME)};
    if (operation < 0 || operation >= ALL_OPERATIONS)
        return NULL;
    *operands = operands_of[operation];
    return names[operation];
}
