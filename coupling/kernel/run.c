#include "kernel.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As many events in a row, each this little of the run after the one before, are chattering. */
enum { MOST_CLOSE_EVENTS = 200 };
static const double close_events = 1e-9;

typedef struct Run {
    RungeKutta *rk;
    const double *output_times;
    long outputs, next_output;
    double stop, span, last_event;
    int close;
    double *x, *z, *z_before, *z_middle;
    /* The step that was rejected most often: where, how often, and which state was to blame. */
    int most_rejected, roughest;
    double rough_at;
} Run;

int kernel_begin_run(Kernel *k, const Tableau *tableau, double rtol, const double *atol, double largest, double first_step, double start,
                     double stop, long outputs, const double *output_times)
{
    kernel_end_run(k);
    const size_t n = (size_t)k->states, m = (size_t)k->indicators;
    Run *run = calloc(1, sizeof *run + (n + 3 * m) * sizeof(double));
    if (!run)
        return KERNEL_NO_MEMORY;
    k->run = run;
    run->x = (double *)(run + 1);
    run->z = run->x + n;
    run->z_before = run->z + m;
    run->z_middle = run->z_before + m;
    run->output_times = output_times;
    run->outputs = outputs;
    run->stop = stop;
    run->span = stop - start;
    run->last_event = -INFINITY;
    run->roughest = -1;
    run->rk = rk_new(tableau, k->states, kernel_derivatives, k, rtol, atol);
    if (!run->rk)
        return KERNEL_NO_MEMORY;
    run->rk->largest = largest;
    run->rk->h = first_step;
    return KERNEL_DONE;
}

void kernel_end_run(Kernel *k)
{
    if (k->run)
        rk_free(k->run->rk);
    free(k->run);
    k->run = NULL;
}

const RungeKutta *kernel_runge_kutta(const Kernel *k)
{
    return k->run->rk;
}

int kernel_roughest(const Kernel *k, int *state, double *time)
{
    *state = k->run->roughest;
    *time = k->run->rough_at;
    return k->run->most_rejected;
}

/* Begins at a point, or anew behind an event. */
int kernel_restart(Kernel *k, double t, const double *x)
{
    Run *run = k->run;
    int result = rk_start(run->rk, t, x);
    if (result == KERNEL_DONE)
        result = kernel_verify(k, run->rk->dx);
    if (result == KERNEL_RETRY && k->failure.kind == KERNEL_DONE)
        result = rk_start(run->rk, t, x);
    return result ? result : kernel_indicators(k, run->z);
}

/* Everything at the present point of the instances, and a row of the record. */
static int record_at(Kernel *k, double t, const double *x)
{
    const int result = kernel_evaluate(k, t, x);
    return result ? result : kernel_record(k);
}

/* The outputs that were asked for up to a time within the last step. */
static int record_until(Kernel *k, double t)
{
    Run *run = k->run;
    while (run->next_output < run->outputs && run->output_times[run->next_output] <= t) {
        const double time = run->output_times[run->next_output++];
        int result = rk_interpolate(run->rk, time, run->x);
        if (result == KERNEL_DONE)
            result = record_at(k, time, run->x);
        if (result)
            return result;
    }
    return KERNEL_DONE;
}

/* The first indicator that has left its domain, positive or not, or -1. */
static int crossed(const double *before, const double *now, int count)
{
    for (int i = 0; i < count; i++)
        if ((before[i] > 0) != (now[i] > 0))
            return i;
    return -1;
}

/* Narrows the last step down to its first state event; ends with the instances evaluated behind it. */
static int locate(Kernel *k, double *time)
{
    Run *run = k->run;
    double low = run->rk->t_before, high = run->rk->t;
    int which = crossed(run->z, run->z_before, k->indicators); /* z: at the end, z_before: at the beginning */
    double f_low = run->z_before[which], f_high = run->z[which];
    int result, side = 0;
    for (int i = 0; i < 200 && high - low > 2 * DBL_EPSILON * fmax(fabs(high), run->rk->t - run->rk->t_before); i++) {
        /* Illinois, kept off the ends, with a bisection whenever that crawls. */
        double middle = i % 4 == 3 ? (low + high) / 2 : high - f_high * (high - low) / (f_high - f_low);
        const double margin = fmin(0.25 * (high - low), DBL_EPSILON * fabs(high));
        middle = middle >= low + margin && middle <= high - margin ? middle : (low + high) / 2;
        if (!(middle > low && middle < high))
            break;
        result = rk_interpolate(run->rk, middle, run->x);
        if (result == KERNEL_DONE)
            result = kernel_evaluate(k, middle, run->x);
        if (result == KERNEL_DONE)
            result = kernel_indicators(k, run->z_middle);
        if (result)
            return result;
        const int now = crossed(run->z_before, run->z_middle, k->indicators);
        if (now >= 0) {
            high = middle;
            f_high = run->z_middle[now];
            if (now != which)
                f_low = run->z_before[now];
            else if (side == 1)
                f_low /= 2;
            which = now;
            side = 1;
        } else {
            low = middle;
            f_low = run->z_middle[which];
            if (side == -1)
                f_high /= 2;
            side = -1;
        }
    }
    k->failure.index = which;
    *time = high;
    result = rk_interpolate(run->rk, high, run->x);
    return result ? result : kernel_evaluate(k, high, run->x);
}

