/* Explicit Runge-Kutta methods with embedded error estimates, step size control and dense output. */
#ifndef KERNEL_RUNGE_KUTTA_H
#define KERNEL_RUNGE_KUTTA_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

/* dx = f(t, x). A nonzero return ends the attempt: RK_RETRY has the step repeated smaller, anything else is passed on, so that
 * a code of the caller's own should differ from these. */
typedef int (*Derivative)(void *context, double t, const double *x, double *dx);
enum { RK_DONE = 0, RK_RETRY = 1, RK_TOO_SMALL = 2 };

/* Moves the state at the end of a step and at a start, after the derivative has last been evaluated at the same time; returns as a Derivative. */
typedef int (*Correction)(void *context, double t, double *x);

/* A method is its tableau. Stages are numbered from 0; stage `stages` is the derivative at the new point, which is the next step's first.
 * The `extra` stages, which only dense output needs, follow it. So `c` has stages + 1 + extra entries, and `a` as many rows of stages +
 * extra entries. Row `stages` of `a` is usually called b.
 *
 * The local error is h (e . k), or where `e3` is given h (e . k)^2 / sqrt((e . k)^2 + (e3 . k)^2 / 100), each dot product being a scaled
 * norm; `e` and `e3` have stages + 1 entries. The error shrinks as h to the power of `order`. `damping` is the exponent by which the
 * previous step's error enters the step size control, 0 where it does not. `stable` is the length of the negative real axis on which the
 * method is stable.
 *
 * Dense output over a step is the nested polynomial x + s (F0 + (1-s) (F1 + s (F2 + (1-s) (F3 + ...)))) through both ends and slopes.
 * Its coefficients from F3 on are h (d . k): `dense` rows of stages + 1 + extra entries. */
typedef struct Tableau {
    int stages, extra, dense, order;
    double damping, stable;
    const double *c, *a, *e, *e3, *d;
} Tableau;

typedef struct RungeKutta {
    const Tableau *tableau;
    int count;
    Derivative derivative;
    void *context;
    double rtol, largest; /* largest: the longest step allowed, or infinity */
    double *atol;         /* tolerances by state */
    double t, h;          /* the present point, and the size that the next step will try; 0 lets the method choose */
    double t_before;      /* time at which the last step began; t itself where none is known */
    double *x, *dx;       /* state and derivative at the present point */
    double *x_before;     /* state at t_before */
    long steps, rejected, refused, evaluations; /* refused: attempts whose derivative could not be evaluated */
    int worst;            /* the state with the greatest error in the last attempt; -1 before one, and where it was refused */
    Correction correct; /* null: none */

    double *k, *trial, *dense, *corrected; /* memory of the method from here on; corrected: last correction of the state */
    double error_before;
    bool dense_ready;
    size_t width; /* width of a row of states, in numbers */
    const struct Lanes *lanes;
    const struct Sum *place, *error, *interpolant; /* over stages: as the rows of a, e and e3, and the rows of d */
} RungeKutta;

/* Copies atol, but neither the tableau nor the context. Null where memory lacks. */
RungeKutta *rk_new(const Tableau *, int count, Derivative, void *context, double rtol, const double *atol);
void rk_free(RungeKutta *);

/* Begins anew at a point, after events too, with h = 0. Evaluates the derivative there; returns as it did. */
int rk_start(RungeKutta *, double t, const double *x);

/* One accepted step that ends at `limit` or before; `t` moves, and the derivative has last been evaluated there. RK_TOO_SMALL where
 * the size falls below the spacing of numbers around t; the state is then that of the last accepted step, and `worst` says who
 * was to blame. */
int rk_step(RungeKutta *, double limit);

/* The state at a time within the last accepted step. The extra stages are evaluated at the first request after a step; where
 * that fails, returns as the derivative did. */
int rk_interpolate(RungeKutta *, double t, double *x);
int rk_interpolate_some(RungeKutta *, double t, const int *place, int count, double *x); /* the same of some states alone */

/* Returns how near the last step came to the limit of stability. It is the greatest rate by which derivatives answer to states, times
 * the step, over the method's limit. It is about 1 where stability and not accuracy limits the steps. `state` is the one whose
 * derivative answers most. The function needs no evaluation, but the method's stages: to be called before the first interpolation in a
 * step. Returns 0 where a step shows nothing. */
double rk_stiffness(RungeKutta *, int *state);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
