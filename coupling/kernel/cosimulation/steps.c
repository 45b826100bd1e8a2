/* Co-Simulation instances: how their inputs go on from a point in time, and how they step to the next. */
#include "system/kernel_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A step that an instance refuses is tried in halves, down to this share. */
static const double smallest_share = 1.0 / (1 << 20);

/* An event this close after a point, as a share of the step, is the instance's own affair: no other instance goes back for it. */
static const double closely = 1e-6;

/* Points this close, as a share of an instance's own step, are one: only rounding sets them apart. */
#define CLOSE 1e-9

enum { MOST_UPDATES = 1000, MOST_DISCARDED = 30 };

static double period_end(const Coupling *c, const Stepper *s)
{
    return c->origin + (double)(s->own.number + 1) * s->period;
}

/* The next point at which an instance with a step of its own has to be. */
double kernel_next_period(const Kernel *k)
{
    const Coupling *c = k->coupling;
    double next = INFINITY;
    for (int i = 0; i < c->count && c->periods; i++)
        if (c->steppers[i].period) {
            const Stepper *s = &c->steppers[i];
            next = fmin(next, s->own.begun > k->t + CLOSE * s->period ? s->own.begun : period_end(c, s));
        }
    return next;
}

/* -- a point ----------------------------------------------------------------------------------------------------------- */

/* Gets the outputs of the instances at the end of their steps, and their derivatives by the inputs. */
int kernel_get_outputs(Kernel *k)
{
    int result = operate(k, &k->lists[OUTPUTS]);
    const Coupling *c = k->coupling;
    for (int i = 0; i < c->derivative_count && result == KERNEL_DONE; i++)
        if (!c->derivatives[i].at_events || !c->ready) /* constant ones are known from the start */
            result = differentiate(k, &c->derivatives[i], k->v + c->derivatives[i].first);
    return result;
}

/* The inputs of all instances as they arrive now, which they keep until their next step. Used where values may be set and got
 * at will, in Initialization Mode; the size of their move decides on another round. */
int kernel_hand_over(Kernel *k, double *moved)
{
    Coupling *c = k->coupling;
    *moved = 0;
    for (int s = 0; s < c->count; s++) {
        const Stepper *stepper = &c->steppers[s];
        const int n = stepper->inputs.count;
        for (int i = stepper->first; i < stepper->first + n; i++) {
            const double value = k->v[c->arriving[i]], before = k->v[c->first_end + i];
            *moved = fmax(*moved, fabs(value - before) / fmax(1, fabs(value)));
            c->value[i] = k->v[c->first_end + i] = value;
            if (!isfinite(value)) {
                failed(k, KERNEL_NOT_FINITE, "evaluating", -1, OK);
                k->failure.slot = c->arriving[i];
                return KERNEL_NOT_FINITE;
            }
        }
        if (!n || !stepper->instance)
            continue;
        const Status status = instance_set_reals(stepper->instance, stepper->inputs.reference, (size_t)n, c->value + stepper->first);
        if (status > WARNING)
            return inputs_failed(k, stepper, status);
    }
    return KERNEL_DONE;
}

/* -- inputs over a step -------------------------------------------------------------------------------------------------- */

/* Notes what arrives at a point; a restart forgets what was before. */
void kernel_note_inputs(Kernel *k, bool restart)
{
    Coupling *c = k->coupling;
    double *oldest = c->past[PAST - 1];
    for (int i = PAST - 1; i > 0; i--) {
        c->past[i] = c->past[i - 1];
        c->past_time[i] = c->past_time[i - 1];
    }
    c->past[0] = oldest;
    c->past_time[0] = k->t;
    for (int i = 0; i < c->inputs; i++)
        oldest[i] = k->v[c->arriving[i]];
    double *const oldest_predicted = c->predicted_past[PAST - 1];
    for (int i = PAST - 1; i > 0; i--)
        c->predicted_past[i] = c->predicted_past[i - 1];
    c->predicted_past[0] = oldest_predicted;
    for (int i = 0; i < c->predicted; i++)
        oldest_predicted[i] = k->v[c->predicted_slot[i]];
    c->known = restart ? 1 : c->known + (c->known < PAST);
}

