/* Sensitivities over events (Galan, Feehery and Barton, Parametric sensitivity functions for hybrid discrete/continuous systems, Appl. Num.
 * Math. 31, 1999): the time of an event moves with a parameter, and the states after it as those of shadows that pass the event too. */
#include "runs/sensitivity.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 4, MOST_NUDGES = 60, POINTS = 4 };
static const double near_by = 0.01; /* of the last step: along it an indicator is differentiated */
static const double offset[POINTS] = {-2, -1, 1, 2}, share[POINTS] = {1. / 12, -2. / 3, 2. / 3, -1. / 12};
static const double least_slope = 1e-7; /* of an indicator, against its change by that much of a step */
static const double bent = 0.1;         /* the share by which it may differ at the event of a shadow */

static double *states_at(const Kernel *k, int shadow)
{
    return k->sensitivity->event + (size_t)shadow * (size_t)k->states;
}

/* Indicators at a point, off the run. */
static int read_indicators(Kernel *k, double t, const double *x, double *z)
{
    const int result = kernel_evaluate(k, t, x);
    return result ? result : kernel_indicators(k, z);
}

/* Computes the slope of an indicator along the motion; 0 within rounding. */
static int slope_of(Kernel *k, int indicator, double t, const double *x, const double *dx, double *slope)
{
    Sensitivity *s = k->sensitivity;
    const double h = near_by * (k->run->end - k->run->t_before);
    double sum = 0, size = 0;
    for (int j = 0; j < POINTS; j++) {
        for (int i = 0; i < k->states; i++)
            s->x[i] = x[i] + offset[j] * h * dx[i];
        const int result = read_indicators(k, t + offset[j] * h, s->x, s->z);
        if (result)
            return result;
        sum += share[j] / h * s->z[indicator];
        size = fmax(size, fabs(s->z[indicator]) / h);
    }
    *slope = fabs(sum) > least_slope * size ? sum : 0;
    return KERNEL_DONE;
}

/* Computes the derivative of the time of a state event by a parameter: its indicator keeps vanishing. */
static int shift_of(Kernel *k, int parameter, int indicator, double t, const double *x, double slope)
{
    Sensitivity *s = k->sensitivity;
    const SensitivityRows *r = &s->rows;
    const double *const now = s->now + (size_t)parameter * (size_t)k->states;
    double sum = 0;
    for (int i = parameter * r->shadows; i < (parameter + 1) * r->shadows; i++) {
        for (int state = 0; state < k->states; state++)
            s->x[state] = x[state] + r->stride[i] * now[state];
        const int result = shadow_failed(k, i, read_indicators(r->shadow[i], t, s->x, s->z));
        if (result)
            return result;
        sum += r->weight[i] * s->z[indicator];
    }
    s->shift[parameter] = -sum / slope;
    return KERNEL_DONE;
}

/* If an event moves so far that the slope of its indicator is quite different, the derivative of its time is meaningless. */
static int compare_slopes(Kernel *k, int shadow, int indicator, double slope)
{
    Sensitivity *s = k->sensitivity;
    Kernel *const other = s->rows.shadow[shadow];
    const double *const x = states_at(k, shadow), h = near_by * near_by * (k->run->end - k->run->t_before), here = s->z[indicator];
    int result = kernel_derivatives(other, s->time[shadow], x, s->x);
    for (int i = 0; i < k->states; i++)
        s->x[i] = x[i] + h * s->x[i];
    if (result == KERNEL_DONE)
        result = read_indicators(other, s->time[shadow] + h, s->x, s->z);
    if (result == KERNEL_DONE && isnan(s->grazing) && !(fabs((s->z[indicator] - here) / h - slope) < bent * fabs(slope)))
        s->grazing = k->run->t;
    return shadow_failed(k, shadow, result);
}

/* Moves a shadow along the motion to its own event, and then on until its indicator has the sign that it has after the event. */
static int to_own_event(Kernel *k, int shadow, int indicator, bool positive, double slope, const double *dx)
{
    Sensitivity *s = k->sensitivity;
    Kernel *const other = s->rows.shadow[shadow];
    double *const x = states_at(k, shadow), nudge = 1e-15 * fmax(fabs(s->time[shadow]), k->run->end - k->run->t_before);
    for (int round = 0; round < MOST_ROUNDS + MOST_NUDGES; round++) {
        const int result = shadow_failed(k, shadow, read_indicators(other, s->time[shadow], x, s->z));
        if (result)
            return result;
        double by = -s->z[indicator] / slope;
        if (round >= MOST_ROUNDS) {
            if ((s->z[indicator] > 0) == positive)
                break;
            by = nudge;
            nudge *= 2;
        }
        s->time[shadow] += by;
        for (int i = 0; i < k->states; i++)
            x[i] += by * dx[i];
    }
    return compare_slopes(k, shadow, indicator, slope);
}

