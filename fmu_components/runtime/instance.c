#include "method.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An instance and all its arrays in one block; the first part of these is what a snapshot carries. */
static Instance *allocate(Model *own)
{
    Instance first = {.own = own};
    struct {
        double **array;
        size_t count;
    } parts[] = {
        {&first.v, own->variables}, {&first.slope, own->inputs}, {&first.curvature, own->inputs},
        {&first.rate, own->inputs}, {&first.spent, own->times},
        /* a snapshot carries none of the following */
        {&first.t, own->temporaries}, {&first.j, own->entries}, {&first.seed, own->variables},
        {&first.new_values, own->assignments}, {&first.next, own->times}, {&first.margins, own->requirements},
        {&first.base, own->inputs}, {&first.x, own->states}, {&first.x_next, own->states}, {&first.stage, own->states},
        {&first.k[0], own->states}, {&first.k[1], own->states}, {&first.k[2], own->states}, {&first.k[3], own->states},
        {&first.k[4], own->states}, {&first.k[5], own->states}, {&first.k[6], own->states},
        {&first.dense, 4 * (size_t)own->states}, {&first.turned, own->angles},
        {&first.seen, 3 * (size_t)own->relations},
    };
    enum { PARTS = sizeof parts / sizeof *parts, KEPT_PARTS = 5 };
    size_t total = 1;
    for (int p = 0; p < PARTS; p++)
        total += parts[p].count;
    Instance *instance = calloc(1, sizeof *instance + total * sizeof(double));
    signed char *edge = calloc(own->relations + 1, 1);
    if (!instance || !edge) {
        free(instance);
        free(edge);
        return NULL;
    }
    double *next = (double *)(instance + 1);
    for (int p = 0; p < PARTS; p++) {
        *parts[p].array = next;
        next += parts[p].count;
        if (p < KEPT_PARTS)
            first.kept += (unsigned)parts[p].count;
    }
    first.edge = edge;
    *instance = first;
    return instance;
}

Instance *instance_new(const char *name, const char *token, const unsigned *settable, Log log, void (*logger)(void), void *environment,
                       bool logging)
{
    Model *own = model_new();
    Instance *instance = own ? allocate(own) : NULL;
    if (!instance) {
        model_free(own);
        return NULL;
    }
    if (own->composition)
        own->composition->bind(own, instance->v);
    instance->log = log;
    instance->logger = logger;
    instance->environment = environment;
    instance->settable = settable;
    for (size_t c = 0; c < CATEGORIES; c++)
        instance->logged[c] = logging || c != LOG_EVENTS;
    instance->name = malloc(name && *name ? strlen(name) + 1 : 1);
    if (!instance->name) {
        instance_free(instance);
        return NULL;
    }
    strcpy(instance->name, name && *name ? name : "");
    if (model.implicit_method && !(instance->implicit = model.implicit_method->memory(model.states))) {
        instance_free(instance);
        return NULL;
    }
    const char *fault = !*instance->name ? "an instance needs a name" : NULL;
    if (!fault && (!token || strcmp(token, model.token))) {
        report(instance, ERROR, "%s: the token or GUID '%s' is not that of this FMU, '%s': model description and binary do not belong together",
               instance->name, token ? token : "(null)", model.token);
    } else if (fault) {
        report(instance, ERROR, "%s: %s", model.name, fault);
    } else {
        instance_reset(instance);
        return instance;
    }
    instance_free(instance);
    return NULL;
}

void instance_free(Instance *instance)
{
    if (!instance)
        return;
    free(instance->requests);
    free(instance->edge);
    free(instance->implicit);
    free(instance->before);
    free(instance->name);
    model_free(instance->own);
    free(instance);
}

void instance_reset(Instance *instance)
{
    memset(instance->v, 0, instance->kept * sizeof *instance->v);
    for (unsigned r = 0; r < model.variables; r++) {
        const Variable *variable = &model.variable[r];
        instance->v[r] = variable->start;
        if (variable->role == DERIVATIVE && variable->stage > instance->derivative_stage)
            instance->derivative_stage = variable->stage;
        if (variable->role == INDICATOR && variable->stage > instance->indicator_stage)
            instance->indicator_stage = variable->stage;
    }
    for (unsigned i = 0; i < model.times; i++)
        instance->spent[i] = -INFINITY;
    instance->progress = (Progress){.mode = INSTANTIATED, .stop_time = INFINITY, .tolerance = 1e-11, .step_size = INFINITY};
    instance->valid = instance->valid_jacobian = 0;
    instance->modes_chosen = false;
    if (model.composition)
        model.composition->restart(instance->own);
}

enum { VALUES_LENGTH = 512 };

