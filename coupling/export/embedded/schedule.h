/* What is generated of a mechanism for the kernel: the calls that build the system there, as rows of numbers. An array is given by the
 * place where it begins in one of two pools; NONE where there is none. */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#if defined(__ELF__)
#pragma GCC visibility push(hidden)
#endif

enum { NONE = -1 };

typedef struct {
    int list, loop, kind, index, count, first, references, places, source_start, source;
} OperationRow;

typedef struct {
    int loop, kind, part, at_events, unknowns, unknown, knowns, known, seed, first, unknown_slot, known_slot;
    double nominal;
} DerivativeRow;

typedef struct {
    int unknowns, first, residual_start, residual_slot, residual_factor;
    int first_sum, sums, sum_start, sum_factor, left, right, row_start, column, order;
    int first_row, always, inner, last, moved, target, row, middle, factor, term, slot; /* of its shortcut; first_row is NONE without */
    int multipliers; /* how many of its unknowns an importer may be given to solve for; they are the first */
} LoopRow;

typedef struct {
    int input; /* its number; NONE for a table */
    int points, times, values;
} DriveRow;

typedef struct {
    int slots, drives, loops, operations, derivatives;
    const DriveRow *drive;
    const LoopRow *loop;
    const OperationRow *operation;
    const DerivativeRow *derivative;
    int derivative_slot;
    const int *number;           /* the pools */
    const double *real;
    const unsigned *slot_variable; /* the mechanism's reference of what a slot keeps */
} Schedule;

extern const Schedule schedule;

#if defined(__ELF__)
#pragma GCC visibility pop
#endif

#endif
