/* What is generated of a mechanism for the kernel: the rows that the system is built from there, and what they are to the mechanism. */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include "kernel/rows.h"

#if defined(__ELF__)
#pragma GCC visibility push(hidden)
#endif

typedef struct {
    Rows rows;
    const int *input;              /* by drive: the number of the input that it is; NONE for a table */
    const int *multipliers;        /* by loop: how many of its unknowns an importer may be given to solve for; they are the first */
    const unsigned *slot_variable; /* the mechanism's reference of what a slot keeps */
} Schedule;

extern const Schedule schedule;

#if defined(__ELF__)
#pragma GCC visibility pop
#endif

#endif
