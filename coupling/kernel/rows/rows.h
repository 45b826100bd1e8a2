/* The rows of numbers from which a system of the kernel is built. The planner of the system fills them; they are printed into the sources
 * of exported mechanisms. rows.py has the same fields in the same order.
 *
 * A field named after an array is the place where it begins in the pool of integers or in that of real numbers. It is NONE where no
 * array exists. Rows have to outlive the kernel that is built from them. */
#ifndef KERNEL_ROWS_H
#define KERNEL_ROWS_H

enum { NONE = -1, WHOLE = -2 };

/* The order of operations: at every evaluation, the same by the shortcuts of loops, at events, for the record alone, and what
 * Co-Simulation instances have at the end of a step, and constraints at position and velocity level alone. After these come two lists for each Co-Simulation instance: what is passed on for
 * it where instances step one after another, and what it gives. */
typedef enum { CONTINUOUS, FAST, EVENTS, RECORDING, OUTPUTS, READING, LISTS } List;

typedef enum {
    SET_TIME,   /* time to the instance */
    SET_STATES, /* its states, from slot `first` on */
    SET,        /* inputs, each the sum of its sources; the sums are kept in the slots from `first` on */
    GET,        /* outputs, to the slots from `first` on */
    DRIVE,      /* the value of a function of time, to the slot `first` */
    LOOP,       /* `index` of a loop to be solved */
    SHORTCUT,   /* the same, from outputs that were got with the inputs as they were */
    ARRIVE,     /* inputs of a Co-Simulation instance, as SET, but kept for its next step */
    AFFINE      /* its outputs, from what they were at the end of its step and by how much its inputs have moved since: sources are a
                   slot and triples of a derivative, an input, and what this input was at the end */
} OperationKind;

/* The source of part of a Jacobian: one call of an instance, whose results go to the terms from `first` on. KNOWN ones are in slots
 * already. CENTRAL: a difference of which known_slot is the place of the known among the instance's states, NONE for an input. */
typedef enum { DIRECTIONAL, ADJOINT, DIFFERENCE, KNOWN, CENTRAL } DerivativeKind;

typedef enum { BY_TABLE, BY_POLYNOMIAL, BY_FUNCTION, BY_PIECES, BY_FORMULA } DriveKind;

typedef double (*Formula)(const double *pairs, int count, double t);
double formula_value(const double *pairs, int count, double t); /* formulas.c */
double formula_of_row(const double *pairs, int count, double t, const double *row); /* with operations that read a row, the time first */

/* An instance. */
typedef struct {
    int first_state, states, indicators;
    int completed_step; /* truth: every completed step is reported to it */
} PartRow;

/* A function of time. */
typedef struct {
    int kind, points, times; /* points of a table or of pieces; of a function or a formula, those at which it jumps */
    int count, values;       /* number of a function that is called back, coefficients of a piece, pairs of a formula; of a polynomial: its value at first */
} DriveRow;

/* Unknowns in the slots from `first` on, which make the residuals vanish; each of these is a weighted sum of slots. row_start is NONE
 * until the Jacobian is known: then its sums of products of two terms and a factor, the last of which are the entries in compressed
 * rows. `order` is the sequence of elimination. first_row is NONE without a shortcut. Sums from first_mobility on are the derivatives of
 * states' derivatives by the unknowns, in compressed rows of `mobile` states. joint, cycle: by unknown; see linear.h. */
typedef struct {
    int unknowns, first, residual_start, residual_slot, residual_factor;
    int first_sum, sums, sum_start, sum_factor, left, right, row_start, column, order;
    int first_row, always, inner, last, moved, target, row, middle, factor, term, slot;
    int first_mobility, mobile, mobile_state, mobile_start, mobile_column;
    int joint, cycle;
} LoopRow;

/* An operation of the list, or of the inside of a loop where this is not NONE. */
typedef struct {
    int list, loop, kind, type, index, count, first, references, places, source_start, source;
} OperationRow;

/* A derivative call of a loop. Where loop is NONE, it is of Co-Simulation instances, into slots from `first` on; where loop is WHOLE, of
 * the bordered equations. nominal: in the pool of real numbers. */
typedef struct {
    int loop, kind, part, at_events, unknowns, unknown, knowns, known, seed, first, unknown_slot, known_slot, nominal;
} DerivativeRow;

