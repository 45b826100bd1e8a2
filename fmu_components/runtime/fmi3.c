/* The functions of FMI 3.0, for Model Exchange and Co-Simulation; those for values are in fmi3_values.c. */
#include "fmi3_calls.h"

#include <stdlib.h>

/* When a variable may be set, by its role. The algebraic variables are local ones, unknowns of the importer in Model Exchange. */
static const unsigned settable[] = {
    [PARAMETER] = BEFORE | EVENTS | STEPPING,
    [SWITCH] = CONFIGURATION,
    [STATE] = BEFORE | EVENTS | CONTINUOUS,
    [DISCRETE] = BEFORE,
    [INPUT] = BEFORE | RUNNING | INTERMEDIATE,
    [DISCRETE_INPUT] = BEFORE | EVENTS | STEPPING,
    [ALGEBRAIC] = BEFORE | EVENTS | CONTINUOUS,
    [INDICATOR] = 0,
};

static void log_message(const Instance *instance, Status status, const char *category, const char *message)
{
    fmi3LogMessageCallback logger = (fmi3LogMessageCallback)instance->logger;
    if (logger)
        logger(instance->environment, (fmi3Status)status, category, message);
}

const char *fmi3GetVersion(void)
{
    return fmi3Version;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                          fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger)
{
    (void)resources;
    (void)visible;
    return instance_new(name, token, settable, log_message, (void (*)(void))logger, environment, logging);
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
                                         fmi3Boolean event_mode_used, fmi3Boolean early_return_allowed,
                                         const fmi3ValueReference required[], size_t required_count, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback logger, fmi3IntermediateUpdateCallback intermediate_update)
{
    (void)resources;
    (void)visible;
    (void)required;
    (void)required_count;
    Instance *instance = instance_new(name, token, settable, log_message, (void (*)(void))logger, environment, logging);
    if (instance) {
        takes_steps(instance);
        instance->event_mode_used = event_mode_used;
        instance->early_return_allowed = early_return_allowed;
        instance->intermediate_update = (void (*)(void))intermediate_update;
    }
    return instance;
}

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                               fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger,
                                               fmi3ClockUpdateCallback clock_update, fmi3LockPreemptionCallback lock,
                                               fmi3UnlockPreemptionCallback unlock)
{
    (void)token;
    (void)resources;
    (void)visible;
    (void)logging;
    (void)clock_update;
    (void)lock;
    (void)unlock;
    if (logger) {
        (void)name;
        logger(environment, fmi3Error, category_names[LOG_ERROR], "this FMU offers Model Exchange and Co-Simulation, no Scheduled Execution");
    }
    return NULL;
}

void fmi3FreeInstance(fmi3Instance i)
{
    instance_free(i);
}

fmi3Status fmi3SetDebugLogging(fmi3Instance i, fmi3Boolean on, size_t count, const fmi3String categories[])
{
    ENTER(fmi3SetDebugLogging, count == 0 || categories)
    return select_categories(instance, on, count, categories) ? fmi3OK : fmi3Error;
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance i, fmi3Boolean tolerance_defined, fmi3Float64 tolerance, fmi3Float64 first,
                                       fmi3Boolean stop_defined, fmi3Float64 stop)
{
    ENTER(fmi3EnterInitializationMode, true)
    Status status = start(instance, tolerance_defined, tolerance, first, stop_defined, stop);
    if (status == OK)
        instance->progress.mode = INITIALIZATION;
    return (fmi3Status)status;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance i)
{
    ENTER(fmi3ExitInitializationMode, true)
    Status status = finish_initialization(instance);
    if (status == OK)
        instance->progress.mode = instance->co_simulation && !instance->event_mode_used ? STEPPING : EVENTS;
    return (fmi3Status)status;
}

fmi3Status fmi3EnterConfigurationMode(fmi3Instance i)
{
    ENTER(fmi3EnterConfigurationMode, true)
    if (model.switch_reference == 0)
        return (fmi3Status)report(instance, ERROR, "%s: %s has no structural parameter to configure", instance->name, model.name);
    instance->progress.mode = CONFIGURATION;
    return fmi3OK;
}

fmi3Status fmi3ExitConfigurationMode(fmi3Instance i)
{
    ENTER(fmi3ExitConfigurationMode, true)
    instance->progress.mode = INSTANTIATED;
    return fmi3OK;
}

fmi3Status fmi3EnterEventMode(fmi3Instance i)
{
    ENTER(fmi3EnterEventMode, true)
    if (instance->co_simulation && !instance->event_mode_used)
        return (fmi3Status)report(instance, ERROR, "%s: fmi3EnterEventMode cannot be called: eventModeUsed was false", instance->name);
    instance->progress.mode = EVENTS;
    return fmi3OK;
}

