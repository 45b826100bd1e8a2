/* Sparse linear equations A x = b whose pattern stays while the values change.
 *
 * Where A has full rank this is an LU factorisation. Where it has not, x is the vector of least length among those that bring A x
 * nearest to b. A singular value counts for what it is from about 2e-11 of its natural size on, and as zero below about 5e-12;
 * in between the solution passes smoothly from one to the other. The natural size is w' |A| v, where w and v are the singular
 * vectors: rows and columns may differ by any factors. */
#ifndef KERNEL_LINEAR_H
#define KERNEL_LINEAR_H

#include <stdbool.h>

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

typedef struct Linear Linear;

/* The pattern in compressed rows, with the columns of each row in ascending order; `order` is the sequence of elimination, a
 * permutation of the unknowns that keeps the factors sparse: it is kept to where A is symmetric and semidefinite, and otherwise as
 * far as pivots allow. Null where memory lacks. */
Linear *linear_new(int count, const int *row_start, const int *column, const int *order);
void linear_free(Linear *);

/* Such a sequence for a pattern, of minimum degree; -1 where memory lacks. */
int linear_order(int count, const int *row_start, const int *column, int *order);

/* Factorises A; the values are in the order of the pattern. Returns by how much the rank falls short (0 as a rule), or -1 where
 * memory lacks or a value is not finite. */
int linear_factorise(Linear *, const double *values);

/* Sets constraints among the equations. joint: number of each unknown's joint, -1 where it has none. cycle: number of its cycle of
 * joints, -1 where it is in none. The arrays stay with the caller. Near a pose where a mechanism loses a rank, its right sides are
 * inexact, by its drift. Where A is semidefinite, weak directions are therefore solved with a damping of sigma^2, which stands on the
 * rows of their cycle alone. The equations are A + sigma^2 D with the joints' own blocks of A in D, in three passes. Returns false where
 * memory lacks. */
bool linear_set_constraints(Linear *, const int *joint, const int *cycle);
void linear_set_damping(Linear *, double rtol); /* sets damping by the tolerance of the run, which its drift follows; none at first */

void linear_damp_all(Linear *, double sigma2); /* whatever their pivots; 0: no more */
void linear_expose(Linear *, bool on);         /* sets whether pivots come out undamped, however small, for decisions */

/* Decides which constraints repeat others. Their cycles are damped always, and unknowns that they leave open get the least length. All
 * other pivots count undamped. Null: undecided again. */
bool linear_decide(Linear *, const bool *redundant); /* returns whether it was undecided before */
void linear_reconsider(Linear *);                     /* undecided until the next decision, since the equations have become others */

/* A pivot is weak where little is left of the greatest that it has been at points which were accepted: this one is. */
void linear_accept(Linear *);
void linear_accept_elsewhere(Linear *, const double *w, const int *entry, const int *pivot); /* the same matrix, definite; slots as in fused.h */
double *linear_peaks(Linear *); /* peaks by unknown, to be saved and restored; null without constraints */
const double *linear_shares(Linear *); /* shares of the last factorisation, undamped; null without constraints */

/* Says whether a definite matrix, eliminated elsewhere in the same order, would be eliminated the same way here. Nothing would then be
 * damped, and no pivot called weak. Slots by unknown, of its diagonal and of the pivots. left_out: number of rows that have been left
 * out there, which have pivots of 1. It is the number of rows that were decided to be redundant, whichever these are. */
bool linear_trusts(const Linear *, const double *w, const int *diagonal, const int *pivot, int left_out);

/* Gets the rows that were decided to be redundant, by unknown; returns their number. */
int linear_redundant(const Linear *, bool *redundant);

/* The same of a matrix that is not definite, eliminated elsewhere in any order: terms are by unknown the sum of the sizes of what its pivot is
 * made of. */
bool linear_trusts_terms(const Linear *, const double *w, const int *terms, const int *pivot);

/* Returns how many pivots of the last factorisation make the solution sensitive to rounding; linear_damped says whether it was damped. */
int linear_weak(const Linear *);
bool linear_damped(const Linear *);

/* Returns how much of the missing rank was there before. */
int linear_passing(const Linear *);

/* Solves with the last factorisation: b becomes x; not a number where that failed. */
void linear_solve(Linear *, double *b);

/* Gets shares after a factorisation that fell short: of each unknown in what A leaves undetermined, and of each equation in what is
 * redundant. 0 is not at all, 1 entirely. A share is the length that a unit vector keeps when projected onto the null space. It is an
 * estimate where the rank falls short by more than 32. Returns -1 where memory lacks, otherwise 0. */
int linear_undetermined(Linear *, double *unknowns, double *equations);

/* Gets how much of each unknown is tied to a decided redundancy, at the last factorisation; all 0 where none was decided. */
void linear_tied(Linear *, int unknown, double *share);

/* Gets in the order of elimination the unknowns, their pivots, and the damping that was added to each as a share of its joint's own block; false
 * without a factorisation. */
bool linear_factors(const Linear *, int *unknown, double *pivot, double *added);

/* Returns how many numbers the factors hold; 0 without a factorisation. */
int linear_stored(const Linear *);

struct Visit;
/* Visits the factors, and one of both matrices from which they were made. */
void linear_visit(Linear *, struct Visit *, const double *values, const double *other);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
