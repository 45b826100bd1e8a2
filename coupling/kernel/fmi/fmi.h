/* The functions of FMI 2.0 and 3.0 that the kernel calls, with the signatures of the standards; fmi1.h has those of FMI 1.0. */
#ifndef KERNEL_FMI_H
#define KERNEL_FMI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { OK, WARNING, DISCARD, ERROR, FATAL, PENDING } Status; /* numbered as in both versions */
typedef unsigned int Reference;
typedef void *Component;

/* Types of variables; the value of each is kept as a double. */
#define FMI3_TYPES(X)      \
    X(FLOAT64, Float64, double)  \
    X(FLOAT32, Float32, float)   \
    X(INT8, Int8, int8_t)        \
    X(UINT8, UInt8, uint8_t)     \
    X(INT16, Int16, int16_t)     \
    X(UINT16, UInt16, uint16_t)  \
    X(INT32, Int32, int32_t)     \
    X(UINT32, UInt32, uint32_t)  \
    X(INT64, Int64, int64_t)     \
    X(UINT64, UInt64, uint64_t)  \
    X(BOOLEAN, Boolean, bool)

#define FMI2_TYPES(X)     \
    X(FLOAT64, Real, double)   \
    X(INT32, Integer, int)     \
    X(BOOLEAN, Boolean, int)

typedef enum {
#define NAME(type, name, c) type,
    FMI3_TYPES(NAME)
#undef NAME
    TYPES,
    STRING = TYPES, /* texts and binary data, whose numbers texts.h describes */
    BINARY
} Type;

typedef struct {
    void (*logger)(void *environment, const char *instance, Status, const char *category, const char *message, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*step_finished)(void *, Status);
    void *environment;
    const struct Library *library; /* not of the standard: an instance of FMI 1.0 finds its functions there */
} Fmi2Callbacks;

typedef struct {
    int again, terminate, nominals_changed, states_changed, next_time_defined;
    double next_time;
} Fmi2EventInfo;

typedef void (*Fmi3Log)(void *environment, Status, const char *category, const char *message);
typedef void (*Fmi3Update)(void *environment, double time, bool set_requested, bool get_allowed, bool step_finished, bool can_return,
                           bool *return_requested, double *return_time);

/* The kinds of status for real_status and boolean_status of FMI 2. */
enum { FMI2_LAST_SUCCESSFUL_TIME = 2, FMI2_TERMINATED = 3 };

/* X(member, symbol without prefix, return type, arguments); R marks what must be there, M what Model Exchange needs, C what
 * Co-Simulation needs, O what may be missing. */
#define FMI2_FUNCTIONS(R, M, C, O)                                                                                                       \
    R(instantiate, Instantiate, Component, (const char *, int, const char *, const char *, const Fmi2Callbacks *, int, int))          \
    R(release, FreeInstance, void, (Component))                                                                                       \
    R(set_up, SetupExperiment, Status, (Component, int, double, double, int, double))                                                 \
    R(enter_initialization, EnterInitializationMode, Status, (Component))                                                             \
    R(exit_initialization, ExitInitializationMode, Status, (Component))                                                               \
    R(terminate, Terminate, Status, (Component))                                                                                      \
    R(reset, Reset, Status, (Component))                                                                                              \
    O(set_string, SetString, Status, (Component, const Reference *, size_t, const char *const *))                                     \
    O(get_string, GetString, Status, (Component, const Reference *, size_t, const char **))                                           \
    O(directional, GetDirectionalDerivative, Status,                                                                                  \
      (Component, const Reference *, size_t, const Reference *, size_t, const double *, double *))                                    \
    O(save, GetFMUstate, Status, (Component, void **))                                                                                \
    O(restore, SetFMUstate, Status, (Component, void *))                                                                              \
    O(forget, FreeFMUstate, Status, (Component, void **))                                                                             \
    O(serialised_size, SerializedFMUstateSize, Status, (Component, void *, size_t *))                                                 \
    O(serialise, SerializeFMUstate, Status, (Component, void *, unsigned char *, size_t))                                             \
    O(deserialise, DeSerializeFMUstate, Status, (Component, const unsigned char *, size_t, void **))                                  \
    O(set_input_derivatives, SetRealInputDerivatives, Status, (Component, const Reference *, size_t, const int *, const double *))    \
    O(real_status, GetRealStatus, Status, (Component, int, double *))                                                                 \
    O(boolean_status, GetBooleanStatus, Status, (Component, int, int *))                                                              \
    C(do_step, DoStep, Status, (Component, double, double, int))                                                                      \
    M(set_time, SetTime, Status, (Component, double))                                                                                 \
    M(set_states, SetContinuousStates, Status, (Component, const double *, size_t))                                                   \
    M(get_states, GetContinuousStates, Status, (Component, double *, size_t))                                                         \
    O(get_derivatives, GetDerivatives, Status, (Component, double *, size_t))                                                         \
    O(get_nominals, GetNominalsOfContinuousStates, Status, (Component, double *, size_t))                                             \
    O(get_indicators, GetEventIndicators, Status, (Component, double *, size_t))                                                      \
    M(enter_events, EnterEventMode, Status, (Component))                                                                              \
    M(update_discrete, NewDiscreteStates, Status, (Component, Fmi2EventInfo *))                                                       \
    M(enter_continuous, EnterContinuousTimeMode, Status, (Component))                                                                 \
    M(completed_step, CompletedIntegratorStep, Status, (Component, int, int *, int *))

