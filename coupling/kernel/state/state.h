/* The walk over all that the state of a run is. */
#ifndef KERNEL_STATE_H
#define KERNEL_STATE_H

#include "platform/visit.h"
#include "system/kernel_internal.h"

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

/* `size` is the number of bytes, which a counting visit finds; `instance` that of which a FMU failed; `restarted` as in Visit. A
 * VisitResult. */
int kernel_visit(Kernel *, int mode, unsigned char *bytes, size_t *size, int *instance, const unsigned char *restarted);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
