/* The internals of the kernel, shared by its files. */
#ifndef KERNEL_INTERNAL_H
#define KERNEL_INTERNAL_H

#include "system/kernel.h"
#include "system/phase.h"
#include "linear/linear.h"
#include "platform/rarely.h"

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

typedef struct {
    OperationKind kind;
    Type type;
    int index; /* number of the instance, the drive or the loop */
    int count, first;
    const Reference *references;
    const int *places;                /* slot of each value for SET and GET, where these are no neighbours; else null */
    const int *source_start, *source; /* slots by input, for SET */
    Instance *instance;         /* instance of operations that move values */
    Fmi2Get get;                /* GET from a Co-Simulation instance of FMI 2, at first hand: finding it costs more than calling it */
    Component component;
    bool quiet; /* true for a quiet instance or loop */
} Operation;

/* Says whether all values are finite, by four sums, each of which is 0 or NaN. */
static inline bool are_finite(const double *values, int count)
{
    double left[4] = {0};
    for (int i = 0; i + 4 <= count; i += 4)
        for (int j = 0; j < 4; j++)
            left[j] += values[i + j] - values[i + j];
    for (int i = count / 4 * 4; i < count; i++)
        left[0] += values[i] - values[i];
    return left[0] + left[1] + left[2] + left[3] == 0;
}

/* The arrays of all items lie in one block: an evaluation reads them from end to end. */
typedef struct {
    Operation *items;
    int count;
    int *block;
    size_t room; /* size of the block */
} Operations;

typedef struct {
    Instance *instance;
    int first_state, states, first_indicator, indicators;
    bool completed_step; /* wants to hear of every completed step */
    bool quiet;          /* no event concerns it */
} Part;

/* A function of time; drives.c says what each kind does with its values. */
typedef struct {
    DriveKind kind;
    TimeFunction function;
    Formula formula;
    double start, coefficient[3]; /* coefficients of a polynomial: value, slope and curve at the start */
    int points, last, count;
    const double *times, *values;
} Drive;

typedef struct {
    DerivativeKind kind;
    int instance;
    bool at_events; /* changes at events only */
    int together;   /* number of directional derivatives of one instance from here on; 0 after the first of them */
    int unknowns, knowns, first;
    const Reference *unknown, *known;
    const double *seed;
    const int *unknown_slot; /* slot of the unknown of a difference, with the slot of its only known */
    int known_slot;
    double nominal;
} LocalDerivative;

/* A shortcut through a loop: its values follow from outputs that were got with other inputs. Each row is a sum of factor times term
 * times slot, kept in a slot of its own. First comes by how much the unknowns have moved since they were set. Then come rows that are
 * always wanted, rows that lead to the residuals alone, and the residuals. The last rows are wanted once the unknowns are known. */
typedef struct {
    int first;               /* slot of the first row */
    int always, inner, last; /* counts; of unknowns and residuals there are as many as the loop has */
    const int *unknown;      /* the slots of what they were last set to */
    const int *target;       /* the slots that receive the last rows */
    const int *start, *middle, *term, *slot; /* items of a row; those whose term is 1 come before its middle */
    const double *factor;
} Shortcut;

/* The greatest rank deficiency, its time, and the share of each unknown and each residual in it. */
typedef struct {
    int count;
    double time, *undetermined, *redundant;
} Deficiency;

/* Unknowns in the slots from `first` on, which make the residuals vanish; each of these is a weighted sum of slots.
 *
 * Term 0 is 1; then come the local derivatives; then sums of products of two terms and a factor, the last of which are the entries
 * of the Jacobian in the order of its pattern. */