/* The outputs before the event, the point itself, the event, and the point behind it; x is the state at the event. */
static int pass_event(Kernel *k, double t, int indicator)
{
    Run *run = k->run;
    k->statistics.events++;
    run->close = t - run->last_event <= close_events * run->span ? run->close + 1 : 0;
    run->last_event = t;
    if (run->close > MOST_CLOSE_EVENTS) {
        failed(k, KERNEL_CHATTERING, "integrating", -1, OK);
        k->failure.index = indicator;
        return KERNEL_CHATTERING;
    }
    bool changed;
    int result = kernel_synchronise(k, t, run->x);
    if (result == KERNEL_DONE)
        result = record_at(k, t, run->x);
    if (result == KERNEL_DONE)
        result = kernel_start_events(k);
    if (result == KERNEL_DONE)
        result = kernel_settle(k, run->x, &changed);
    if (result == KERNEL_DONE)
        result = record_at(k, t, run->x);
    while (run->next_output < run->outputs && run->output_times[run->next_output] <= t)
        run->next_output++;
    run->rk->h = 0;
    return result ? result : kernel_restart(k, t, run->x);
}

/* One accepted step and all that belongs to it. */
static int step(Kernel *k)
{
    Run *run = k->run;
    RungeKutta *rk = run->rk;
    const double time_event = kernel_next_time(k);
    const long rejected = rk->rejected;
    memcpy(run->z_before, run->z, (size_t)k->indicators * sizeof *run->z);
    k->failure.kind = KERNEL_DONE;
    int result = rk_step(rk, fmin(run->stop, time_event));
    if (rk->rejected - rejected > run->most_rejected) {
        run->most_rejected = (int)(rk->rejected - rejected);
        run->roughest = rk->worst;
        run->rough_at = rk->t;
    }
    if (result)
        return result;
    result = kernel_verify(k, rk->dx);
    if (result == KERNEL_RETRY && k->failure.kind == KERNEL_DONE) /* a loop that was taken as affine is not: once more, iterating */
        return rk_start(rk, rk->t_before, memcpy(run->x, rk->x_before, (size_t)k->states * sizeof(double)));
    if (result == KERNEL_DONE)
        result = kernel_indicators(k, run->z);
    if (result)
        return result;
    const int indicator = crossed(run->z_before, run->z, k->indicators);
    if (indicator >= 0) {
        double t;
        result = locate(k, &t);
        const int which = k->failure.index;
        if (result == KERNEL_DONE)
            result = record_until(k, nextafter(t, -INFINITY));
        if (result == KERNEL_DONE)
            result = rk_interpolate(rk, t, run->x);
        k->statistics.state_events++;
        return result ? result : pass_event(k, t, which);
    }
    bool wanted;
    result = kernel_complete_step(k, &wanted);
    if (result)
        return result;
    const bool timely = rk->t >= time_event;
    result = record_until(k, timely || wanted ? nextafter(rk->t, -INFINITY) : rk->t);
    if (result || !(timely || wanted))
        return result;
    *(timely ? &k->statistics.time_events : &k->statistics.step_events) += 1;
    memcpy(run->x, rk->x, (size_t)k->states * sizeof *run->x);
    return pass_event(k, rk->t, -1);
}

/* Integrates until the stop, or for so many steps. */
int kernel_advance(Kernel *k, long steps)
{
    Run *run = k->run;
    for (; run->rk->t < run->stop; steps--) {
        if (steps <= 0)
            return KERNEL_PAUSED;
        const int result = step(k);
        if (result)
            return result;
    }
    return KERNEL_DONE;
}
