/* A fused system with its loops open, by code of its own: derivatives of states and what each unknown keeps at zero, at given unknowns, and how they
 * follow from states and unknowns. */
#ifndef KERNEL_FUSED_OPEN_H
#define KERNEL_FUSED_OPEN_H

#include "equations/fused.h"

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

/* open_equations.py in fused/ has the same: the first `given` numbers of the workspace are those of an evaluation's. Slots by state, by what
 * bordered equations keep at zero, and by entry of their Jacobian. */
typedef struct {
    TapeFunction values, slopes;
    const void *values_code, *slopes_code;
    const double *initial;
    int size, given, violations, entries;
    const int *derivative, *violation, *entry;
} OpenRows;

/* Sets open equations for a kernel that has fused code, with which they end. The data that the rows refer to have to outlive the kernel.
 * Returns -1 where memory lacks. */
int kernel_set_fused_open(struct Kernel *, const OpenRows *);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
