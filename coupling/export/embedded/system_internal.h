/* Declarations that the files of the system share. */
#ifndef SYSTEM_INTERNAL_H
#define SYSTEM_INTERNAL_H

#include "system.h"

#include "kernel/equations/fused.h"
#include "kernel/system/kernel_internal.h"

#if defined(__ELF__)
#pragma GCC visibility push(hidden)
#endif

struct System {
    Kernel *kernel;
    Rows schedule;
    void *unpacked; /* its rows */
    const unsigned *slot_variable; /* the mechanism's reference of what a slot keeps */
    Instance *instances;
    Naming naming;
    const void *context;
    double *found; /* the unknowns of all loops where they were last found */
    double *tangent, *right;
    int unknowns, until_verified;
    bool moved;  /* inputs within loops are not where they begin */
    bool linear; /* the loops' Jacobians are those of the present point */
    bool returning; /* derivatives are those at the projected states, and draw states after these */
    char sentence[512], redundancy[512];
    FusedRows rows; /* of the kernel's fused code */
    bool refuted;   /* the components have said otherwise */
    struct Index3 *steps; /* of fixed size; null where none are taken */
    void (*free_steps)(System *);
};

/* unpacked.c */
bool unpack(System *); /* false where memory lacks */

/* parts.c */
extern const Library library_of_parts;

/* system.c */
void describe_failure(System *); /* of the kernel, as the sentence */
bool system_ended(System *, int status); /* an evaluation: what was found is kept, or found again */

#if defined(__ELF__)
#pragma GCC visibility pop
#endif

#endif