fmi3Status fmi3Terminate(fmi3Instance i)
{
    ENTER(fmi3Terminate, true)
    instance->progress.mode = TERMINATED;
    return fmi3OK;
}

fmi3Status fmi3Reset(fmi3Instance i)
{
    ENTER(fmi3Reset, true)
    instance_reset(instance);
    return fmi3OK;
}

/* -- saved states -------------------------------------------------------------------------------------------------------- */

fmi3Status fmi3GetFMUState(fmi3Instance i, fmi3FMUState *state)
{
    ENTER(fmi3GetFMUState, state)
    return (fmi3Status)snapshot_take(instance, (Snapshot **)state);
}

fmi3Status fmi3SetFMUState(fmi3Instance i, fmi3FMUState state)
{
    ENTER(fmi3SetFMUState, state)
    return (fmi3Status)snapshot_apply(instance, state);
}

fmi3Status fmi3FreeFMUState(fmi3Instance i, fmi3FMUState *state)
{
    ENTER(fmi3FreeFMUState, true)
    if (state) {
        free(*state);
        *state = NULL;
    }
    return fmi3OK;
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance i, fmi3FMUState state, size_t *size)
{
    ENTER(fmi3SerializedFMUStateSize, state && size)
    *size = snapshot_size(instance);
    return fmi3OK;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance i, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    ENTER(fmi3SerializeFMUState, state && bytes)
    return (fmi3Status)snapshot_write(instance, state, (char *)bytes, size);
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance i, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
{
    ENTER(fmi3DeserializeFMUState, bytes && state)
    return (fmi3Status)snapshot_read(instance, (const char *)bytes, size, (Snapshot **)state);
}

/* -- derivatives --------------------------------------------------------------------------------------------------------- */

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance i, const fmi3ValueReference unknowns[], size_t unknown_count,
                                        const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seed[], size_t seed_count,
                                        fmi3Float64 sensitivity[], size_t sensitivity_count)
{
    ENTER(fmi3GetDirectionalDerivative, (unknown_count == 0 || (unknowns && sensitivity)) && (known_count == 0 || (knowns && seed)))
    if (!same_count(instance, known_count, seed_count) || !same_count(instance, unknown_count, sensitivity_count))
        return fmi3Error;
    return (fmi3Status)directional_derivative(instance, unknowns, unknown_count, knowns, known_count, seed, sensitivity);
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance i, const fmi3ValueReference unknowns[], size_t unknown_count,
                                    const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seed[], size_t seed_count,
                                    fmi3Float64 sensitivity[], size_t sensitivity_count)
{
    ENTER(fmi3GetAdjointDerivative, (unknown_count == 0 || (unknowns && seed)) && (known_count == 0 || (knowns && sensitivity)))
    if (!same_count(instance, unknown_count, seed_count) || !same_count(instance, known_count, sensitivity_count))
        return fmi3Error;
    return (fmi3Status)adjoint_derivative(instance, unknowns, unknown_count, knowns, known_count, seed, sensitivity);
}

/* -- events -------------------------------------------------------------------------------------------------------------- */

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance i)
{
    ENTER(fmi3EvaluateDiscreteStates, true)
    return not_offered(instance, "fmi3EvaluateDiscreteStates", "use fmi3UpdateDiscreteStates");
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance i, fmi3Boolean *again, fmi3Boolean *terminate, fmi3Boolean *nominals_changed,
                                    fmi3Boolean *states_changed, fmi3Boolean *next_time_defined, fmi3Float64 *next_time)
{
    ENTER(fmi3UpdateDiscreteStates, again && terminate && nominals_changed && states_changed && next_time_defined && next_time)
    Update update;
    Status status = update_events(instance, &update);
    *again = update.again;
    *terminate = *nominals_changed = fmi3False;
    *states_changed = update.states_changed;
    *next_time_defined = update.next_time_defined;
    *next_time = update.next_time_defined ? update.next_time : 0;
    return (fmi3Status)status;
}

/* -- Model Exchange ------------------------------------------------------------------------------------------------------ */

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance i)
{
    ENTER(fmi3EnterContinuousTimeMode, true)
    if (instance->co_simulation)
        return not_offered(instance, "fmi3EnterContinuousTimeMode", "a Co-Simulation instance goes on with fmi3EnterStepMode");
    expect_modes(instance);
    instance->progress.mode = CONTINUOUS;
    return fmi3OK;
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance i, fmi3Boolean keep, fmi3Boolean *enter_event_mode, fmi3Boolean *terminate)
{
    (void)keep;
    ENTER(fmi3CompletedIntegratorStep, enter_event_mode && terminate)
    *enter_event_mode = completed_step(instance);
    *terminate = fmi3False;
    return fmi3OK;
}

