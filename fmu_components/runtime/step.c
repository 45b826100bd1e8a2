/* Integration inside a Co-Simulation step: what all methods have in common. */
#include "method.h"

#include <math.h>

enum { MOST_REJECTIONS = 1000, MOST_STEPS = 1000000, MOST_CHATTER = 100 };

static void read_states(const Instance *instance, double *x)
{
    for (unsigned i = 0; i < model.states; i++)
        x[i] = instance->v[model.state[i]];
}

static double next_instant(Instance *instance)
{
    double next = INFINITY;
    if (model.times)
        model.instants(instance->v, instance->next);
    for (unsigned i = 0; i < model.times; i++)
        if (instance->next[i] != instance->spent[i])
            next = fmin(next, instance->next[i]);
    return next;
}

/* Fraction by which a step that ends just after an event is longer than the way to it. Values inside a step may be less exact than at its
 * end. So the step has to contain the event, and to end so close to it that its values are as exact as at the end. */
static const double beyond = 5e-4;

/* An explicit step ends on the constraints, but where an event cuts it; this event may lie ahead of where the states are moved to. */
static Status land(Instance *instance, bool *event)
{
    if (!*event && !is_implicit(instance))
        return OK;
    const Status status = hold_constraints(instance);
    *event = *event && (status != OK || relation_changed(instance));
    return status;
}

/* One accepted internal step, at most to the limit; leaves the instance at its end or just after an event inside it. */
static Status internal_step(Instance *instance, const Step *step, double limit, bool *event)
{
    const Method *method = method_of(instance);
    double time = instance->v[model.time], shortest = 1e-14 * fmax(fabs(time), 1e-6 * (limit - step->start));
    double approach = INFINITY; /* the size of the step that ends just after an event */
    read_states(instance, instance->x);
    for (int rejections = 0;; rejections++) {
        double size = fmin(fmin(instance->progress.step_size, approach), model.longest_step > 0 ? model.longest_step : INFINITY);
        bool last = size >= 0.9999 * (limit - time);
        double h = last ? limit - time : size;
        if (rejections == 0 && limit - time <= shortest) { /* what an event left over */
            place(instance, step, limit, instance->x);
            return OK;
        }
        if (rejections > MOST_REJECTIONS || !(h > shortest)) {
            const char *reason = model.composition ? model.composition->reason(instance->own) : NULL;
            place(instance, step, time, instance->x);
            return report(instance, DISCARD, "%s: the step at time %.17g fails: even %g s are too long for the tolerance %g%s%s", instance->name,
                          time, h, instance->progress.tolerance, reason ? ": " : "", reason ? reason : "");
        }
        Span span = {.time = time, .size = h, .end = last ? limit : time + h};
        Trial trial = method->attempt(instance, step, span);
        if (trial.status != OK) {
            place(instance, step, time, instance->x);
            return trial.status;
        }
        if (!trial.accepted) {
            instance->progress.step_size = h * fmin(trial.factor, 0.9);
            continue;
        }
        double f = locate(instance, step, span);
        if (isinf(approach) && (!last || trial.factor < 1))
            instance->progress.step_size = h * trial.factor;
        else if (isinf(approach))
            instance->progress.step_size = fmax(instance->progress.step_size, h * trial.factor);
        if (!method->exact_between && f < 1 - 2 * beyond && f * h > shortest) {
            approach = (1 + beyond) * f * h;
            continue;
        }
        *event = f <= 1;
        place_between(instance, step, span, fmin(f, 1));
        return OK;
    }
}

Status begin_step(Instance *instance, Step *step, double point, double size)
{
    double now = instance->v[model.time];
    if (!(isfinite(point + size) && size > 0))
        return report(instance, ERROR, "%s: the communication step size %g is refused: it must be greater than 0", instance->name, size);
    if (!(fabs(point - now) <= 1e-9 * fmax(1, fabs(now))))
        return report(instance, ERROR, "%s: a step from time %.17g is refused: the instance is at time %.17g", instance->name, point, now);
    if (point + size > instance->progress.stop_time + 1e-9 * fmax(1, fabs(instance->progress.stop_time)))
        return report(instance, ERROR, "%s: a step to time %.17g is refused: the stop time is %.17g", instance->name, point + size,
                      instance->progress.stop_time);
    step->start = instance->progress.reached = point;
    step->end = point + size;
    return set_time(instance, point);
}

static Status refuse_more_steps(const Instance *instance, const Step *step)
{
    const char *remedy = model.implicit_reference && !is_implicit(instance) ? variable_name(&model, &model.variable[model.implicit_reference]) : "";
    return report(instance, DISCARD, "%s: the step from time %.17g needs more than %d internal steps; they got to time %.17g%s%s%s",
                  instance->name, step->start, MOST_STEPS, instance->v[model.time], *remedy ? "; where the model is stiff, set " : "", remedy,
                  *remedy ? " = true before initialisation" : "");
}

/* Takes the instance to the end of the step, or to where it must stop before. */
Status advance(Instance *instance, Step *step)
{
    for (unsigned i = 0; i < model.inputs; i++)
        instance->base[i] = instance->v[model.input[i]];
    Status status = OK;
    const Method *method = method_of(instance);
    method->restart(instance, false); /* so that what follows a saved state follows it again to the last bit */
    double last_event = -INFINITY;
    int chatter = 0, steps = 0;
    while (status == OK && instance->v[model.time] < step->end && !step->event && !step->early) {
        if (++steps > MOST_STEPS)
            status = refuse_more_steps(instance, step);
        double instant = next_instant(instance);
        bool event = time_reached(instance, instant) || relation_changed(instance); /* at once, after a jump of an input */
        if (status == OK && !event) {
            status = internal_step(instance, step, fmin(step->end, instant), &event);
            if (status == OK)
                status = land(instance, &event);
            if (status == OK)
                accept_point(instance);
        }
        if (status != OK)
            break;
        instance->progress.reached = instance->v[model.time];
        if (event || time_reached(instance, instant)) {
            chatter = instance->v[model.time] - last_event < 1e-12 * fmax(1, fabs(last_event)) ? chatter + 1 : 0;
            last_event = instance->v[model.time];
            Update update;
            if (chatter > MOST_CHATTER)
                status = report(instance, DISCARD, "%s: the events chatter at time %.17g", instance->name, last_event);
            else if (step->stop_at_events)
                step->event = true;
            else
                status = settle_events(instance, &update);
            if (status == OK && !step->event)
                status = hold_constraints(instance);
            method->restart(instance, true);
        }
        if (status == OK && step->observe && step->observe(instance, instance->v[model.time], true))
            step->early = instance->v[model.time] < step->end;
    }
    double d = instance->v[model.time] - step->start;
    for (unsigned i = 0; i < model.inputs; i++) {
        instance->rate[i] = instance->slope[i] + d * instance->curvature[i];
        instance->slope[i] = instance->curvature[i] = 0;
    }
    instance->progress.varying = false;
    return status;
}
