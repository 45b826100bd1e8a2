/* One instance of the model, and what can be done with it in either FMI version.
 *
 * A file calls those above it in this list alone: messages, requests; snapshot, events; values; sensitivity; method; explicit,
 * implicit; locate; step, instance; fmi2, fmi3. */
#ifndef RUNTIME_H
#define RUNTIME_H

#include "model.h"
#include "this_model.h"

#include <limits.h>
#include <math.h>

#if defined(__ELF__)
#pragma GCC visibility push(hidden) /* whatever flags it is compiled with: the C library has functions of such names as well */
#endif

typedef enum { OK, WARNING, DISCARD, ERROR, FATAL } Status; /* numbered as in FMI 2 and FMI 3 */

typedef enum {
    INSTANTIATED = 1 << 0,
    CONFIGURATION = 1 << 1,
    INITIALIZATION = 1 << 2,
    EVENTS = 1 << 3,
    CONTINUOUS = 1 << 4,
    STEPPING = 1 << 5,     /* Co-Simulation between two steps */
    INTERMEDIATE = 1 << 6, /* inside a callback during a step */
    STEP_FAILED = 1 << 7,
    TERMINATED = 1 << 8
} Mode;

typedef enum { LOG_EVENTS, LOG_WARNING, LOG_DISCARD, LOG_ERROR, LOG_FATAL, CATEGORIES } Category;
extern const char *const category_names[CATEGORIES];

/* Data of a saved, restored or serialised instance beside the array of values. */
typedef struct {
    Mode mode;
    double stop_time, tolerance; /* the stop time is infinite where none is given */
    double step_size; /* that the error control would take if no communication point cut it short */
    double reached;   /* the last time that a step arrived at */
    bool varying;     /* inputs have derivatives in the next step */
    bool changed;     /* an earlier round of the present events has changed something */
    bool left;        /* rounds of the present events are left */
} Progress;

typedef struct Instance Instance;
typedef struct Snapshot Snapshot;
typedef struct Implicit Implicit;
typedef void (*Log)(const Instance *, Status, const char *category, const char *message);

#define CALCULATED (1u << DERIVATIVE | 1u << OUTPUT | 1u << LOCAL | 1u << INDICATOR) /* roles */

/* A known list of references that were got, set or differentiated before, all of them real. An importer repeats the same lists again and
 * again, and looking up each reference would cost more than the model's own arithmetic. A request does not depend on values. */
typedef enum { GETTING, SETTING, DIFFERENTIATING } Purpose;

typedef struct {
    Purpose purpose;
    unsigned count;
    Reference known;   /* of a derivative */
    unsigned stages;   /* that must be valid first */
    unsigned numbers[]; /* the references; then of what is set the stage that a change makes invalid, of a derivative its entry */
} Request;

typedef struct Requests Requests;
#define NO_ENTRY (~0u)

struct Instance {
    /* Fields that almost every call needs come first, in as few cache lines as possible. */
    const unsigned *settable; /* by role: the modes in which a variable may be set */
    Progress progress;
    unsigned valid, valid_jacobian; /* how many stages are up to date */
    double *v;                      /* variables by reference; all arrays follow the instance in one block */
    double *t, *j;
    Requests *requests;
    Model *own; /* see this_model.h */
    char *name;
    void *environment; /* of the importer's callbacks */
    Log log;
    void (*logger)(void); /* the importer's own function, called by log */
    bool logged[CATEGORIES];
    bool modes_chosen; /* by the importer, or has learned that they are not */
    bool co_simulation, event_mode_used, early_return_allowed;
    void (*intermediate_update)(void);
    unsigned derivative_stage, indicator_stage;
    unsigned kept; /* how many of the values a snapshot carries */
    Snapshot *before; /* the present step, to which one that fails returns */
    double *slope, *curvature; /* of the inputs, for the next step */
    double *rate;              /* of the inputs at the present time */
    double *spent;             /* the last instant of each time event that has happened */
    double *seed, *new_values, *next, *margins;
    double *base, *x, *x_next, *stage, *k[7], *dense, *turned, *seen; /* of the integrator */
    Implicit *implicit; /* NULL where the model has no such method */
    enum { NOWHERE, AT_START, AT_END } known_slope; /* where the explicit method has the slope already */
    signed char *edge;                                /* of the relations: rising, falling or neither */
};

/* A stage, and all later ones, are to be computed anew. */
static inline void changed(Instance *instance, unsigned stage)
{
    if (stage < instance->valid)
        instance->valid = stage;
    if (stage < instance->valid_jacobian)
        instance->valid_jacobian = stage;
}

/* Computes whatever is invalid up to a stage. */
static inline void evaluate(Instance *instance, unsigned stage)
{
    for (; instance->valid <= stage; instance->valid++)
        if (model.composition)
            model.composition->evaluate(instance->own, instance->valid);
        else if (model.evaluate[instance->valid])
            model.evaluate[instance->valid](instance->v, instance->t);
}

