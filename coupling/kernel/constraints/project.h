/* States on the constraints: declarations that several files share.
 *
 * project.c projects at the end of a step, and in rows between steps. project_fully.c projects at starts and events. projected.c has the
 * projected right-hand side of CVODE, IDA and SciPy. decide.c finds redundant constraints. bordered.c serves the steps of index3 alone. */
#ifndef KERNEL_PROJECT_H
#define KERNEL_PROJECT_H

#include "system/kernel_internal.h"

#include <string.h>

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

enum { MOST_READINGS = 5 };

/* The share of a violation that a correction of the last steps left. */
typedef struct {
    double rate, from; /* rate: share that was left; from: size of the violation */
    int seen, trusted; /* numbers of readings, and of corrections without one since */
} Contraction;

enum { VELOCITIES, POSITIONS, LEVELS };

/* The constraints that there are at one level: where they are read, and their unknowns' numbers among those of all loops. */
typedef struct {
    int count, *constraint, *slot, *unknown;
} Listed;

typedef struct Projection {
    int count, motions, turns, unknowns;
    const ConstraintRow *constraint;
    const MotionRow *motion;
    const TurnRow *turn;
    const int *group; /* body and unit of each state */
    int *position_of; /* the state whose rate a state is, or -1 */
    int *turn_of;     /* three times the quaternion that a state turns, and the axis; or -1 */
    int *moving, moving_count; /* the states that are moved, of all loops one after the other */
    int *shifted;              /* position that goes with each moved state, or -1 */
    int *sized, sized_count;   /* the positions of these; the size of what is turned is 1 */
    bool turning;
    Listed level[LEVELS];
    double *turned;   /* rotation that is not yet part of each quaternion, by axis */
    double *right, *before, *trial, *rest; /* values by unknown, by state, by state, by constraint */
    /* The worst scaled row of the last decision of rank, as two states whose bodies are far from each other in mass. */
    int light, heavy;
    double ratio, pivot;
    Contraction contraction[MOST_READINGS]; /* contractions of each correction in a step */
} Projection;

/* The greatest in units of what is exact, where lengths are seen against the greatest position and rates against the greatest velocity of
 * all that is moved. */
typedef struct {
    double position, velocity;
} Violation;

/* project.c */
int read_constraints(Kernel *, const double *x);
static inline bool in_force(const Kernel *k, const ConstraintRow *c)
{
    const Loop *l = &k->loops[c->loop];
    return !l->off[c->unknown] && !l->lawful[c->unknown];
}
static inline bool all_in_force(const Kernel *k) /* the usual case */
{
    const bool *const off = k->off;
    return !memchr(off, true, 2 * (size_t)(k->loops->lawful - off)); /* these come after all that are off */
}
double violation(const Kernel *, const double *x, bool positions); /* the one that was read last, in units of what is exact; 0 where it is no more */
void correct(Kernel *, int loop, const double *violated, bool positions, double *x); /* violated: by slot */
static inline bool has_position(const Projection *p, int velocity)
{
    return p->position_of[velocity] >= 0 || p->turn_of[velocity] >= 0;
}
static inline void move_position(Projection *p, int velocity, double by, double *x) /* quaternions are turned by turn_all */
{
    if (p->position_of[velocity] >= 0)
        x[p->position_of[velocity]] += by;
    else if (p->turn_of[velocity] >= 0)
        p->turned[p->turn_of[velocity]] += by;
}
void turn_all(Projection *, double *x);

/* project_fully.c */
int project_positions(Kernel *, double t, double *x, bool *holds);
int linearise_constraints(Kernel *, double t, const double *x); /* V and the factors of S at some states */

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