#define FMI3_FUNCTIONS(R, M, C, O)                                                                                                       \
    M(instantiate, InstantiateModelExchange, Component, (const char *, const char *, const char *, bool, bool, void *, Fmi3Log))      \
    R(release, FreeInstance, void, (Component))                                                                                       \
    R(enter_initialization, EnterInitializationMode, Status, (Component, bool, double, double, bool, double))                         \
    R(exit_initialization, ExitInitializationMode, Status, (Component))                                                               \
    R(terminate, Terminate, Status, (Component))                                                                                      \
    R(reset, Reset, Status, (Component))                                                                                              \
    O(enter_configuration, EnterConfigurationMode, Status, (Component))                                                               \
    O(exit_configuration, ExitConfigurationMode, Status, (Component))                                                                 \
    O(set_string, SetString, Status, (Component, const Reference *, size_t, const char *const *, size_t))                             \
    O(get_string, GetString, Status, (Component, const Reference *, size_t, const char **, size_t))                                   \
    O(set_binary, SetBinary, Status, (Component, const Reference *, size_t, const size_t *, const unsigned char *const *, size_t))    \
    O(get_binary, GetBinary, Status, (Component, const Reference *, size_t, size_t *, const unsigned char **, size_t))                \
    O(directional, GetDirectionalDerivative, Status,                                                                                  \
      (Component, const Reference *, size_t, const Reference *, size_t, const double *, size_t, double *, size_t))                    \
    O(adjoint, GetAdjointDerivative, Status,                                                                                          \
      (Component, const Reference *, size_t, const Reference *, size_t, const double *, size_t, double *, size_t))                    \
    O(save, GetFMUState, Status, (Component, void **))                                                                                \
    O(restore, SetFMUState, Status, (Component, void *))                                                                              \
    O(forget, FreeFMUState, Status, (Component, void **))                                                                             \
    O(serialised_size, SerializedFMUStateSize, Status, (Component, void *, size_t *))                                                 \
    O(serialise, SerializeFMUState, Status, (Component, void *, unsigned char *, size_t))                                             \
    O(deserialise, DeserializeFMUState, Status, (Component, const unsigned char *, size_t, void **))                                  \
    C(instantiate_stepped, InstantiateCoSimulation, Component,                                                                        \
      (const char *, const char *, const char *, bool, bool, bool, bool, const Reference *, size_t, void *, Fmi3Log, Fmi3Update))     \
    O(enter_step, EnterStepMode, Status, (Component))                                                                                 \
    C(do_step, DoStep, Status, (Component, double, double, bool, bool *, bool *, bool *, double *))                                   \
    M(set_time, SetTime, Status, (Component, double))                                                                                 \
    M(set_states, SetContinuousStates, Status, (Component, const double *, size_t))                                                   \
    M(get_states, GetContinuousStates, Status, (Component, double *, size_t))                                                         \
    O(get_derivatives, GetContinuousStateDerivatives, Status, (Component, double *, size_t))                                          \
    O(count_states, GetNumberOfContinuousStates, Status, (Component, size_t *))                                                       \
    O(get_nominals, GetNominalsOfContinuousStates, Status, (Component, double *, size_t))                                             \
    O(get_indicators, GetEventIndicators, Status, (Component, double *, size_t))                                                      \
    M(enter_events, EnterEventMode, Status, (Component))                                                                              \
    M(update_discrete, UpdateDiscreteStates, Status, (Component, bool *, bool *, bool *, bool *, bool *, double *))                   \
    M(enter_continuous, EnterContinuousTimeMode, Status, (Component))                                                                 \
    M(completed_step, CompletedIntegratorStep, Status, (Component, bool, bool *, bool *))

