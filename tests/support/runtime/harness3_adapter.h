/* What harness.h says that a version gives, by the functions of FMI 3. */
#ifndef HARNESS3_ADAPTER_H
#define HARNESS3_ADAPTER_H

#include "fmi3Functions.h"

#include "harness.h"
#include "harness_walk.h"

/* -- instances ----------------------------------------------------------------------------------------------------------- */

static void logger(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message)
{
    hear(environment, (int)status, category, message);
}

static Fmu make_exchange(const char *name, const char *token, fmi3LogMessageCallback log)
{
    tally.calls++;
    listen();
    return fmi3InstantiateModelExchange(name, token, NULL, fmi3False, fmi3True, (void *)name, log);
}

static Fmu make_simulation(const char *name, const char *token, bool eventful, fmi3LogMessageCallback log,
                           fmi3IntermediateUpdateCallback update)
{
    tally.calls++;
    listen();
    return fmi3InstantiateCoSimulation(name, token, NULL, fmi3False, fmi3True, eventful, eventful, NULL, 0, (void *)name, log, update);
}

static void meddle(fmi3InstanceEnvironment environment, fmi3Float64 time, fmi3Boolean set_requested, fmi3Boolean get_allowed,
                   fmi3Boolean finished, fmi3Boolean can_return, fmi3Boolean *early, fmi3Float64 *early_time);

static Fmu create(Kind kind, const char *name)
{
    return kind == EXCHANGE ? make_exchange(name, model.token, logger)
                            : make_simulation(name, model.token, kind == EVENTFUL, logger, walk.keeper && below(2) ? meddle : NULL);
}

static void release(Fmu fmu)
{
    fmi3FreeInstance(fmu);
}

/* -- numbers, of which those of arrays are passed whole --------------------------------------------------------------------- */

static int read_one(Fmu fmu, Reference r, double *value)
{
    const Array *array = array_of(&model, r);
    if (!array)
        return fmi3GetFloat64(fmu, &r, 1, value, 1);
    double *whole = room(array->size, sizeof *whole);
    const int answer = fmi3GetFloat64(fmu, &array->first, 1, whole, array->size);
    *value = whole[r - array->first];
    free(whole);
    return answer;
}

static int get_reals(Fmu fmu, const Reference *r, size_t n, double *values)
{
    if (elements(r, n) == n)
        return fmi3GetFloat64(fmu, r, n, values, n);
    int answer = OK;
    for (size_t i = 0; i < n && answer == OK; i++)
        answer = read_one(fmu, r[i], &values[i]);
    return answer;
}

/* An array is passed once for each of its elements, with what the elements before have changed. */
static int set_reals(Fmu fmu, const Reference *r, size_t n, const double *values)
{
    const size_t count = elements(r, n);
    if (count == n)
        return fmi3SetFloat64(fmu, r, n, values, n);
    Reference *references = room(n, sizeof *references);
    double *all = room(count, sizeof *all), *next = all;
    for (size_t i = 0; i < n; i++) {
        const Array *array = array_of(&model, r[i]);
        references[i] = array ? array->first : r[i];
        if (array)
            fmi3GetFloat64(fmu, &array->first, 1, next, array->size);
        for (size_t j = 0; array && j < i; j++)
            if (array_of(&model, r[j]) == array)
                next[r[j] - array->first] = values[j];
        next[array ? r[i] - array->first : 0] = values[i];
        next += array ? array->size : 1;
    }
    const int answer = fmi3SetFloat64(fmu, references, n, all, count);
    free(references);
    free(all);
    return answer;
}

/* -- what the shared tests call ------------------------------------------------------------------------------------------ */

