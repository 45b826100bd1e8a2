/* Constraints taken one after the other (Dinh Van Phong, Successive algorithm for construction of equation of motion of constrained
 * mechanical systems, 2001), as the rows of a Cholesky factor: each adds one row to it, and what is left of its mobility is its pivot. */
#ifndef KERNEL_SUCCESSIVE_H
#define KERNEL_SUCCESSIVE_H

#include <stdbool.h>

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

/* S, G and V of some constraints, all by rows of constraints: S = G V. Without V, null and no coordinates, what is redundant is seen from S
 * alone, and no better than to the root of rounding. group: of each coordinate, as in rank.h. */
typedef struct {
    int count, coordinates, groups;
    const double *equations, *residual; /* residual: with all multipliers 0 */
    const double *gradient, *mobility;
    const int *group;
    const int *order; /* null: that which is most independent of those before comes next */
    /* The results by constraint. place: number in the sequence; delta: rest of its mobility; sine: its share in the mobility; own: its
     * own multiplier. redundant: it repeats others; repeats: by how much of each (by rows); misfit: by how much it contradicts them.
     * stage: by place in the sequence, the multipliers of all constraints that have been taken. */
    int *place;
    double *delta, *sine, *own, *misfit, *repeats, *stage;
    bool *redundant;
} Succession;

int successive_take(Succession *); /* -1 where memory lacks, otherwise 0 */

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