typedef struct {
    int count, first;
    Operations inside;
    const int *residual_start, *residual_slot;
    const double *residual_factor;
    LocalDerivative *derivatives;
    int derivative_count;
    int first_sum, sums, first_entry;
    const int *sum_start, *left, *right;
    const double *factor;
    int copies, *copy_of, *copied; /* sums of a single product whose left term is 1, and all others */
    int others, *other;
    double *copy_factor;
    double *term;
    const int *row_start, *column, *order;
    Linear *linear;
    int first_mobility, mobile; /* terms that are derivatives of states' derivatives by the unknowns, computed when asked for */
    const int *mobile_state, *mobile_start, *mobile_column;
    const int *joint, *cycle; /* numbers by unknown, or null */
    Shortcut shortcut;
    int deficiency; /* deficiency of the last factorisation */
    Deficiency worst, passed; /* passed: what was missing there was there before */
    bool given;   /* all unknowns are held: the loop is passed once with them as they are */
    bool *held;   /* unknowns that are found outside of the loop; null if none exist */
    bool *off;    /* unknowns whose constraints are not in force: their residuals are they themselves, so that they vanish */
    bool *lawful; /* unknowns that follow a law in place of their constraint: their residuals say so, and no state is moved for them */
    int off_count;
    bool quiet;    /* all of its instances are */
    int *sequence; /* sequence of elimination, where constraints are taken in an order that was asked for; else null */
    int dropped_count, repeated_count; /* constraints that repeat those taken before; and carry nothing, unless all of them share the load */
    bool *dropped, shares;
    double *repeats, *reduced, repeated_since; /* share of each unknown in dropped constraints, in the order of unknowns; S without them */
    Linear *whole; /* all equations, held unknowns included */
    double largest; /* largest of all unknowns so far */
    double *residual, *step, *start, *correction;
    double *accepted, accepted_largest, far; /* the unknowns at the last point of the motion; far: above it they are not near to any such */
} Loop;

/* The states of the next evaluation, after which the purpose is OF_STAGE again: those of a stage of a step, which may miss the constraints by the
 * error of the step; those of a stage that have just been projected; or those of a point, where every value goes to every instance. */
typedef enum { OF_STAGE, OF_PROJECTED, OF_POINT } Purpose;

/* Values that a caller sets at the next event: parameters and inputs that nothing feeds, and drives by polynomials. */
typedef struct {
    int count, drives;
    const int *part, *type, *drive;
    const Reference *reference;
    const double *value, *slope; /* values of the drives follow the others */
} Settings;

struct Kernel {
    int slots, states, indicators;
    double t, *v;
    Part *parts;
    int part_count;
    int *handler, handler_count; /* the parts that handle events in Event Mode */
    Drive *drives;
    int drive_count;
    Loop *loops;
    int loop_count;
    Operations lists[LISTS];
    const int *derivative_slot;
    Phase phase;
    Purpose purpose;
    double passed;    /* the time of the last event: jumps up to there have happened */
    bool fast;        /* loops with a shortcut may be taken by it: they have been affine wherever that was checked */
    bool leaves_last; /* time events at the end of a run are left to the caller, who runs more than this system */
    bool open;        /* loops are passed once, with the unknowns as they are */
    bool timed;       /* calls of FMUs in the present evaluation are timed */
    double *buffer;
    double *displaced; /* the projected states of the last projected derivatives */
    double (*clock)(void); /* null where time is not measured */
    double clock_cost, in_fmus; /* in_fmus: of an evaluation that is timed */
    Settings settings;
    Failure failure;
    Statistics statistics;
    struct Run *run;
    Record *record;
    struct Projection *projection; /* null where states are not moved onto constraints */
    struct Coupling *coupling; /* coupling of Co-Simulation instances; null if none exist */
    struct Implicit *implicit; /* null where the run has no implicit steps */
    struct Sensitivity *sensitivity; /* null where nothing is differentiated by parameters */
    struct Changes *changes;   /* changes of constraints during the run; null if none exist */
    struct Switching *switching; /* switching of joints whose constraints depend on modes; null if none exist */
    struct Fused *fused;         /* evaluates in place of the instances; null where they do */
    struct Machine *machines;    /* tapes as instructions; null if none exist */
    bool quiet;            /* true if an instance exists that no event concerns */
    bool resting;          /* these are left where they are */
    bool *quiet_unknown;   /* truths by unknown of all loops: its loop is quiet */
    bool searching;        /* event indicators alone are wanted, at rest: these instances are not evaluated */
    int *loud, loud_count; /* the slots of all others */
    int *loud_state, loud_states;
    Operations loud_lists[LISTS]; /* operations of all others */
    double *arms; /* levels by indicator: where positive, a rise is no event, and above this level arms its fall; null: none */
    bool *off;                 /* truths of all loops, one after the other; then `lawful` of all */
    double *size;              /* sizes of states, then of the constraints of all unknowns; null where all are 1 */
    const double *value_limit; /* largest absolute value of each state after an accepted step; null where none is checked */
    const Until *until;        /* condition that ends the run; null without one */
    Rows *ordered;             /* null unless constraints are taken in an order, and redundant ones carry nothing */
    void (*end_run)(struct Kernel *), (*end_record)(struct Kernel *), (*end_coupling)(struct Kernel *), (*end_projection)(struct Kernel *),
        (*end_implicit)(struct Kernel *), (*end_changes)(struct Kernel *), (*end_switching)(struct Kernel *),
        (*end_sensitivity)(struct Kernel *), (*end_fused)(struct Kernel *), (*end_machines)(struct Kernel *); /* end functions */
};