/* Inputs as they arrive now. */
static void hold(Kernel *k)
{
    Coupling *c = k->coupling;
    double *const end = k->v + c->first_end;
    for (int i = 0; i < c->inputs; i++)
        end[i] = c->value[i] = k->v[c->arriving[i]];
    c->degree = 0;
}

/* Polynomials of some inputs through the last points, as many as the order wants and are known; their degree. */
static int extrapolate(Coupling *c, int order, int begin, int end)
{
    const double *const u0 = c->past[0], *const u1 = c->past[1], *const u2 = c->past[2];
    double *const slope = c->slope, *const curve = c->curve;
    const int degree = order < c->known ? order : c->known - 1;
    if (begin < end)
        memcpy(c->value + begin, u0 + begin, (size_t)(end - begin) * sizeof *u0);
    if (degree < 1) {
        for (int i = begin; i < end; i++)
            slope[i] = curve[i] = 0;
        return 0;
    }
    const double d1 = 1 / (c->past_time[0] - c->past_time[1]);
    if (degree == 1) {
        for (int i = begin; i < end; i++) {
            slope[i] = c->most[i] < 1 ? 0 : (u0[i] - u1[i]) * d1;
            curve[i] = 0;
        }
        return 1;
    }
    const double d2 = 1 / (c->past_time[1] - c->past_time[2]), d = 1 / (c->past_time[0] - c->past_time[2]);
    for (int i = begin; i < end; i++) {
        const double first = (u0[i] - u1[i]) * d1, second = c->most[i] < 2 ? 0 : (first - (u1[i] - u2[i]) * d2) * d;
        slope[i] = c->most[i] < 1 ? 0 : first + second * (c->past_time[0] - c->past_time[1]);
        curve[i] = 2 * second;
    }
    return 2;
}

/* Polynomials through what arrives at the end of the step and the last points; the order counts the end. */
static void interpolate(Coupling *c, const Stepper *s, const double *v, int order, double h)
{
    const int end = s->first + s->inputs.count, highest = order < c->known ? order : c->known;
    for (int i = s->first; i < end; i++) {
        const int degree = c->most[i] < highest ? c->most[i] : highest;
        const double u = v[c->arriving[i]], u0 = c->past[0][i];
        if (degree == 0) {
            c->value[i] = u;
            c->slope[i] = c->curve[i] = 0;
            continue;
        }
        const double first = (u - u0) / h;
        c->value[i] = u0;
        c->slope[i] = first;
        c->curve[i] = 0;
        if (degree == 2) {
            const double back = c->past_time[0] - c->past_time[1];
            const double second = (first - (u0 - c->past[1][i]) / back) / (h + back);
            c->slope[i] = first - second * h;
            c->curve[i] = 2 * second;
        }
    }
}

/* An instance that takes polynomials of a lower degree gets one whose mean or ends are right; what it has at the end is noted. */
static void fit(Kernel *k, const Stepper *s, double h)
{
    Coupling *c = k->coupling;
    double *const end = k->v + c->first_end;
    const int last = s->first + s->inputs.count;
    for (int i = s->first; i < last; i++) {
        if (s->degree == 0) {
            c->value[i] += h * (c->slope[i] / 2 + h * c->curve[i] / 6);
            c->slope[i] = c->curve[i] = 0;
        } else if (s->degree == 1) {
            c->slope[i] += h * c->curve[i] / 2;
            c->curve[i] = 0;
        }
        end[i] = c->value[i] + h * (c->slope[i] + h * c->curve[i] / 2);
    }
}

/* -- a step -------------------------------------------------------------------------------------------------------------- */

int inputs_failed(Kernel *k, const Stepper *s, Status status)
{
    const int result = failed(k, KERNEL_FMU_FAILED, "setting", s->part, status);
    k->failure.references = s->inputs.reference;
    k->failure.count = s->inputs.count;
    return result == KERNEL_RETRY ? KERNEL_FMU_FAILED : result;
}

