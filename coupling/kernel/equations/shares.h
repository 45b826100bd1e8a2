/* Shares of the load of constraints that repeat each other. */
#ifndef KERNEL_FUSED_SHARES_H
#define KERNEL_FUSED_SHARES_H

#include "system/kernel_internal.h"

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

/* Memory for each loop, made at the first use. */
typedef struct Shares Shares;

/* Turns the unknowns of loops, whose entries are in their places and of which some have been left out, into those of least length that bring about the
 * same motion. False where memory lacks, or an entry is not finite. */
bool share_loads(Kernel *, Shares **, const int *left_out);
void free_shares(const Kernel *, Shares *);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
