/* What the files that decide about rank share. */
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
    int *place;                   /* of a row in its joint */
    Entries *gradient, *mobility; /* equilibrated, by rows */
    Entries *size;                /* the lengths of V by rows and groups */
    double *most;                 /* by group, the greatest of these lengths; infinite where all that moves it is rounding */

    /* The base. lower: by pivot, what it takes from others, by row. */
    bool *excluded;
    int base, *pivot_row;
    double *pivot;
    Entries *lower;

    /* What joined, with its coefficients by row. */
    int joined, *joined_row;
    Entries *coefficient;
    double *joined_pivot;

    /* Of the row being judged: c by row, what is left of G and V by coordinate; by group. */
    double *c, *left_gradient, *left_mobility, *solution, *terms, *length, *work, eta, own;
    bool *counts; /* whether a group is moved by more than rounding */
} Decision;

/* What is decided, with its memory. */
typedef struct {
    Rank rank;
    Arena memory;
} Owned;

/* Of the greatest: as good as the greatest. And coefficients that are rounding: groups that only such rows move tell nothing. */
#define RANK_NEAR 0.1
#define RANK_NOISE 1e-13
#define RANK_NOTHING 1e-26
#define RANK_STILL 1e-20

/* rank_rows.c: the rows, equilibrated joint by joint. Null with the reason where there are none. */
Decision *rank_prepare(const Constraints *, RankOutcome *);
void rank_release(Decision *);
void rank_to_given_rows(const Decision *, double *share); /* from equilibrated rows to those as given; factors are these by roots of S */
double rank_root_of_row(const Decision *, int row);

/* rank_base.c */
bool rank_eliminate(Decision *);              /* finds the base; false where memory lacks */
void rank_solve(const Decision *, double *y); /* by the active rows: y becomes inv(S) y, and is zero in all other rows */
int rank_uncover(Decision *);                 /* excludes rows in which a small singular value hides, and counts them */

/* rank_relations.c: false where memory lacks. `repeats` says which equilibrated rows do. */
bool rank_relate(Decision *, Owned *, const bool *repeats);

/* rank_judge.c */
void rank_judge(Decision *, int row);    /* finds c, eta and the own pivot of a row that is not active */
bool rank_join(Decision *, int row);     /* the row judged last becomes active; false where memory lacks */
void rank_subtract(Decision *, int row); /* what is left of a row's G and V after its c times the active rows */
int rank_greatest_group(Decision *, double *mobility); /* that gives the most of their product, and by how much it is moved */
void rank_forget_terms(Decision *);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
