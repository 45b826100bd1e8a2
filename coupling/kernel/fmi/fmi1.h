/* Functions of FMI 1.0. An instance of an FMI 1.0 FMU is called through the table of FMI 2.0. */
#ifndef KERNEL_FMI1_H
#define KERNEL_FMI1_H

#include "fmi/fmi.h"

/* The callbacks are passed by value. Model Exchange does not define the last one, and such an FMU does not read it. */
typedef struct {
    void (*logger)(void *component, const char *instance, Status, const char *category, const char *message, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*step_finished)(void *, Status);
} Fmi1Callbacks;

/* A Boolean is one byte. */
typedef struct {
    char converged, references_changed, values_changed, terminate, next_time_defined;
    double next_time;
} Fmi1EventInfo;

/* X(member, symbol without prefix, return type, arguments); M marks what Model Exchange needs, C what Co-Simulation needs, O what may be
 * missing. */
#define FMI1_FUNCTIONS(M, C, O)                                                                                                    \
    M(make_model, InstantiateModel, void *, (const char *, const char *, Fmi1Callbacks, char))                                \
    M(free_model, FreeModelInstance, void, (void *))                                                                               \
    M(initialize_model, Initialize, Status, (void *, char, double, Fmi1EventInfo *))                                               \
    M(set_time, SetTime, Status, (void *, double))                                                                                 \
    M(set_states, SetContinuousStates, Status, (void *, const double *, size_t))                                                   \
    M(get_states, GetContinuousStates, Status, (void *, double *, size_t))                                                         \
    M(get_derivatives, GetDerivatives, Status, (void *, double *, size_t))                                                         \
    M(completed_step, CompletedIntegratorStep, Status, (void *, char *))                                                           \
    M(update_events, EventUpdate, Status, (void *, char, Fmi1EventInfo *))                                                         \
    O(get_indicators, GetEventIndicators, Status, (void *, double *, size_t))                                                      \
    O(get_nominals, GetNominalContinuousStates, Status, (void *, double *, size_t))                                                \
    O(terminate_model, Terminate, Status, (void *))                                                                                \
    C(make_slave, InstantiateSlave, void *,                                                                                        \
      (const char *, const char *, const char *, const char *, double, char, char, Fmi1Callbacks, char))                      \
    C(free_slave, FreeSlaveInstance, void, (void *))                                                                               \
    C(initialize_slave, InitializeSlave, Status, (void *, double, char, double))                                                   \
    C(do_step, DoStep, Status, (void *, double, double, char))                                                                     \
    O(terminate_slave, TerminateSlave, Status, (void *))                                                                           \
    O(reset_slave, ResetSlave, Status, (void *))                                                                                   \
    O(set_input_derivatives, SetRealInputDerivatives, Status, (void *, const Reference *, size_t, const int *, const double *))    \
    O(real_status, GetRealStatus, Status, (void *, int, double *))                                                                 \
    O(set_string, SetString, Status, (void *, const Reference *, size_t, const char *const *))

#define FMI1_TYPES(X)              \
    X(FLOAT64, Real, double)       \
    X(INT32, Integer, int)         \
    X(BOOLEAN, Boolean, char)

#define MEMBER(member, symbol, result, arguments) result(*member) arguments;

struct Fmi1 {
    FMI1_FUNCTIONS(MEMBER, MEMBER, MEMBER)
    Fmi2Get get[TYPES];
    Fmi2Set set[TYPES];
};

#undef MEMBER

/* Fills the table of FMI 2.0 with functions that call those of FMI 1.0; entries stay null where the library lacks a function. */
void fmi1_adapt(Library *);
/* The name of the function of FMI 1.0 that a function of FMI 2.0 calls, or null if the name is the same. */
const char *fmi1_call(int number);

#endif
