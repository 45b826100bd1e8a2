#include "chain.h"
#include "runtime.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KNOWN (1u << TIME | 1u << PARAMETER | 1u << STATE | 1u << INPUT | 1u << ALGEBRAIC) /* roles */

static Status refuse_place(const Instance *instance, Reference place, bool known)
{
    if (place >= model.variables || model.variable[place].type == INTERNAL)
        return unknown_reference(instance, reference_of(&model, place));
    return report(instance, ERROR, "%s: %s (value reference %u) cannot be %s of a partial derivative", instance->name,
                  variable_name(&model, &model.variable[place]), reference_of(&model, place), known ? "a known" : "an unknown");
}

static Status check(const Instance *instance, const Reference *references, size_t count, bool known)
{
    const Variable *const variable = model.variable;
    /* A mechanism may show states as outputs. */
    const unsigned variables = model.variables, allowed = known ? KNOWN : CALCULATED | (model.composition ? 1u << STATE : 0);
    for (size_t i = 0; i < count; i++) {
        const Reference r = references[i];
        if (r >= variables || !(allowed >> variable[r].role & 1) || variable[r].type == INTERNAL || (known && (variable[r].type != REAL || array_of(&model, r))))
            return refuse_place(instance, r, known);
    }
    return OK;
}

static void evaluate_jacobian(Instance *instance, unsigned stage)
{
    evaluate(instance, stage);
    for (; instance->valid_jacobian <= stage; instance->valid_jacobian++)
        if (model.differentiate[instance->valid_jacobian])
            model.differentiate[instance->valid_jacobian](instance->v, instance->t, instance->j);
}

/* The value of a Jacobian entry, computed with its stage if it is out of date. */
static double entry_value(Instance *instance, unsigned index)
{
    if (model.entry[index].stage >= instance->valid_jacobian)
        evaluate_jacobian(instance, model.entry[index].stage);
    return instance->j[index];
}

/* Checks that both kinds of derivatives begin with. */
static Status prepare(Instance *instance, const Reference *unknowns, size_t unknown_count, const Reference *knowns, size_t known_count)
{
    Status status = follow_start(instance);
    if (status == OK)
        status = check(instance, unknowns, unknown_count, false);
    return status == OK ? check(instance, knowns, known_count, true) : status;
}

static Status refuse_result(const Instance *instance, const char *kind, Reference reference, double value)
{
    return report(instance, DISCARD, "%s: the %s derivative of %s at time %g is %g, which is not a finite number", instance->name, kind,
                  variable_name(&model, &model.variable[reference]), instance->v[model.time], value);
}

/* Computes the derivatives by a single known: Jacobians are usually assembled from such columns. */
static Status column(Instance *instance, const Request *request, double seed, double *sensitivity)
{
    if (request->stages > instance->valid_jacobian)
        evaluate_jacobian(instance, request->stages - 1);
    const unsigned *const entry = request->numbers + request->count;
    for (unsigned i = 0; i < request->count; i++) {
        sensitivity[i] = entry[i] == NO_ENTRY ? 0 : instance->j[entry[i]] * seed;
        if (!isfinite(sensitivity[i]))
            return refuse_result(instance, "directional", request->numbers[i], sensitivity[i]);
    }
    return OK;
}

/* Computes the derivatives of a composed model. */
static Status derive(Instance *instance, const char *kind, const Reference *unknowns, size_t unknown_count, const Reference *knowns,
                     size_t known_count, const double *seed, double *sensitivity)
{
    Status status = prepare(instance, unknowns, unknown_count, knowns, known_count);
    if (status != OK || unknown_count == 0)
        return status;
    evaluate(instance, model.stages - 1);
    if (!model.composition->derive(instance->own, unknowns, unknown_count, knowns, known_count, seed, sensitivity)) {
        const char *reason = model.composition->reason(instance->own);
        return report(instance, DISCARD, "%s: there are no derivatives at time %g: %s", instance->name, instance->v[model.time], reason ? reason : "");
    }
    for (size_t i = 0; i < unknown_count; i++)
        if (!isfinite(sensitivity[i]))
            return refuse_result(instance, kind, unknowns[i], sensitivity[i]);
    return OK;
}

/* Computes the derivatives of a model that has a chain, from the tangents of what is known. */
static Status follow_chain(Instance *instance, const char *kind, const Reference *unknowns, size_t unknown_count, const Reference *knowns,
                           size_t known_count, const double *seed, double *sensitivity)
{
    const unsigned last = chain_stage(&model, unknowns, unknown_count, knowns, known_count);
    unsigned first = model.stages - 1;
    Status status = OK;
    evaluate_jacobian(instance, last);
    for (size_t i = 0; i < known_count; i++) {
        instance->seed[knowns[i]] += seed[i];
        first = model.variable[knowns[i]].stage < first ? model.variable[knowns[i]].stage : first;
    }
    chain_forward(&model, instance->j, first, last, instance->seed);
    for (size_t i = 0; i < unknown_count && status == OK; i++) {
        sensitivity[i] = instance->seed[unknowns[i]];
        if (!isfinite(sensitivity[i]))
            status = refuse_result(instance, kind, unknowns[i], sensitivity[i]);
    }
    memset(instance->seed, 0, model.variables * sizeof *instance->seed);
    return status;
}