/* Says whether a loop is left alone, since no event concerns it. */
static inline bool rests(const Kernel *k, int loop)
{
    return k->resting && k->loops[loop].quiet;
}

/* Says whether a loop is not even evaluated: event indicators alone are wanted, which do not depend on it. */
static inline bool is_idle(const Kernel *k, int loop)
{
    return k->searching && rests(k, loop);
}

struct Visit;

/* The functions of fused code in place of the instances, which only files of fused code call by name. */
/* A value that instances and what stands for them give differently: its slot, by how much, and the size of its terms. */
typedef struct {
    int slot;
    double off, size;
} Apart;

/* Values that change at events only, and have to be got: none, those of instances that events concern, or all. */
typedef enum { FRESH, STALE_AT_EVENTS, STALE } Stale;

typedef struct Fused {
    Stale stale, stale_record;
    bool partial; /* some equations are left out of what is solved, as they repeat others */
    bool (*derive)(struct Kernel *, double *dx);            /* false: the instances have to be asked; without dx the unknowns alone are found */
    bool (*share)(struct Kernel *);                         /* the unknowns as of least length, where `derive` left some out; false where that fails */
    bool (*linearise)(struct Kernel *);                     /* the same, of loops alone, whose factors are those of the present states then */
    bool (*place)(struct Kernel *);                         /* the entries of the last evaluation, for the loops; false if none exist */
    void (*load)(struct Kernel *);                          /* these, with the factors and the mobility */
    bool (*corrects)(const struct Kernel *);                /* says whether it moves states itself, by the last evaluation or `linearise` */
    void (*correct)(struct Kernel *, bool positions, double *x); /* corrects by the violations that were read last */
    bool (*accept)(struct Kernel *);                        /* as linear_accept, of all loops; false where that has to be asked */
    bool (*read)(struct Kernel *);                          /* constraints; false where it cannot */
    bool (*indicate)(const struct Kernel *, double *z);     /* event indicators; the same */
    void (*disagree)(struct Kernel *, Apart);               /* the instances say otherwise */
    void (*visit)(struct Kernel *, struct Visit *);         /* visits what lasts beyond an evaluation; visit.h */
    bool (*record)(struct Kernel *, double t, const double *x, double *values); /* a row between events; false: the instances have to be asked; null: always */
    struct FusedRecord *own_record; /* data of the file that has these functions */
    void (*end_record)(struct Kernel *);
    bool (*give)(struct Kernel *, double *w, int count);    /* the first numbers of the workspace, at the time, states and unknowns of the slots */
    struct Slopes *slopes;
    void (*end_slopes)(struct Slopes *);
    /* Evaluates with open loops, at the slots' time, states and unknowns; null or false: the instances have to be asked. */
    bool (*open)(struct Kernel *, double *dx, double *violation);
    void (*differentiate_open)(const struct Kernel *, double *jacobian); /* the bordered equations', at the same point */
    struct FusedOpen *own_open;
    void (*end_open)(struct Kernel *);
} Fused;

/* Every so many evaluations of one way each call of an FMU is timed; always would cost more than the calls. */
enum { SAMPLING = 101 };

/* Co-Simulation instances and what arrives at them. */

/* Saved states: two for the scheme that makes steps, one to which a run returns, and one for an instance that discards a step. */
enum { PAST = 3, FOR_RUN = 2, FOR_RETRY = 3, SAVED = 4 };

/* The progress of an instance with a step of its own: the number of its point, and the degree of its inputs' polynomials from there. */
typedef struct {
    long number;
    double begun;
    int degree;
} Period;

typedef struct {
    int part;
    Instance *instance; /* null where the inputs are those of instances between the points, which are integrated elsewhere */
    int first;   /* number of the first of its inputs among all inputs */
    int declared, degree; /* degrees of the polynomials that it declares, and that it takes */
    bool event;  /* its last step ended at an event */
    int alone;   /* events within its steps, at which the others did not stop */
    bool ends;   /* its last step got to its end, and it asks for the end of the run */
    bool saves;  /* can save and restore its state */
    bool variable; /* can make steps of any size */
    bool constrained; /* multipliers act on it */
    int most;    /* the highest degree that any of its inputs follows */
    double period; /* the only step that it makes; 0 where it makes those of the run */
    Period own;
    Period saved_own[SAVED];
    Polynomials inputs;
    Component component; /* component of FMI 2, with the functions of each step */
    Fmi2Set set;
    Status (*step)(Component, double time, double size, int last_word);
    void *saved[SAVED];
    double next_time[SAVED]; /* time of the time event that was next then */
    bool asked; /* the run wanted the last step to end before its end */
    Operations sequence, outputs; /* operations for steps one after another: what is passed on for it, and its outputs */
} Stepper;

