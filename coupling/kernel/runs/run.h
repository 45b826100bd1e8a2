/* The data that the files of a run in time share: the run itself, and the methods that take its steps. */
#ifndef KERNEL_RUN_H
#define KERNEL_RUN_H

#include "platform/visit.h"
#include "system/kernel_internal.h"

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

/* The history of one way of crossing one indicator. */
typedef struct {
    double last, interval;
    int shrinking;
} Crossing;

/* A method that takes the steps. All functions except `end` return a KernelStatus. */
typedef struct {
    int (*restart)(Kernel *, double t, const double *x); /* begins at a point, or anew after an event, and reads the indicators there */
    int (*step)(Kernel *, double limit, bool *back);     /* moves the run; `back` where it went back to an earlier point instead */
    int (*state)(Kernel *, double t, double *x);         /* within the last step; at rest of those that events concern at least */
    int (*complete)(Kernel *);                           /* after a step without an event */
    void (*end)(Kernel *);
    void (*visit)(Kernel *, Visit *);             /* its own state; null where it begins anew instead */
    int (*go_on)(Kernel *, double limit);         /* sets another limit for the next step; null where each step gets its limit */
    int (*confirm)(Kernel *, bool *back);         /* checks the last step, before the run ends in it; null where each is checked, or none */
    void (*show)(Kernel *, double t);             /* puts recorded values that no instance has into slots; null without such */
    bool evaluates;                               /* a step leaves the instances where it ended */
    int samples;                                  /* samples of the indicators inside a step */
} Method;

typedef struct Run {
    const Method *method;
    struct Explicit *own;      /* data of a Runge-Kutta method */
    const Integrator *outside; /* a method that is called back */
    struct Index3 *index3;     /* data of implicit steps of fixed size */
    double t, t_before, *present; /* time of the run, time at which its last step began, and the state now */
    long steps;
    bool judged;   /* the condition that ends the run was looked at where the run is */
    double margin; /* of that condition, where the run is */
    bool near; /* the limit is so near that there is nothing to integrate */
    const double *output_times;
    long outputs, next_output;
    double start, stop, span, last_event;
    double pause; /* time at which the run waits for what is to happen next */
    double longest; /* the next step */
    double parted;  /* last time at which what was in force contradicted itself */
    int close;
    bool listens; /* an instance wants to hear of every completed step */
    Crossing *crossing; /* crossings by indicator: out of the positive, into it */
    double from, end; /* ends of the interval that is searched for the first event of the last step */
    double t_earlier; /* time at which the step before the last began; NaN after an event */
    double *slope; /* derivatives where indicators are probed */
    double *x, *z, *z_before, *z_middle, *z_earlier; /* indicators at `end`, at `from`, between, at `t_earlier` */
    double *z_inside; /* and at all samples of the last step, with its ends; so many rows fit in */
    int room;
    Bound *bound;
    int bounds;
    const int *angle; /* angles on whose sines indicators may depend: states, and drives as -1 - drive */
    int angles;
    double *angle_before; /* angles where the last step began */
    double *unknowns, *unknowns_before; /* unknowns of all loops, at both ends of the last step */
} Run;

/* run.c */
int begin_run(Kernel *, const Method *, double start, double stop, long outputs, const double *output_times);
int chattering(Kernel *, int indicator, int state);
double run_limit(const Kernel *); /* the end of the next step at the latest: the stop, the pause, or the next time event */

/* run_rows.c */
int record_at(Kernel *, double t, const double *x); /* everything at the present point of the instances, and a row */
int record_event(Kernel *, double t, const double *x);
int record_until(Kernel *, double t); /* the rows that were asked for up to a time within the last step */
void begin_rows(Kernel *);            /* values within the last step follow, which have to be looked at in the order of time */
int values_within(Kernel *, double t, double *values); /* as those of a row, which is not added */

/* until.c: KERNEL_UNTIL where the run has ended */
int until_within(Kernel *, double end, bool *back); /* looks at the condition in the last step, up to a time */
int until_here(Kernel *);                           /* looks at it where the run is */

/* bounds.c */
void note_bounds(Kernel *);
void visit_bounds(Visit *, Bound *, int count);
int check_limits(Kernel *); /* says whether each state is within its value limit, after an accepted step */

/* bracketing.c */
void note_angles(Kernel *); /* keeps the angles where a step begins: a step that turns far must not leap over events within a turn */

/* A state event inside the last step that its ends do not show moves `end`, with the indicators there, before the end of the step. */
int look_inside(Kernel *);
void rest(Kernel *); /* lets instances rest that events do not concern, if it may, with their states as at the end of the last step */
int probe_indicators(Kernel *, double t, double *z); /* the indicators within the last step */
int state_on_constraints(Kernel *, double t, double *x); /* within the last step, lest what is interpolated be taken for what happens */

void run_visit(Kernel *, Visit *);
void record_visit(Kernel *, Visit *); /* record.c */

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
