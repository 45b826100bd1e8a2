/* Values from slots of a workspace, in the places of others. */
#ifndef KERNEL_GATHER_H
#define KERNEL_GATHER_H

#include "rows/slots.h"

#include <stdbool.h>

static inline void collect(const double *w, const int *slot, int count, double *values)
{
    for (int i = 0; i < count; i++)
        values[i] = slot_value(w, slot[i]);
}

static inline void gather_plain(const double *restrict w, const int *restrict slot, int count, double *restrict values)
{
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 8
#endif
    for (int i = 0; i < count; i++)
        values[i] = w[slot[i]];
}

/* The same; whether all of them are finite, of four sums each of which is 0 or no number. Values that single stores have just written
 * are not read four at once. */
static inline bool gather_finite(const double *restrict w, const int *restrict slot, int count, double *restrict values)
{
    double left[4] = {0};
    int i = 0;
    for (; i + 4 <= count; i += 4)
        for (int j = 0; j < 4; j++) {
            const double value = w[slot[i + j]];
            values[i + j] = value;
            left[j] += value - value;
        }
    for (; i < count; i++) {
        values[i] = w[slot[i]];
        left[0] += values[i] - values[i];
    }
    return left[0] + left[1] + left[2] + left[3] == 0;
}

/* The same of some values alone, in their places. */
static inline bool gather_some(const double *w, const int *slot, const int *place, int count, double *values)
{
    double left = 0;
    for (int i = 0; i < count; i++) {
        values[place[i]] = w[slot[place[i]]];
        left += values[place[i]] - values[place[i]];
    }
    return left == 0;
}

#endif
