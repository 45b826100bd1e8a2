#include "runs/cvode.h"

#include "equations/slopes.h"
#include "system/kernel_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double fuzz = 100 * DBL_EPSILON; /* how far, of the time, it may be from the limit that it says it has reached */
enum { ONE_STEP = 2, RECOVERABLE = 1 };

static int evaluate(Cvode *c, double t, const double *x, double *dx)
{
    Kernel *k = c->kernel;
    return k->projection ? kernel_projected_derivatives(k, t, x, dx) : kernel_derivatives(k, t, x, dx);
}

/* Errors that no smaller step can avoid end the run. If values are missing, a smaller step is tried. */
static int answer(Cvode *c, int result)
{
    if (result == KERNEL_DONE || result == KERNEL_RETRY)
        return 0;
    c->status = result;
    return -1;
}

int cvode_derivatives(double t, void *y, void *dy, void *context)
{
    Cvode *c = context;
    double *const dx = c->N_VGetArrayPointer(dy);
    c->attempts += t != c->tried;
    c->tried = t;
    const int result = evaluate(c, t, c->N_VGetArrayPointer(y), dx);
    for (int i = 0; i < c->kernel->states && result; i++)
        dx[i] = NAN;
    return answer(c, result);
}

int cvode_jacobian(double t, void *y, void *dy, void *matrix, void *context, void *first, void *second, void *third)
{
    Cvode *c = context;
    (void)dy, (void)first, (void)second, (void)third;
    double *const columns = c->SUNDenseMatrix_Data(matrix);
    int result = evaluate(c, t, c->N_VGetArrayPointer(y), columns);
    if (result == KERNEL_DONE) {
        c->jacobians++;
        result = kernel_state_jacobian(c->kernel, columns);
    }
    return result == KERNEL_RETRY ? RECOVERABLE : answer(c, result);
}

static bool begin(Cvode *c, double t)
{
    c->t = c->before = t;
    c->fresh = true;
    c->flag = c->CVodeReInit(c->cvode, t, c->y);
    return c->flag >= 0;
}

bool cvode_restart(double t, const double *x, double limit, double first, void *context)
{
    Cvode *c = context;
    memcpy(c->N_VGetArrayPointer(c->y), x, (size_t)c->kernel->states * sizeof *x);
    c->limit = limit;
    c->stop = fmin(limit, t + fmax(first, 10 * fuzz * fabs(t)));
    return begin(c, t);
}

static bool advance(Cvode *c)
{
    double t = c->t;
    c->CVodeSetStopTime(c->cvode, c->stop);
    c->flag = c->CVode(c->cvode, c->stop, c->y, &t, ONE_STEP);
    if (c->flag < 0 || !(t > c->t))
        return false;
    c->before = c->t;
    c->t = t;
    c->stop = c->limit;
    return true;
}

/* If CVODE fails, tries again with a small step of first order from the last point. */
static bool begin_anew(Cvode *c)
{
    double *const x = c->N_VGetArrayPointer(c->y);
    Kernel *k = c->kernel;
    if (c->fresh || c->status || c->CVodeGetDky(c->cvode, c->t, 0, c->y) < 0)
        return false;
    int result = k->projection ? kernel_project(k, c->t, x) : KERNEL_DONE;
    if (result == KERNEL_DONE)
        result = kernel_evaluate(k, c->t, x);
    c->stop = c->limit;
    return answer(c, result) == 0 && result == KERNEL_DONE && begin(c, c->t) && advance(c);
}

bool cvode_step(double *t, void *context)
{
    Cvode *c = context;
    c->attempts = 0;
    c->tried = NAN;
    if (!advance(c) && !begin_anew(c))
        return false;
    c->rejected += c->fresh ? 0 : c->attempts - (c->tried == c->t);
    c->fresh = false;
    double finite = 0;
    const double *const x = c->N_VGetArrayPointer(c->y);
    for (int i = 0; i < c->kernel->states; i++)
        finite += x[i] - x[i];
    c->infinite = finite != 0;
    *t = c->t;
    return !c->infinite;
}

bool cvode_state(double t, double *x, void *context)
{
    Cvode *c = context;
    const bool here = fabs(c->t - t) <= fuzz * fmax(fabs(c->t), c->t - c->before);
    if (!here)
        c->flag = c->CVodeGetDky(c->cvode, t, 0, c->between);
    memcpy(x, c->N_VGetArrayPointer(here ? c->y : c->between), (size_t)c->kernel->states * sizeof *x);
    return here || c->flag >= 0;
}

bool cvode_go_on(double limit, void *context)
{
    Cvode *c = context;
    c->limit = c->stop = limit;
    return true;
}
