/* What harness.h says that a version gives, by the functions of FMI 2. */
#ifndef HARNESS2_ADAPTER_H
#define HARNESS2_ADAPTER_H

#include "fmi2Functions.h"

#include "harness.h"

#include <stdarg.h>

/* -- instances ----------------------------------------------------------------------------------------------------------- */

static void logger(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category, fmi2String message, ...)
{
    char text[2400];
    va_list arguments;
    va_start(arguments, message);
    vsnprintf(text, sizeof text, message, arguments);
    va_end(arguments);
    CHECK(!environment || !strcmp(name, environment));
    hear(environment, (int)status, category, text);
}

/* The importer's callbacks must live as long as the instances; their environment is the name. */
static fmi2Component make(const char *name, fmi2Type type, const char *guid, fmi2CallbackLogger log)
{
    const fmi2CallbackFunctions callbacks = {log, calloc, free, NULL, (void *)name};
    fmi2CallbackFunctions *kept = room(1, sizeof *kept);
    memcpy(kept, &callbacks, sizeof callbacks);
    tally.calls++;
    listen();
    fmi2Component c = fmi2Instantiate(name, type, guid, NULL, kept, fmi2False, fmi2True);
    free(kept);
    return c;
}

static Fmu create(Kind kind, const char *name)
{
    return make(name, kind == EXCHANGE ? fmi2ModelExchange : fmi2CoSimulation, model.token, logger);
}

static void release(Fmu fmu)
{
    fmi2FreeInstance(fmu);
}

/* -- what the shared tests call ------------------------------------------------------------------------------------------ */

static int enter_configuration(Fmu fmu)
{
    (void)fmu;
    return ERROR; /* FMI 2 has no such mode */
}

static int enter_initialization(Fmu fmu, double start, bool stop_defined, double stop)
{
    int answer = fmi2SetupExperiment(fmu, fmi2False, 0, start, stop_defined, stop);
    return answer == OK ? (int)fmi2EnterInitializationMode(fmu) : answer;
}

static int exit_initialization(Fmu fmu) { return fmi2ExitInitializationMode(fmu); }
static int terminate(Fmu fmu) { return fmi2Terminate(fmu); }
static int reset(Fmu fmu) { return fmi2Reset(fmu); }
static int select_categories(Fmu fmu, bool on, size_t n, const char *const *names) { return fmi2SetDebugLogging(fmu, on, n, names); }
static int get_reals(Fmu fmu, const Reference *r, size_t count, double *values) { return fmi2GetReal(fmu, r, count, values); }
static int set_reals(Fmu fmu, const Reference *r, size_t count, const double *values) { return fmi2SetReal(fmu, r, count, values); }
static int get_integer(Fmu fmu, Reference r, int *value) { return fmi2GetInteger(fmu, &r, 1, value); }
static int set_integer(Fmu fmu, Reference r, int value) { return fmi2SetInteger(fmu, &r, 1, &value); }
static int set_boolean(Fmu fmu, Reference r, bool value) { return fmi2SetBoolean(fmu, &r, 1, &(fmi2Boolean){value}); }
static int save(Fmu fmu, void **state) { return fmi2GetFMUstate(fmu, state); }
static int restore(Fmu fmu, void *state) { return fmi2SetFMUstate(fmu, state); }
static int forget(Fmu fmu, void **state) { return fmi2FreeFMUstate(fmu, state); }
static int measure(Fmu fmu, void *state, size_t *size) { return fmi2SerializedFMUstateSize(fmu, state, size); }
static int pack(Fmu fmu, void *state, char *bytes, size_t size) { return fmi2SerializeFMUstate(fmu, state, bytes, size); }
static int unpack(Fmu fmu, const char *bytes, size_t size, void **state) { return fmi2DeSerializeFMUstate(fmu, bytes, size, state); }
static int enter_events(Fmu fmu) { return fmi2EnterEventMode(fmu); }
static int enter_continuous(Fmu fmu) { return fmi2EnterContinuousTimeMode(fmu); }
static int set_time(Fmu fmu, double time) { return fmi2SetTime(fmu, time); }
static int set_states(Fmu fmu, const double *x, size_t count) { return fmi2SetContinuousStates(fmu, x, count); }
static int get_states(Fmu fmu, double *x, size_t count) { return fmi2GetContinuousStates(fmu, x, count); }
static int get_derivatives(Fmu fmu, double *dx, size_t count) { return fmi2GetDerivatives(fmu, dx, count); }
static int get_indicators(Fmu fmu, double *z, size_t count) { return fmi2GetEventIndicators(fmu, z, count); }
static int get_nominals(Fmu fmu, double *nominals, size_t count) { return fmi2GetNominalsOfContinuousStates(fmu, nominals, count); }
static int step(Fmu fmu, double point, double size) { return fmi2DoStep(fmu, point, size, fmi2True); }

static int get_boolean(Fmu fmu, Reference reference, bool *value)
{
    fmi2Boolean found = fmi2False;
    int answer = fmi2GetBoolean(fmu, &reference, 1, &found);
    CHECK(found == fmi2False || found == fmi2True);
    *value = found;
    return answer;
}

static int directional(Fmu fmu, const Reference *unknowns, size_t unknown_count, const Reference *knowns, size_t known_count,
                       const double *seed, double *sensitivity)
{
    return fmi2GetDirectionalDerivative(fmu, unknowns, unknown_count, knowns, known_count, seed, sensitivity);
}

static int update_events(Fmu fmu, Updated *updated)
{
    fmi2EventInfo info;
    int answer = fmi2NewDiscreteStates(fmu, &info);
    CHECK(answer != OK || (!info.terminateSimulation && !info.nominalsOfContinuousStatesChanged));
    if (answer == OK)
        *updated = (Updated){.again = info.newDiscreteStatesNeeded,
                             .states_changed = info.valuesOfContinuousStatesChanged,
                             .next_defined = info.nextEventTimeDefined,
                             .next = info.nextEventTime};
    return answer;
}

static int enter_stepping(Fmu fmu)
{
    (void)fmu;
    return ERROR; /* FMI 2 has no Event Mode in Co-Simulation */
}

static int completed_step(Fmu fmu)
{
    fmi2Boolean enter, end;
    return fmi2CompletedIntegratorStep(fmu, fmi2True, &enter, &end);
}

#endif
