/* A system of coupled instances: its values, the operations that evaluate it, its loops, and its run in time.
 *
 * All values are doubles in one array of slots. The first slots are the continuous states; 0 .. states - 1. Operations move values
 * between the slots and the instances; they are data of the code that builds the system. Nothing here knows what the instances
 * are models of. Functions that return an int return a KernelStatus unless said otherwise; kernel_internal.h has what is inside. */
#ifndef KERNEL_H
#define KERNEL_H

#include "fmi/instance.h"
#include "rows/rows.h"

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

typedef struct Kernel Kernel;
typedef struct Tableau Tableau; /* runge_kutta.h, which exported mechanisms do without */
typedef struct RungeKutta RungeKutta;

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
    KERNEL_PAUSED,           /* the number of steps asked for is done */
    KERNEL_STOPPED,          /* a method that is called back does not go on, and has kept why */
    KERNEL_UNFIT,            /* the position of constraint `failure.slot` of loop `failure.index`, which comes into force, is off */
    KERNEL_CONFLICT,         /* no velocities satisfy that constraint with those that it repeats */
    KERNEL_NO_FORCES,        /* no forces satisfy the contact of switched row `failure.index` */
    KERNEL_UNSETTLED_MODES,  /* modes of so many switched rows as `failure.slot` says, such as `failure.index` */
    KERNEL_UNFIT_MODE,       /* the position of switched row `failure.index`, which comes into force, is off */
    KERNEL_STEP_NOT_SOLVED,  /* Newton's iteration of an implicit step has not come to rest; state `failure.slot` changed most */
    KERNEL_STEP_CONTRADICTORY, /* no positions satisfy the constraints of an implicit step, such as that of unknown `failure.index` */
    KERNEL_PRESCRIBED,         /* motions that are prescribed violate switched row `failure.index` */
    KERNEL_NO_ROOM, /* no room for rows in their file; kernel_rows_file_error says why */
    KERNEL_BEYOND_LIMIT, /* state `failure.slot` has passed its value limit; from the number of states on, a slot */
    KERNEL_UNTIL        /* the condition that ends the run holds */
} KernelStatus;

typedef struct {
    KernelStatus kind;
    int instance; /* -1 if none exists */
    Status status;
    const char *action;
    const Reference *references;
    int count, index, slot;
    double time;
} Failure;

enum { BY_INSTANCES, BY_EQUATIONS, WAYS };

/* Evaluations of one way: how many were begun in it and how many were made, how many of these were timed, and the seconds in FMUs of those. */
typedef struct {
    long begun, made, timed;
    double fmu_seconds;
} Sample;

typedef struct {
    long evaluations, newton_iterations, factorisations, events, time_events, state_events, step_events;
    Sample way[WAYS];
} Statistics;

/* A function of time that is called back. */
typedef struct {
    double (*value)(double time, void *context);
    void *context;
} TimeFunction;

/* build.c: from rows, which have to outlive the kernel; one instance by row, and the functions that are called back by their numbers.
 * Null, or not 0, where memory lacks. */
Kernel *kernel_build(const Rows *, Instance *const *, const TimeFunction *);
int kernel_add_jacobians(Kernel *, const Rows *); /* adds the Jacobians of loops that were built without */
int kernel_reset(Kernel *); /* reset.c: as it was when it was built, its Jacobians included; before its instances are reset */

/* options.c */
int kernel_set_fast(Kernel *, bool fast); /* sets whether loops with a shortcut may be taken by it */
int kernel_set_open(Kernel *, bool open); /* sets whether loops are passed once instead of being solved, until a call solves them */
void kernel_limit_values(Kernel *, const double *limit); /* limits by state, which stay with the caller; null: without limits */
void kernel_leave_last(Kernel *);         /* time events at the end of a run are left to the caller */

