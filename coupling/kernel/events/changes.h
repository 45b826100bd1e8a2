/* Constraints that come into force and go, in a walk over the state of a run. */
#ifndef KERNEL_CHANGES_H
#define KERNEL_CHANGES_H

#include "platform/visit.h"
#include "system/kernel_internal.h"

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

void changes_visit(Kernel *, Visit *);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
