/* All that the state of a run is, in one walk that counts it, saves it and loads it: what is saved cannot differ from what is loaded. A run
 * that begins as the saved one did, and loads its state, goes on with the same bits. */
#ifndef KERNEL_VISIT_H
#define KERNEL_VISIT_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

typedef enum { COUNTING, SAVING, LOADING } VisitMode;
typedef enum {
    VISITED,
    VISIT_FMU_FAILED, /* `instance` of the kernel */
    VISIT_NO_MEMORY,
    VISIT_MISFIT /* the bytes are the state of another system, or of another kernel */
} VisitResult;

typedef struct Visit {
    VisitMode mode;
    unsigned char *bytes;
    size_t at, size;
    VisitResult result; /* once it is not VISITED, nothing is done any more */
    int instance;
    const unsigned char *restarted; /* truths by instance: its own state is left out; null: none is */
} Visit;

/* visit.c: bytes without pointers in them, each with its length before it. */
void visit(Visit *, void *what, size_t size);
/* Checks a number that has to be the same in the run that loads; it is not changed. */
void visit_same(Visit *, long number);
void visit_doubles(Visit *, double *numbers, int count);
void *visit_array(Visit *, void *array, size_t *room, size_t count, size_t size); /* visits an array that grows; returns where it is now */

/* Checks of what was just loaded, which a file may have made up: before anything is read by it. A result of false means that the walk has failed, now or
 * before; in other modes than LOADING nothing is compared. */
bool visit_check(Visit *, bool holds);
bool visit_within(Visit *, const int *numbers, size_t count, int low, int high);
bool visit_truths(Visit *, const void *truths, size_t count); /* each is 0 or 1 */
bool visit_equal(Visit *, const void *what, size_t size);     /* compares bytes that no run changes; they are not loaded */

/* Members one after the other that are all numbers of type int, or all truths. */
#define VISIT_WITHIN(v, of, first, last, low, high)                                                                                      \
    visit_within((v), &(of)->first, (size_t)(&(of)->last + 1 - &(of)->first), (low), (high))
#define VISIT_TRUTHS(v, of, first, last) visit_truths((v), &(of)->first, (size_t)(&(of)->last + 1 - &(of)->first))

unsigned char *visit_room(Visit *, size_t size); /* place of the next bytes; null where there is nothing to copy */

#define VISIT(v, what) visit((v), &(what), sizeof(what))
/* Members one after the other, none of them a pointer, so that what is added between them is not forgotten. */
#define VISIT_FROM_TO(v, of, first, last)                                                                                                \
    visit((v), &(of)->first, (size_t)((unsigned char *)(&(of)->last + 1) - (unsigned char *)&(of)->first))

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