/* kernel.c */
void kernel_free(Kernel *); /* the instances belong to the caller that made them */
double *kernel_slots(Kernel *);
const Failure *kernel_failure(const Kernel *);
const Statistics *kernel_statistics(const Kernel *);
void kernel_set_polynomial(Kernel *, int drive, double start, double value, double slope, double curve);
void kernel_unsettle(Kernel *); /* the inputs of instances were set from outside */
int kernel_hold(Kernel *, int loop, const bool *held); /* null: nothing any more */
int kernel_set_projection(Kernel *, const Rows *, bool on); /* sets whether each step ends on the constraints */
/* Sets the sizes by which projections measure: of states, then of the constraints of all unknowns; null where all are 1. They are copied. */
int kernel_set_sizes(Kernel *, const double *size);
void kernel_set_damping(Kernel *, double rtol); /* sets the damping of weak constraints in all loops; see linear.h */
/* Finds the constraints that repeat others at a point, by unknown of all loops. Without projection this decides nothing. */
int kernel_find_repeated(Kernel *, const Rows *, double t, const double *x, bool *repeated);

double kernel_worst_scaled(const Kernel *, int *light, int *heavy, double *ratio); /* decide.c: least pivot, states of two bodies, how far apart their masses are */
int kernel_set_quiet(Kernel *, const bool *quiet);    /* truths by instance: no event concerns it, and nothing that is connected with it */
void kernel_accept(Kernel *);                   /* the point of the last evaluation is one of the motion */
void kernel_switch(Kernel *, int loop, int unknown, bool on); /* sets whether its constraint is in force; all are at first */
const bool *kernel_off(const Kernel *);                       /* constraints that are not, by unknown of all loops */
/* in_order.c: the sequence in which a loop's constraints are taken; `tells`: constraints that repeat others are reported; `first`: and
 * carry nothing */
int kernel_take_in_order(Kernel *, const Rows *, int loop, const int *order, bool tells, bool first);
double kernel_asymmetry(const Kernel *, int loop, int *row, int *column); /* greatest asymmetry of its last Jacobian, and its place */
int kernel_decide_in_order(Kernel *, double t, const double *x); /* decides for runs without projection of states */
int kernel_repeated(const Kernel *, int loop, int *which, double *factors, double *since);
int kernel_loop_linearise(Kernel *, int loop);                    /* its Jacobian at the present point */
void kernel_loop_solve_linear(Kernel *, int loop, double *right); /* solves by its last Jacobian; `right` becomes the solution */
/* factors.c: as linear_factors, share: what is left in each pivot of the diagonal entry; returns by how much the rank of the loop's equations falls
 * short there, or -1 without factors */
int kernel_loop_factors(const Kernel *, int loop, int *unknown, double *pivot, double *share, double *added);
int kernel_loop_deficiency(const Kernel *, int loop, bool passing, double *undetermined, double *redundant, double *time);

/* evaluate.c */
int kernel_derivatives(void *kernel, double t, const double *x, double *dx);
int kernel_evaluate(Kernel *, double t, const double *x); /* everything, as it is recorded */
int kernel_evaluate_point(Kernel *, double t);            /* the same without what is only recorded, with the states as they are */
int kernel_complete(Kernel *);                            /* completes what is only recorded */
int kernel_exchange(Kernel *, double t, bool solving);    /* all connections once, without time and states */
int kernel_residuals(Kernel *, double t, const double *x, const double *z, double *dx, double *r); /* unknowns as given */
int kernel_verify(Kernel *, double *dx);                    /* the last evaluation by derivatives: whether its shortcuts were exact */
int kernel_indicators(Kernel *, double *z);
int kernel_synchronise(Kernel *, double t, const double *x); /* time and states to all instances */

/* projected.c */
int kernel_project(Kernel *, double t, double *x); /* onto the constraints, as a smooth function of the point alone */
int kernel_return(Kernel *, double t, double *x);  /* the same, but a point that satisfies them stays where it is */
double kernel_decay(void); /* rate in 1/s at which states return to projected ones */
int kernel_projected_derivatives(Kernel *, double t, const double *x, double *dx);
int kernel_projected_residuals(Kernel *, double t, const double *x, const double *z, double *dx, double *r);

/* clock.c */
void kernel_use_clock(Kernel *); /* measures the time spent, for the statistics */

/* settle.c, events.c */
/* Has values of instances set at the next event, once, and then those of drives by polynomials; they stay with the caller until then. */
void kernel_set_at_event(Kernel *, int count, const int *part, const int *type, const Reference *, int drives, const int *drive, const double *value,
                         const double *slope);