#define MEMBER(member, symbol, result, arguments) result(*member) arguments;

/* Functions of all types; the element type of the values is that of the table above. */
typedef Status (*Fmi2Get)(Component, const Reference *, size_t, void *);
typedef Status (*Fmi2Set)(Component, const Reference *, size_t, const void *);
typedef Status (*Fmi3Get)(Component, const Reference *, size_t, void *, size_t);
typedef Status (*Fmi3Set)(Component, const Reference *, size_t, const void *, size_t);

typedef struct {
    FMI2_FUNCTIONS(MEMBER, MEMBER, MEMBER, MEMBER)
    Fmi2Get get[TYPES];
    Fmi2Set set[TYPES];
} Fmi2;

typedef struct {
    FMI3_FUNCTIONS(MEMBER, MEMBER, MEMBER, MEMBER)
    Fmi3Get get[TYPES];
    Fmi3Set set[TYPES];
} Fmi3;

#undef MEMBER

/* A call of GetDirectionalDerivative. */
typedef struct {
    const Reference *unknown, *known;
    size_t unknowns, knowns;
    const double *seed;
} Directional;

/* The functions of one FMU, found in its library or linked in. */
typedef struct Library {
    int standard; /* version of FMI: 1, 2 or 3 */
    int version;  /* version of the table below: FMI 1.0 is called through that of FMI 2.0 */
    struct Fmi1 *fmi1; /* null in other versions */
    void *handle;
    uint64_t data; /* a digest of its variables when it was watched first */
    int threads;   /* threads of the process at the call */
    bool foreign;     /* side effects of its calls on settings of the process are compared */
    unsigned effects; /* those of its opening */
    void (*together)(Component, const Directional *, size_t count); /* calls that come next, where that helps; or null */
    union {
        Fmi2 fmi2;
        Fmi3 fmi3;
    };
} Library;

/* The number of a function in the table of its version; those of one type follow each other by the types. */
#define CALL_NUMBER(table, member) ((int)(offsetof(table, member) / sizeof(void (*)(void))))

enum { CALL_LOADING = 1000 }; /* not a function of FMI: the library is opened */

/* library.c: its name, such as fmi3SetTime; "no function" if none exists. */
const char *library_call(int standard, int number);

/* Null where the library cannot be used, with the reason in `problem`. */
Library *library_open(const char *path, int standard, char *problem, size_t size);
/* The first function that the library lacks of those that an interface needs, Co-Simulation or Model Exchange; or null. */
const char *library_missing(const Library *, bool stepped);
void library_close(Library *);
/* Static state of a library that has just been opened: whether any of its variables is changed later, and whether threads were begun since. */
void library_watch(Library *);
bool library_is_changed(const Library *);
bool library_has_threads(const Library *);
bool library_is_loaded(const char *path);
/* Finds a function of any binary, which stays open; null: `problem` says why. */
void *library_function(const char *path, const char *name, char *problem, size_t size);

#endif
