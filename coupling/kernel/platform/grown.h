/* Arrays that grow. */
#ifndef KERNEL_GROWN_H
#define KERNEL_GROWN_H

#include <stddef.h>

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

void *grown(void *array, size_t *room, size_t needed, size_t size); /* moves the array where it has no room for so many */

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
