/* One instance of an FMU, whichever its version: the calls of FMI 2.0 and 3.0 under one roof. */
#ifndef KERNEL_INSTANCE_H
#define KERNEL_INSTANCE_H

#include "fmi/heard.h"
#include "fmi/size_limits.h"
#include "fmi/views.h"

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

/* The continuation of inputs from a point in time. Each is value + d (slope + d curve / 2) with d = time - start. */
typedef struct {
    double start;
    int degree, count;
    const Reference *reference;
    const double *value, *slope, *curve;
    double *scratch;
} Polynomials;

struct Instance {
    const Library *library;
    Component component;
    Views *views; /* null where every reference is read as it is */
    SizeLimits *limits; /* null where no binary variable has one */
    Fmi2Callbacks callbacks;
    double next_time; /* time of its next time event; infinite where none is known */
    double time;      /* as set last in Model Exchange */
    bool stepped;     /* runs in Co-Simulation; else in Model Exchange */
    bool event_mode;  /* a Co-Simulation instance that handles events in Event Mode */
    const Polynomials *inputs; /* inputs that an intermediate update sets; null where no input follows a polynomial */
    bool (*wanted)(void *by, double time); /* says whether its step should end at a time that it has come to; null where nothing asks */
    void *by;
    bool running; /* has left Initialization Mode */
    bool logs;   /* shows what it logs as it comes */
    bool called; /* no message has been logged since a call began */
    char *name;
    struct Instance *next, *previous; /* neighbours in the list of instances */
    unsigned effects; /* on settings of the process, as bits: see effects.h */
    char message[4096]; /* all that it logged in the last call in which it logged anything */
};

/* The options of a Co-Simulation instance: whether events are handled in Event Mode, whether it may return early, and which inputs
 * intermediate updates will set. */
typedef struct {
    bool event_mode, early_return;
    const Reference *inputs;
    int count;
} Stepping;

/* The end of a step. */
typedef struct {
    double reached; /* NaN where the FMU does not say */
    bool event, terminate;
} StepEnd;

/* The results of discrete updates. */
typedef struct {
    bool again, terminate, states_changed;
} Update;

/* The options of an instance: Co-Simulation where `stepping` is given; `logs`: the FMU's own logging is on, and is shown. */
typedef struct {
    const char *name, *token, *resources;
    const Stepping *stepping;
    bool logs;
    const ViewRow *view;
    const VectorRow *element; /* variables that functions of their own give as vectors */
    const SizeLimit *limit; /* by rising references */
    int views, elements, limits;
} Making;

/* Null where the FMU refuses; `problem` then holds what it logged. */
Instance *instance_open(const Library *, const Making *, char *problem, size_t size);
void instance_close(Instance *);
const char *instance_message(const Instance *);
const char *instance_said(const Instance *); /* messages of the last call; empty where it logged nothing */
int instance_effects(const Instance *); /* side effects so far, as bits: see effects.h */
bool instance_handles_events(const Instance *); /* true in Co-Simulation with Event Mode, which may have been refused */

/* Everything up to Initialization Mode: a reset where the instance has run before, then start values of any type, neighbours of one type
 * in one call. The first `structural` of them are set in Configuration Mode (in FMI 2, which has none, like the others). */
typedef struct {
    bool reset;
    int structural, count;
    const int *type;
    const Reference *reference;
    const double *value; /* for texts, their numbers */
    double tolerance, start, stop;
} Start;

typedef enum { STARTED, RESETTING, CONFIGURING, SETTING, ENTERING } StartStage;

/* A refusal: the stage, and in SETTING the number of the value. */
typedef struct {
    int stage, index;
} Refusal;

Status instance_start(Instance *, const Start *, Refusal *);
Status instance_exit_initialization(Instance *);

/* instances.c: the same of many, one after the other; up to the first that refuses, whose number is returned, or that has said something when it left
 * Initialization Mode. */
int instances_start(Instance *const *, const Start *const *, int count, bool reset, double tolerance, double start, double stop, Refusal *, Status *);
int instances_exit_initialization(Instance *const *, int first, int count, Status *);

/* Adds a message to those of the same call; what an FMU logs is shown as well where that is asked for. */
void instance_says(Instance *, const char *);

/* Callbacks of FMUs, with the signatures of the standards. Some FMUs pass something else than the environment that they were given, so that it counts only
 * where it is an instance that exists. */
