/* All that the state of a run is, in one walk that counts it, saves it and loads it: what is saved cannot differ from what is loaded. A run
 * that begins as the saved one did, and loads its state, goes on with the same bits. */
#ifndef KERNEL_VISIT_H
#define KERNEL_VISIT_H

#include "system/kernel_internal.h"

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

typedef enum { COUNTING, SAVING, LOADING } VisitMode;
typedef enum {
    VISITED,
    VISIT_FMU_FAILED, /* `instance` of the kernel */
    VISIT_NO_MEMORY,
    VISIT_MISFIT /* what is to be loaded is the state of another system, or of another kernel */
} VisitResult;

typedef struct Visit {
    VisitMode mode;
    unsigned char *bytes;
    size_t at, size;
    VisitResult result; /* once it is not VISITED, nothing is done any more */
    int instance;
    const unsigned char *restarted; /* by instance: its own state is left out; null: none is */
} Visit;

/* visit.c: bytes without pointers in them, each with its length before it. */
void visit(Visit *, void *what, size_t size);
/* What has to be the same in the run that loads: the number itself is not changed. */
void visit_same(Visit *, long number);
void *visit_array(Visit *, void *array, size_t *room, size_t count, size_t size); /* of one that grows: where it is now */

unsigned char *visit_room(Visit *, size_t size); /* where so many bytes come next; null where there is nothing to copy */

#define VISIT(v, what) visit((v), &(what), sizeof(what))
/* Members one after the other, none of them a pointer, so that what is added between them is not forgotten. */
#define VISIT_FROM_TO(v, of, first, last)                                                                                                \
    visit((v), &(of)->first, (size_t)((unsigned char *)(&(of)->last + 1) - (unsigned char *)&(of)->first))

struct Index3;

/* By the files that know what is inside. */
void linear_visit(Linear *, Visit *, const double *values, const double *other); /* from which it was factorised, one or the other; linear_visit.c */
void run_visit(Kernel *, Visit *);                                              /* run.c */
void course_visit(Kernel *, Visit *);                                           /* points.c */
void index3_visit(struct Index3 *, Visit *);                                    /* state.c */
void changes_visit(Kernel *, Visit *);                                          /* changes.c */
void record_visit(Kernel *, Visit *);                                           /* record.c */
size_t saved_size(const Kernel *);                                              /* saving.c: numbers of a point to which a co-simulation can return */

/* state.c: `size` is that of the bytes, which counting tells; `instance` that of which a FMU failed; `restarted` as in Visit. A VisitResult. */
int kernel_visit(Kernel *, int mode, unsigned char *bytes, size_t *size, int *instance, const unsigned char *restarted);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
