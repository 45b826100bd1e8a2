/* Points to which a co-simulation can return, in a walk over the state of a run. */
#ifndef KERNEL_SAVING_H
#define KERNEL_SAVING_H

#include "platform/visit.h"
#include "system/kernel_internal.h"

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

size_t saved_size(const Kernel *); /* numbers of such a point */
void course_visit(Kernel *, Visit *);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
