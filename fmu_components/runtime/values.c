#include "runtime.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static const char *const role_names[] = {
    "the independent variable", "a parameter", "the switch of the ideal mode", "a state", "a derivative", "a discrete state", "a relation",
    "an input", "a discrete input", "an algebraic variable", "an output", "a local variable", "an event indicator",
};
static const char *const type_names[] = {"a real", "an integer", "a Boolean"};

static Status refuse_set(const Instance *instance, const Variable *variable, double value)
{
    return report(instance, ERROR, "%s: %s = %g cannot be set now: it is %s%s", instance->name, variable_name(&model, variable), value,
                  role_names[variable->role],
                  !instance->settable[variable->role]                  ? ", which the component computes itself"
                  : instance->settable[variable->role] == CONFIGURATION ? ", which is set in Configuration Mode, before initialisation"
                                                                        : ", which can be set in other phases of the simulation only");
}

static Status refuse_value(const Instance *instance, const Variable *variable, double value)
{
    bool parameter = variable->role == PARAMETER;
    if (!isfinite(value))
        return report(instance, parameter ? ERROR : DISCARD, "%s: %s = %g is refused: it must be a finite number", instance->name,
                      variable_name(&model, variable), value);
    const Range *range = &model.range[variable->range];
    const char *unit = variable_unit(&model, variable), *otherwise = model.text + range->otherwise;
    char text[128] = "";
    int length = 0;
    if (range->minimum > -INFINITY)
        length = snprintf(text, sizeof text, "%s %g", range->open_below ? "greater than" : "at least", range->minimum);
    if (range->maximum < INFINITY)
        snprintf(text + length, sizeof text - (size_t)length, "%s%s %g", length ? " and " : "",
                 range->open_above ? "less than" : "at most", range->maximum);
    return report(instance, ERROR, "%s: %s = %g%s%s is refused: it must be %s%s%s", instance->name, variable_name(&model, variable),
                  value, *unit ? " " : "", unit, text, *otherwise ? "; " : "", otherwise);
}

static bool in_range(const Range *range, double value)
{
    return (range->open_below ? value > range->minimum : value >= range->minimum) &&
           (range->open_above ? value < range->maximum : value <= range->maximum);
}

/* An algebraic variable that the importer solves for is set like an input, once the switch is on or before the start. */
static bool may_set(const Instance *instance, const Variable *variable)
{
    unsigned modes = instance->settable[variable->role];
    if (!(modes & instance->progress.mode))
        return false;
    if (instance->progress.mode & (INSTANTIATED | INITIALIZATION | CONFIGURATION))
        return true;
    if (variable->role == STATE)
        return !instance->co_simulation;
    if (variable->role == PARAMETER)
        return variable->tunable;
    return variable->role != ALGEBRAIC || (instance->settable[INPUT] == modes) || instance->v[model.switch_reference] != 0;
}

static Status unknown(const Instance *instance, Reference place, Type type)
{
    const Reference reference = reference_of(&model, place);
    if (place >= model.variables || model.variable[place].type == INTERNAL)
        return unknown_reference(instance, reference);
    return report(instance, ERROR, "%s: %s (value reference %u) is not %s variable but %s one", instance->name,
                  variable_name(&model, &model.variable[place]), reference, type_names[type], type_names[model.variable[place].type]);
}

/* Checks that a variable may take a value now, and reports the reason where it may not. */
static Status admit(const Instance *instance, const Variable *variable, double value)
{
    if ((variable->role == SWITCH || variable->role == DISCRETE_INPUT) && value == instance->v[variable - model.variable])
        return OK; /* OpenModelica sets all parameters before the start and all inputs in each mode, to what they are */
    if (variable->role == SWITCH && instance->co_simulation && value != 0)
        return report(instance, ERROR, "%s: %s = true is refused: in Co-Simulation a joint is always compliant; use Model Exchange",
                      instance->name, variable_name(&model, variable));
    if (!may_set(instance, variable))
        return refuse_set(instance, variable, value);
    return isfinite(value) && in_range(&model.range[variable->range], value) ? OK : refuse_value(instance, variable, value);
}

static bool all_finite(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i] - values[i];
    return sum == 0;
}

static bool all_inputs(const Variable *variable, const Reference *references, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (variable[references[i]].role != INPUT)
            return false;
    return true;
}

/* All of the values or, where one is refused, none. Inputs have no range. */
Status set_values(Instance *instance, const Reference *references, size_t count, const double *values, Type type)
{
    if (!translate(instance, &references, count, 0))
        return ERROR;
    double *const v = instance->v;
    const bool inputs_open = type == REAL && instance->settable[INPUT] & instance->progress.mode;
    const Request *request = inputs_open && all_finite(values, count) ? request_find(instance, SETTING, references, count, 0) : NULL;
    for (size_t i = 0; i < count && !request; i++) {
        if (references[i] >= model.variables || model.variable[references[i]].type != type)
            return unknown(instance, references[i], type);
        Status status = admit(instance, &model.variable[references[i]], values[i]);
        if (status != OK)
            return status;
    }
    if (inputs_open && !request && all_inputs(model.variable, references, count))
        request_note(instance, SETTING, references, count, 0);
    unsigned earliest = model.stages;
    for (size_t i = 0; i < count; i++) {
        const Reference r = references[i];
        if (v[r] != values[i]) {
            const unsigned stage = request ? request->numbers[count + i] : model.variable[r].stage;
            v[r] = values[i];
            earliest = stage < earliest ? stage : earliest;
        }
    }
    changed(instance, earliest);
    for (size_t i = 0; type == INTEGER && i < count; i++)
        for (unsigned m = 0; m < model.modes; m++)
            instance->modes_chosen = instance->modes_chosen || model.mode[m] == references[i];
    return OK;
}

