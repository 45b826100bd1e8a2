/* Implicit steps of fixed size that end on the constraints: index 3, with projected velocities. */
#ifndef KERNEL_INDEX3_H
#define KERNEL_INDEX3_H

#include "kernel.h"

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

typedef enum { TRAPEZOIDAL, GENERALISED_ALPHA, TR_BDF2 } ImplicitMethod;

typedef struct {
    double step, radius, tolerance; /* radius: spectral, of the generalised-alpha method */
    int method, limit;              /* limit: of Newton iterations in a step */
    bool tangent, stepped;          /* by the tangent's metric; velocities alone within the Newton iteration */
    const double *nominal;          /* by state; stays with the caller */
} Index3Options;

/* What a run tells. worst: the state that changed most, and by how much, in the last iteration of a step that was not solved; ringing: the
 * state that first rang from step to step, or -1. */
typedef struct {
    long iterations, factorisations;
    int most_iterations, worst, ringing;
    double velocity, energy, change, ringing_since;
} Index3Report;

int kernel_begin_index3(Kernel *, const Rows *, const Index3Options *, double start, double stop, long outputs, const double *output_times);
const Index3Report *kernel_index3(const Kernel *);
const double *kernel_index3_violation(const Kernel *); /* by unknown, what it keeps at zero, at the end of the last step */

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