/* Hands the inputs of an instance over as they are at a time within the step. */
static Status set_inputs(const Coupling *c, Stepper *s, double time)
{
    Polynomials now = s->inputs;
    if (!now.count)
        return OK;
    const double d = time - now.start;
    if (d == 0) {
        const Status status = instance_set_reals(s->instance, now.reference, (size_t)now.count, now.value);
        return status > WARNING || !now.degree ? status : instance_set_slopes(s->instance, &now);
    }
    double *const value = c->scratch + s->first;
    for (int i = 0; i < now.count; i++)
        value[i] = now.value[i] + d * (now.slope[i] + d * now.curve[i] / 2);
    Status status = instance_set_reals(s->instance, now.reference, (size_t)now.count, value);
    if (status > WARNING || !now.degree)
        return status;
    for (int i = 0; i < now.count; i++)
        value[i] = now.slope[i] + d * now.curve[i];
    now.slope = value;
    return instance_set_slopes(s->instance, &now);
}

/* An event within a step, which this instance has come to alone. */
static int pass_event(Kernel *k, Stepper *s, double t)
{
    const bool timely = s->instance->next_time <= t;
    Status status = instance_enter_events(s->instance);
    Update update = {.again = true};
    for (int i = 0; i < MOST_UPDATES && update.again && status <= WARNING; i++) {
        update = (Update){0};
        status = instance_update_discrete(s->instance, &update);
    }
    if (update.terminate)
        return step_terminated(k, s);
    if (update.again) {
        failed(k, KERNEL_UNSETTLED, "updating discrete states", s->part, OK);
        return KERNEL_UNSETTLED;
    }
    if (status <= WARNING)
        status = instance_enter_step(s->instance);
    if (status > WARNING) {
        failed(k, KERNEL_FMU_FAILED, "handling an event", s->part, status);
        return KERNEL_FMU_FAILED;
    }
    k->statistics.events++;
    *(timely ? &k->statistics.time_events : &k->statistics.state_events) += 1;
    return KERNEL_DONE;
}

int step_terminated(Kernel *k, const Stepper *s)
{
    failed(k, KERNEL_TERMINATED, "stepping", s->part, OK);
    return KERNEL_TERMINATED;
}

/* Makes the rest of a step that did not reach its end at once: it was discarded, or an event interrupted it. */
static int piecewise(Kernel *k, Stepper *s, double start, double end, bool last_word, Status status, StepEnd step)
{
    Coupling *c = k->coupling;
    const double all = end - start, enough = 8 * DBL_EPSILON * fmax(fabs(start), fabs(end));
    double t = start, size = all;
    double kept = start; /* the time of the state that is saved */
    int discarded = 0, standing = 0; /* standing: attempts that have come no further */
    for (;;) {
        if (step.terminate && step.reached >= end - enough) { /* the others get there too, and what all have come to is recorded */
            s->ends = c->ending = true;
            return KERNEL_DONE;
        }
        if (step.terminate)
            return step_terminated(k, s);
        if (status > DISCARD) {
            failed(k, KERNEL_FMU_FAILED, "stepping", s->part, status);
            return KERNEL_FMU_FAILED;
        }
        if (status == DISCARD && s->saves && !c->careful) { /* the run returns to where it saved, and begins anew with care */
            failed(k, KERNEL_FMU_FAILED, "stepping", s->part, status);
            return KERNEL_FMU_FAILED;
        }
        if (step.reached >= t && step.reached <= t + size)
            standing = step.reached > t ? 0 : standing + 1, t = step.reached;
        else if (status <= WARNING)
            t += size;
        if (standing > MOST_UPDATES) {
            failed(k, KERNEL_UNSETTLED, "stepping", s->part, status);
            return KERNEL_UNSETTLED;
        }
        if (status == DISCARD && c->careful && s->saves) {
            const Status back = instance_restore(s->instance, s->saved[FOR_RETRY]);
            if (back > WARNING) {
                failed(k, KERNEL_FMU_FAILED, "restoring the state", s->part, back);
                return KERNEL_FMU_FAILED;
            }
            t = kept;
        }
        if (status == DISCARD) {
            c->discarded++;
            size = fmin(size, end - t) / 2;
            if (!s->variable || ++discarded > MOST_DISCARDED || size < smallest_share * all) {
                failed(k, KERNEL_FMU_FAILED, "stepping", s->part, status);
                return KERNEL_FMU_FAILED;
            }
        } else {
            if (end - t <= enough) {
                s->event = s->event || step.event;
                c->event = c->event || step.event;
                return KERNEL_DONE;
            }
            if (step.event && s->instance->event_mode) {
                const int result = pass_event(k, s, t);
                if (result)
                    return result;
                s->alone += t > start + closely * all; /* all stop at an event at the beginning */
            }
            size = fmin(2 * size, end - t);
            if (c->careful && s->saves && instance_save(s->instance, &s->saved[FOR_RETRY]) <= WARNING)
                kept = t;
        }
        if (end - (t + size) <= enough)
            size = end - t;
        status = set_inputs(c, s, t);
        if (status > WARNING)
            return inputs_failed(k, s, status);
        status = instance_do_step(s->instance, t, size, last_word, &step);
    }
}

