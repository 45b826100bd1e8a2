/* Runs whose steps are taken by a method outside of the kernel, which is called back. */
#include "run.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What was called back has kept the reason, or was interrupted before it could. */
static int answer(bool done)
{
    return done ? KERNEL_DONE : KERNEL_STOPPED;
}

static int restart(Kernel *k, double t, const double *x)
{
    Run *run = k->run;
    int result = kernel_evaluate(k, t, x);
    if (result == KERNEL_DONE)
        result = kernel_indicators(k, run->z);
    if (result)
        return result;
    const double limit = fmin(run->stop, kernel_next_time(k)), first = run->longest;
    run->longest = INFINITY;
    run->near = limit - t <= 8 * DBL_EPSILON * fmax(fabs(limit), fabs(t));
    return run->near ? KERNEL_DONE : answer(run->outside->restart(t, run->present, limit, first));
}

static int step(Kernel *k, double limit, bool *back)
{
    Run *run = k->run;
    (void)limit, (void)back; /* it knows the limit from its restart */
    double t = run->t;
    if (!run->outside->step(&t) || !run->outside->state(t, run->x))
        return KERNEL_STOPPED;
    run->steps++;
    run->t_before = run->t;
    run->t = t;
    memcpy(run->present, run->x, (size_t)k->states * sizeof *run->x);
    return KERNEL_DONE;
}

static int state_at(Kernel *k, double t, double *x)
{
    const Run *run = k->run;
    if (!run->near && t != run->t)
        return answer(run->outside->state(t, x));
    memmove(x, run->present, (size_t)k->states * sizeof *x);
    return KERNEL_DONE;
}

int kernel_begin_outside(Kernel *k, const Integrator *integrator, double start, double stop, long outputs, const double *output_times)
{
    static const Method method = {.restart = restart, .step = step, .state = state_at};
    const int result = begin_run(k, &method, start, stop, outputs, output_times);
    if (result == KERNEL_DONE)
        k->run->outside = integrator;
    return result;
}
