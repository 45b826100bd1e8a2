/* The functions of FMI 2.0, for Model Exchange and Co-Simulation. */
#include "fmi2Functions.h"
#include "runtime.h"

#include <stdlib.h>

enum {
    RUNNING = EVENTS | CONTINUOUS | STEPPING,
    BEFORE = INSTANTIATED | INITIALIZATION,
    READABLE = INITIALIZATION | RUNNING | STEP_FAILED | TERMINATED,
    ANY = BEFORE | READABLE
};

/* When a variable may be set, by its role. The algebraic variables are inputs here. */
static const unsigned settable[] = {
    [PARAMETER] = BEFORE | EVENTS | STEPPING, [SWITCH] = BEFORE,           [STATE] = BEFORE, [DISCRETE] = BEFORE,
    [INPUT] = BEFORE | RUNNING,               [ALGEBRAIC] = BEFORE | RUNNING, [INDICATOR] = 0,
    [DISCRETE_INPUT] = BEFORE | EVENTS | STEPPING,
};

/* When a function may be called. OpenModelica sets states in Initialization and Event Mode, where the standard does not ask for it. */
#define CALLS(CALL)                                                                                                                       \
    CALL(fmi2SetDebugLogging, ANY)                                                                                                        \
    CALL(fmi2SetupExperiment, INSTANTIATED)                                                                                               \
    CALL(fmi2EnterInitializationMode, INSTANTIATED)                                                                                       \
    CALL(fmi2ExitInitializationMode, INITIALIZATION)                                                                                      \
    CALL(fmi2Terminate, RUNNING | STEP_FAILED)                                                                                            \
    CALL(fmi2Reset, ANY)                                                                                                                  \
    CALL(fmi2GetReal, READABLE)                                                                                                           \
    CALL(fmi2GetInteger, READABLE)                                                                                                        \
    CALL(fmi2GetBoolean, READABLE)                                                                                                        \
    CALL(fmi2GetString, READABLE)                                                                                                         \
    CALL(fmi2SetReal, BEFORE | RUNNING)                                                                                                   \
    CALL(fmi2SetInteger, BEFORE | RUNNING)                                                                                                \
    CALL(fmi2SetBoolean, BEFORE | RUNNING)                                                                                                \
    CALL(fmi2SetString, BEFORE | RUNNING)                                                                                                 \
    CALL(fmi2GetFMUstate, ANY)                                                                                                            \
    CALL(fmi2SetFMUstate, ANY)                                                                                                            \
    CALL(fmi2FreeFMUstate, ANY)                                                                                                           \
    CALL(fmi2SerializedFMUstateSize, ANY)                                                                                                 \
    CALL(fmi2SerializeFMUstate, ANY)                                                                                                      \
    CALL(fmi2DeSerializeFMUstate, ANY)                                                                                                    \
    CALL(fmi2GetDirectionalDerivative, READABLE)                                                                                          \
    CALL(fmi2EnterEventMode, EVENTS | CONTINUOUS)                                                                                         \
    CALL(fmi2NewDiscreteStates, EVENTS)                                                                                                   \
    CALL(fmi2EnterContinuousTimeMode, EVENTS)                                                                                             \
    CALL(fmi2CompletedIntegratorStep, CONTINUOUS)                                                                                         \
    CALL(fmi2SetTime, EVENTS | CONTINUOUS)                                                                                                \
    CALL(fmi2SetContinuousStates, INITIALIZATION | EVENTS | CONTINUOUS)                                                                   \
    CALL(fmi2GetDerivatives, READABLE)                                                                                                    \
    CALL(fmi2GetEventIndicators, READABLE)                                                                                                \
    CALL(fmi2GetContinuousStates, READABLE)                                                                                               \
    CALL(fmi2GetNominalsOfContinuousStates, ANY)                                                                                          \
    CALL(fmi2SetRealInputDerivatives, BEFORE | STEPPING)                                                                                  \
    CALL(fmi2GetRealOutputDerivatives, STEPPING | STEP_FAILED | TERMINATED)                                                               \
    CALL(fmi2DoStep, STEPPING)                                                                                                            \
    CALL(fmi2CancelStep, 0)                                                                                                               \
    CALL(fmi2GetStatus, STEPPING | STEP_FAILED | TERMINATED)                                                                              \
    CALL(fmi2GetRealStatus, STEPPING | STEP_FAILED | TERMINATED)                                                                          \
    CALL(fmi2GetIntegerStatus, STEPPING | STEP_FAILED | TERMINATED)                                                                       \
    CALL(fmi2GetBooleanStatus, STEPPING | STEP_FAILED | TERMINATED)                                                                       \
    CALL(fmi2GetStringStatus, STEPPING | STEP_FAILED | TERMINATED)

