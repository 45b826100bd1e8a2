/* Forward sensitivities: derivatives by parameters of a run's states and of what it records, integrated in the same steps (Caracotsios and
 * Stewart, Sensitivity analysis of initial value problems with mixed ODEs and algebraic equations, Comp. Chem. Eng. 9, 1985).
 *
 * By states everything is differentiated by the instances themselves, one operation after the other. What FMI has no derivative for are
 * differences of shadows: the same system with other values of one parameter, which stands at the same states. These are the effects of
 * parameters that an instance does not list, starts, indicators, and what happens at events. */
#ifndef KERNEL_SENSITIVITY_H
#define KERNEL_SENSITIVITY_H

#include "constraints/project.h"
#include "runs/run.h"

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

/* What a run is to be differentiated by; all arrays outlive it. */
typedef struct {
    int parameters, shadows;    /* so many of each parameter, one parameter after the other */
    const int *part;            /* by parameter: the instance that differentiates by it, NONE where none does */
    const Reference *reference; /* of the parameter there */
    const int *apart;           /* by parameter: whether its effect at given states is a difference of shadows */
    Kernel *const *shadow;
    const double *stride, *weight; /* by shadow: how far its parameter is moved, and its share in a derivative */
    const Reference *state;        /* of all states */
    const int *unknown_start;      /* by instance: which of its variables it differentiates, sorted; none where it gives no derivatives */
    const Reference *unknown;
    const double *start; /* by parameter, of all states */
} SensitivityRows;

typedef struct {
    int inputs;
    Reference *input; /* real inputs, and the slots of what they were set to */
    int *place;
} PartInputs;

typedef struct Sensitivity {
    SensitivityRows rows;
    PartInputs *inputs; /* by instance */
    int *block;         /* of all of them */
    double *v;          /* by parameter, derivatives of all slots */
    const double *now;  /* those of the states at the point of the last full evaluation */
    double *seed, *answer, *values, *right, *residual, *x, *slope; /* by slot, by unknown, by state */
    Reference *known, *asked;
    int *target;
    double *time, *event, *next; /* by shadow: its event, the states there, and when its next time event is */
    double *shift;               /* by parameter: how the time of the event moves */
    double *z, next_time;
    double grazing; /* when a state event was first passed whose time has no derivative to speak of; NaN */
} Sensitivity;

/* sensitivity.c */
int kernel_set_sensitivities(Kernel *, const SensitivityRows *, double t, const double *x); /* null: none any more */
double kernel_grazing(const Kernel *);
int kernel_width(const Kernel *); /* states, and their sensitivities */
int sensitivity_derivatives(void *kernel, double t, const double *x, double *dx);
int sensitivity_correct(void *kernel, double t, double *x);
int sensitivity_record(Kernel *, const int *slot, int columns, double *row); /* of the values in so many slots */
int along_constraints_at(Kernel *, double t, const double *x, double *s); /* after an evaluation there */
void hold_tangents(Kernel *, int parameter);
int shadow_failed(Kernel *, int shadow, int result); /* tells what has failed there */

/* tangents.c: derivatives of slots by one parameter, from those of the states in the first of them */
int pass_tangents(Kernel *, int parameter, const Operations *);

/* sensitive_events.c */
int sensitivity_restart(Kernel *, double t, const double *x);
int sensitivity_arrive(Kernel *, double t, const double *x, int indicator);
int sensitivity_leave(Kernel *, double t, double *x);
int sensitivity_complete(Kernel *, double t, const double *x);
double sum_of_shadows(const Kernel *, int parameter, const double *of, int width, int index); /* of what each has */

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
