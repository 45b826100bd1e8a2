#ifndef KERNEL_SANDBOX_H
#define KERNEL_SANDBOX_H

#include <stddef.h>

/* A process denies itself what an FMU does not need: files outside of its folder, the network, other programs and processes. Each list of paths ends with a
 * null. Both functions return 0, or another number and a sentence that says why not. */

int sandbox_lacks(char *problem, size_t size); /* gets what the system lacks */

/* Enters the sandbox for good, also for threads that are made later. `readable`: folders beyond the libraries of the system; `writable`:
 * readable as well. */
int sandbox_enter(const char *const *readable, const char *const *writable, char *problem, size_t size);

/* The same for a compiler, which may start the programs of the system and those in readable folders. */
int sandbox_enter_compiler(const char *const *readable, const char *const *writable, char *problem, size_t size);

#endif