/* The inputs over a step. An instance that refuses derivatives which it has declared gets polynomials of a lower degree from now on. */
static Status set_polynomials(Kernel *k, Stepper *s, double t, double h)
{
    Coupling *c = k->coupling;
    for (;;) {
        const int degree = c->degree < s->most ? c->degree : s->most;
        s->inputs.degree = degree < s->degree ? degree : s->degree;
        fit(k, s, h);
        const Status status = s->instance ? set_inputs(c, s, t) : OK;
        if (status != ERROR || !s->inputs.degree || s->instance->library->version != 2)
            return status;
        s->degree = s->inputs.degree - 1;
    }
}

static int step_one(Kernel *k, Stepper *s, double t, double h, bool last_word)
{
    Coupling *c = k->coupling;
    Status status = OK;
    s->inputs.start = t;
    s->ends = false;
    if (c->degree == 0) {
        s->inputs.degree = 0;
        if (s->inputs.count) {
            if (!s->instance)
                return KERNEL_DONE;
            s->instance->called = true;
            status = s->set ? heard(s->instance, s->set(s->component, s->inputs.reference, (size_t)s->inputs.count, s->inputs.value))
                            : instance_set_reals(s->instance, s->inputs.reference, (size_t)s->inputs.count, s->inputs.value);
        }
    } else {
        status = set_polynomials(k, s, t, h);
        if (!s->instance)
            return KERNEL_DONE;
    }
    if (status > WARNING)
        return inputs_failed(k, s, status);
    if (c->careful && s->saves) {
        status = instance_save(s->instance, &s->saved[FOR_RETRY]);
        if (status > WARNING) {
            failed(k, KERNEL_FMU_FAILED, "saving the state", s->part, status);
            return KERNEL_FMU_FAILED;
        }
    }
    StepEnd end;
    if (s->step) { /* the way that most steps go */
        s->instance->called = true;
        status = s->step(s->component, t, h, last_word);
        if (status <= WARNING)
            return KERNEL_DONE;
        status = instance_step_failed(s->instance, instance_heard(s->instance, status), &end);
    } else {
        s->asked = false;
        c->stepping = s;
        status = instance_do_step(s->instance, t, h, last_word, &end);
    }
    if (status <= WARNING && !end.event && !end.terminate && end.reached == t + h)
        return KERNEL_DONE;
    const bool calls = (end.event || s->asked) && !end.terminate;
    if (c->align && !s->period && status <= WARNING && calls && end.reached > t + closely * h && end.reached < t + h) {
        c->earliest = fmin(c->earliest, end.reached);
        if (c->lone)
            s->event = c->event = c->event || end.event;
        return KERNEL_DONE; /* everybody will go back, and stop there */
    }
    return piecewise(k, s, t, t + h, last_word, status, end);
}

/* An instance with a step of its own. Its inputs follow what they did where that began. It stays there until the step is over, with its
 * outputs; where instances take turns, it takes the whole step at once, and the next ones get its results. */
