/* Generated data of a mechanism for the kernel: the rows of the system, and their meaning in the mechanism. */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include "kernel/equations/fused.h"

#include <stdbool.h>

#if defined(__ELF__)
#pragma GCC visibility push(hidden)
#endif

/* Functions that choose the modes of joints whose constraints depend on them. A function that returns false leaves a sentence in
 * `system_reason`. fell: by joint; chosen: whether anything may have changed, and jumped: states. */
struct System;
typedef struct {
    bool (*begin)(struct System *);
    void (*restore)(struct System *); /* all values have been set anew */
    bool (*choose)(struct System *, double t, double *x, const bool *fell, bool *chosen, bool *jumped);
} Chooser;

extern const Chooser chooser;

/* Derivatives by equations in place of the components. derive: false where these have to be asked. */
typedef struct {
    bool (*begin)(struct System *);
    void (*end)(struct System *);
    bool (*derive)(struct System *, double t, const double *x, double *dx);
} Fusing;

extern const Fusing fusing;

/* Start values of the workspace; other slots hold no number. */
typedef struct {
    int slot;
    double value;
} Constant;

typedef struct {
    const Fusing *fusing;
    FusedRows rows; /* except `initial` */
    int constants;
    const Constant *constant;
} Equations;

extern const Equations equations;

typedef struct {
    Rows rows; /* without tables, and each real number once */
    const unsigned char *packed; /* which of these the pool has, the tables in the order of unpacked.c, and which variable a slot keeps */
    int packed_numbers, numbers, reals; /* all whole numbers, and those of the pools */
    const int *input;              /* by drive: the number of the input that it is; NONE for a table */
    const int *multipliers;        /* by loop: how many of its unknowns an importer may be given to solve for; they are the first */
    const Chooser *chooser;        /* null where there are no such joints */
    const double *size;            /* of states and constraints, as kernel_set_sizes takes them; null where all are 1 */
    const double *switched_size;   /* what multiplies tolerances, by switched row */
    double rest;                   /* impacts at a lower speed are plastic */
    const Equations *equations;    /* null where the components are evaluated */
} Schedule;

extern const Schedule schedule;

#if defined(__ELF__)
#pragma GCC visibility pop
#endif

#endif
