/* Explicit Runge-Kutta methods with embedded error estimates, step size control and dense output. */
#ifndef KERNEL_RUNGE_KUTTA_H
#define KERNEL_RUNGE_KUTTA_H

#include <stdbool.h>

/* dx = f(t, x). A nonzero return ends the attempt: RETRY has the step repeated smaller, anything else is passed on. */
typedef int (*Derivative)(void *context, double t, const double *x, double *dx);
enum { RK_DONE = 0, RK_RETRY = 1, RK_TOO_SMALL = 2, RK_NO_MEMORY = 3 };

/* A method is its tableau. Rows of `a` have `stages + extra` entries; stage `stages`, where `first_is_last`, is the next step's
 * first. The local error is h (e . k), or where `e3` is given h (e . k)^2 / sqrt((e . k)^2 + (e3 . k)^2 / 100), each dot product
 * being a scaled norm. `order` is that of the local error estimate plus one, which the step size control goes by. Dense output over
 * a step is the nested polynomial through both ends and slopes, whose further coefficients are h (d . k), `dense` rows of them;
 * it needs the `extra` stages. */
typedef struct {
    int stages, extra, dense, order;
    bool first_is_last;
    const double *c, *a, *b, *e, *e3, *d;
} Tableau;

typedef struct {
    const Tableau *tableau;
    int count;
    Derivative derivative;
    void *context;
    double rtol, largest; /* largest: the longest step allowed, or infinity */
    const double *atol;   /* by state */
    double t, h;          /* the present point, and the size that the next step will try; 0 lets the method choose */
    double t_before;      /* where the last accepted step began */
    double *x, *dx;       /* state and derivative at the present point */
    double *x_before;     /* state where the last accepted step began */
    long steps, rejected, refused, evaluations; /* refused: attempts whose derivative could not be evaluated */
    int worst;            /* the state with the greatest error in the last rejected attempt; -1 before */
    int rejected_in_a_row;
    struct RungeKuttaMemory *memory;
} RungeKutta;

/* Copies atol and x. */
RungeKutta *rk_new(const Tableau *, int count, Derivative, void *context, double rtol, const double *atol);
void rk_free(RungeKutta *);

/* Begins anew at a point: after events too. Evaluates the derivative there; returns as it did. */
int rk_start(RungeKutta *, double t, const double *x);

/* One accepted step that ends at `limit` or before; `t` moves. RK_TOO_SMALL where the size falls below the spacing of numbers
 * around t; the state is then that of the last accepted step, and `worst` says who was to blame. */
int rk_step(RungeKutta *, double limit);

/* The state at a time within the last accepted step. The extra stages are evaluated at the first request after a step. */
int rk_interpolate(RungeKutta *, double t, double *x);

#endif