int kernel_start_events(Kernel *);                            /* every instance enters Event Mode */
int kernel_complete_step(Kernel *, bool *event);              /* reports the step to instances; event: one requests an event */
int kernel_settle(Kernel *, double *x, bool *states_changed); /* discrete updates until nothing changes; ends in Continuous-Time Mode */
double kernel_next_time(const Kernel *);

/* changes.c: constraints that come into force and go during a run, joints at once; impulses keep the velocities of all that are in force */
typedef struct {
    double time;
    int loop, unknown, on;
} ScheduledChange;

/* The changes at one time: the scheduled changes from `first` on. By unknown of all loops: impulses, velocities of constraints before,
 * and the constraints that take over from those that went, since they repeated them. row: the first row of the record after it. */
typedef struct {
    double time, lost; /* energy */
    long row;
    int first, count;
    double *impulse, *velocity;
    bool *heir; /* constraints that take over, by rows of the scheduled changes */
} Change;

/* Schedules changes in the order of time, after the start. Positions may be off by so much, velocities by ten times that, each
 * multiplied by the size of its constraint. size: by unknown of all loops; it is copied. */
int kernel_schedule(Kernel *, const Rows *, const ScheduledChange *, int count, double allowed, const double *size);
const Change *kernel_changes(const Kernel *, int *count);
const bool *kernel_conflicting(const Kernel *); /* truths by unknown: a constraint repeats it whose velocity does not fit */

/* switching.c: joints whose constraints depend on modes, which are chosen for all of them at once. impacts: all at once or one after the other;
 * rest: an approach that is slower is plastic; allowed: as above; size: by switched row, of its position and speed, null where all are 1. */
typedef struct {
    bool simultaneous, impulse;
    double rest, allowed;
    const double *size;
} SwitchingOptions;

/* row: of the record, the first after it. */
typedef struct {
    double time;
    int item, from, to, row;
} ModeChange;

/* Velocities that jumped; by unknown of all loops: impulses, and velocities of constraints before. */
typedef struct {
    double time, lost;
    int row;
    double *impulse, *velocity;
} Strike;

/* Notes that are worth a sentence, by switched row or -1. two: the first Painleve with two solutions, and whether it stays closed.
 * shared: the first friction that carries its limit while others hold it. several: the first contact whose share of a load is not
 * determined. mu: that of the friction on the contact that no forces satisfy. below: the friction up to which some would. */
typedef struct {
    int two, shared, several;
    bool two_closed;
    double two_time, two_mu, shared_time, several_time, mu, below;
} SwitchingNotes;

int kernel_begin_switching(Kernel *, const Rows *, const SwitchingOptions *);
const SwitchingNotes *kernel_switching_notes(const Kernel *);
int kernel_switch_at_start(Kernel *, double t, double *x);
const ModeChange *kernel_mode_changes(const Kernel *, int *count);
const Strike *kernel_strikes(const Kernel *, int *count);
const bool *kernel_lawful(const Kernel *);              /* truths by unknown of all loops: it slips */

/* record.c */
/* Rows of values, the time first; where they go into a file, only the last one is here. */
typedef struct {
    int columns;
    const int *slot, *unread; /* by columns; unread: the value feeds nothing and need not be finite */
    long rows, capacity;
    double *values;
    struct RowFile *file;
    struct TextFile *texts; /* file of the texts in these rows; null where rows stay here, or have no texts */
    int error;  /* error of the files */
    bool apart; /* a saved state has the number of rows alone; the caller puts them back */
} Record;

