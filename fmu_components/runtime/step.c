/* Integration inside a Co-Simulation step: Dormand and Prince's pair of orders 5 and 4, with error control, dense output and
 * location of events. */
#include "instance.h"

#include <math.h>

enum { STAGES = 7, MOST_REJECTIONS = 1000, MOST_STEPS = 1000000, MOST_CHATTER = 100 };

/* One internal step. */
typedef struct {
    double time, size, end;
} Span;

static const double c[STAGES] = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
static const double a[STAGES][STAGES - 1] = {
    {0},
    {1. / 5},
    {3. / 40, 9. / 40},
    {44. / 45, -56. / 15, 32. / 9},
    {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
    {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
    {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84},
};
static const double error_weight[STAGES] = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40};
static const double dense_weight[STAGES] = {-12715105075. / 11282082432, 0, 87487479700. / 32700410799, -10690763975. / 1880347072,
                                            701980252875. / 199316789632, -1453857185. / 822651844, 69997945. / 29380423};

/* Inputs follow their polynomials from the start of the communication step, or what the importer knows of them. */
static void place(Instance *instance, const Step *step, double time, const double *x)
{
    set_time(instance, time);
    for (unsigned i = 0; i < model.states; i++)
        instance->v[model.state[i]] = x[i];
    if (instance->progress.varying) {
        double d = time - step->start;
        for (unsigned i = 0; i < model.inputs; i++)
            instance->v[model.input[i]] = instance->base[i] + d * (instance->slope[i] + d / 2 * instance->curvature[i]);
    }
    changed(instance, model.variable[0].stage);
    if (step->observe)
        step->observe(instance, time, false);
}

/* The derivatives at the present values; false where one, or an input, is not finite. */
static bool slopes(Instance *instance, double *k)
{
    evaluate(instance, instance->derivative_stage);
    bool finite = true;
    for (unsigned i = 0; i < model.states; i++) {
        k[i] = instance->v[model.derivative[i]];
        finite = finite && isfinite(k[i]);
    }
    for (unsigned i = 0; instance->progress.varying && i < model.inputs; i++)
        finite = finite && isfinite(instance->v[model.input[i]]);
    return finite;
}

/* A trial step from x; the error in units of the tolerance, or infinity where it cannot be computed. */
static double attempt(Instance *instance, const Step *step, Span span)
{
    for (int s = 0; s < STAGES; s++) {
        double *at = s == STAGES - 1 ? instance->x_next : instance->stage;
        for (unsigned i = 0; i < model.states; i++) {
            double sum = 0;
            for (int r = 0; r < s; r++)
                sum += a[s][r] * instance->k[r][i];
            at[i] = instance->x[i] + span.size * sum;
        }
        place(instance, step, c[s] == 1 ? span.end : span.time + c[s] * span.size, at);
        if (!slopes(instance, instance->k[s]))
            return INFINITY;
    }
    double worst = 0;
    for (unsigned i = 0; i < model.states; i++) {
        double error = 0;
        for (int s = 0; s < STAGES; s++)
            error += error_weight[s] * instance->k[s][i];
        if (!isfinite(instance->x_next[i]) || !isfinite(error))
            return INFINITY;
        double scale = model.nominal[i] + fmax(fabs(instance->x[i]), fabs(instance->x_next[i]));
        worst = fmax(worst, fabs(span.size * error) / (instance->progress.tolerance * scale));
    }
    return worst;
}

static void prepare_dense(Instance *instance, double h)
{
    for (unsigned i = 0; i < model.states; i++) {
        double *q = instance->dense + 4 * (size_t)i, sum = 0;
        for (int s = 0; s < STAGES; s++)
            sum += dense_weight[s] * instance->k[s][i];
        q[0] = instance->x_next[i] - instance->x[i];
        q[1] = h * instance->k[0][i] - q[0];
        q[2] = q[0] - h * instance->k[STAGES - 1][i] - q[1];
        q[3] = h * sum;
    }
}

/* Places the instance at the fraction f of an accepted step. */
static void place_between(Instance *instance, const Step *step, Span span, double f)
{
    for (unsigned i = 0; i < model.states; i++) {
        const double *q = instance->dense + 4 * (size_t)i;
        instance->stage[i] = f == 1 ? instance->x_next[i] : instance->x[i] + f * (q[0] + (1 - f) * (q[1] + f * (q[2] + (1 - f) * q[3])));
    }
    place(instance, step, f == 1 ? span.end : span.time + f * span.size, instance->stage);
}

/* Where relations are looked at: closely behind the start, since what one event has switched may soon switch back. */
static const double samples[] = {1e-8, 1e-6, 1e-4, 1e-2, 0.25, 0.5, 0.75, 1};

/* The earliest fraction of the step just after which a relation has changed, or 2 where none does. */
static double locate(Instance *instance, const Step *step, Span span)
{
    if (model.relations == 0)
        return 2;
    prepare_dense(instance, span.size);
    double before = 0, after = 2;
    for (size_t sample = 0; sample < sizeof samples / sizeof *samples && after > 1; sample++) {
        double f = samples[sample];
        place_between(instance, step, span, f);
        if (relation_changed(instance))
            after = f;
        else
            before = f;
    }
    while (after <= 1 && (after - before) * span.size > 1e-15 * fmax(1e-3, fabs(span.time))) {
        double f = (before + after) / 2;
        if (f <= before || f >= after)
            break;
        place_between(instance, step, span, f);
        if (relation_changed(instance))
            after = f;
        else
            before = f;
    }
    return after;
}

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

/* One accepted internal step, at most to the limit; leaves the instance at its end or just behind an event inside it. */
static Status internal_step(Instance *instance, const Step *step, double limit, bool *event)
{
    double time = instance->v[0], shortest = 1e-14 * fmax(fabs(time), 1e-6 * (limit - step->start));
    read_states(instance, instance->x);
    for (int rejections = 0;; rejections++) {
        bool whole = instance->progress.step_size >= 0.9999 * (limit - time);
        double h = whole ? limit - time : instance->progress.step_size;
        if (rejections == 0 && limit - time <= shortest) { /* what an event left over */
            place(instance, step, limit, instance->x);
            return OK;
        }
        if (rejections > MOST_REJECTIONS || !(h > shortest)) {
            place(instance, step, time, instance->x);
            return report(instance, DISCARD, "%s: the step at time %.17g fails: even %g s are too long for the tolerance %g", instance->name,
                          time, h, instance->progress.tolerance);
        }
        Span span = {.time = time, .size = h, .end = whole ? limit : time + h};
        double error = attempt(instance, step, span);
        double factor = error > 0 ? fmin(5, fmax(0.2, 0.9 * pow(error, -0.2))) : 5;
        if (!(error <= 1)) {
            instance->progress.step_size = h * fmin(factor, 0.9);
            continue;
        }
        double f = locate(instance, step, span);
        *event = f <= 1;
        place_between(instance, step, span, fmin(f, 1));
        if (!whole || factor < 1)
            instance->progress.step_size = h * factor;
        else
            instance->progress.step_size = fmax(instance->progress.step_size, h * factor);
        return OK;
    }
}

Status begin_step(Instance *instance, Step *step, double point, double size)
{
    double now = instance->v[0];
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

/* Takes the instance to the end of the step, or to where it must stop before. */
Status advance(Instance *instance, Step *step)
{
    for (unsigned i = 0; i < model.inputs; i++)
        instance->base[i] = instance->v[model.input[i]];
    Status status = OK;
    double last_event = -INFINITY;
    int chatter = 0, steps = 0;
    while (status == OK && instance->v[0] < step->end && !step->event && !step->early) {
        if (++steps > MOST_STEPS)
            status = report(instance, DISCARD, "%s: the step from time %.17g needs more than %d internal steps; they got to time %.17g",
                            instance->name, step->start, MOST_STEPS, instance->v[0]);
        double instant = next_instant(instance);
        bool event = time_reached(instance, instant) || relation_changed(instance); /* at once, after a jump of an input */
        if (status == OK && !event)
            status = internal_step(instance, step, fmin(step->end, instant), &event);
        if (status != OK)
            break;
        instance->progress.reached = instance->v[0];
        if (event || time_reached(instance, instant)) {
            chatter = instance->v[0] - last_event < 1e-12 * fmax(1, fabs(last_event)) ? chatter + 1 : 0;
            last_event = instance->v[0];
            Update update;
            if (chatter > MOST_CHATTER)
                status = report(instance, DISCARD, "%s: the events chatter at time %.17g", instance->name, last_event);
            else if (step->stop_at_events)
                step->event = true;
            else
                status = settle_events(instance, &update);
        }
        if (status == OK && step->observe && step->observe(instance, instance->v[0], true))
            step->early = instance->v[0] < step->end;
    }
    double d = instance->v[0] - step->start;
    for (unsigned i = 0; i < model.inputs; i++) {
        instance->rate[i] = instance->slope[i] + d * instance->curvature[i];
        instance->slope[i] = instance->curvature[i] = 0;
    }
    instance->progress.varying = false;
    return status;
}
