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

/* A semidefinite matrix may lose a rank in passing: what a pivot determines is not believed where no more than this share is left of
 * the greatest that the pivot has been. 0 at first. The right sides of a mechanism near such a pose are inexact, by its drift, and
 * what is exact in them there is small. */
void linear_set_lost_share(Linear *, double share);

/* How many pivots of the last factorisation are so small that the solution is sensitive to rounding. */
int linear_weak(const Linear *);

/* Whether every rank that is missing was there before. */
bool linear_passing(const Linear *);

/* Solves with the last factorisation: b becomes x; not a number where that failed. */
void linear_solve(Linear *, double *b);

/* After a factorisation that fell short: to which extent each unknown takes part in what A leaves undetermined, and each equation
 * in what is redundant: 0 is not at all, 1 entirely. It is the length that a unit vector keeps when projected onto the null space;
 * an estimate where the rank falls short by more than 32. Returns -1 where memory lacks, otherwise 0. */
int linear_undetermined(Linear *, double *unknowns, double *equations);

/* How many numbers the factors hold; 0 without a factorisation. */
int linear_stored(const Linear *);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