/* Returns the number of stages that must be valid before a variable is read. A mechanism computes multipliers that are not given. */
static inline unsigned stages_behind(const Model *of, const Variable *variable)
{
    if (CALCULATED >> variable->role & 1)
        return variable->stage + 1u;
    return variable->role == ALGEBRAIC && of->composition ? of->stages : 0;
}

/* The value of an integer variable, which a state damaged on its way could have made anything. */
static inline int whole(double value)
{
    return (int)fmax(INT_MIN, fmin(INT_MAX, value));
}

/* messages.c */
bool select_categories(Instance *, bool on, size_t count, const char *const *categories);
Status report(const Instance *, Status, const char *format, ...) __attribute__((format(printf, 3, 4)));
void note_event(const Instance *, const char *format, ...) __attribute__((format(printf, 2, 3)));
Status unknown_reference(const Instance *, Reference);
bool refuse_references(const Instance *, const Reference *, size_t);

bool refuse_call(const Instance *, const char *function, unsigned modes);

/* Says whether a function may be called in the present mode, and with the pointers that it needs. */
static inline bool may_call(const Instance *instance, const char *function, unsigned modes, bool complete)
{
    return ((instance->progress.mode & modes) && complete) || refuse_call(instance, function, modes);
}

/* instance.c */
Instance *instance_new(const char *name, const char *token, const unsigned *settable, Log log, void (*logger)(void), void *environment,
                       bool logging);
void instance_free(Instance *);
void instance_reset(Instance *);
Status finish_initialization(Instance *);
Status start(Instance *, bool tolerance_defined, double tolerance, double first, bool stop_defined, double stop);

/* values.c */
Status set_values(Instance *, const Reference *, size_t, const double *, Type);
Status get_values(Instance *, const Reference *, size_t, double *, Type);
Status read_places(Instance *, const Reference *places, size_t, double *, Type); /* where they stand in the model */
Status set_time(Instance *, double);
Status set_states(Instance *, const double *, size_t);
Status get_states(const Instance *, double *, size_t);
Status get_nominals(const Instance *, double *, size_t);
Status get_derivatives(Instance *, double *, size_t);
Status get_indicators(Instance *, double *, size_t);

/* Translates the importer's references into the model's; `which` selects one of two lists that may be in use at once. It is inline, because
 * only composed models have something to translate. */
static inline bool translate(Instance *instance, const Reference **references, size_t count, unsigned which)
{
    const Reference *const given = *references;
    return to_places(instance->own, references, count, which) || refuse_references(instance, given, count);
}

/* requests.c */
const Request *request_find(const Instance *, Purpose, const Reference *, size_t, Reference known);
void request_note(Instance *, Purpose, const Reference *, size_t, Reference known);

/* sensitivity.c */
Status directional_derivative(Instance *, const Reference *unknowns, size_t, const Reference *knowns, size_t, const double *seed,
                              double *sensitivity);
Status adjoint_derivative(Instance *, const Reference *unknowns, size_t, const Reference *knowns, size_t, const double *seed,
                          double *sensitivity);
Status state_jacobian(Instance *, double *rows);
Status set_input_derivative(Instance *, Reference, int order, double value);
Status get_output_derivative(Instance *, Reference, int order, double *value);

/* events.c */
typedef struct {
    bool again, states_changed, next_time_defined;
    double next_time;
} Update;
bool time_reached(const Instance *, double instant);
Status start_events(Instance *);
Status update_events(Instance *, Update *);
Status settle_events(Instance *, Update *);
void look_ahead(Instance *, Update *); /* gives the remaining rounds the result of the last one */

/* Between these, values are those after all rounds that are left, if that is possible; then they are again what they were. */
typedef struct {
    Update last;
    Log log;
    bool saved;
} Rehearsal;
bool begin_rehearsal(Instance *, Rehearsal *);
void end_rehearsal(Instance *, const Rehearsal *);
bool relation_changed(Instance *);
bool completed_step(Instance *);
void expect_modes(Instance *);
Status follow_start(Instance *); /* before the start there are no events: relations follow the values at once */

/* step.c */
typedef struct {
    double start, end;
    bool stop_at_events;
    /* Called wherever the integrator goes (to set inputs) and after each accepted step; true asks for an early return. */
    bool (*observe)(Instance *, double time, bool accepted);
    bool event, early;
} Step;
Status begin_step(Instance *, Step *, double point, double size);
Status advance(Instance *, Step *);

/* composed.c */
void takes_steps(Instance *); /* it is for Co-Simulation */
void accept_point(Instance *); /* the present one is a point of the motion, not one that an integrator tries */
Status choose_modes(Instance *, Update *);
Status hold_constraints(Instance *); /* moves the states onto them, in a model that has some */

/* snapshot.c */
Status snapshot_take(const Instance *, Snapshot **);
Status snapshot_apply(Instance *, const Snapshot *);
size_t snapshot_size(const Instance *);
Status snapshot_write(const Instance *, const Snapshot *, char *bytes, size_t);
Status snapshot_read(const Instance *, const char *bytes, size_t, Snapshot **);

#if defined(__ELF__)
#pragma GCC visibility pop
#endif

#endif
