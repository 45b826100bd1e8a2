/* The methods of integration inside a Co-Simulation step, and what all of them need. */
#ifndef METHOD_H
#define METHOD_H

#include "runtime.h"

#if defined(__ELF__)
#pragma GCC visibility push(hidden)
#endif

/* One internal step. */
typedef struct {
    double time, size, end;
} Span;

typedef struct {
    Status status; /* other than OK: the step fails, whatever its size, and this has been reported */
    bool accepted;
    double factor; /* by which the size may grow, or must shrink */
} Trial;

struct Method {
    Implicit *(*memory)(unsigned states);                              /* what an instance needs beside its own arrays; NULL where that is nothing */
    Trial (*attempt)(Instance *, const Step *, Span);       /* a step from x to x_next */
    void (*between)(const Instance *, double f, double *x); /* the states at the fraction f < 1 of the last accepted step */
    void (*restart)(Instance *, bool event);                /* a communication step begins, or continues after an event */
    bool exact_between;                                     /* those states are as exact as the ones at the end */
};

extern const Method explicit_method; /* explicit.c */

/* method.c */
void place(Instance *, const Step *, double time, const double *x);
bool slopes(Instance *, double *derivatives);

/* locate.c */
bool is_implicit(const Instance *);
const Method *method_of(const Instance *);
void place_between(Instance *, const Step *, Span, double f); /* at a fraction of an accepted step */
double locate(Instance *, const Step *, Span); /* the earliest fraction just after which a relation has changed, or 2 where none does */

#if defined(__ELF__)
#pragma GCC visibility pop
#endif

#endif
