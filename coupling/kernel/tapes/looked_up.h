/* Values of tables on tapes: the functions of FMUs, on places of the workspace. */
#ifndef KERNEL_LOOKED_UP_H
#define KERNEL_LOOKED_UP_H

#include "lookup.h"
#include "tapes/operations.h"

#include <stdbool.h>

static inline bool is_lookup(int operation)
{
    return operation >= CURVE_OPERATION;
}

static inline double look_up_curve(const int *at, const double *w)
{
    return curve((unsigned)w[at[0]], (unsigned)w[at[1]], w[at[2]], (unsigned)w[at[3]], w + at[4], w + at[5]);
}

static inline double look_up_surface(const int *at, const double *w)
{
    return surface((unsigned)w[at[0]], (unsigned)w[at[1]], (unsigned)w[at[2]], w[at[3]], w[at[4]], (unsigned)w[at[5]], (unsigned)w[at[6]],
                   w + at[7], w + at[8], w + at[9]);
}

/* The functions by operation, from CURVE_OPERATION on. */
static double (*const look_up[])(const int *, const double *) = {look_up_curve, look_up_surface};

#endif
