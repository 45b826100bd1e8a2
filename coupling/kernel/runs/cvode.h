/* CVODE of SUNDIALS as an integrator of the kernel: its library calls the system, and the kernel calls it, with nothing in between.
 *
 * The caller has loaded the library, gives its functions by their addresses, makes the data they work on, and frees them. */
#ifndef KERNEL_CVODE_H
#define KERNEL_CVODE_H

#include "system/kernel.h"

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

/* cvode.py has the same fields in the same order. Names are those of the manual of CVODE. */
typedef struct {
    int (*CVode)(void *memory, double until, void *y, double *t, int task);
    int (*CVodeReInit)(void *memory, double t, void *y);
    int (*CVodeSetStopTime)(void *memory, double t);
    int (*CVodeGetDky)(void *memory, double t, int derivative, void *y);
    double *(*N_VGetArrayPointer)(void *vector);
    double *(*SUNDenseMatrix_Data)(void *matrix);
    void *cvode, *y, *between; /* between: the states within a step */
    Kernel *kernel;
    double t, before, limit, stop, tried; /* tried: the time of the last evaluation; NaN where there was none since the last step */
    long attempts, rejected, jacobians;
    int flag;      /* last result of the library */
    int status;    /* why an evaluation has ended the run: a KernelStatus */
    bool fresh, infinite; /* fresh: no step since the restart; infinite: a step ended in numbers that are not finite */
} Cvode;

/* The functions of an integrator, whose context is one of the above. */
bool cvode_restart(double t, const double *x, double limit, double first, void *context);
bool cvode_step(double *t, void *context);
bool cvode_state(double t, double *x, void *context);
bool cvode_go_on(double limit, void *context);

/* The functions that the library calls. */
int cvode_derivatives(double t, void *y, void *dy, void *context);
int cvode_jacobian(double t, void *y, void *dy, void *matrix, void *context, void *, void *, void *);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