/* A port at which power passes: an effort that an instance was given over a step, against the one that belongs to its results. */
typedef struct {
    int input;      /* among all inputs */
    int rate;       /* slot of the conjugate quantity */
    int total;      /* slot of the energy that coupling has created here */
    double sign;
    double passed;  /* energy that has gone through, to and fro */
} Bond;

/* A Model Exchange instance whose state has to be saved beside that of the steppers. */
typedef struct {
    int part;
    void *saved[SAVED];
    double next_time[SAVED]; /* time of the time event that was next then */
} Other;

typedef struct Coupling {
    Stepper *steppers;
    int count;
    Other *other;
    int other_count;
    int inputs, first_end; /* slots from first_end on: what each input was at the end of the last step */
    const int *arriving;   /* slot of what arrives at each input at a point */
    Reference *reference;
    double *value, *slope, *curve, *scratch; /* polynomials over the step, by input; one block with the past */
    double *own[3];        /* the same of instances with steps of their own, over these */
    bool periods;          /* true if such instances exist */
    double origin;         /* their own points are counted from there */
    const int *most;       /* the highest degree of the polynomial of each input */
    int highest;           /* highest of these */
    double *past[PAST], past_time[PAST];     /* values that arrived at the last points */
    int known;                               /* number of these that are known */
    int degree;                              /* degree of the polynomials over the present step */
    int predicted;                           /* number, for steps one after another, of values that are extrapolated to the end */
    const int *predicted_slot;
    double *predicted_past[PAST], *predicted_block;
    LocalDerivative *derivatives;            /* derivatives of outputs by inputs, into slots */
    int derivative_count;
    int held_count;
    const int *held; /* slots of outputs that change at events only, and what they were */
    double *held_before;
    double *z, *z_before; /* event indicators */
    Bond *bonds;
    int bond_count;
    double *backup[SAVED], backup_time[SAVED][PAST + 1], backup_passed[SAVED]; /* backups of all but the last */
    int backup_known[SAVED];
    long backup_rows[SAVED]; /* numbers of rows of the record */
    bool event;      /* an instance's last step ended at one */
    bool sudden;     /* the last point had an event of more than outputs that are held */
    bool ready;      /* the instances have left Initialization Mode */
    bool ending;     /* an instance has come to the end of a step and asked for that of the run */
    bool careful;    /* states are saved before each step, so that one that is discarded can be made smaller */
    bool align;      /* all go back where one meets an event within the step */
    double earliest; /* such an event; infinite if none exists */
    long passes, discarded, sampled; /* sampled: passes that were timed, and their seconds */
    double seconds;
    struct Course *course;
    struct Bound *bound; /* ranges of values, and as they were at the point to which the course can return */
    int bounds, limits; /* limits: the last ones, beyond which the run ends */
    int (*get_outputs)(struct Kernel *);
    bool lone;     /* the only one that steps: where its step ends early, nothing has to go back */
    Stepper *stepping; /* the one whose step was begun last */
    const Within *within; /* reasons to end steps early; null without any */
    double looked; /* seconds of the clock when they were asked about last */
    bool stopping; /* the run has to stop at the next point */
} Coupling;

/* build.c */
bool loop_renew(Loop *); /* equations that remember nothing; false where memory lacks */
bool build_operations(Kernel *, const Rows *, bool of_steppers);
bool build_derivatives(const Rows *, int loop, LocalDerivative **, int *count);

/* drives.c */
double drive_value(Drive *, double t, double passed);
double drive_next_time(const Drive *, double t);
double drive_next_piece(const Drive *, double t); /* time at which the next of its pieces begins, or the last ends */

/* options.c */
void forget_options(Kernel *); /* all are false */

/* kernel.c */
void free_operations(Operations *);

/* failed.c */
int failed(Kernel *, KernelStatus, const char *action, int instance, Status);