#define MODES(function, modes) modes_of_##function = (modes),
enum { CALLS(MODES) };

/* Opens every function: the instance, or an error if none exists or the call comes at the wrong time. */
#define ENTER(function, complete)                                                                                                         \
    Instance *instance = c;                                                                                                               \
    if (!instance || !may_call(instance, #function, modes_of_##function, complete))                                                       \
        return fmi2Error;

/* The message is a format for the importer; many importers show it as it is, so the sentence itself is passed, percent signs doubled. */
static void log_message(const Instance *instance, Status status, const char *category, const char *message)
{
    fmi2CallbackLogger logger = (fmi2CallbackLogger)instance->logger;
    char format[2048];
    size_t length = 0;
    for (; *message && length + 2 < sizeof format; message++) {
        if (*message == '%')
            format[length++] = '%';
        format[length++] = *message;
    }
    format[length] = 0;
    if (logger)
        logger(instance->environment, instance->name, (fmi2Status)status, category, format);
}

const char *fmi2GetTypesPlatform(void)
{
    return fmi2TypesPlatform;
}

const char *fmi2GetVersion(void)
{
    return fmi2Version;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)resources;
    (void)visible;
    if (!functions)
        return NULL;
    Instance *instance = instance_new(name, guid, settable, log_message, (void (*)(void))functions->logger, functions->componentEnvironment,
                                      logging);
    if (instance)
        if (type == fmi2CoSimulation)
            takes_steps(instance);
    return instance;
}

void fmi2FreeInstance(fmi2Component c)
{
    instance_free(c);
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t count, const fmi2String categories[])
{
    ENTER(fmi2SetDebugLogging, count == 0 || categories)
    return select_categories(instance, on, count, categories) ? fmi2OK : fmi2Error;
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real first,
                               fmi2Boolean stop_defined, fmi2Real stop)
{
    ENTER(fmi2SetupExperiment, true)
    return (fmi2Status)start(instance, tolerance_defined, tolerance, first, stop_defined, stop);
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    ENTER(fmi2EnterInitializationMode, true)
    instance->progress.mode = INITIALIZATION;
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    ENTER(fmi2ExitInitializationMode, true)
    Status status = finish_initialization(instance);
    if (status == OK)
        instance->progress.mode = instance->co_simulation ? STEPPING : EVENTS;
    return (fmi2Status)status;
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    ENTER(fmi2Terminate, true)
    instance->progress.mode = TERMINATED;
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c)
{
    ENTER(fmi2Reset, true)
    instance_reset(instance);
    return fmi2OK;
}

/* -- values -------------------------------------------------------------------------------------------------------------- */

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2Real values[])
{
    ENTER(fmi2GetReal, count == 0 || (references && values))
    return (fmi2Status)get_values(instance, references, count, values, REAL);
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference references[], size_t count, const fmi2Real values[])
{
    ENTER(fmi2SetReal, count == 0 || (references && values))
    return (fmi2Status)set_values(instance, references, count, values, REAL);
}