int kernel_set_record(Kernel *, const Rows *);
const Record *kernel_record_kept(const Kernel *); /* the record, which the kernel goes on changing */
int kernel_record(Kernel *);
long kernel_take_record(Kernel *, double **values); /* hands the rows over, to be freed by kernel_free_record */
void kernel_free_record(double *values);
int kernel_begin_texts_file(Kernel *, int file, int texts, int count, const int *place); /* before rows go into a file; see text_file.h */
int kernel_begin_rows_file(Kernel *, int file, long first, int width, const int *place); /* rows go there from now on; see row_file.h */
long kernel_end_rows_file(Kernel *);                                                     /* number of rows in the file; none stay here */
int kernel_rows_file_error(const Kernel *);                                              /* the number of the error that ended them, or 0 */
const double *kernel_last_row(const Kernel *); /* the time and the values; null if there is no row */
void kernel_leave_rows(Kernel *, bool apart);             /* says whether states that are saved leave the rows to the caller */
int kernel_put_rows(Kernel *, long rows, const double *); /* gives the record so many rows, and no others */
double kernel_recorded_until(const Kernel *); /* the time of the last row; NaN if none exists */

/* coupling.c */
int kernel_couple(Kernel *, const Rows *); /* the part of the rows that concerns Co-Simulation instances */
void kernel_set_careful(Kernel *, bool careful);
int kernel_events_alone(const Kernel *, int stepper); /* events within its steps at which the others did not stop */
int kernel_taken_degree(const Kernel *, int stepper); /* degree of its inputs' polynomials, which may be less than it declares */
void kernel_announce(Kernel *); /* an event that happened since the last point */
double kernel_passed(const Kernel *, int bond);
void kernel_set_align(Kernel *, bool align, bool lone); /* lone: the only instance that steps, which need not go back */
void kernel_set_ready(Kernel *); /* the instances have left Initialization Mode */
void kernel_set_degree(Kernel *, int degree); /* sets the degree of the polynomials of a step */
void kernel_coupling_counts(const Kernel *, long *passes, long *discarded, double *earliest, double *seconds);
double *kernel_polynomials(Kernel *); /* values, then slopes, then curves, each with room for one more than there are inputs */

/* within.c: reasons to request that an instance ends its step early. A step should end where the condition of `until` holds for values of one
 * instance, which are read anew; stepper: its number, or -1. row: place for these values, the time first. stops: asked now and then with the time;
 * positive where the run should stop. */
typedef struct {
    int stepper, count;
    const int *column;
    const Reference *reference;
    double *value, *row;
    double (*stops)(double t, void *context);
    void *context;
} Within;

void kernel_look_within(Kernel *, const Within *); /* from now on; it stays with the caller, until the next run */
void kernel_cut_step(Kernel *, double t, double end); /* the only instance has ended the step from t early: inputs belong to this end */

/* steps.c: Co-Simulation instances over one step */
int kernel_get_outputs(Kernel *);
int kernel_hand_over(Kernel *, double *moved); /* inputs at once, in Initialization Mode; and how far the furthest moved */
void kernel_note_inputs(Kernel *, bool restart);
int kernel_step(Kernel *, double t, double h, bool last_word);           /* steps by the present polynomials */
double kernel_next_period(const Kernel *); /* time that an instance with a step of its own reaches next; infinite if none exists */
int kernel_explicit_step(Kernel *, double h, int order, bool in_turn, bool last_word);

/* saving.c: instances, values and past, in one of several places */
int kernel_save(Kernel *, int which);
int kernel_restore(Kernel *, int which);
long kernel_copy_peaks(const Kernel *, double *kept, bool back); /* copies pivots of so many unknowns; counts alone where kept is null */

/* points.c: communication points, and explicit steps from one to the next. */
int kernel_point(Kernel *, double t, bool *event); /* everything at a point, events included */
/* True if the last point had an event of more than held outputs, such as those of sampled controllers. */
bool kernel_sudden(const Kernel *);
int kernel_begin_course(Kernel *, double start, double step, double stop, int order, bool in_turn, bool variable, long outputs,
                        const double *output_times);
int kernel_follow(Kernel *, long steps);
int kernel_pause_course_at(Kernel *, double t, long outputs, const double *output_times); /* the same for a course, at the first point from t on */
int kernel_pass_jump_at_point(Kernel *);         /* an event at the present point: inputs or parameters have jumped */
double kernel_time(const Kernel *);
long kernel_course_steps(const Kernel *);
void kernel_add_up(Kernel *, double h); /* the energy that coupling created in a step */