Status get_values(Instance *instance, const Reference *references, size_t count, double *values, Type type)
{
    return translate(instance, &references, count, 0) ? read_places(instance, references, count, values, type) : ERROR;
}

/* Before modes are chosen, constraints may contradict each other: OpenModelica asks for values in Event Mode, and gets those after the event. */
static bool read_rehearsed(Instance *instance, const Reference *references, size_t count, double *values, Type type)
{
    Rehearsal rehearsal;
    if (instance->progress.mode != EVENTS)
        return false;
    instance->progress.mode = CONTINUOUS;
    const bool done = begin_rehearsal(instance, &rehearsal) && read_places(instance, references, count, values, type) == OK;
    end_rehearsal(instance, &rehearsal);
    instance->progress.mode = EVENTS;
    return done;
}

Status read_places(Instance *instance, const Reference *references, size_t count, double *values, Type type)
{
    const double *const v = instance->v;
    Status status = follow_start(instance);
    if (status != OK)
        return status;
    const Request *request = type == REAL ? request_find(instance, GETTING, references, count, 0) : NULL;
    unsigned stages = request ? request->stages : 0;
    for (size_t i = 0; i < count && !request; i++) {
        const Reference r = references[i];
        if (r >= model.variables || model.variable[r].type != type)
            return unknown(instance, r, type);
        const unsigned needed = stages_behind(&model, &model.variable[r]);
        stages = needed > stages ? needed : stages;
    }
    if (type == REAL && !request)
        request_note(instance, GETTING, references, count, 0);
    if (stages > instance->valid)
        evaluate(instance, stages - 1);
    double finite = 0;
    for (size_t i = 0; i < count; i++) {
        const double value = v[references[i]];
        values[i] = value;
        finite += value - value;
    }
    /* Values that were not computed are not numbers, but values that components pass on to each other may still be the former ones. */
    const char *reason = stages && model.composition ? model.composition->reason(instance->own) : NULL;
    if (reason && read_rehearsed(instance, references, count, values, type))
        return OK;
    if (reason) {
        evaluate(instance, stages - 1);
        reason = model.composition->reason(instance->own);
    }
    if (reason)
        return report(instance, DISCARD, "%s: %s", instance->name, reason);
    for (size_t i = 0; i < count && finite != 0; i++)
        if (!isfinite(values[i]))
            return report(instance, DISCARD, "%s: %s = %g at time %g is not a finite number", instance->name,
                          variable_name(&model, &model.variable[references[i]]), values[i], v[model.time]);
    return OK;
}

Status set_time(Instance *instance, double time)
{
    if (!isfinite(time))
        return report(instance, DISCARD, "%s: time = %g is refused: it must be a finite number", instance->name, time);
    if (instance->v[model.time] != time) {
        instance->v[model.time] = time;
        changed(instance, model.variable[model.time].stage);
    }
    return OK;
}

static Status wrong_count(const Instance *instance, const char *what, size_t count, unsigned expected)
{
    return report(instance, ERROR, "%s: %lu %s were passed, but %s has %u", instance->name, (unsigned long)count, what, model.name, expected);
}

Status set_states(Instance *instance, const double *x, size_t count)
{
    if (count != model.states)
        return wrong_count(instance, "continuous states", count, model.states);
    double *const v = instance->v;
    bool any = false;
    double finite = 0;
    for (unsigned i = 0; i < model.states; i++)
        finite += x[i] - x[i];
    for (unsigned i = 0; i < model.states && finite != 0; i++)
        if (!isfinite(x[i]))
            return report(instance, DISCARD, "%s: %s = %g is refused: it must be a finite number", instance->name,
                          variable_name(&model, &model.variable[model.state[i]]), x[i]);
    for (unsigned i = 0; i < model.states; i++) {
        double *const to = v + model.state[i];
        any |= *to != x[i];
        *to = x[i];
    }
    if (any)
        changed(instance, model.variable[model.state[0]].stage);
    return OK;
}

Status get_derivatives(Instance *instance, double *dx, size_t count)
{
    return count == model.states ? read_places(instance, model.derivative, count, dx, REAL)
                                 : wrong_count(instance, "derivatives", count, model.states);
}

/* An indicator of 0 is shown just below it, where its relation is false. So a root finder never ends on a root at which nothing switches,
 * and no indicator is 0 when integration begins: some root finders do not watch such ones. */
Status get_indicators(Instance *instance, double *z, size_t count)
{
    if (count != model.indicators)
        return wrong_count(instance, "event indicators", count, model.indicators);
    const Status status = read_places(instance, model.indicator, count, z, REAL);
    for (size_t i = 0; i < count; i++)
        z[i] = z[i] == 0 ? -DBL_MIN : z[i];
    return status;
}

Status get_states(const Instance *instance, double *x, size_t count)
{
    if (count != model.states)
        return wrong_count(instance, "continuous states", count, model.states);
    for (unsigned i = 0; i < model.states; i++)
        x[i] = instance->v[model.state[i]];
    return OK;
}

Status get_nominals(const Instance *instance, double *nominals, size_t count)
{
    if (count != model.states)
        return wrong_count(instance, "nominal values", count, model.states);
    for (unsigned i = 0; i < model.states; i++)
        nominals[i] = isfinite(model.nominal[i]) ? model.nominal[i] : 1;
    return OK;
}