void instance_enlist(Instance *);
void instance_strike(Instance *);
Instance *instance_of(const void *environment, const char *name); /* null where neither is known */
extern _Thread_local Instance *instance_stepping; /* instance whose step was begun last */
void instance_follow(void *environment, double time, bool set_requested, bool get_allowed, bool step_finished, bool can_return,
                     bool *return_requested, double *return_time); /* callbacks.c: within a step FMI 3 asks for inputs at times of its own */
void instance_log_2(void *instance, const char *name, Status, const char *category, const char *message, ...);
void instance_log_3(void *instance, Status, const char *category, const char *message);

/* Values of any type as doubles. `instance_access` is for the FMU's own references alone. */
Status instance_access(Instance *, Type, const Reference *, size_t, double *, bool setting);
Status instance_set(Instance *, Type, const Reference *, size_t, const double *);
Status instance_get(Instance *, Type, const Reference *, size_t, double *);
Status instance_get_variables(Instance *, Type, const Reference *, size_t, double *); /* by no function of a vector */
void instance_read_anew(Instance *); /* of one whose variables stay as they were once its derivatives are asked for */
void instance_read_late(Instance *); /* of one that brings variables up to date when its derivatives are asked for */

/* A reading of one of many instances, and its status. */
typedef struct {
    Instance *instance;
    const Reference *references;
    double *values;
    int type, count, status;
} Reading;
void instances_get(Reading *, int count);

Status instance_move_states(Instance *, const double *, size_t); /* as instance_set_states, for callers outside of the kernel */
Status instance_get_states(Instance *, double *, size_t);
Status instance_get_derivatives(Instance *, double *, size_t);
Status instance_count_states(Instance *, size_t *); /* leaves the count as it is if the FMU does not report it */
Status instance_get_nominals(Instance *, double *, size_t);
Status instance_get_indicators(Instance *, double *, size_t);
Status instance_enter_events(Instance *);
Status instance_update_discrete(Instance *, Update *);
Status instance_enter_continuous(Instance *);
Status instance_completed_step(Instance *, bool *event, bool *terminate);
Status instance_adjoint(Instance *, const Reference *, size_t, const Reference *, size_t, const double *seed, double *sensitivity);
Status instance_directional(Instance *, const Reference *unknowns, size_t, const Reference *knowns, size_t, const double *seed,
                            double *sensitivity);

/* Co-Simulation. `last_word`: this step will not be taken back. A step that is discarded may have come part of the way. */
Status instance_do_step(Instance *, double time, double size, bool last_word, StepEnd *);
Status instance_step_failed(Instance *, Status, StepEnd *); /* returns the reason, in FMI 2, for a status that is not good */
Status instance_enter_step(Instance *);
Status instance_set_slopes(Instance *, const Polynomials *); /* the derivatives of inputs, before a step (FMI 2) */
Status instance_save(Instance *, void **state);              /* a state that is given is overwritten */
Status instance_restore(Instance *, void *state);
void instance_forget(Instance *, void **state);
Status instance_serialised_size(Instance *, void *state, size_t *);
Status instance_serialise(Instance *, void *state, unsigned char *, size_t);
Status instance_deserialise(Instance *, const unsigned char *, size_t, void **state);

/* The functions that an evaluation calls most; time and states are in continuous.h. */
static inline Status instance_set_reals(Instance *instance, const Reference *references, size_t count, const double *values)
{
    const Library *l = instance->library;
    instance->called = true;
    if (instance->views)
        return views_access(instance, FLOAT64, references, count, (double *)values, true);
    ENTERS_BOTH(set[FLOAT64]);
    return heard(instance, l->version == 3 ? l->fmi3.set[FLOAT64](instance->component, references, count, values, count)
                                           : l->fmi2.set[FLOAT64](instance->component, references, count, values));
}

static inline Status instance_get_reals(Instance *instance, const Reference *references, size_t count, double *values)
{
    const Library *l = instance->library;
    instance->called = true;
    if (instance->views)
        return views_access(instance, FLOAT64, references, count, values, false);
    ENTERS_BOTH(get[FLOAT64]);
    return heard(instance, l->version == 3 ? l->fmi3.get[FLOAT64](instance->component, references, count, values, count)
                                           : l->fmi2.get[FLOAT64](instance->component, references, count, values));
}

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
