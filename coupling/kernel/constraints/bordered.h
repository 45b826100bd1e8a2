/* The bordered equations of implicit steps that hold constraints: states and multipliers together, with the loops open.
 *
 *     [ I - c F_x   -c F_lambda ] [ x      ]     x: states, lambda: the unknowns of all loops
 *     [ p_x / c^2     eps D     ] [ lambda ]     p: constraints of positions
 *     [ w_x / c       eps D     ]                w: constraints of velocities alone
 *     [ r_x           r_lambda  ]                r: residuals of unknowns that keep neither
 *
 * D is the diagonal of w_x F_lambda. Its share makes redundant constraints solvable, as the penalty of an augmented Lagrangian does. */
#ifndef KERNEL_BORDERED_H
#define KERNEL_BORDERED_H

#include "system/kernel_internal.h"

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

/* Sparse equations: of each entry the number among those of the Jacobian, or NONE; and by row that of its diagonal. */
typedef struct {
    int *row_start, *column, *source, *diagonal;
    double *value;
    Linear *linear;
} Matrix;

typedef struct {
    int states, unknowns, velocities;
    const BorderedRow *row;
    const LevelRow *get;
    int gets;
    const int *number;
    const double *real;
    LocalDerivative *derivatives;
    int derivative_count;
    bool stale; /* derivatives that change at events only are to be asked for */
    bool fused; /* the last evaluation was by fused code */
    const int *level, *moving;
    const bool *off;      /* unknowns whose constraints are not in force */
    int *velocity_row;    /* row of the Jacobian by unknown; NONE where its violation is not known as a velocity */
    int *pair_start, *pair; /* entries of the Jacobian by unknown whose products sum up to its part of D */
    double *term, *entry, *jacobian, *diagonal;
    double *violation;    /* value that each unknown keeps at zero, then the velocities of constraints of positions */
    double *got, *right;  /* right: by state and unknown */
    double share; /* of multipliers in their constraints, the reciprocal of an augmented Lagrangian's penalty; 0: that of D */
    Matrix step, projection;
} Bordered;

Bordered *bordered_new(const Kernel *, const Rows *); /* null where memory lacks */
void bordered_free(Bordered *);

/* Derivatives of states and violations with the unknowns as given; and the Jacobian at the same point. */
int bordered_evaluate(Kernel *, Bordered *, double t, const double *x, const double *unknowns, double *dx);
int bordered_differentiate(Kernel *, Bordered *);

/* Factorises the equations of a step with the coefficient c, to be solved for `right`. Velocities alone are held if they are `stepped`;
 * otherwise their multipliers vanish. Returns a status. */
int bordered_factorise_step(Kernel *, Bordered *, double c, bool stepped);
void bordered_solve_step(Bordered *, double c, bool stepped); /* `right` has states' misfits in it, and becomes what x and lambda move by */

/* Velocities moved onto the constraints: orthogonally in kinetic energy, or with c > 0 in the metric of I - c F_x. Returns a status; x moves,
 * and energy is what that takes out. */
int bordered_project(Kernel *, Bordered *, double c, double *x, double *energy);

/* Its parts. Whether it holds the velocity of an unknown; its equations, to be solved for `right`; what multipliers mu take out of energy. */
bool bordered_holds(const Bordered *, int unknown);
int bordered_factorise_projection(Kernel *, const Bordered *, double c);
double bordered_energy(const Bordered *, const double *mu);

bool bordered_left_out(const Bordered *, int unknown, bool stepped); /* an unknown has no equation in a step, but stays what it is */

/* Returns the rest of the velocities that constraints hold at zero, at the last evaluation. */
double bordered_velocity(const Bordered *);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
