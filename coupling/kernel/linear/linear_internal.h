/* The internals of the linear equations, shared by their files.
 *
 * Elimination goes row by row, with the sequence of pivots of the time before. All functions see the equilibrated matrix R A C, whose
 * rows and columns have greatest entries of 1. A pivot is thus small or not by itself, whatever the units. The sequence of pivots, the
 * pattern of the factors and the place of every operand are found once. They serve until a pivot becomes too small or the factors grow;
 * then they are found anew.
 *
 * A semidefinite matrix takes its diagonal in the given order, always. There, and in any other matrix where no greater pivot is left, a
 * small pivot is called weak and has 1 added. So factorised is B = A + E F' (the formula of Sherman, Morrison and Woodbury). E and F are
 * the unit vectors of the weak rows and columns. With V = inv(B) E and W = inv(B)' F, A V = E S and W' A = S F'. S = I - F' V is the
 * capacitance matrix. Where S is nothing, V is a base of the null space and W of the left one. b is freed of its part along W; then x =
 * inv(B) b solves the equations, and is freed of its part along V. Where S is regular, x = inv(B) b + V z with S z = W' b is exact. S is
 * factorised too. As each of its pivots grows, the first case passes smoothly into the second, by a filter factor as in Tikhonov's
 * regularisation. A mechanism may thus go through a singular pose. */
#ifndef KERNEL_LINEAR_INTERNAL_H
#define KERNEL_LINEAR_INTERNAL_H

#include "linear/linear.h"
#include "platform/grown.h"

#include <stddef.h>

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

/* A pivot is 1 where its row owes nothing to those before. Below WEAK it is weak; where there are a FEW such, all that are not SOUND join
 * them, which keeps V and W small. Where redundancy has been decided otherwise, only rounding is weak. */
static const double SOUND = 1e-3, WEAK = 1e-7, ROUNDING = 1e-15;
enum { FEW = 32, MOST_STORED = 1 << 29 };

typedef enum { UNKNOWNS, EQUATIONS } Side;
typedef enum { CHOSEN, UNSUITED, NO_MEMORY } Choice;

/* The joints: their rows in the order of elimination, and the lower triangles of their own blocks of A. The triangles are places in the
 * pattern, row by row, -1 where it has none. */
typedef struct {
    const int *joint, *cycle; /* by unknown */
    int joints, cycles;
    int *first, *member, *first_entry, *entry;
    double *block;
    double *share, *peak; /* by unknown, share of its joint's own block left of a pivot, and the greatest so far of the whole joint */
    double *ample; /* share of the diagonal by unknown; if all pivots have a greater one, all are trusted */
    double sigma2, all, *added; /* all: of every cycle at least; added: by cycle, its part in the last factorisation */
    /* Truths by unknown, damps by cycle; weak: in the last factorisation, without being redundant. */
    bool exposed, decided, reconsidered, *redundant, *weak, *damps;
    int redundancies, passing, damped;
    const double *values; /* values of the last factorisation */
    double *sum, *left, *base;
    size_t base_room;
    int base_count; /* -1 before they are computed */
} Cycles;

struct Linear {
    int count;
    int *row_start, *column, *order;
    int *diagonal, *mirror; /* a row's entry in the diagonal, or -1; the entry across the diagonal */
    bool symmetric_pattern, chosen, factorised;
    double *row_scale, *column_scale, *scale; /* scale: of an entry */

    /* The sequence of pivots. position: of a column, -1 before it has one. least: below which size a pivot is not accepted. */
    bool definite;
    int *row_at, *column_at, *position;
    double *inverse, *least;

    /* The factors. A row has its part before the pivot, then from `upper` on the pivot and its part after it. Neither is divided by
     * pivots. at: the positions of their columns; place: where the entries of A go; target: where the products go, in the order in
     * which they are computed. */
    int *start, *upper, *at, *place, *target;
    double *factor;
    size_t at_room, factor_room, target_room;

    /* weak_at: the positions of the weak pivots, those below the floor. S has the order `size` and is kept as L D U with `rank`
     * pivots; row and column say which of the weak ones belong to each. filter: how far what a pivot determines counts, from 0 to infinity.
     * length: of its base vectors on either side, or nearly. */
    double floor;
    int weak, size, rank, deficiency;
    int *weak_at, *weak_row, *weak_column;
    double *block, *filter, *length[2];
    size_t block_room;
    double *pivot;    /* pivots of a definite matrix, before 1 was added to them */
    Cycles *cycles; /* null without constraints */

    int *mark, *list, *heap, *waiting;
    double *y, *image, *other;                     /* vectors by position; by unknown or equation */
    double *along, *weights, *coefficient, *prior; /* values by weak pivot */
    double *gradient, *direction, *preconditioner, *damping, *damping_residual;
};

/* vectors.c */
double linear_square(const double *, int count);

/* Vectors in the order of positions, in `y`, and as they come from outside. */
void linear_load(const Linear *, Side, const double *);
void linear_store(const Linear *, Side, double *);

/* equilibrate.c */
bool linear_scale_by_diagonal(Linear *, const double *values); /* false where it is not semidefinite */
void linear_scale_by_sweeps(Linear *, const double *values);

/* pivots.c */
Choice linear_choose_pivots(Linear *, const double *values, bool definite);
bool linear_arrange(Linear *); /* false where memory lacks */
bool linear_trace(Linear *);   /* the same */

/* damping.c */
void linear_free_damping(Linear *);
void linear_begin_damping(Linear *);                        /* on the cycles of redundant rows */
bool linear_find_weak(Linear *, const double *values);      /* cycles to be damped besides; whether there are any */
void linear_add_damping(const Linear *, const double *values);
bool linear_counts(const Linear *, int row); /* says whether its pivot counts however small: in no cycle, decided, or damped */

/* lu.c */
bool linear_eliminate(Linear *, const double *values); /* false where the sequence does not suit the values */
void linear_apply(const Linear *, double *restrict y); /* inv(B) */
void linear_apply_transposed(const Linear *, double *restrict y);

/* capacitance.c: sums of base vectors, V inv(U) or W inv(L)', and products with these */
void linear_combine(Linear *, Side, const double *along, double *vector);
void linear_project(Linear *, Side, const double *vector, double *along);
bool linear_factorise_block(Linear *, const double *values); /* S, and what each of its pivots is worth; false where memory lacks */

/* solve.c */
void linear_damped_extent(Linear *, double *unknowns, double *equations); /* gets the shares of linear_undetermined, of what is damped */

/* least_squares.c */
void linear_least_squares(Linear *, Side, double *vector, const double *prior);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