static Status directional(Instance *instance, const Reference *unknowns, size_t unknown_count, const Reference *knowns, size_t known_count,
                          const double *seed, double *sensitivity)
{
    if (model.composition)
        return derive(instance, "directional", unknowns, unknown_count, knowns, known_count, seed, sensitivity);
    const bool single = known_count == 1 && unknown_count > 0 && !model.chain;
    const Request *request = single ? request_find(instance, DIFFERENTIATING, unknowns, unknown_count, knowns[0]) : NULL;
    Status status = request ? follow_start(instance) : prepare(instance, unknowns, unknown_count, knowns, known_count);
    if (status != OK)
        return status;
    if (request)
        return column(instance, request, seed[0], sensitivity);
    if (model.chain)
        return follow_chain(instance, "directional", unknowns, unknown_count, knowns, known_count, seed, sensitivity);
    if (single)
        request_note(instance, DIFFERENTIATING, unknowns, unknown_count, knowns[0]);
    for (size_t i = 0; i < known_count; i++)
        instance->seed[knowns[i]] += seed[i];
    for (size_t i = 0; i < unknown_count && status == OK; i++) {
        double sum = 0;
        for (unsigned e = model.row[unknowns[i]]; e < model.row[unknowns[i] + 1]; e++)
            if (instance->seed[model.entry[e].known] != 0)
                sum += entry_value(instance, e) * instance->seed[model.entry[e].known];
        sensitivity[i] = sum;
        if (!isfinite(sum))
            status = refuse_result(instance, "directional", unknowns[i], sum);
    }
    for (size_t i = 0; i < known_count; i++)
        instance->seed[knowns[i]] = 0;
    return status;
}

Status directional_derivative(Instance *instance, const Reference *unknowns, size_t unknown_count, const Reference *knowns,
                              size_t known_count, const double *seed, double *sensitivity)
{
    if (!translate(instance, &unknowns, unknown_count, 0) || !translate(instance, &knowns, known_count, 1))
        return ERROR;
    return directional(instance, unknowns, unknown_count, knowns, known_count, seed, sensitivity);
}

/* The same in a model that is composed of others, known by known. */
static Status adjoin(Instance *instance, const Reference *unknowns, size_t unknown_count, const Reference *knowns, size_t known_count,
                     const double *seed, double *sensitivity)
{
    double *column = malloc((unknown_count + 1) * sizeof *column);
    const double one = 1;
    Status status = column ? OK : report(instance, ERROR, "%s: memory for adjoint derivatives is exhausted", instance->name);
    for (size_t i = 0; i < known_count && status == OK; i++) {
        status = derive(instance, "adjoint", unknowns, unknown_count, knowns + i, 1, &one, column);
        sensitivity[i] = 0;
        for (size_t u = 0; u < unknown_count && status == OK; u++)
            sensitivity[i] += seed[u] * column[u];
    }
    free(column);
    return status;
}

Status adjoint_derivative(Instance *instance, const Reference *unknowns, size_t unknown_count, const Reference *knowns, size_t known_count,
                          const double *seed, double *sensitivity)
{
    if (!translate(instance, &unknowns, unknown_count, 0) || !translate(instance, &knowns, known_count, 1))
        return ERROR;
    Status status = prepare(instance, unknowns, unknown_count, knowns, known_count);
    if (status != OK)
        return status;
    if (model.composition)
        return adjoin(instance, unknowns, unknown_count, knowns, known_count, seed, sensitivity);
    double *sums = instance->seed;
    if (model.chain) {
        const unsigned last = chain_stage(&model, unknowns, unknown_count, knowns, known_count);
        evaluate_jacobian(instance, last);
        for (size_t i = 0; i < unknown_count; i++)
            sums[unknowns[i]] += seed[i];
        chain_backward(&model, instance->j, last, sums);
    }
    for (size_t i = 0; i < unknown_count && !model.chain; i++)
        for (unsigned e = model.row[unknowns[i]]; seed[i] != 0 && e < model.row[unknowns[i] + 1]; e++)
            sums[model.entry[e].known] += seed[i] * entry_value(instance, e);
    for (size_t i = 0; i < known_count && status == OK; i++) {
        sensitivity[i] = sums[knowns[i]];
        if (!isfinite(sensitivity[i]))
            status = refuse_result(instance, "adjoint", knowns[i], sensitivity[i]);
    }
    for (unsigned r = 0; r < model.variables; r++)
        sums[r] = 0;
    return status;
}