/* evaluate.c */
int operate(Kernel *, const Operations *);
int operate_list(Kernel *, List); /* at rest without quiet instances */
int pass_once(Kernel *); /* all instances, with the unknowns as they are, at the time and the states of the slots */
int catch_up(Kernel *);  /* the instances come to the point of the last evaluation, where they are not there yet */
void expect(const Instance *);
void set_unknowns(Kernel *, const double *z); /* sets the unknowns of all loops */
void keep_unknowns(const Kernel *, double *kept);
void begin_from(Kernel *, const double *kept);

/* clock.c */
double seconds(void);

/* differentiate.c */
enum { TOGETHER = 16 }; /* derivatives at most */
int differentiate(Kernel *, const LocalDerivative *, double *term);

/* loop.c */
int loop_solve(Kernel *, int loop);
int loop_shortcut(Kernel *, int loop);
int loop_verify(Kernel *, int loop, bool fused); /* fused: the entries are not of the instances, nor of the last factorisation */
/* Solves by entries that are in their places; false where the residuals have to be asked. */
bool loop_solve_entries(Kernel *, int loop, const double *right);
void loop_accept(const Kernel *, Loop *); /* the unknowns as they are belong to a point of the motion */
void loop_forget(Loop *);                 /* such points */
const double *loop_mobility(Loop *); /* mobility at the point of the last factorisation */
int loop_factorise(Kernel *, int loop); /* its Jacobian at the present point, with what is held held */
int loop_linearise(Kernel *, int loop, bool at_events); /* the same, without a note of a deficiency; at_events: also what changes at events only */
void loop_residual(const Loop *, const double *v, double *r); /* computes residuals by the values of the slots */
void loop_newton_step(const Loop *, const double *z, const double *r, double *step); /* computes a step from unknowns and their residuals */

/* project.c */
int project_step(void *kernel, double t, double *x);
int project_smoothly(Kernel *, double t, double *x); /* projects by as smooth a function of x as the constraints are */
/* Projects in a run; leaves out readings that those of the steps before make needless. */
int project_next_step(void *kernel, double t, double *x);
int project_row(Kernel *, double t, double *x); /* between the ends of steps: stays where it is, should the Jacobian be of too far away */
void expect_nothing(Kernel *); /* drops expectations where a run begins anew */
void project_along(Kernel *, const double *moved, bool positions, double *x); /* a tangent, from those of the constraints by slots */

/* projected.c */
void draw_after(const Kernel *, const double *x, double *dx); /* derivatives at the displaced states draw states after these */

/* bracketing.c */
int crossed(const double *before, const double *now, int count, const double *arms); /* null: all rises are events */

/* project_fully.c */
int project_fully(Kernel *, double t, double *x); /* projects at starts and events: V and S anew in each round, damped where that helps */

/* decide.c */
int decide_rank(Kernel *, double t, const double *x); /* decides which constraints repeat others, at states that satisfy them */

/* repeats.c */
int drop_redundant(Kernel *, int loop, const double *relations, int count, double t); /* vanishing combinations of constraints, which it changes */

/* changes.c */
double next_change(const Kernel *);
int pass_changes(Kernel *, double t, double *x, bool *changed); /* passes the changes that are due; at a point in Continuous-Time Mode */

/* switching_watch.c */
void note_due(Kernel *, const double *before, const double *now); /* notes what is due by the event indicators; null where none fired */
bool left_behind(Kernel *, double t, const double *x, const double *before, const double *now, bool first);

/* switching.c */
int pass_switching(Kernel *, double t, double *x, bool at_start, bool *changed); /* passes switching at a point in Continuous-Time Mode */
void note_parting(Kernel *); /* notes that the constraints in force contradict themselves from now on */
void note_span(Kernel *, double span); /* notes the duration of the run, by which a moment is measured */

/* event_update.c */
int happen(Kernel *, double t, double *x); /* an event at the point where the instances are */

/* steps.c */
int inputs_failed(Kernel *, const Stepper *, Status);
int step_terminated(Kernel *, const Stepper *);

/* coupling.c */
void kernel_end_coupling(Kernel *);
void kernel_reset_coupling(Kernel *);

/* record.c */
void copy_values(const Kernel *, double *values); /* copies recorded values from the slots, by column */
double *record_place(Kernel *); /* place of the values of the next row, by column; NULL: no memory */
int record_placed(Kernel *, double *values); /* these are there, and finite */
void kernel_end_record(Kernel *);
void kernel_forget_rows(Kernel *, long rows); /* all after the first so many */

/* kernel.c */
long kernel_rows(const Kernel *); /* number of rows of the record so far */

/* run.c */
void kernel_end_run(Kernel *);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
