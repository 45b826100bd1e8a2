/* Events inside an accepted step: its ends need not show them. */
#include "method.h"

#include <math.h>

/* Shares of a step at which relations are sampled: the first soon after the start, as an event may soon be reversed. */
static const double samples[] = {1e-8, 1e-6, 1e-4, 1e-2, 0.25, 0.5, 0.75, 1};
static const double apart = 0.35; /* rad: the greatest turn between two samples */
/* The parabola through three values of an indicator is followed where it promises so little of them, and so often. */
static const double promising = 0.5;
enum { MOST_BETWEEN = 100000, FIRST_FOLLOWED = 1, MOST_FOLLOWED = 4 };

typedef struct {
    Instance *instance;
    const Step *step;
    Span span;
    int count;         /* of the samples below */
    double f[3], *z[3]; /* the last ones, with the indicators of all relations */
    double before, after; /* fractions between which a relation changes first */
} Search;

bool is_implicit(const Instance *instance)
{
    return model.implicit_reference && instance->v[model.implicit_reference] != 0;
}

const Method *method_of(const Instance *instance)
{
    return is_implicit(instance) ? model.implicit_method : &explicit_method;
}

void place_between(Instance *instance, const Step *step, Span span, double f)
{
    if (f < 1)
        method_of(instance)->between(instance, f, instance->stage);
    place(instance, step, f < 1 ? span.time + f * span.size : span.end, f < 1 ? instance->stage : instance->x_next);
}

static bool changed_at(const Search *s, double f)
{
    place_between(s->instance, s->step, s->span, f);
    return relation_changed(s->instance);
}

/* The lowest point of the parabola through three samples of an indicator, and its size there; infinite where it has none between them. */
static double lowest(const double *f, const double *z, double *size)
{
    const double left = f[1] - f[0], right = f[2] - f[1], sign = z[1] > 0 ? 1 : -1;
    const double fall = (z[1] - z[0]) / left, rise = (z[2] - z[1]) / right, bend = (rise - fall) / (left + right);
    const double at = f[1] - (fall * right + rise * left) / (left + right) / (2 * bend), past = at - f[1];
    *size = sign * bend > 0 && at > f[0] && at < f[2] ? fabs(z[1]) - sign * bend * past * past : INFINITY;
    return at;
}

/* Follows an indicator to its lowest point between the last samples; true where a relation has changed there. */
static bool follow(Search *s, unsigned relation)
{
    Instance *instance = s->instance;
    double f[3], z[3];
    for (int p = 0; p < 3; p++) {
        f[p] = s->f[p];
        z[p] = s->z[p][relation];
    }
    for (int count = 0; count < MOST_FOLLOWED && (z[0] > 0) == (z[1] > 0) && (z[1] > 0) == (z[2] > 0); count++) {
        double promised;
        const double at = lowest(f, z, &promised);
        if (!(promised < promising * fmin(fabs(z[0]), fmin(fabs(z[1]), fabs(z[2])))) || at == f[1])
            return false;
        if (changed_at(s, at)) {
            s->before = s->f[1] < at ? s->f[1] : s->f[0];
            s->after = at;
            return true;
        }
        const double value = instance->v[model.relation_indicator[relation]];
        const int near = at < f[1] ? 0 : 2, far = 2 - near; /* the ends, as seen from the new point */
        if (fabs(value) < fabs(z[1])) {
            f[far] = f[1], z[far] = z[1], f[1] = at, z[1] = value;
        } else {
            f[near] = at, z[near] = value;
        }
    }
    return false;
}

/* Takes a sample, at which the instance is; true where a relation has changed there or since the sample before. */
static bool take(Search *s, double f, bool changed)
{
    const Instance *instance = s->instance;
    double *const oldest = s->z[0];
    for (int p = 0; p < 2; p++) {
        s->f[p] = s->f[p + 1];
        s->z[p] = s->z[p + 1];
    }
    s->f[2] = f;
    s->z[2] = oldest;
    for (unsigned i = 0; i < model.relations; i++)
        oldest[i] = instance->v[model.relation_indicator[i]];
    s->count++;
    s->before = s->count > 1 ? s->f[1] : 0;
    s->after = changed ? f : 2;
    const unsigned followed = s->count > FIRST_FOLLOWED + 2 ? model.relations : 0;
    for (unsigned i = 0; i < followed; i++)
        if (follow(s, i))
            return true;
    return changed;
}

/* The greatest turn of an angle since this was asked last. */
static double turn(Instance *instance)
{
    double most = 0;
    for (unsigned i = 0; i < model.angles; i++) {
        const double angle = instance->v[model.angle[i]];
        most = fmax(most, fabs(angle - instance->turned[i]));
        instance->turned[i] = angle;
    }
    return most;
}

/* Takes samples until a relation changes. Where angles turn far from one to the next, more samples lie between them. */
static bool bracket(Search *s)
{
    double before = 0;
    for (size_t sample = 0; sample < sizeof samples / sizeof *samples; sample++) {
        const double f = samples[sample];
        bool changed = changed_at(s, f);
        const double turned = turn(s->instance);
        const int between = sample > 0 ? (int)fmin(MOST_BETWEEN, turned / apart) : 0; /* the first lies where the step begins */
        for (int i = 1; i <= between; i++) {
            const double inside = before + (f - before) * i / (between + 1);
            if (take(s, inside, changed_at(s, inside)))
                return true;
        }
        if (between)
            changed = changed_at(s, f);
        if (take(s, f, changed))
            return true;
        before = f;
    }
    return false;
}

double locate(Instance *instance, const Step *step, Span span)
{
    if (model.relations == 0)
        return 2;
    Search s = {.instance = instance, .step = step, .span = span};
    for (unsigned p = 0; p < 3; p++)
        s.z[p] = instance->seen + p * model.relations;
    if (!bracket(&s))
        return 2;
    double before = s.before, after = s.after;
    while ((after - before) * span.size > 1e-15 * fmax(1e-3, fabs(span.time))) {
        const double f = (before + after) / 2;
        if (f <= before || f >= after)
            break;
        if (changed_at(&s, f))
            after = f;
        else
            before = f;
    }
    return after;
}
