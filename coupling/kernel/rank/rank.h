/* The decision which constraints repeat others, made where all of them hold.
 *
 * G are the rows of the constraints, and V = inv(M) G' the motions by each of their forces. Both come from a pose that has been projected
 * onto the constraints. There, a row that repeats others does so to rounding. On a pose that violates them by e it does so to e, and looks
 * like a row that is merely near to others.
 *
 * S = G V is equilibrated joint by joint, which is blind to units and to thin bodies, and eliminated by pivots of falling size. A row
 * whose pivot is small is a candidate, no more: light bodies between heavy ones have small pivots too. The criterion is eta = |V_i - sum
 * c_j V_j| against the sum of its terms, by group of coordinates. c is refined until rounding is left. It depends neither on masses nor
 * on units nor on lengths. Nothing here depends on the tolerance of an integration. */
#ifndef KERNEL_RANK_H
#define KERNEL_RANK_H

#include <stdbool.h>

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

/* Rows of constraints in compressed form. A group is a set of coordinates that share a unit and a body: its translation, its rotation. */
typedef struct {
    int rows, coordinates, joints, groups;
    const int *joint;                               /* joint of each row */
    const int *group;                               /* group of each coordinate */
    const int *gradient_start, *gradient_column;    /* G by rows */
    const double *gradient;
    const int *mobility_start, *mobility_column;    /* V by the same rows */
    const double *mobility;
} Constraints;

typedef enum {
    RANK_ACTIVE,
    RANK_BADLY_SCALED, /* independent of the others, with a pivot near rounding: masses, or a singular pose nearby */
    RANK_REDUNDANT     /* repeats others */
} RankStatus;

typedef enum { RANK_DECIDED, RANK_NO_MEMORY, RANK_NOT_FINITE } RankOutcome;

/* A relation is a combination of rows that vanishes: sum of factor times row. Rows that have less than RANK_NAMED of the terms in every
 * group are left out. */
typedef struct {
    int row, count; /* the redundant row, itself among the members */
    int *member;
    double *factor;
} Relation;

typedef struct {
    int rows, redundant, badly_scaled;
    RankStatus *status;
    double *pivot; /* own share of each row's equilibrated S: from 1 down; about 0 for a redundant row */
    double *eta;   /* eta of candidates; 1 for all others */
    int *light, *heavy;                       /* groups of badly scaled rows that give the most of S and of the pivot; else -1 */
    double *light_mobility, *heavy_mobility;  /* the inverse masses, or inverse moments of inertia, by which these groups are moved */
    Relation *relation;                       /* one of each redundant row */
} Rank;

/* A pivot below makes a row a candidate. */
#define RANK_CANDIDATE 1e-6
/* eta of a redundant row: rounding leaves at most 3e-16, a row of its own has 4e-3, or about the distance to a singular pose. */
#define RANK_REPEATS 1e-10
/* Share of the terms of a relation below which a part is rounding. */
#define RANK_NAMED 1e-9

RankOutcome rank_decide(const Constraints *, Rank **); /* sets null unless decided */
void rank_free(Rank *);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
