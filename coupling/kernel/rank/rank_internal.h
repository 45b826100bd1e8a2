/* The internals of the decision about rank, shared by its files. */
#ifndef KERNEL_RANK_INTERNAL_H
#define KERNEL_RANK_INTERNAL_H

#include "platform/entries.h"
#include "rank/rank.h"

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

/* A joint's own S is D L L' D; its rows are multiplied by inv(L) inv(D). */
typedef struct {
    int count, *row;
    double *root, *lower; /* the diagonal of D; L by rows */
} Joint;

typedef struct {
    Arena memory;
    const Constraints *given;
    int rows;
    Joint *joint;
    int *place;                   /* place of each row in its joint */
    Entries *gradient, *mobility; /* equilibrated, by rows */
    Entries *size;                /* the lengths of V by rows and groups */
    double *most;                 /* greatest of these lengths by group; infinite where all that moves it is rounding */

    /* The base. lower: by pivot, what it takes from others, by row. */
    bool *excluded;
    int base, *pivot_row;
    double *pivot;
    Entries *lower;

    /* The rows that joined, with their coefficients by row. */
    int joined, *joined_row;
    Entries *coefficient;
    double *joined_pivot;

    /* The row being judged: c by row, the rest of G and V by coordinate; values by group. */
    double *c, *left_gradient, *left_mobility, *solution, *terms, *length, *work, eta, own;
    bool *counts; /* truths by group: more than rounding moves it */
} Decision;

/* A decision, with its memory. */
typedef struct {
    Rank rank;
    Arena memory;
} Owned;

/* RANK_NEAR: share of the greatest that is as good as the greatest. Others: coefficients that are rounding; groups that only such rows
 * move do not count. */
#define RANK_NEAR 0.1
#define RANK_NOISE 1e-13
#define RANK_NOTHING 1e-26
#define RANK_STILL 1e-20

/* rank_rows.c: the rows, equilibrated joint by joint. Null with the reason if none exist. */
Decision *rank_prepare(const Constraints *, RankOutcome *);
void rank_release(Decision *);
/* Converts shares of equilibrated rows to those of the given rows; factors are these by roots of S. */
void rank_to_given_rows(const Decision *, double *share);
double rank_root_of_row(const Decision *, int row);

/* rank_base.c */
bool rank_eliminate(Decision *);              /* finds the base; false where memory lacks */
void rank_solve(const Decision *, double *y); /* solves by the active rows: y becomes inv(S) y, and is zero in all other rows */
int rank_uncover(Decision *);                 /* excludes rows in which a small singular value hides, and counts them */

/* rank_relations.c: false where memory lacks. `repeats` says which equilibrated rows do. */
bool rank_relate(Decision *, Owned *, const bool *repeats);

/* rank_judge.c */
void rank_judge(Decision *, int row);    /* finds c, eta and the own pivot of a row that is not active */
bool rank_join(Decision *, int row);     /* the row judged last becomes active; false where memory lacks */
void rank_subtract(Decision *, int row); /* makes the rest of a row's G and V after its c times the active rows */
int rank_greatest_group(Decision *, double *mobility); /* group that gives the most of their product; mobility: by how much it is moved */
void rank_forget_terms(Decision *);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
