/* Forward sensitivities: derivatives by parameters of a run's states and of what it records, integrated in the same steps (Caracotsios
 * and Stewart, Sensitivity analysis of initial value problems with mixed ODEs and algebraic equations, Comp. Chem. Eng. 9, 1985).
 *
 * By states everything is differentiated by the instances themselves, one operation after the other. Values without derivatives in FMI
 * follow from differences of shadows: the same system with other values of one parameter, which stands at the same states. These are the
 * effects of parameters that an instance does not list, starts, indicators, and what happens at events. */
#ifndef KERNEL_SENSITIVITY_H
#define KERNEL_SENSITIVITY_H

#include "constraints/project.h"
#include "runs/run.h"

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

/* The parameters by which a run is to be differentiated; all arrays outlive it. */
typedef struct {
    int parameters, shadows;    /* numbers of parameters, and of shadows of each, one parameter after the other */
    const int *part;            /* instance that differentiates by each parameter, NONE where none does */
    const Reference *reference; /* reference of each parameter there */
    const int *apart;           /* truths by parameter: its effect at given states is a difference of shadows */
    Kernel *const *shadow;
    const double *stride, *weight; /* move of each shadow's parameter, and its share in a derivative */
    const Reference *state;        /* references of all states */
    const int *unknown_start;      /* variables that each instance differentiates, sorted; none where it gives no derivatives */
    const Reference *unknown;
    const double *start; /* derivatives of all states at the start, by parameter */
} SensitivityRows;

typedef struct {
    int inputs;
    Reference *input; /* real inputs, and the slots of what they were set to */
    int *place;
} PartInputs;

typedef struct Sensitivity {
    SensitivityRows rows;
    PartInputs *inputs; /* inputs by instance */
    int *block;         /* block of all of them */
    double *v;          /* derivatives of all slots, by parameter */
    const double *now;  /* derivatives of the states at the point of the last full evaluation */
    double *seed, *answer, *values, *right, *residual, *x, *slope; /* vectors by slot, by unknown, by state */
    Reference *known, *asked;
    int *target;
    double *time, *event, *next; /* time of each shadow's event, the states there, and the time of its next time event */
    double *shift;               /* move of the time of the event, by parameter */
    double *z, next_time;
    double grazing; /* time of the first passed state event whose time has no derivative to speak of; NaN */
} Sensitivity;

/* sensitivity.c */
int kernel_set_sensitivities(Kernel *, const SensitivityRows *, double t, const double *x); /* null: none any more */
double kernel_grazing(const Kernel *);
int kernel_width(const Kernel *); /* states, and their sensitivities */
int sensitivity_derivatives(void *kernel, double t, const double *x, double *dx);
int sensitivity_correct(void *kernel, double t, double *x);
int sensitivity_record(Kernel *, const int *slot, int columns, double *row); /* records the values in so many slots */
int along_constraints_at(Kernel *, double t, const double *x, double *s); /* after an evaluation there */
void hold_tangents(Kernel *, int parameter);
int shadow_failed(Kernel *, int shadow, int result); /* reports the failure there */

/* tangents.c: derivatives of slots by one parameter, from those of the states in the first of them */
int pass_tangents(Kernel *, int parameter, const Operations *);

/* sensitive_events.c */
int sensitivity_restart(Kernel *, double t, const double *x);
int sensitivity_arrive(Kernel *, double t, const double *x, int indicator);
int sensitivity_leave(Kernel *, double t, double *x);
int sensitivity_complete(Kernel *, double t, const double *x);
/* Weighted sum of a value over a parameter's shadows. */
double sum_of_shadows(const Kernel *, int parameter, const double *of, int width, int index);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
