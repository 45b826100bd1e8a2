/* Implicit steps of fixed size that end on the constraints: index 3, with projected velocities. */
#ifndef KERNEL_INDEX3_H
#define KERNEL_INDEX3_H

#include "constraints/bordered.h"

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

struct Index3;

typedef enum { TRAPEZOIDAL, GENERALISED_ALPHA, TR_BDF2 } ImplicitMethod;

typedef struct {
    double step, radius, tolerance; /* radius: spectral, of the generalised-alpha method */
    double penalty;                 /* of the augmented Lagrangian; 0 where steps solve the bordered equations */
    int method, limit;              /* limit: of Newton iterations in a step, and of passes of each projection of an augmented Lagrangian */
    int reactions;                  /* first slot of the augmented Lagrangian's reactions, see augmented.c */
    bool tangent, stepped;          /* tangent: by the tangent's metric; stepped: velocities alone within the Newton iteration */
    const double *nominal;          /* nominal values by state; stay with the caller */
} Index3Options;

/* The report of a run. worst: the state that changed most, and by how much, in the last iteration of a step that was not solved.
 * ringing: the state that first rang from step to step, or -1. unfinished: steps of an augmented Lagrangian that reached its limit;
 * difference: the greatest one between its reactions by accelerations and by velocities. */
typedef struct {
    long iterations, factorisations, unfinished;
    int most_iterations, worst, ringing;
    double velocity, energy, change, ringing_since, difference;
} Index3Report;

/* An iteration: both of its functions return a KernelStatus. */
typedef struct {
    /* Solves x = base + c F(t, x, unknowns) with the constraints, from the trial states and the unknowns as they are. */
    int (*stage)(Kernel *, struct Index3 *, double t, double c, int *iterations);
    int (*project)(Kernel *, struct Index3 *, double t, double h); /* moves the trial velocities onto the constraints */
} Iteration;

/* A method that may be run by the kernel, or by a caller that takes its steps one by one. */
typedef struct Index3 {
    const Iteration *iteration;
    Index3Options o;
    Index3Report report;
    Bordered *b;
    double *x, *dx, *x_before, *dx_before; /* states and derivatives at both ends of the last step */
    double *memory;                        /* derivatives that the generalised-alpha method uses */
    double *trial, *base, *slope, *change, *unknowns;
    double *lambda, *sigma, *kappa; /* multipliers by unknown, which an augmented Lagrangian iterates */
    double *reaction, *reaction_before; /* by accelerations, then by velocities, at both ends of the last step; they follow lambda */
    double began, ended;                /* times of these ends */
    bool finished;                  /* all its iterations in the present step have met the tolerance */
    int *alternations;
    void (*place)(void *context, double t, const double *x); /* called before evaluations at another time; null where the kernel sees to it */
    void *context;
} Index3;

/* index3.c; what returns an int returns a KernelStatus */
Index3 *index3_new(const Kernel *, const Rows *, const Index3Options *); /* null where memory lacks */
void index3_free(Index3 *);
int index3_start(Kernel *, Index3 *, double t, const double *x);
int index3_step(Kernel *, Index3 *, double t, double h, double end); /* leaves x where it was unless it is done */
double index3_size_of_change(Index3 *, const double *x, const double *change, const int *left_out); /* greatest, in units of what is allowed */
int index3_not_finite(Kernel *, int state);
int index3_evaluate(Kernel *, Index3 *, double t); /* the derivatives and unknowns that belong to x */
void index3_between(const Index3 *, int states, double f, double h, double *x); /* Hermite's cubic polynomial through both ends of the last step */

/* augmented.c */
extern const Iteration augmented_iteration;
void augmented_begin(Index3 *, double t); /* the first multipliers and reactions are those of the evaluation before */
void augmented_accelerations(Index3 *, double t, double h); /* projects them, after an evaluation at the end of a step, at t */
void augmented_show(Kernel *, double t); /* puts the reactions within the last step into their slots */

/* index3_run.c */
int kernel_begin_index3(Kernel *, const Rows *, const Index3Options *, double start, double stop, long outputs, const double *output_times);
const Index3Report *kernel_index3(const Kernel *);
const double *kernel_index3_violation(const Kernel *); /* values that unknowns keep at zero, at the end of the last step */

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