/* Integers and Booleans are one C type in FMI 2, and doubles inside. */
static fmi2Status get_whole(Instance *instance, const fmi2ValueReference *references, size_t count, int *values, Type type)
{
    Status status = OK;
    for (size_t i = 0; i < count && status == OK; i++) {
        double value;
        status = get_values(instance, references + i, 1, &value, type);
        if (status == OK)
            values[i] = whole(value);
    }
    return (fmi2Status)status;
}

static fmi2Status set_whole(Instance *instance, const fmi2ValueReference *references, size_t count, const int *values, Type type)
{
    Status status = OK;
    for (size_t i = 0; i < count && status == OK; i++) {
        double value = type == BOOLEAN ? values[i] != 0 : values[i];
        status = set_values(instance, references + i, 1, &value, type);
    }
    return (fmi2Status)status;
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2Integer values[])
{
    ENTER(fmi2GetInteger, count == 0 || (references && values))
    return get_whole(instance, references, count, values, INTEGER);
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference references[], size_t count, const fmi2Integer values[])
{
    ENTER(fmi2SetInteger, count == 0 || (references && values))
    return set_whole(instance, references, count, values, INTEGER);
}

fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2Boolean values[])
{
    ENTER(fmi2GetBoolean, count == 0 || (references && values))
    return get_whole(instance, references, count, values, BOOLEAN);
}

fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference references[], size_t count, const fmi2Boolean values[])
{
    ENTER(fmi2SetBoolean, count == 0 || (references && values))
    return set_whole(instance, references, count, values, BOOLEAN);
}

static fmi2Status no_strings(const Instance *instance, size_t count)
{
    return count == 0 ? fmi2OK : (fmi2Status)report(instance, ERROR, "%s: %s has no string variables", instance->name, model.name);
}

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2String values[])
{
    ENTER(fmi2GetString, count == 0 || (references && values))
    return no_strings(instance, count);
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference references[], size_t count, const fmi2String values[])
{
    ENTER(fmi2SetString, count == 0 || (references && values))
    return no_strings(instance, count);
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknowns[], size_t unknown_count,
                                        const fmi2ValueReference knowns[], size_t known_count, const fmi2Real seed[],
                                        fmi2Real sensitivity[])
{
    ENTER(fmi2GetDirectionalDerivative, (unknown_count == 0 || (unknowns && sensitivity)) && (known_count == 0 || (knowns && seed)))
    return (fmi2Status)directional_derivative(instance, unknowns, unknown_count, knowns, known_count, seed, sensitivity);
}

/* -- saved states -------------------------------------------------------------------------------------------------------- */

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    ENTER(fmi2GetFMUstate, state)
    return (fmi2Status)snapshot_take(instance, (Snapshot **)state);
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    ENTER(fmi2SetFMUstate, state)
    return (fmi2Status)snapshot_apply(instance, state);
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    ENTER(fmi2FreeFMUstate, true)
    if (state) {
        free(*state);
        *state = NULL;
    }
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    ENTER(fmi2SerializedFMUstateSize, state && size)
    *size = snapshot_size(instance);
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    ENTER(fmi2SerializeFMUstate, state && bytes)
    return (fmi2Status)snapshot_write(instance, state, (char *)bytes, size);
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    ENTER(fmi2DeSerializeFMUstate, bytes && state)
    return (fmi2Status)snapshot_read(instance, (const char *)bytes, size, (Snapshot **)state);
}

/* -- Model Exchange ------------------------------------------------------------------------------------------------------ */

