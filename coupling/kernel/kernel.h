/* A system of coupled instances: its values, the operations that evaluate it, its loops, and its run in time.
 *
 * All values are doubles in one array of slots. The first slots are the continuous states; 0 .. states - 1. Operations move values
 * between the slots and the instances; they are data, made by whoever builds the system. Nothing here knows what the instances
 * are models of. */
#ifndef KERNEL_H
#define KERNEL_H

#include "instance.h"
#include "linear.h"
#include "rows.h"
#include "runge_kutta.h"

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

typedef struct {
    OperationKind kind;
    Type type;
    int index; /* of the instance, the drive or the loop */
    int count, first;
    const Reference *references;
    const int *places;                /* of SET and GET: the slot of each value, where these are no neighbours; else null */
    const int *source_start, *source; /* of SET: slots by input */
    Instance *instance;         /* of those that move values */
    Fmi2Get get;                /* of GET from a Co-Simulation instance of FMI 2, at first hand: it costs more to find than to call */
    Component component;
} Operation;

/* The arrays of all items lie in one block: an evaluation reads them from end to end. */
typedef struct {
    Operation *items;
    int count;
    int *block;
    size_t room; /* of the block */
} Operations;

typedef struct {
    Instance *instance;
    int first_state, states, first_indicator, indicators;
    bool completed_step; /* wants to hear of every completed step */
} Part;

/* A function of time: called back, a polynomial, or a table that is interpolated linearly and constant outside. */
typedef struct {
    double (*function)(double time);
    bool polynomial;
    double start, coefficient[3]; /* value, slope and curve at the start */
    int points, last;
    const double *times, *values;
} Drive;

typedef struct {
    DerivativeKind kind;
    int instance;
    bool at_events; /* changes at events only */
    int unknowns, knowns, first;
    const Reference *unknown, *known;
    const double *seed;
    const int *unknown_slot; /* of a difference, with the slot of its only known */
    int known_slot;
    double nominal;
} LocalDerivative;

/* How a loop's values follow from outputs that were got with other inputs. Each row is a sum of factor times term times slot, kept in a
 * slot of its own. First comes by how much the unknowns have moved since they were set; then rows that are always wanted, rows that
 * lead to the residuals alone, the residuals, and rows that are wanted once the unknowns are known. */
typedef struct {
    int first;               /* slot of the first row */
    int always, inner, last; /* counts; of unknowns and residuals there are as many as the loop has */
    const int *unknown;      /* the slots of what they were last set to */
    const int *target;       /* the slots that receive the last rows */
    const int *start, *middle, *term, *slot; /* of a row: items whose term is 1 come before its middle */
    const double *factor;
} Shortcut;

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
    Shortcut shortcut;
    int deficiency; /* of the last factorisation, and the greatest so far with its time */
    int worst_deficiency;
    double deficient_at;
    bool passing; /* at the worst deficiency: what is missing was there before */
    bool given;   /* all unknowns are held: the loop is passed once with them as they are */
    bool *held;   /* unknowns that are somebody else's to find; null where there are none */
    Linear *whole; /* all equations, held unknowns included */
    double largest; /* of all unknowns so far */
    double *residual, *step, *start, *correction;
    double *undetermined, *redundant; /* by unknown and by residual, at the worst deficiency */
} Loop;

typedef enum {
    KERNEL_DONE,
    KERNEL_RETRY, /* numbered as RK_RETRY: something was not available at this point; `failure` says what */
    KERNEL_STEP_TOO_SMALL,
    KERNEL_NO_MEMORY,
    KERNEL_FMU_FAILED,
    KERNEL_NOT_FINITE,       /* `failure.slot` */
    KERNEL_NOT_SOLVED,       /* the iteration of loop `failure.index` does not converge */
    KERNEL_CONTRADICTORY,    /* the equations of loop `failure.index` cannot hold together */
    KERNEL_CHATTERING,       /* events without end, the last in `failure` */
    KERNEL_UNSETTLED,        /* discrete updates without end */
    KERNEL_TERMINATED,       /* an FMU asked for the end */
    KERNEL_PAUSED            /* the number of steps asked for is done */
} KernelStatus;

typedef struct {
    KernelStatus kind;
    int instance; /* -1 where there is none */
    Status status;
    const char *action;
    const Reference *references;
    int count, index, slot;
    double time;
} Failure;

typedef struct {
    long evaluations, newton_iterations, factorisations, events, time_events, state_events, step_events;
    long sampled; /* evaluations that were timed, their seconds, and those spent in FMUs */
    double sampled_seconds, fmu_seconds;
} Statistics;