fmi3Status fmi3SetTime(fmi3Instance i, fmi3Float64 time)
{
    ENTER(fmi3SetTime, true)
    if (instance->co_simulation)
        return not_offered(instance, "fmi3SetTime", "only fmi3DoStep advances the time of a Co-Simulation instance");
    return (fmi3Status)set_time(instance, time);
}

fmi3Status fmi3SetContinuousStates(fmi3Instance i, const fmi3Float64 x[], size_t count)
{
    ENTER(fmi3SetContinuousStates, count == 0 || x)
    return (fmi3Status)set_states(instance, x, count);
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance i, fmi3Float64 dx[], size_t count)
{
    ENTER(fmi3GetContinuousStateDerivatives, count == 0 || dx)
    return (fmi3Status)get_derivatives(instance, dx, count);
}

fmi3Status fmi3GetEventIndicators(fmi3Instance i, fmi3Float64 z[], size_t count)
{
    ENTER(fmi3GetEventIndicators, count == 0 || z)
    return (fmi3Status)get_indicators(instance, z, count);
}

fmi3Status fmi3GetContinuousStates(fmi3Instance i, fmi3Float64 x[], size_t count)
{
    ENTER(fmi3GetContinuousStates, count == 0 || x)
    return (fmi3Status)get_states(instance, x, count);
}

fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance i, fmi3Float64 nominals[], size_t count)
{
    ENTER(fmi3GetNominalsOfContinuousStates, count == 0 || nominals)
    return (fmi3Status)get_nominals(instance, nominals, count);
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance i, size_t *count)
{
    ENTER(fmi3GetNumberOfEventIndicators, count)
    *count = model.indicators;
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance i, size_t *count)
{
    ENTER(fmi3GetNumberOfContinuousStates, count)
    *count = model.states;
    return fmi3OK;
}

/* -- Co-Simulation ------------------------------------------------------------------------------------------------------- */

fmi3Status fmi3EnterStepMode(fmi3Instance i)
{
    ENTER(fmi3EnterStepMode, true)
    if (!instance->co_simulation)
        return not_offered(instance, "fmi3EnterStepMode", "a Model Exchange instance goes on with fmi3EnterContinuousTimeMode");
    instance->progress.mode = STEPPING;
    return (fmi3Status)hold_constraints(instance); /* events may have moved states */
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance i, const fmi3ValueReference references[], size_t count, const fmi3Int32 orders[],
                                    fmi3Float64 values[], size_t value_count)
{
    ENTER(fmi3GetOutputDerivatives, count == 0 || (references && orders && values))
    Status status = same_count(instance, count, value_count) ? OK : ERROR;
    for (size_t k = 0; k < count && status == OK; k++)
        status = get_output_derivative(instance, references[k], orders[k], values + k);
    return (fmi3Status)status;
}

/* The importer's Intermediate Update: at internal stages it may set inputs, after accepted steps it may look and ask to return. */
static bool observe(Instance *instance, double time, bool accepted)
{
    fmi3IntermediateUpdateCallback update = (fmi3IntermediateUpdateCallback)instance->intermediate_update;
    fmi3Boolean early = fmi3False;
    fmi3Float64 early_time = time;
    Mode mode = instance->progress.mode;
    instance->progress.mode = INTERMEDIATE;
    update(instance->environment, time, !accepted, accepted, accepted, accepted && instance->early_return_allowed, &early, &early_time);
    instance->progress.mode = mode;
    return early && accepted && instance->early_return_allowed;
}

fmi3Status fmi3DoStep(fmi3Instance i, fmi3Float64 point, fmi3Float64 size, fmi3Boolean keep, fmi3Boolean *event, fmi3Boolean *terminate,
                      fmi3Boolean *early, fmi3Float64 *reached)
{
    (void)keep;
    ENTER(fmi3DoStep, event && terminate && early && reached)
    *event = *terminate = *early = fmi3False;
    Step step = {.stop_at_events = instance->event_mode_used && instance->early_return_allowed,
                 .observe = instance->intermediate_update ? observe : NULL};
    Status status = snapshot_take(instance, &instance->before);
    if (status == OK)
        status = begin_step(instance, &step, point, size);
    if (status == OK)
        status = advance(instance, &step);
    if (status == DISCARD) /* in FMI 3 a call that is discarded has changed nothing */
        snapshot_apply(instance, instance->before);
    *event = step.event;
    *reached = instance->progress.reached;
    *early = status == OK && *reached < step.end;
    return (fmi3Status)status;
}

fmi3Status fmi3ActivateModelPartition(fmi3Instance i, fmi3ValueReference clock, fmi3Float64 time)
{
    (void)clock;
    (void)time;
    ENTER(fmi3ActivateModelPartition, true)
    return fmi3Error;
}
