/* Sines and cosines of a batch of a tape: of many at once, wherever its operands are. */
#ifndef KERNEL_TURNED_H
#define KERNEL_TURNED_H

#include "tapes/angles.h"
#include "tapes/operations.h"

#include <stdbool.h>
#include <string.h>

static inline bool is_of_angles(int operation)
{
    return operation == SIN_OPERATION || operation == COS_OPERATION;
}

/* The sines, the cosines, or both. */
static inline void turn(const int *at, int count, const double *w, double *sines, double *cosines)
{
    enum { MOST = 16 * ANGLES };
    double x[MOST], sine[MOST], cosine[MOST];
    for (int done = 0, n; done < count; done += n, at += n) {
        n = count - done < MOST ? count - done : MOST;
        for (int i = 0; i < n; i += ANGLES) {
            Angles some; /* stored at once, as it is loaded */
            for (int j = 0; j < ANGLES; j++)
                some[j] = w[at[i + j < n ? i + j : n - 1]];
            *(Angles *)(x + i) = some;
        }
        angles(n, x, sine, cosine);
        if (sines)
            memcpy(sines + done, sine, (size_t)n * sizeof *sines);
        if (cosines)
            memcpy(cosines + done, cosine, (size_t)n * sizeof *cosines);
    }
}

#endif