typedef struct Kernel {
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
    bool thorough; /* every value goes to every instance, and loops are solved to the last check */
    bool fast;     /* loops with a shortcut have been affine wherever that was checked */
    double passed; /* the time of the last event: jumps up to there have happened */
    bool settled;  /* the instances have the inputs that the slots say */
    double *buffer;
    bool events;   /* the instances are in Event Mode, where time and states stand still */
    bool leaves_last; /* time events at the end of a run are left to whoever runs more than this system */
    bool open;     /* loops are passed once, with the unknowns as they are */
    bool timed;
    double (*clock)(void); /* null where time is not measured */
    double clock_cost;
    long clock_readings;
    Failure failure;
    Statistics statistics;
    struct Run *run;
    struct Record *record;
    struct Coupling *coupling; /* of Co-Simulation instances; null where there are none */
    void (*end_run)(struct Kernel *), (*end_record)(struct Kernel *), (*end_coupling)(struct Kernel *); /* of what there is of these */
} Kernel;

/* Every so many evaluations each call of an FMU is timed; always would cost more than the calls. */
enum { SAMPLING = 101 };

/* Co-Simulation instances and what arrives at them. */

/* Saved states: two for whoever makes steps, one to which a run returns, and one for an instance that discards a step. */
enum { PAST = 3, FOR_RUN = 2, FOR_RETRY = 3, SAVED = 4 };

typedef struct {
    int part;
    Instance *instance; /* null where the inputs are those of instances between the points, which somebody else integrates */
    int first;   /* of its inputs among all inputs */
    int degree;  /* of the polynomials that it takes */
    bool event;  /* its last step ended at an event */
    bool saves;  /* can save and restore its state */
    bool variable; /* can make steps of any size */
    Polynomials inputs;
    Component component; /* of FMI 2, with what each step calls */
    Fmi2Set set;
    Status (*step)(Component, double time, double size, int last_word);
    void *saved[SAVED];
    double next_time[SAVED]; /* of the time event that was next then */
    Operations sequence, outputs; /* for steps one after another: what is passed on for it, and what it gives */
} Stepper;

/* Where power passes: an effort that an instance was given over a step, against the one that belongs to what has come of it. */
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
    double next_time[SAVED]; /* of the time event that was next then */
} Other;

typedef struct Coupling {
    Stepper *steppers;
    int count;
    Other *other;
    int other_count;
    int inputs, first_end; /* slots from first_end on: what each input was at the end of the last step */
    const int *arriving;   /* slot of what arrives at each input at a point */
    Reference *reference;
    double *value, *slope, *curve, *scratch; /* polynomials over the step, by input */
    double *past[PAST], past_time[PAST];     /* what arrived at the last points */
    int known;                               /* how many of these there are */
    int degree;                              /* of the polynomials over the present step */
    int predicted;                           /* for steps one after another: values that are extrapolated to the end */
    const int *predicted_slot;
    double *predicted_past[PAST], *predicted_block;
    LocalDerivative *derivatives;            /* of outputs by inputs, into slots */
    int derivative_count;
    int held_count;
    const int *held; /* slots of outputs that change at events only, and what they were */
    double *held_before;
    double *z, *z_before; /* event indicators */
    Bond *bonds;
    int bond_count;
    double *backup[SAVED], backup_time[SAVED][PAST + 1]; /* of all but the last */
    int backup_known[SAVED];
    bool event;      /* an instance's last step ended at one */
    bool ready;      /* the instances have left Initialization Mode */
    bool careful;    /* states are saved before each step, so that one that is discarded can be made smaller */
    bool align;      /* all go back where one meets an event within the step */
    double earliest; /* such an event; infinite where there is none */
    long passes, discarded, sampled; /* sampled: passes that were timed, and their seconds */
    double seconds;
    struct Course *course;
    int (*get_outputs)(struct Kernel *);
} Coupling;

/* build.c: from rows, which have to outlive the kernel; one instance by row, and the functions that are called back by their numbers.
 * Null, or not 0, where memory lacks. */
Kernel *kernel_build(const Rows *, Instance *const *, double (*const *functions)(double time));
int kernel_add_jacobians(Kernel *, const Rows *); /* of loops that were built without */
bool build_operations(Kernel *, const Rows *, bool of_steppers);
bool build_derivatives(const Rows *, int loop, LocalDerivative **, int *count);

/* kernel.c */
void kernel_free(Kernel *); /* the instances belong to whoever made them */
void free_operations(Operations *);
double *kernel_slots(Kernel *);
const Failure *kernel_failure(const Kernel *);
const Statistics *kernel_statistics(const Kernel *);
void kernel_set_polynomial(Kernel *, int drive, double start, double value, double slope, double curve);
void kernel_leave_last(Kernel *);
void kernel_unsettle(Kernel *); /* somebody else has set inputs of the instances */
int kernel_hold(Kernel *, int loop, const bool *held); /* null: nothing any more */
int kernel_set_fast(Kernel *, bool fast);
void kernel_set_lost_share(Kernel *, double share); /* of all loops; see linear.h */
int kernel_set_open(Kernel *, bool open); /* whether loops are passed once instead of being solved, until a call solves them */
int kernel_loop_linearise(Kernel *, int loop);                    /* its Jacobian at the present point */
void kernel_loop_solve_linear(Kernel *, int loop, double *right); /* by its last Jacobian; becomes the solution */
int kernel_loop_deficiency(const Kernel *, int loop, double *undetermined, double *redundant, double *time, bool *passing);

