#define _POSIX_C_SOURCE 199309L
/* Measures the time of evaluations, and its part in FMUs. */
#include "system/kernel_internal.h"

#include <math.h>
#include <time.h>

double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void kernel_use_clock(Kernel *k)
{
    enum { READINGS = 100, TRIALS = 10 };
    static double cost; /* of a reading: the same in the whole process; the least of some trials, since others share the processor */
    if (cost == 0) {
        cost = INFINITY;
        for (int trial = 0; trial < TRIALS; trial++) {
            const double began = seconds();
            double now = began;
            for (int i = 0; i < READINGS; i++)
                now = seconds();
            cost = fmin(cost, (now - began) / READINGS);
        }
    }
    k->clock = seconds;
    k->clock_cost = cost;
}