/* The variable with a reference; null, with the sentence, if none exists. */
static const Variable *variable_of(Instance *instance, Reference reference)
{
    const Reference *place = &reference;
    if (!translate(instance, &place, 1, 0))
        return NULL;
    if (*place < model.variables && model.variable[*place].type != INTERNAL)
        return &model.variable[*place];
    unknown_reference(instance, reference);
    return NULL;
}

Status set_input_derivative(Instance *instance, Reference reference, int order, double value)
{
    const Variable *variable = variable_of(instance, reference);
    if (!variable)
        return ERROR;
    if (variable->role != INPUT && variable->role != ALGEBRAIC)
        return report(instance, ERROR, "%s: %s (value reference %u) is no input, and its derivative %g cannot be set", instance->name,
                      variable_name(&model, variable), reference, value);
    if (order != 1 && order != 2)
        return report(instance, ERROR, "%s: the derivative of order %d of %s is not supported; the orders are 1 and 2", instance->name, order,
                      variable_name(&model, variable));
    if (!isfinite(value))
        return report(instance, DISCARD, "%s: the derivative of %s = %g is refused: it must be a finite number", instance->name,
                      variable_name(&model, variable), value);
    if (variable->role == ALGEBRAIC) /* has no effect in Co-Simulation */
        return OK;
    if (order == 1)
        instance->slope[variable->position] = instance->rate[variable->position] = value;
    else
        instance->curvature[variable->position] = value;
    instance->progress.varying = true;
    return OK;
}

/* Returns the present rate of a variable that derivatives can be taken by. */
static double rate_of(const Instance *instance, const Variable *known)
{
    return known->role == TIME    ? 1
           : known->role == STATE ? instance->v[model.derivative[known->position]]
           : known->role == INPUT ? instance->rate[known->position]
                                  : 0;
}

/* The same sum as below, along all that moves at once, in a model that is composed of others or has a chain. */
static Status follow_motion(Instance *instance, Reference output, double *value)
{
    const size_t most = 1 + (size_t)model.states + model.inputs;
    Reference *known = malloc(most * sizeof *known);
    double *rate = malloc(most * sizeof *rate);
    Status status = known && rate ? OK : report(instance, ERROR, "%s: memory for output derivatives is exhausted", instance->name);
    size_t count = 0;
    for (Reference r = 0; r < model.variables && status == OK; r++)
        if (model.variable[r].type == REAL && rate_of(instance, &model.variable[r]) != 0) {
            known[count] = r;
            rate[count++] = rate_of(instance, &model.variable[r]);
        }
    if (status == OK)
        status = (model.chain ? follow_chain : derive)(instance, "time", &output, 1, known, count, rate, value);
    free(known);
    free(rate);
    return status;
}

/* The derivatives of the states' derivatives with respect to the states, row by row. */
Status state_jacobian(Instance *instance, double *rows)
{
    const unsigned n = model.states;
    double *column = instance->k[0];
    Status status = OK;
    for (unsigned j = 0; j < n && status == OK; j++) {
        const double seed = 1;
        status = directional(instance, model.derivative, n, &model.state[j], 1, &seed, column);
        for (unsigned i = 0; i < n; i++)
            rows[(size_t)i * n + j] = column[i];
    }
    return status;
}

/* dy/dt = dy/dx x' + dy/du u' + dy/dt, with the rates that the inputs had at the end of the last step. */
Status get_output_derivative(Instance *instance, Reference reference, int order, double *value)
{
    const Variable *variable = variable_of(instance, reference);
    if (!variable)
        return ERROR;
    if (variable->role == STATE && model.composition && order == 1)
        return read_places(instance, &model.derivative[variable->position], 1, value, REAL);
    if (variable->role != OUTPUT)
        return report(instance, ERROR, "%s: %s (value reference %u) is no output", instance->name, variable_name(&model, variable), reference);
    if (order != 1)
        return report(instance, ERROR, "%s: the derivative of order %d of %s is not supported; the highest order is 1", instance->name, order,
                      variable_name(&model, variable));
    const Reference place = (Reference)(variable - model.variable);
    evaluate(instance, instance->derivative_stage);
    if (model.composition || model.chain)
        return follow_motion(instance, place, value);
    double sum = 0;
    for (unsigned e = model.row[place]; e < model.row[place + 1]; e++) {
        double rate = rate_of(instance, &model.variable[model.entry[e].known]);
        if (rate != 0)
            sum += entry_value(instance, e) * rate;
    }
    *value = sum;
    return isfinite(sum) ? OK : refuse_result(instance, "time", place, sum);
}
