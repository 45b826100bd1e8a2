/* A system's own equations as one function of time and states, in place of the calls of its instances.
 *
 * All functions work on one workspace of doubles, whose places are slots. An evaluation has three stages: everything that does not
 * depend on the unknowns of loops, the unknowns by a factorisation in a fixed order, and what follows from them. The one in the middle
 * gives way to the general equations wherever these would do more than eliminate: the entries and right sides are in the workspace. */
#ifndef KERNEL_FUSED_H
#define KERNEL_FUSED_H

#include "rows/rows.h"
#include "rows/slots.h"
#include "tapes/tape.h"

#include <stdbool.h>

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

struct Kernel;

/* PREPARE_STAGE: what depends on values alone that change at events only. READING_STAGE: constraints, by states of their own. INDICATING_STAGE:
 * event indicators, after an evaluation. GIVING_STAGE: what FMUs are fed with whose equations are not known, before anything else that is no setting.
 * CORRECTING_STAGE: what violations of constraints move states by, with the factors of SOLVE_STAGE. */
enum { PREPARE_STAGE, BEFORE_STAGE, SOLVE_STAGE, AFTER_STAGE, READING_STAGE, INDICATING_STAGE, GIVING_STAGE, CORRECTING_STAGE, FUSED_STAGES };

/* The kinds of orders of pivots. DEFINITE_ORDER and DIAGONAL_ORDER are the order of the loop, on the diagonal, of definite equations and
 * of others. OTHER_ORDER is another order. ALONE_ORDER, in all loops, is an order of other equations than the general ones, whose
 * entries and right sides do not exist. */
enum { DEFINITE_ORDER, DIAGONAL_ORDER, OTHER_ORDER, ALONE_ORDER };

/* Slots of values that are got from an instance: `count` from `first` on. */
typedef struct {
    int part, type, count, first, references; /* references: place in `number` */
} FusedReading;

/* fused.py has the same fields in the same order. Arrays of slots are by the kernel's numbers. Unknowns are those of all loops,
 * one loop after the other. Slots of arrays are those of slots.h, except unknown, pivot, diagonal and derivative. */
typedef struct {
    TapeFunction stage[FUSED_STAGES]; /* null: there is no such stage */
    const void *code[FUSED_STAGES];
    const double *initial; /* the workspace as it is at first, with its constants */
    int size, x, t, drives, u, readings; /* u: the first of the drives */
    const int *drive;                    /* their numbers in the kernel */
    const FusedReading *reading;
    const int *number;
    const int *entry, *right, *unknown, *pivot, *diagonal, *derivative; /* entry: in the order of the loops' patterns */
    const int *switched;          /* truths by unknown: its equation says that it is 0 where its mode has its constraint not in force */
    const int *left_out;          /* truths by unknown: SOLVE_STAGE has it at 0, since its constraint repeats others; null where none do */
    const int *misfit, *order; /* residual of the solution, and order of pivots, by loop */
    const int *mobility, *correction; /* mobility as that of the loops; correction by loop and state that it moves, after CORRECTING */
    int x_read;          /* the states of READING_STAGE */
    const int *position, *velocity, *indicator; /* slots by constraint, and by indicator */
    const int *called;                          /* truths by instance: its equations are not known */
    const int *leaving, *fed, *arriving;        /* inputs of these, and their places in the kernel; places of their outputs, after drives */
    int calls, leavings, arrivings;             /* calls: whether there are any */
    int violation;                              /* right sides of CORRECTING_STAGE, by unknown */
} FusedRows;

/* handed: evaluations in which the general equations were solved; by_rows: those that the instances were asked for in spite of all. given_up: when an
 * evaluation was not what the instances say, NaN where none was; slot, off and size: which value was off, by how much, and the size of its terms. */
typedef struct {
    long evaluations, handed, by_rows, slot;
    double given_up, off, size;
} FusedReport;

/* Takes the place of the instances from the next evaluation on; null: no more. Data to which the rows refer have to outlive the kernel. */
int kernel_set_fused(struct Kernel *, const FusedRows *);
void kernel_fused_report(const struct Kernel *, FusedReport *);
double *kernel_fused_workspace(const struct Kernel *);

/* Gets values of instances at events, into a workspace; false where an instance refuses. all: also of instances that no event concerns. */
bool fused_get(const struct Kernel *, const FusedReading *, int readings, const int *number, bool all, double *workspace);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
