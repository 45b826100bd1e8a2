/* Joints whose constraints depend on modes: what the files share that choose these. */
#ifndef KERNEL_SWITCHING_H
#define KERNEL_SWITCHING_H

#include "complementarity/modes.h"
#include "constraints/project.h"

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

/* A switched multiplier. candidate: its constraint may hold, at rest as it is. */
typedef struct {
    const SwitchedRow *row;
    Loop *loop;
    int place, position, velocity; /* among all unknowns; slots */
    int mode, before, was, due; /* before: where a search begins; was: the mode before the event */
    bool candidate, fell; /* fell: its indicator did, without having been positive */
    double lowest, fell_at; /* lowest: of its indicator, 0 or what it was after the last event */
    double size, gap, speed, restitution;
    double mu[2], limit[2], sliding[2]; /* against a positive slip and a negative one; sliding: the limit of friction that begins to slip */
} Item;

/* The candidates as a small dense problem, all else eliminated; by loop what that takes. */
typedef struct {
    int count, *item;
    double *S, *b, *lambda, *a, *terms; /* terms: the sizes of what one row of S has been summed from */
    Switched *given;
    double **response, **own; /* X and y by loop; the eliminated unknowns are -(y + X lambda) */
    int loops;
} Problem;

typedef struct Switching {
    Rows rows;
    SwitchingOptions options;
    int count, unknowns;
    Item *item;
    double *z, *z_before, *impulse, *velocity; /* values by unknown of all loops */
    bool begun;
    double span;          /* duration of the run */
    bool parts;           /* the constraints in force contradict themselves from now on */
    double ahead, *later; /* time ahead at which forces are evaluated, and the states then */
    double slack;         /* an acceleration that is wrong until then, and bearable */
    double stabilised;    /* the most that stabilisation has added to an acceleration of the last problem */
    double free_acceleration; /* the greatest of the last problem, or the size that makes rounding a small share */
    double least_force;       /* the same of forces, should there be none */
    ModeChange *change;
    int changes, change_room;
    Strike *strike;
    int strikes, strike_room;
    SwitchingNotes notes;
} Switching;

enum { MOST_LIMITS = 50 };         /* rounds in which limits follow what they depend on */
enum { HELD = 2 };                 /* times the sign of a slip: the mode of friction at its limit that others hold, so that it does not slip */


/* switching_instances.c */
int get_of(Kernel *, const Item *, int reference, double *value);
int read_items(Kernel *, const double *x);
int read_modes(Kernel *); /* reads the modes of all instances, and applies them */
int follow_conditions(Kernel *); /* sets the modes of joints that hold while a condition is true */
void enforce_modes(Kernel *); /* applies the modes, though instances do not have them yet */
int set_modes(Kernel *, double t, double *x, bool solving); /* and lets the instances settle; `solving`: loops are solved */
int no_forces(Kernel *, KernelStatus, int item, int count);
void *room_for_more(void *array, int count, int *room, size_t size);

/* switching_limits.c */
int still_limit(const SwitchedRow *, int way); /* the reference of the limit at rest: 0 against a positive slip, 1 against a negative one */
int read_limit(Kernel *, Item *); /* reads the limit of friction, or how it follows the normal force */
int find_limited(Kernel *, Problem *, double slack, int *status); /* the modes of a problem, status as of modes_find */

/* switching_forces.c: at a point, with the candidates that are found there. */
double slow_of(const Item *, double relative, double absolute); /* the greater of what `slow` gives and of a speed by its size */
bool unpressed(const Switching *, const Item *); /* friction that nothing presses */
int find_modes(Kernel *, double t, double *x, Problem *);
/* Compares modes with the instances' outputs; over: friction that sticks most above its limit, or NONE. */
int modes_agree(Kernel *, bool *fits, int *over);
int share_limits(Kernel *, double t, double *x, Problem *, bool *fits);
int say_unsettled(Kernel *, double t, const double *x, Problem *, int status);

/* switching_ahead.c */
int choose_ahead(Kernel *, double t, double *x, const int *first, Problem *); /* first: the modes by item */

/* switching_watch.c */
bool watch_falls(Kernel *); /* false where memory lacks */
double noise_of(const Kernel *, const Item *, const double *x); /* noise of its indicator by rounding alone */

/* switching_impacts.c */
double slow(const Kernel *, const double *x);
double unfelt(const Kernel *, const double *x); /* an acceleration as of rounding alone */
bool touches(const Item *);
int lowest_of(const Problem *, const double *value); /* the item whose velocity or acceleration is the least */
bool collides(const Kernel *, const double *x); /* or came into force with a velocity; what is closed already may be off as runs allow */
int strike_joints(Kernel *, double t, double *x, int shock, Problem *); /* shock: an item that is compressed though it does not approach, or NONE */

/* switching_problem.c */
bool new_problem(const Kernel *, Problem *);
void free_problem(Problem *);
/* Makes the problem at the present point, with the modes that are tried: of accelerations, or of velocities with the greatest of those
 * in force. */
int find_problem(Kernel *, double t, const double *x, bool of_velocities, Problem *);
void give_limits(const Item *, Switched *);
void spread(const Kernel *, const Problem *, double *z); /* the solution by unknown of all loops */

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