fmi2Status fmi2EnterEventMode(fmi2Component c)
{
    ENTER(fmi2EnterEventMode, true)
    instance->progress.mode = EVENTS;
    return fmi2OK;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info)
{
    ENTER(fmi2NewDiscreteStates, info)
    Update update;
    Status status = update_events(instance, &update);
    if (status == OK)
        look_ahead(instance, &update);
    *info = (fmi2EventInfo){.newDiscreteStatesNeeded = update.again,
                            .valuesOfContinuousStatesChanged = update.states_changed,
                            .nextEventTimeDefined = update.next_time_defined,
                            .nextEventTime = update.next_time_defined ? update.next_time : 0};
    return (fmi2Status)status;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c)
{
    ENTER(fmi2EnterContinuousTimeMode, true)
    Update rest;
    Status status = instance->progress.left ? settle_events(instance, &rest) : OK;
    if (status != OK)
        return (fmi2Status)status;
    expect_modes(instance);
    instance->progress.mode = CONTINUOUS;
    return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean keep, fmi2Boolean *enter_event_mode, fmi2Boolean *terminate)
{
    (void)keep;
    ENTER(fmi2CompletedIntegratorStep, enter_event_mode && terminate)
    *enter_event_mode = completed_step(instance);
    *terminate = fmi2False;
    return fmi2OK;
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time)
{
    ENTER(fmi2SetTime, true)
    return (fmi2Status)set_time(instance, time);
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t count)
{
    ENTER(fmi2SetContinuousStates, count == 0 || x)
    return (fmi2Status)set_states(instance, x, count);
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dx[], size_t count)
{
    ENTER(fmi2GetDerivatives, count == 0 || dx)
    return (fmi2Status)get_derivatives(instance, dx, count);
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t count)
{
    ENTER(fmi2GetEventIndicators, count == 0 || z)
    return (fmi2Status)get_indicators(instance, z, count);
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t count)
{
    ENTER(fmi2GetContinuousStates, count == 0 || x)
    return (fmi2Status)get_states(instance, x, count);
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real nominals[], size_t count)
{
    ENTER(fmi2GetNominalsOfContinuousStates, count == 0 || nominals)
    return (fmi2Status)get_nominals(instance, nominals, count);
}

/* -- Co-Simulation ------------------------------------------------------------------------------------------------------- */

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference references[], size_t count, const fmi2Integer orders[],
                                       const fmi2Real values[])
{
    ENTER(fmi2SetRealInputDerivatives, count == 0 || (references && orders && values))
    Status status = OK;
    for (size_t i = 0; i < count && status == OK; i++)
        status = set_input_derivative(instance, references[i], orders[i], values[i]);
    return (fmi2Status)status;
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference references[], size_t count, const fmi2Integer orders[],
                                        fmi2Real values[])
{
    ENTER(fmi2GetRealOutputDerivatives, count == 0 || (references && orders && values))
    Status status = OK;
    for (size_t i = 0; i < count && status == OK; i++)
        status = get_output_derivative(instance, references[i], orders[i], values + i);
    return (fmi2Status)status;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real point, fmi2Real size, fmi2Boolean keep)
{
    (void)keep;
    ENTER(fmi2DoStep, true)
    Step step = {0};
    Status status = begin_step(instance, &step, point, size);
    if (status == OK)
        status = advance(instance, &step);
    if (status == DISCARD)
        instance->progress.mode = STEP_FAILED;
    return (fmi2Status)status;
}

fmi2Status fmi2CancelStep(fmi2Component c)
{
    ENTER(fmi2CancelStep, true)
    return fmi2Error;
}

static fmi2Status no_status(const Instance *instance, const char *what)
{
    return (fmi2Status)report(instance, DISCARD, "%s: there is no %s status: every step ends before fmi2DoStep returns", instance->name, what);
}

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value)
{
    (void)kind;
    ENTER(fmi2GetStatus, value)
    return no_status(instance, "pending");
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
{
    ENTER(fmi2GetRealStatus, value)
    if (kind != fmi2LastSuccessfulTime)
        return no_status(instance, "real");
    *value = instance->progress.reached;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value)
{
    (void)kind;
    ENTER(fmi2GetIntegerStatus, value)
    return no_status(instance, "integer");
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
{
    ENTER(fmi2GetBooleanStatus, value)
    if (kind != fmi2Terminated)
        return no_status(instance, "Boolean");
    *value = fmi2False;
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value)
{
    (void)kind;
    ENTER(fmi2GetStringStatus, value)
    return no_status(instance, "string");
}