/* A method outside of the kernel. Each returns whether it is done; false ends the run with KERNEL_STOPPED. */
typedef struct {
    bool (*restart)(double t, const double *x, double limit, double first, void *context); /* the first step no longer than `first` */
    bool (*step)(double *t, void *context);                                                 /* steps to the limit at most, and sets t */
    bool (*state)(double t, double *x, void *context);                                      /* within the last step */
    bool (*go_on)(double limit, void *context);                                             /* sets another limit for the steps that follow */
    void *context;
} Integrator;

/* run.c: a run in time, with output and events; begun by one of the two below */
int kernel_restart(Kernel *, double t, const double *x);
int kernel_advance(Kernel *, long steps);
int kernel_pause_at(Kernel *, double t, long outputs, const double *output_times); /* rows at these times from now on; without any, at t */
void kernel_set_present(Kernel *, const double *x); /* moves the states to others, before a jump */
int kernel_pass_jump(Kernel *); /* an event here: inputs or parameters have jumped */
double kernel_run_time(const Kernel *);
const double *kernel_run_state(const Kernel *);
long kernel_run_steps(const Kernel *);

/* Values that are set and read in each piece of a run: inputs of instances, then those of drives by polynomials. A value that does not change
 * is no event. */
typedef struct {
    int inputs, drives, outputs;
    const int *part, *type, *drive, *column; /* column: of a row, in which the time is the first */
    const Reference *reference;
    const double *low, *high, *slope;
    double *value, *given, *out;
    double end;     /* of the last piece that was begun */
    long most;      /* steps of a whole run at most, */
    long at_a_time; /* and of one call */
} Steering;

/* A condition that ends the run, of the values of a row and its time: formulas in reverse Polish notation that say whether it holds and, positive
 * where it does, how far it is from its limit. Otherwise a function that says the latter of the row that it finds in `row`; not a number: it failed.
 * row: place for values that are looked at. */
typedef struct {
    int truths, margins; /* pairs of each */
    const double *truth, *margin;
    double (*value)(double t, void *context);
    void *context;
    double *row;
} Until;

void kernel_set_until(Kernel *, const Until *); /* options.c: it stays with the caller, until the next run */
int kernel_until_point(Kernel *); /* until.c: at a communication point; KERNEL_UNTIL where the condition holds, with a row there */

/* steer.c: a piece of so many seconds. KERNEL_DONE: it is there, and the run can go on. KERNEL_STOPPED where a value is not between its bounds, and
 * nothing has happened. Otherwise as kernel_advance */
int kernel_steer(Kernel *, Steering *, double seconds);

/* outside.c: by a method that is called back; it and the times stay with the caller */
int kernel_begin_outside(Kernel *, const Integrator *, double start, double stop, long outputs, const double *output_times);

/* A value and the range in which its model holds. slot: of a state, or of any value at communication points. off: by how much it has been outside at
 * most, at first `slack`, which is not worth a word. */
typedef struct Bound {
    int slot;
    double low, high, slack, off, worst, first, when;
} Bound;

/* bounds.c: of a run that has begun; they stay with the caller */
void kernel_watch_bounds(Kernel *, Bound *, int count);
/* Watches at communication points; an array of twice as many, the latter for the point to return to. */
void kernel_watch_points(Kernel *, Bound *, int count, int limits); /* limits: the last ones, beyond which the run ends */
int kernel_note_point(Kernel *);

/* bracketing.c: angles that indicators may depend on, of a run that has begun: states, and drives as -1 - drive; they stay with the caller */
int kernel_watch_angles(Kernel *, const int *angle, int count);

/* explicit.c: by a Runge-Kutta method of the kernel */
int kernel_begin_run(Kernel *, const Tableau *, double rtol, const double *atol, double largest, double first_step, double start,
                     double stop, long outputs, const double *output_times);
const RungeKutta *kernel_runge_kutta(const Kernel *);
int kernel_roughest(const Kernel *, int *state, double *time); /* the step that was rejected most often, and for which state */
/* Says at the end of a run whether derivatives at that step are steep, rather than jump (1). 0 where it cannot be found out. */
int kernel_rough_is_steep(Kernel *);
/* Number of steps that stability limited, since when, and by which state. */
long kernel_stiffness(const Kernel *, int *state, double *since);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