static int step_period(Kernel *k, Stepper *s, double t, double h, bool at_once)
{
    Coupling *c = k->coupling;
    const int first = s->first, last = s->first + s->inputs.count, degree = c->degree;
    const double close = CLOSE * s->period, begun = s->own.begun, end = period_end(c, s);
    const bool begins = fabs(t - begun) <= close, ends = t + h >= end - close;
    for (int i = first; i < last; i++) {
        if (begins) {
            c->own[0][i] = c->value[i];
            c->own[1][i] = degree ? c->slope[i] : 0;
            c->own[2][i] = degree ? c->curve[i] : 0;
        }
        c->value[i] = c->own[0][i];
        c->slope[i] = c->own[1][i];
        c->curve[i] = c->own[2][i];
        k->v[c->first_end + i] = c->value[i] + (t + h - begun) * (c->slope[i] + (t + h - begun) * c->curve[i] / 2);
    }
    if (begins)
        s->own.degree = degree;
    if (at_once ? !begins : !ends)
        return KERNEL_DONE;
    c->degree = s->own.degree;
    const double reached = ends ? t + h : end;
    const int result = step_one(k, s, begun, reached - begun, false);
    c->degree = degree;
    if (result == KERNEL_DONE)
        s->own = (Period){.number = s->own.number + 1, .begun = reached};
    return result;
}

/* All instances from a time on, with their inputs as the polynomials say. */
int kernel_step(Kernel *k, double t, double h, bool last_word)
{
    Coupling *c = k->coupling;
    k->t = t;
    const bool timed = c->passes++ % SAMPLING == 0;
    const double began = timed ? seconds() : 0;
    int result = KERNEL_DONE;
    c->earliest = INFINITY;
    for (int i = 0; i < c->count && result == KERNEL_DONE; i++)
        result = c->steppers[i].period ? step_period(k, &c->steppers[i], t, h, false) : step_one(k, &c->steppers[i], t, h, last_word);
    if (timed) {
        c->seconds += seconds() - began;
        c->sampled++;
    }
    return result;
}

/* Extrapolates what instances pass on, to a time ahead. */
static void predict(Kernel *k, int order, double t)
{
    Coupling *c = k->coupling;
    const int degree = order < c->known ? order : c->known - 1;
    const double *const time = c->past_time;
    double *const *const past = c->predicted_past;
    const double w1 = degree > 0 ? (t - time[0]) / (time[0] - time[1]) : 0;
    const double w2 = degree > 1 ? (t - time[0]) * (t - time[1]) / (time[0] - time[2]) : 0;
    for (int i = 0; i < c->predicted; i++) {
        double value = past[0][i];
        if (degree > 0)
            value += w1 * (past[0][i] - past[1][i]);
        if (degree > 1)
            value += w2 * ((past[0][i] - past[1][i]) / (time[0] - time[1]) - (past[1][i] - past[2][i]) / (time[1] - time[2]));
        k->v[c->predicted_slot[i]] = value;
    }
}

/* One after another, each with what those before it have come to. `sequence` of a stepper says what has to be passed on for it.
 * Instances under multipliers get no new values: the multipliers balance the forces of the last point, and no others. */
static int step_in_turn(Kernel *k, double t, double h, int order, bool last_word)
{
    Coupling *c = k->coupling;
    int result = KERNEL_DONE;
    predict(k, order, t + h);
    c->degree = order < c->known ? order : c->known;
    c->earliest = INFINITY;
    c->passes++;
    place_instances(&k->phase, ASTRAY);
    for (int i = 0; i < c->count && result == KERNEL_DONE; i++) {
        Stepper *s = &c->steppers[i];
        k->t = t + h;
        if (s->constrained || s->period) {
            (void)extrapolate(c, order, s->first, s->first + s->inputs.count);
        } else {
            result = operate(k, &s->sequence);
            if (result)
                break;
            interpolate(c, s, k->v, order, h);
        }
        memcpy(k->v + c->first_end + s->first, s->inputs.value, (size_t)s->inputs.count * sizeof *c->value); /* unless they vary */
        k->t = t;
        result = s->period ? step_period(k, s, t, h, true) : step_one(k, s, t, h, last_word);
        if (result == KERNEL_DONE)
            result = operate(k, &s->outputs);
    }
    return result;
}

int kernel_explicit_step(Kernel *k, double h, int order, bool in_turn, bool last_word)
{
    order = order < k->coupling->highest ? order : k->coupling->highest;
    if (in_turn)
        return step_in_turn(k, k->t, h, order, last_word);
    if (order && k->coupling->known > 1)
        k->coupling->degree = extrapolate(k->coupling, order, 0, k->coupling->inputs);
    else
        hold(k);
    return kernel_step(k, k->t, h, last_word);
}