/* evaluate.c */
int kernel_derivatives(void *kernel, double t, const double *x, double *dx);
int kernel_evaluate(Kernel *, double t, const double *x); /* everything, as it is recorded */
int kernel_evaluate_point(Kernel *, double t);            /* the same without what is only recorded, with the states as they are */
int kernel_complete(Kernel *);                            /* what is only recorded */
int kernel_exchange(Kernel *, double t, bool solving);    /* all connections once, without time and states */
int kernel_residuals(Kernel *, double t, const double *x, const double *z, double *dx, double *r); /* unknowns as given */
int kernel_verify(Kernel *, double *dx);                    /* the last evaluation by derivatives: whether its shortcuts were exact */
int kernel_indicators(Kernel *, double *z);
int kernel_synchronise(Kernel *, double t, const double *x); /* time and states to all instances */
int operate(Kernel *, const Operations *);
void expect(const Instance *);
int failed(Kernel *, KernelStatus, const char *action, int instance, Status);

/* clock.c */
void kernel_use_clock(Kernel *); /* for the statistics of time spent */
double seconds(void);

/* loop.c */
int differentiate(Kernel *, const LocalDerivative *, double *term);
int loop_solve(Kernel *, int loop);
int loop_shortcut(Kernel *, int loop);
int loop_verify(Kernel *, int loop);
int loop_factorise(Kernel *, int loop); /* its Jacobian at the present point, with what is held held */
void loop_residual(const Kernel *, const Loop *, double *r);

/* events.c */
int kernel_start_events(Kernel *);                            /* every instance enters Event Mode */
int kernel_complete_step(Kernel *, bool *event);              /* tells those that want to know; whether one asks for an event */
int kernel_settle(Kernel *, double *x, bool *states_changed); /* discrete updates until nothing changes; ends in Continuous-Time Mode */
double kernel_next_time(const Kernel *);

/* record.c */
int kernel_set_record(Kernel *, const Rows *);
void kernel_end_record(Kernel *);
int kernel_record(Kernel *);
long kernel_recorded(const Kernel *, const double **values);
long kernel_rows(const Kernel *);
void kernel_forget_rows(Kernel *, long rows); /* all behind the first so many */

/* coupling.c */
int kernel_couple(Kernel *, const Rows *); /* the part of the rows that concerns Co-Simulation instances */
void kernel_set_careful(Kernel *, bool careful);
void kernel_announce(Kernel *); /* an event that happened since the last point */
double kernel_passed(const Kernel *, int bond);
void kernel_end_coupling(Kernel *);
void kernel_set_align(Kernel *, bool align);
void kernel_set_ready(Kernel *); /* the instances have left Initialization Mode */
void kernel_set_degree(Kernel *, int degree); /* of the polynomials that a step goes by */
void kernel_coupling_counts(const Kernel *, long *passes, long *discarded, double *earliest, double *seconds);
double *kernel_polynomials(Kernel *); /* values, then slopes, then curves, each with room for one more than there are inputs */

/* steps.c: Co-Simulation instances over one step */
int kernel_get_outputs(Kernel *);
int kernel_hand_over(Kernel *, double *moved); /* inputs at once, in Initialization Mode; and how far the furthest moved */
void kernel_note_inputs(Kernel *, bool restart);
int kernel_step(Kernel *, double t, double h, bool last_word);           /* by the polynomials as they are */
int kernel_explicit_step(Kernel *, double h, int order, bool in_turn, bool last_word);
int inputs_failed(Kernel *, const Stepper *, Status);
int step_terminated(Kernel *, const Stepper *);

/* saving.c: instances, values and past, in one of several places */
int kernel_save(Kernel *, int which);
int kernel_restore(Kernel *, int which);

/* points.c: communication points, and explicit steps from one to the next. */
int kernel_point(Kernel *, double t, bool *event); /* everything at a point, events included */
int kernel_begin_course(Kernel *, double start, double step, double stop, int order, bool in_turn, bool variable, long outputs,
                        const double *output_times);
int kernel_follow(Kernel *, long steps);
double kernel_time(const Kernel *);
long kernel_course_steps(const Kernel *);
void kernel_add_up(Kernel *, double h); /* the energy that coupling created in a step */

/* run.c: integration by a Runge-Kutta method, with output and events. */
int kernel_begin_run(Kernel *, const Tableau *, double rtol, const double *atol, double largest, double first_step, double start,
                     double stop, long outputs, const double *output_times);
int kernel_restart(Kernel *, double t, const double *x);
int kernel_advance(Kernel *, long steps);
void kernel_end_run(Kernel *);
const RungeKutta *kernel_runge_kutta(const Kernel *);
int kernel_roughest(const Kernel *, int *state, double *time); /* the step that was rejected most often, and for which state */
long kernel_stiffness(const Kernel *, int *state, double *since); /* how many steps stability limited, since when, and by which state */

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