/* Appends a value, as ', stroke = 0.4 m'; returns the length. */
static size_t describe_value(const Instance *instance, Reference reference, size_t length, char values[VALUES_LENGTH])
{
    const Variable *variable = &model.variable[reference];
    const char *unit = variable_unit(&model, variable);
    if (length >= VALUES_LENGTH)
        return length;
    return length + (size_t)snprintf(values + length, VALUES_LENGTH - length, "%s%s = %g%s%s", length ? ", " : "",
                                     variable_name(&model, variable), instance->v[reference], *unit ? " " : "", unit);
}

/* The values that a validity condition depends on, as 's = 0.9 m, stroke = 0.4 m'. Where nodes have to increase, they
 * are the two neighbours with the least difference; of other arrays they are the first and the last element. */
static void describe_values(const Instance *instance, unsigned requirement, char values[VALUES_LENGTH])
{
    size_t length = 0;
    values[0] = '\0';
    for (unsigned i = model.concerns[requirement]; i < model.concerns[requirement + 1]; i++) {
        const Array *array = array_of(&model, model.concerned[i]);
        Reference shown = model.concerned[i];
        for (unsigned k = 0; array && k + 1 < array->size; k++) {
            const double *at = instance->v + array->first + k, *least = instance->v + shown;
            shown = at[1] - at[0] < least[1] - least[0] ? array->first + k : shown;
        }
        const bool neighbours = array && instance->v[shown + 1] - instance->v[shown] == instance->margins[requirement];
        length = describe_value(instance, array && !neighbours ? array->first : shown, length, values);
        if (array)
            length = describe_value(instance, neighbours ? shown + 1 : array->first + array->size - 1, length, values);
    }
}

/* The validity conditions of the declaration. */
static Status check_validity(Instance *instance)
{
    if (model.requirements)
        model.require(instance->v, instance->margins);
    for (unsigned i = 0; i < model.requirements; i++)
        if (!(instance->margins[i] > 0)) {
            const bool advisory = model.requirement[i].advisory;
            char values[VALUES_LENGTH];
            describe_values(instance, i, values);
            report(instance, advisory ? WARNING : ERROR, "%s: it is %s that %s; the value that %s be positive is %g, from %s",
                   instance->name, advisory ? "expected" : "required", model.requirement[i].text, advisory ? "should" : "must", instance->margins[i], values);
            if (!advisory)
                return ERROR;
        }
    return OK;
}

/* Checks that the components fit together, and warns the user where they do so only in part. */
static Status check_composition(Instance *instance)
{
    const char *violation = model.composition->violation(instance->own, instance->progress.tolerance);
    if (violation)
        return report(instance, ERROR, "%s: %s", instance->name, violation);
    const char *warning = model.composition->warning(instance->own);
    if (warning)
        report(instance, WARNING, "%s: %s", instance->name, warning);
    return OK;
}

Status finish_initialization(Instance *instance)
{
    if (model.composition) { /* a component is valid or not with the inputs that the others give */
        model.composition->arrange(instance->own);
        changed(instance, 0);
    }
    Status status = check_validity(instance);
    if (status == OK)
        status = start_events(instance);
    if (status == OK && model.composition)
        status = check_composition(instance);
    /* Without Event Mode, the importer does not handle the events at the start. With it, constraints are held after these, in Step Mode: which
     * ones are in force is decided by them. */
    if (status == OK && instance->co_simulation && !instance->event_mode_used) {
        Update update;
        status = settle_events(instance, &update);
        if (status == OK)
            status = hold_constraints(instance);
    }
    if (status == OK)
        accept_point(instance);
    return status;
}

Status start(Instance *instance, bool tolerance_defined, double tolerance, double first, bool stop_defined, double stop)
{
    if (!isfinite(first) || (stop_defined && !(stop >= first && isfinite(stop))))
        return report(instance, ERROR, "%s: a simulation from %g to %g is refused: both must be finite, and the stop time no earlier",
                      instance->name, first, stop);
    if (tolerance_defined && !isfinite(tolerance))
        return report(instance, ERROR, "%s: the tolerance %g is refused: it must be a finite number", instance->name, tolerance);
    if (tolerance_defined && tolerance <= 0) { /* OMSimulator writes 0 into the files that it saves */
        report(instance, WARNING, "%s: the tolerance %g is none, and the FMU keeps its own; give one greater than 0", instance->name,
               tolerance);
        tolerance_defined = false;
    }
    instance->progress.stop_time = stop_defined ? stop : INFINITY;
    instance->progress.reached = first;
    /* Coupling adds errors of its own: the tolerance of the whole only ever tightens that inside a step. */
    instance->progress.tolerance = tolerance_defined ? fmax(1e-13, fmin(1e-11, 1e-2 * tolerance)) : 1e-11;
    return set_time(instance, first);
}
