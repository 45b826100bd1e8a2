/* Implicit steps: declarations that their files share, and data of a run from other files. */
#ifndef KERNEL_IMPLICIT_H
#define KERNEL_IMPLICIT_H

#include "system/kernel_internal.h"

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

/* The last points, the newest first. Of the numbers of each the first so many are predicted; the others belong to the step that led
 * there, and are given where `led` says so. */
enum { MOST_POINTS = 5 };

typedef struct {
    int size, width; /* number of predicted values, and of all values of a point */
    int known, count; /* points, and from how many of them is extrapolated */
    int predictions; /* the last, made from one point, from two, and so on; 0 where nothing goes on from there */
    double predicted_time, time[MOST_POINTS];
    bool led[MOST_POINTS];
    double *point[MOST_POINTS], *predicted[MOST_POINTS], *work[MOST_POINTS];
} Past;

/* A fixed point of a map that is evaluated again and again, in one step after another. */
enum { MOST_ANSWERS = 10 };

typedef struct {
    int size, known, gains;
    bool goes_on;   /* the last point is of the same step */
    double gain[2]; /* ratio of each change of the value to that of the point, the last first: from 1 on mere repetition diverges */
    double *x, *value, *residual, *left;
    double *change[MOST_ANSWERS], *difference[MOST_ANSWERS], *base[MOST_ANSWERS]; /* the newest first */
} FixedPoint;

/* The levels that a scheme enforces, by what its Newton steps are made of. Multipliers move by what accelerations of position / h^2 and
 * velocity / h need, times `mean`, in the middle of a step, and by as much times `spread` more at its end, and less at its beginning.
 */
typedef struct {
    double mean[2][2];    /* means of constraints of velocities alone, and of those that exist at position level */
    double spread[2];     /* spreads of the latter; 0 where multipliers have one value a step */
    bool continuous;      /* multipliers begin a step with what they had at the end of the last */
} ConstraintLevel;

typedef struct {
    int loop, place; /* loop of its multiplier, and place among the unknowns */
    bool holonomic;  /* it exists at position level */
    bool known;      /* the Jacobian of the loop gives its response */
} ImplicitConstraint;

/* The constraints of one loop that are known to answer. */
typedef struct {
    int loop, count, *constraint;
    Linear *holonomic; /* the loop's equations with all other multipliers held; null if none exist, or nothing spreads */
    double *entries;
} LoopMoves;

typedef struct {
    int count, loops;
    const ImplicitConstraint *constraint;
    const ConstraintLevel *level;
    LoopMoves *loop;
    double *right;
} Moves;

/* The data that the caller gives for a run. Arrays with two rows have a column for each constraint. Rows of violations are positions and
 * velocities; rows of multipliers and their moves are the beginning of a step and its end. */
typedef struct {
    ConstraintLevel level;
    const ImplicitConstraint *constraint;
    const bool *enforced;    /* violations that are brought to 0 */
    const double *tolerance; /* largest move of each input, relative to its size */
    const double *constraint_size, *input_size; /* sizes by constraint and input, of which absolute tolerances are multiples */
    const bool *still;       /* inputs that keep their values over each step */
    const bool *movable;     /* multipliers that may move at the beginning of a step, too */
    const int *responding;   /* constraints whose response no Jacobian gives */
    const double *response;  /* move of the multipliers of these by their violations */
    Reading *reading;        /* readings of violations; `read` is where the values come, `place` where they belong */
    const double *read;
    const int *place;
    bool (*between)(double t, double h, void *context); /* takes the other parts over a step; null if none exist */
    void *context;
    double constraint_tolerance, rounding; /* violations, and moves of inputs of any size, that are nothing */
    double noise;            /* size of small changes to which instances answer evenly */
    int constraints, responses, readings, reads, most_repetitions;
    bool watches_gain;       /* a coupling that answers to itself too strongly ends the run */
} ImplicitSetup;

typedef enum {
    SETTLED,
    EARLY,     /* an instance has met an event at `reached` */
    STUCK,     /* the response of constraints has to be found anew; the repetitions can go on after that */
    UNSETTLED, /* after the last repetition */
    DIVERGING  /* `input` answers to itself `gain` times */
} ImplicitEnding;

typedef struct {
    int ending, input;
    double reached, gain;
} ImplicitEnd;

/* Unknowns are the multipliers at the beginning and at the end of the step, and the inputs at its end. */
typedef struct Implicit {
    const ImplicitSetup *setup;
    int constraints, inputs, unknowns;
    int repetition, unimproved;
    bool at_beginning;     /* true if the instances are at the beginning of the step */
    bool linearised, held_up, has_before;
    double t, h, worst, best;
    double *block;
    double *x, *value, *violation; /* the unknowns, what comes of them, and the violations with them */
    double *kept, *move, *scale, *size, *before;
    double *force, *greatest; /* the greatest size that each multiplier, and each input, has had */
    Past past;
    FixedPoint fixed_point;
    Moves moves;
} Implicit;

/* prediction.c */
size_t past_room(int width); /* returns how many numbers it needs */
void past_begin(Past *, int size, int width, double *room);
void past_forget(Past *); /* drops the past, from which nothing goes on */
double *past_add(Past *, double time, bool led);
void past_compare(Past *); /* chooses from how many points to extrapolate, by the error of the last prediction */
const double *past_predict(Past *, double t);
void past_predict_led(Past *, double t, double *values); /* predicts the values that belong to the step; none where no point has them */
size_t past_size(const Past *);
void past_copy(Past *, double *copy, bool back); /* the points alone */

/* fixed_point.c */
size_t fixed_point_room(int size);
void fixed_point_begin(FixedPoint *, int size, double *room);
void fixed_point_forget(FixedPoint *); /* drops the map's answers */
void fixed_point_leave(FixedPoint *);  /* leaves the point; the next evaluations begin from another one */
/* `scale` is the size of each unknown; so many of the first are `held`: they stay, and what was learned as they moved is left out. */
void fixed_point_next(FixedPoint *, const double *x, const double *value, const double *scale, int held, double *next);

/* multiplier_newton.c */
bool moves_begin(Moves *, const Kernel *, const ImplicitConstraint *, int count, const ConstraintLevel *); /* false where memory lacks */
void moves_end(Moves *);
int moves_linearise(Moves *, Kernel *); /* linearises at the present point */
void moves_find(const Moves *, Kernel *, const double *violation, double h, double *move); /* moves of constraints with a known response */
bool spreads(const ConstraintLevel *);

/* implicit.c */
int kernel_begin_implicit(Kernel *, const ImplicitSetup *); /* the setup has to outlive it */
void kernel_end_implicit(Kernel *);
double *kernel_implicit_unknowns(Kernel *);              /* present unknowns; then the values that follow from them, and the violations */
void kernel_implicit_note(Kernel *, bool restart);       /* the present point */
int kernel_implicit_start(Kernel *, double h);           /* saves the point, and predicts where a step from there ends */
int kernel_implicit_go_on(Kernel *, ImplicitEnd *);      /* repeats that step */
int kernel_implicit_repeat(Kernel *, const double *unknowns); /* once; the violations follow */
int kernel_implicit_arrive(Kernel *, double t, const double *multipliers); /* values of a time at the inputs, with these multipliers */
void kernel_implicit_forget(Kernel *);                   /* drops what repetitions have shown */
Past *kernel_implicit_past(Kernel *);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
