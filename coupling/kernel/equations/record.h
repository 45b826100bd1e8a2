/* Rows of the record by the equations of what is recorded, given states and unknowns: no instance is called for them. */
#ifndef KERNEL_FUSED_RECORD_H
#define KERNEL_FUSED_RECORD_H

#include "equations/fused.h"

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

/* fused_record.py has the same fields in the same order. The workspace is one of its own, in which states begin at x, drives at u, unknowns at z. */
typedef struct {
    TapeFunction prepare, after; /* stages of values that change at events only, and of all others */
    const void *prepare_code, *after_code;
    const double *initial;
    int size, x, t, u, z, drives, readings, columns;
    const int *drive;
    const FusedReading *reading;
    const int *number;
    const int *column; /* slots by column of the record, as in arrays of slots */
} FusedRecordRows;

/* Makes these compute the rows between events from now on; null: the instances. The data that the rows refer to have to outlive the
 * kernel. */
int kernel_set_fused_record(struct Kernel *, const FusedRecordRows *);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