/* All Co-Simulation instances together; there is one row or none. */
typedef struct {
    int inputs, arriving;    /* the slots of what arrives at inputs that follow polynomials */
    int first_end;           /* first slot of the values of these at the end of the last step */
    int held_count, held;    /* slots of outputs that change at events only */
    int most;                /* the highest degree of the polynomial of each input */
    int predicted_count, predicted; /* slots that are extrapolated where instances step one after another */
} CouplingRow;

/* A Co-Simulation instance; part is NONE where the inputs are those of instances that are integrated between the points. period: in the
 * pool of real numbers, the only step that it makes, 0 where there is no such; constrained: multipliers act on it. */
typedef struct {
    int part, inputs, references, degree, saves, variable, constrained, period;
} StepperRow;

/* A Model Exchange instance whose state is saved beside that of the steppers. */
typedef struct {
    int part;
} OtherRow;

/* A port at which power passes. sign: in the pool of real numbers. */
typedef struct {
    int input, rate, total, sign;
} BondRow;

/* The columns of the record; there is one row or none. */
typedef struct {
    int columns, slot, unread;
} RecordRow;

/* The slots of the values that an unknown of a loop keeps at zero; the list READING fills them. NONE where the instance does not give
 * this level. */
typedef struct {
    int loop, unknown, position, velocity;
} ConstraintRow;

/* A multiplier of a joint whose constraint depends on a mode, an integer of `type` of its instance: references, NONE if none exists.
 * kind: as in modes.h, or HOLDS_WHILE. limit, still: of friction that slips and at rest, against a positive slip; back, still_back: against a negative
 * one, where that differs. normal, second: the switched multipliers of the same joint that press friction, and a reference. followed: how many other
 * multipliers the limit follows, in loops and by unknowns and references from there on. */
enum { HOLDS_WHILE = 2 };

typedef struct {
    int kind, loop, unknown, part, indicator, type, mode, acceleration, limit, still, back, still_back, restitution, normal, second, multiplier;
    int followed, follow_loop, follow_unknown, follow_reference;
} SwitchedRow;

/* A state whose derivative is another state. */
typedef struct {
    int state, velocity;
} MotionRow;

/* The first of three states, an absolute angular velocity, and of four, the quaternion that it turns: q' = (0, omega) o q / 2. */
typedef struct {
    int omega, q;
} TurnRow;

/* The level that an unknown of a loop keeps at zero. */
typedef enum { OF_RESIDUAL, OF_VELOCITY, OF_POSITION } Level;

/* The equations of implicit steps that hold constraints, in states and unknowns of all loops; there is one row or none. Terms are 1 and the
 * derivatives of WHOLE; entries are 1 and sums of products of a factor, a term and an earlier entry. The Jacobian, in compressed rows of chosen
 * entries, is that of the states' derivatives, of what each unknown keeps at zero, and of the velocities of constraints of positions. level: by
 * unknown; velocity_of: the unknowns of these velocities; moving: by state, whether it is a velocity of a mechanism. */
typedef struct {
    int unknowns, velocities, terms, entries;
    int product_start, factor, term, entry;
    int row_start, column, chosen;
    int level, velocity_of, moving;
} BorderedRow;

/* Outputs of an instance that are constraints at these levels: places among unknowns, or after them among velocities. */
typedef struct {
    int part, count, references, places;
} LevelRow;

typedef struct {
    int slots, states; /* the states come first */
    int derivative_slot;
    int group; /* number of instance and unit, by state */
    int parts, drives, loops, operations, derivatives, couplings, steppers, others, bonds, records, constraints, motions, turns, bordereds, levels, switcheds;
    const PartRow *part;
    const DriveRow *drive;
    const LoopRow *loop;
    const OperationRow *operation;
    const DerivativeRow *derivative;
    const CouplingRow *coupling;
    const StepperRow *stepper;
    const OtherRow *other;
    const BondRow *bond;
    const RecordRow *record;
    const ConstraintRow *constraint;
    const MotionRow *motion;
    const TurnRow *turn;
    const BorderedRow *bordered;
    const LevelRow *level;
    const SwitchedRow *switched;
    const int *number; /* the pools */
    const double *real;
    Formula formula; /* function that calculates formulas; null if none exist */
} Rows;

#endif