int sensitivity_arrive(Kernel *k, double t, const double *x, int indicator)
{
    Sensitivity *s = k->sensitivity;
    const SensitivityRows *r = &s->rows;
    const bool timely = indicator < 0 && s->next_time <= t;
    bool positive = false, ignored;
    double slope = 0;
    int result = kernel_derivatives(k, t, x, s->slope);
    if (result == KERNEL_DONE && indicator >= 0) {
        result = kernel_indicators(k, s->z);
        positive = s->z[indicator] > 0;
        if (result == KERNEL_DONE)
            result = slope_of(k, indicator, t, x, s->slope, &slope);
        if (slope == 0 && isnan(s->grazing))
            s->grazing = t;
    }
    for (int j = 0; j < r->parameters && result == KERNEL_DONE; j++) {
        s->shift[j] = 0;
        for (int i = j * r->shadows; timely && i < (j + 1) * r->shadows; i++)
            s->shift[j] += r->weight[i] * (s->next[i] - t);
        if (slope != 0)
            result = shift_of(k, j, indicator, t, x, slope);
        for (int i = j * r->shadows; i < (j + 1) * r->shadows && result == KERNEL_DONE; i++) {
            const double by = timely ? s->next[i] - t : r->stride[i] * s->shift[j];
            s->time[i] = timely ? s->next[i] : t + by;
            for (int state = 0; state < k->states; state++)
                states_at(k, i)[state] = x[state] + r->stride[i] * s->now[j * k->states + state] + by * s->slope[state];
            if (slope != 0)
                result = to_own_event(k, i, indicator, positive, slope, s->slope);
            if (result == KERNEL_DONE)
                result = shadow_failed(k, i, kernel_synchronise(r->shadow[i], s->time[i], states_at(k, i)));
            if (result == KERNEL_DONE)
                result = shadow_failed(k, i, kernel_evaluate(r->shadow[i], s->time[i], states_at(k, i)));
            if (result == KERNEL_DONE)
                result = shadow_failed(k, i, kernel_complete_step(r->shadow[i], &ignored));
            if (result == KERNEL_DONE)
                result = shadow_failed(k, i, happen(r->shadow[i], s->time[i], states_at(k, i)));
            if (result == KERNEL_DONE)
                result = shadow_failed(k, i, kernel_evaluate(r->shadow[i], s->time[i], states_at(k, i)));
        }
    }
    if (result == KERNEL_DONE)
        result = kernel_synchronise(k, t, x);
    return result ? result : kernel_evaluate(k, t, x);
}

int sensitivity_leave(Kernel *k, double t, double *x)
{
    Sensitivity *s = k->sensitivity;
    int result = kernel_evaluate(k, t, x);
    for (int j = 0; j < s->rows.parameters && result == KERNEL_DONE; j++) {
        hold_tangents(k, j);
        for (int i = 0; i < k->states; i++)
            x[(j + 1) * k->states + i] = sum_of_shadows(k, j, s->event, k->states, i) - s->shift[j] * k->v[k->derivative_slot[i]];
    }
    return result ? result : along_constraints_at(k, t, x, x + k->states);
}

/* Shadows decide on their own constraints, at states that satisfy these, and know when their time events are. */
int sensitivity_restart(Kernel *k, double t, const double *x)
{
    Sensitivity *s = k->sensitivity;
    const SensitivityRows *r = &s->rows;
    int result = KERNEL_DONE;
    for (int i = 0; i < r->parameters * r->shadows && result == KERNEL_DONE; i++) {
        Kernel *const other = r->shadow[i];
        const double *const now = x + (size_t)(1 + i / r->shadows) * (size_t)k->states;
        for (int state = 0; state < k->states; state++)
            s->x[state] = x[state] + r->stride[i] * now[state];
        result = other->projection ? project_fully(other, t, s->x) : KERNEL_DONE;
        if (result == KERNEL_DONE)
            result = other->projection ? decide_rank(other, t, s->x) : kernel_decide_in_order(other, t, s->x);
        if (result == KERNEL_DONE)
            result = kernel_evaluate(other, t, s->x);
        result = shadow_failed(k, i, result);
        kernel_accept(other);
        s->next[i] = kernel_next_time(other);
    }
    s->next_time = kernel_next_time(k);
    return result;
}

int sensitivity_complete(Kernel *k, double t, const double *x)
{
    const SensitivityRows *r = &k->sensitivity->rows;
    bool ignored;
    int result = KERNEL_DONE;
    for (int i = 0; i < r->parameters * r->shadows && result == KERNEL_DONE; i++) {
        const double *const now = x + (size_t)(1 + i / r->shadows) * (size_t)k->states;
        for (int state = 0; state < k->states; state++)
            k->sensitivity->x[state] = x[state] + r->stride[i] * now[state];
        result = kernel_evaluate(r->shadow[i], t, k->sensitivity->x);
        if (result == KERNEL_DONE)
            result = kernel_complete_step(r->shadow[i], &ignored);
        result = shadow_failed(k, i, result);
    }
    return result;
}
