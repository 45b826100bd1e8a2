/* Exact derivatives of a fused system, by code of its own: of [f, r, positions, velocities], the derivatives of states, the residuals of loops
 * and the levels of constraints, by [x, z], the states and the unknowns. */
#ifndef KERNEL_FUSED_SLOPES_H
#define KERNEL_FUSED_SLOPES_H

#include "equations/fused.h"

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

/* open_loops.py in fused/ has the same: the first `given` numbers of the workspace are those of an evaluation's. */
typedef struct {
    TapeFunction run;
    const void *code;
    const double *initial;
    int size, given, unknowns, count;
    const int *row, *column, *slot; /* slot: that of the number, or of its opposite */
} SlopeRows;

typedef struct Slopes Slopes;

/* Sets slopes for a kernel that has fused code, with which they end. The data that the rows refer to have to outlive the kernel. Returns
 * -1 where memory lacks. */
int kernel_set_slopes(struct Kernel *, const SlopeRows *);

/* Entries in their order, at the time, the states and the unknowns that the slots have. */
int kernel_slopes(struct Kernel *, double *values);

/* The derivatives of what a solver integrates by its states, column by column, after an evaluation: through the unknowns, and where states are
 * projected through that. */
int kernel_state_jacobian(struct Kernel *, double *columns);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
