/* Steps of fixed size inside Co-Simulation, for mechanisms that are exported with them. */
#ifndef FIXED_H
#define FIXED_H

#include <stdbool.h>

#if defined(__ELF__)
#pragma GCC visibility push(hidden)
#endif

typedef struct System System;

typedef struct {
    void *context;
    void (*place)(void *context, double t, const double *x); /* brings time, states and inputs into the components */
} Placing;

/* fixed_whole.c: of the mechanism that a model is; what returns false says why as its reason */
bool model_start_steps(void *model, Placing, double t, const double *x, const double *remembered);
bool model_take_step(void *model, Placing, double t, double h, double end, double *x, bool goes_on);
const double *model_memory(const void *model);
void model_between(void *model, double f, double h, double *x);
void model_prepare(void *model); /* for evaluations where it has been placed */

/* fixed_system.c: what returns false leaves a sentence in `system_reason` */
bool system_start_steps(System *, Placing, double t, const double *x, const double *remembered); /* from the memory of the last step, or anew: null */
bool system_take_step(System *, Placing, double t, double h, double end, double *x, bool goes_on); /* goes_on: `system_between` or another step */
const double *system_memory(const System *); /* by state, what the method remembers of the last step */
void system_between(const System *, double f, double h, double *x);

#if defined(__ELF__)
#pragma GCC visibility pop
#endif

#endif
