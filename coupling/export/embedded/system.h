/* The system of coupled components as the kernel evaluates it. A function that returns false leaves a sentence in `system_reason`. */
#ifndef SYSTEM_H
#define SYSTEM_H

#include "members.h"

#if defined(__ELF__)
#pragma GCC visibility push(hidden)
#endif

typedef struct System System;

/* Returns the name of the variable with a reference of the mechanism, for sentences. */
typedef const char *(*Naming)(const void *context, Reference);

System *system_new(Member *const *parts, Naming, const void *context);
void system_free(System *);
void system_restart(System *, const double *values);     /* iterations begin at the mechanism's values */
void system_give(System *, const double *values);        /* from now on, the multipliers are what the mechanism's values say */
bool system_take(System *);                               /* from now on, the system finds them itself */
void system_keep(System *);                               /* undoes what the importer has set of what the system gives its components */
void system_set_inputs(System *, double t, const double *inputs);
void system_set_passed(System *, double t);               /* the last kink of a table that has been passed */
void system_set_tolerance(System *, double);
void system_exchange(System *, double t);                 /* values only, loops as they are */
bool system_settle(System *, double t);                   /* everything that changes at events only */
bool system_derivatives(System *, double t, const double *x, double *dx);
bool system_has_equations(const System *);               /* in place of the components */
bool system_derivatives_alone(System *, double t, const double *x, double *dx); /* the same without the components; false where these are needed */
bool system_complete(System *, double t, const double *x, double *dx); /* every value in every component */
/* Tangents, from those of the parts; `states` are all that move, and receive those of the projected ones. */
bool system_follow(System *, double time, const double *inputs, const double *multipliers, double *states);
void system_follow_given(System *, const double *inputs, const double *multipliers); /* the same, where nothing is solved for */
/* States are moved onto constraints in derivatives, unless steps are taken inside, which then call `system_project`. */
bool system_constrained(const System *);
void system_steps(System *);
bool system_project(System *, double t, double *x, bool anew);
const double *system_projected(const System *);           /* the states at the last derivatives; null where those are as they are set */
double system_decay(const System *);                      /* by the second: how fast states are drawn to these */
void system_accept(System *, double *peaks);              /* the last evaluation was at a point of the motion; what is remembered of these */
void system_remember(System *, const double *peaks);
bool system_choose(System *, double t, double *x, const bool *fell, bool *chosen, bool *jumped); /* see schedule.h */
bool *system_begun(System *);                        /* whether modes have been chosen since all values were set */
int system_watched(const System *, unsigned joint); /* the indicator of a joint that switches, of all; negative where it has none */
bool system_noise(System *, const double *x, double *noise); /* by such joint: what its indicator may say by rounding alone; whether modes changed */
const char *system_reason(const System *);
const char *system_redundancy(System *);                  /* a sentence where constraints are redundant, else null */

#if defined(__ELF__)
#pragma GCC visibility pop
#endif

#endif
