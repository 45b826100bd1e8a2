/* The most bytes that binary variables of FMI 3 may have, as their FMU declares them (maxSize). */
#ifndef KERNEL_SIZE_LIMITS_H
#define KERNEL_SIZE_LIMITS_H

#include "fmi/fmi.h"

typedef struct {
    unsigned reference;
    unsigned most;
    char name[120]; /* for messages; longer names are cut */
} SizeLimit;

typedef struct {
    int count;
    SizeLimit limit[];
} SizeLimits;

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

/* Copies limits, which are listed by rising references; null where memory lacks. */
SizeLimits *size_limits_new(const SizeLimit *, int count);
/* The limit that one of the values exceeds; null where all fit. Values of several references have one element each. */
const SizeLimit *size_limits_exceeded(const SizeLimits *, const Reference *, size_t count, const size_t *size, size_t values, size_t *which);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