static int enter_configuration(Fmu fmu) { return fmi3EnterConfigurationMode(fmu); }
static int exit_initialization(Fmu fmu) { return fmi3ExitInitializationMode(fmu); }
static int terminate(Fmu fmu) { return fmi3Terminate(fmu); }
static int reset(Fmu fmu) { return fmi3Reset(fmu); }
static int select_categories(Fmu fmu, bool on, size_t n, const char *const *names) { return fmi3SetDebugLogging(fmu, on, n, names); }
static int get_integer(Fmu fmu, Reference r, int *value) { return fmi3GetInt32(fmu, &r, 1, value, 1); }
static int set_integer(Fmu fmu, Reference r, int value) { return fmi3SetInt32(fmu, &r, 1, &value, 1); }
static int get_boolean(Fmu fmu, Reference r, bool *value) { return fmi3GetBoolean(fmu, &r, 1, value, 1); }
static int set_boolean(Fmu fmu, Reference r, bool value) { return fmi3SetBoolean(fmu, &r, 1, &value, 1); }
static int save(Fmu fmu, void **state) { return fmi3GetFMUState(fmu, state); }
static int restore(Fmu fmu, void *state) { return fmi3SetFMUState(fmu, state); }
static int forget(Fmu fmu, void **state) { return fmi3FreeFMUState(fmu, state); }
static int measure(Fmu fmu, void *state, size_t *size) { return fmi3SerializedFMUStateSize(fmu, state, size); }
static int enter_events(Fmu fmu) { return fmi3EnterEventMode(fmu); }
static int enter_continuous(Fmu fmu) { return fmi3EnterContinuousTimeMode(fmu); }
static int enter_stepping(Fmu fmu) { return fmi3EnterStepMode(fmu); }
static int set_time(Fmu fmu, double time) { return fmi3SetTime(fmu, time); }
static int set_states(Fmu fmu, const double *x, size_t count) { return fmi3SetContinuousStates(fmu, x, count); }
static int get_states(Fmu fmu, double *x, size_t count) { return fmi3GetContinuousStates(fmu, x, count); }
static int get_derivatives(Fmu fmu, double *dx, size_t count) { return fmi3GetContinuousStateDerivatives(fmu, dx, count); }
static int get_indicators(Fmu fmu, double *z, size_t count) { return fmi3GetEventIndicators(fmu, z, count); }
static int get_nominals(Fmu fmu, double *nominals, size_t count) { return fmi3GetNominalsOfContinuousStates(fmu, nominals, count); }

static int enter_initialization(Fmu fmu, double start, bool stop_defined, double stop)
{
    return fmi3EnterInitializationMode(fmu, fmi3False, 0, start, stop_defined, stop);
}

static int pack(Fmu fmu, void *state, char *bytes, size_t size)
{
    return fmi3SerializeFMUState(fmu, state, (fmi3Byte *)bytes, size);
}

static int unpack(Fmu fmu, const char *bytes, size_t size, void **state)
{
    return fmi3DeserializeFMUState(fmu, (const fmi3Byte *)bytes, size, state);
}

static int directional(Fmu fmu, const Reference *unknowns, size_t unknown_count, const Reference *knowns, size_t known_count,
                       const double *seed, double *sensitivity)
{
    return fmi3GetDirectionalDerivative(fmu, unknowns, unknown_count, knowns, known_count, seed, known_count, sensitivity, unknown_count);
}

static int update_events(Fmu fmu, Updated *updated)
{
    bool end, nominals_changed;
    int answer = fmi3UpdateDiscreteStates(fmu, &updated->again, &end, &nominals_changed, &updated->states_changed, &updated->next_defined,
                                          &updated->next);
    CHECK(answer != OK || (!end && !nominals_changed));
    return answer;
}

static int completed_step(Fmu fmu)
{
    bool enter, end;
    return fmi3CompletedIntegratorStep(fmu, fmi3True, &enter, &end);
}

typedef struct {
    bool event, end, early;
    double reached;
} Stepped;

static int step_and_tell(Fmu fmu, double point, double size, Stepped *s)
{
    return fmi3DoStep(fmu, point, size, fmi3True, &s->event, &s->end, &s->early, &s->reached);
}

static int step(Fmu fmu, double point, double size)
{
    Stepped stepped;
    return step_and_tell(fmu, point, size, &stepped);
}

#endif
