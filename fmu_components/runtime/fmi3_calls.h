/* When the functions of FMI 3.0 may be called, and how each of them begins. */
#ifndef FMI3_CALLS_H
#define FMI3_CALLS_H

#include "fmi3Functions.h"
#include "runtime.h"

#include <stdlib.h>

enum {
    BEFORE = INSTANTIATED | INITIALIZATION,
    RUNNING = EVENTS | CONTINUOUS | STEPPING,
    READABLE = BEFORE | CONFIGURATION | RUNNING | INTERMEDIATE | TERMINATED,
    WRITABLE = BEFORE | CONFIGURATION | RUNNING | INTERMEDIATE,
    ANY = BEFORE | CONFIGURATION | RUNNING | TERMINATED
};

/* When a function may be called. OpenModelica enters Event Mode in Event Mode, where the standard does not ask for it. */
#define CALLS(CALL)                                                                                                                       \
    CALL(fmi3SetDebugLogging, ANY)                                                                                                        \
    CALL(fmi3EnterInitializationMode, INSTANTIATED)                                                                                       \
    CALL(fmi3ExitInitializationMode, INITIALIZATION)                                                                                      \
    CALL(fmi3EnterConfigurationMode, INSTANTIATED)                                                                                        \
    CALL(fmi3ExitConfigurationMode, CONFIGURATION)                                                                                        \
    CALL(fmi3EnterEventMode, EVENTS | CONTINUOUS | STEPPING)                                                                              \
    CALL(fmi3Terminate, RUNNING)                                                                                                          \
    CALL(fmi3Reset, ANY)                                                                                                                  \
    CALL(fmi3GetFMUState, ANY)                                                                                                            \
    CALL(fmi3SetFMUState, ANY)                                                                                                            \
    CALL(fmi3FreeFMUState, ANY)                                                                                                           \
    CALL(fmi3SerializedFMUStateSize, ANY)                                                                                                 \
    CALL(fmi3SerializeFMUState, ANY)                                                                                                      \
    CALL(fmi3DeserializeFMUState, ANY)                                                                                                    \
    CALL(fmi3GetDirectionalDerivative, INITIALIZATION | RUNNING | TERMINATED)                                                             \
    CALL(fmi3GetAdjointDerivative, INITIALIZATION | RUNNING | TERMINATED)                                                                 \
    CALL(fmi3GetNumberOfVariableDependencies, ANY)                                                                                        \
    CALL(fmi3GetVariableDependencies, ANY)                                                                                                \
    CALL(fmi3EvaluateDiscreteStates, INITIALIZATION | EVENTS)                                                                             \
    CALL(fmi3UpdateDiscreteStates, EVENTS)                                                                                                \
    CALL(fmi3EnterContinuousTimeMode, EVENTS)                                                                                             \
    CALL(fmi3CompletedIntegratorStep, CONTINUOUS)                                                                                         \
    CALL(fmi3SetTime, EVENTS | CONTINUOUS)                                                                                                \
    CALL(fmi3SetContinuousStates, CONTINUOUS)                                                                                             \
    CALL(fmi3GetContinuousStateDerivatives, INITIALIZATION | EVENTS | CONTINUOUS | TERMINATED)                                            \
    CALL(fmi3GetEventIndicators, INITIALIZATION | EVENTS | CONTINUOUS | TERMINATED)                                                       \
    CALL(fmi3GetContinuousStates, INITIALIZATION | EVENTS | CONTINUOUS | TERMINATED)                                                      \
    CALL(fmi3GetNominalsOfContinuousStates, INITIALIZATION | EVENTS | CONTINUOUS | TERMINATED)                                            \
    CALL(fmi3GetNumberOfEventIndicators, ANY)                                                                                             \
    CALL(fmi3GetNumberOfContinuousStates, ANY)                                                                                            \
    CALL(fmi3EnterStepMode, EVENTS)                                                                                                       \
    CALL(fmi3GetOutputDerivatives, STEPPING | INTERMEDIATE | TERMINATED)                                                                  \
    CALL(fmi3DoStep, STEPPING)                                                                                                            \
    CALL(fmi3ActivateModelPartition, 0)

#define MODES(function, modes) modes_of_##function = (modes),
enum { CALLS(MODES) };

/* Opens every function: the instance, or an error if none exists or the call comes at the wrong time. */
#define ENTER_IN(function, modes, complete)                                                                                               \
    Instance *instance = i;                                                                                                               \
    if (!instance || !may_call(instance, #function, modes, complete))                                                                     \
        return fmi3Error;
#define ENTER(function, complete) ENTER_IN(function, modes_of_##function, complete)

static inline bool same_count(const Instance *instance, size_t references, size_t values)
{
    if (references != values)
        report(instance, ERROR, "%s: %lu values were passed for %lu scalar variables", instance->name, (unsigned long)values,
               (unsigned long)references);
    return references == values;
}

/* Lists the references of all elements where some of the variables are arrays, each of which must be passed whole. `all` is to be freed. */
static inline bool spread(const Instance *instance, const Reference **references, size_t *count, size_t values, Reference **all)
{
    *all = NULL;
    size_t elements = 0;
    for (size_t i = 0; i < *count && model.arrays; i++) {
        const Array *array = array_of(&model, (*references)[i]);
        if (array && array->first != (*references)[i]) {
            unknown_reference(instance, (*references)[i]);
            return false;
        }
        elements += array ? array->size : 1;
    }
    if (elements <= *count) /* none is an array; one has two elements at least */
        return same_count(instance, *count, values);
    if (elements != values) {
        report(instance, ERROR, "%s: %lu values were passed for variables with %lu elements", instance->name, (unsigned long)values,
               (unsigned long)elements);
        return false;
    }
    *all = malloc(elements * sizeof **all); /* no more than the importer's values need */
    if (!*all) {
        report(instance, ERROR, "%s: memory for a list of references is exhausted", instance->name);
        return false;
    }
    Reference *next = *all;
    for (size_t i = 0; i < *count; i++) {
        const Array *array = array_of(&model, (*references)[i]);
        for (unsigned k = 0; k < (array ? array->size : 1); k++)
            *next++ = (*references)[i] + k;
    }
    *references = *all;
    *count = elements;
    return true;
}

static inline fmi3Status not_offered(const Instance *instance, const char *function, const char *instead)
{
    return (fmi3Status)report(instance, ERROR, "%s: %s is not offered: %s", instance->name, function, instead);
}

#endif
