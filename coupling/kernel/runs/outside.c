/* Runs whose steps are taken by a method outside of the kernel, which is called back. */
#include "runs/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The callback has kept the reason, or was interrupted before it could. */
static int answer(bool done)
{
    return done ? KERNEL_DONE : KERNEL_STOPPED;
}

/* The method integrates a projected right-hand side: what is evaluated, recorded and begun from are the projected states. */
static int project(Kernel *k, double t, double *x)
{
    return k->projection ? kernel_project(k, t, x) : KERNEL_DONE;
}

static int restart(Kernel *k, double t, const double *x)
{
    Run *run = k->run;
    (void)x; /* it is the present state */
    int result = project(k, t, run->present);
    if (result == KERNEL_DONE)
        result = kernel_evaluate(k, t, run->present);
    if (result == KERNEL_DONE)
        result = kernel_indicators(k, run->z);
    if (result)
        return result;
    const double limit = run_limit(k), first = run->longest;
    run->longest = INFINITY;
    run->near = limit - t <= 8 * DBL_EPSILON * fmax(fabs(limit), fabs(t));
    return run->near ? KERNEL_DONE : answer(run->outside->restart(t, run->present, limit, first, run->outside->context));
}

static int step(Kernel *k, double limit, bool *back)
{
    Run *run = k->run;
    (void)back; /* it knows the limit from its restart */
    double t = run->t;
    if (!run->outside->step(&t, run->outside->context) || !run->outside->state(t, run->x, run->outside->context))
        return KERNEL_STOPPED;
    run->steps++;
    run->t_before = run->t;
    run->t = t;
    memcpy(run->present, run->x, (size_t)k->states * sizeof *run->x);
    return k->indicators || run->listens || t >= limit ? project(k, t, run->present) : KERNEL_DONE;
}

static int go_on(Kernel *k, double limit)
{
    return answer(k->run->outside->go_on(limit, k->run->outside->context));
}

static int state_at(Kernel *k, double t, double *x)
{
    const Run *run = k->run;
    if (!run->near && t != run->t && !run->outside->state(t, x, run->outside->context))
        return KERNEL_STOPPED;
    if (run->near || t == run->t)
        memmove(x, run->present, (size_t)k->states * sizeof *x);
    return project(k, t, x);
}

int kernel_begin_outside(Kernel *k, const Integrator *integrator, double start, double stop, long outputs, const double *output_times)
{
    static const Method method = {.restart = restart, .step = step, .state = state_at, .go_on = go_on, .samples = 1};
    const int result = begin_run(k, &method, start, stop, outputs, output_times);
    if (result == KERNEL_DONE)
        k->run->outside = integrator;
    return result;
}
