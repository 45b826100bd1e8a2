/* Steps of fixed size by the kernel's own method. */
#include "fixed.h"
#include "system_internal.h"

#include "schedule.h"

#include "kernel/runs/index3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const Index3Options fixed_options; /* generated */

static void free_steps(System *s)
{
    index3_free(s->steps);
    s->steps = NULL;
}

static bool ended_step(System *s, int status)
{
    s->moved = true;
    const bool done = system_ended(s, status);
    if (status == KERNEL_STEP_NOT_SOLVED)
        snprintf(s->sentence, sizeof s->sentence, "the step to time %.9g has not been solved in %d iterations", s->kernel->failure.time,
                 fixed_options.limit);
    else if (status == KERNEL_STEP_CONTRADICTORY)
        snprintf(s->sentence, sizeof s->sentence, "no positions satisfy all constraints at time %.9g", s->kernel->failure.time);
    return done;
}

bool system_start_steps(System *s, Placing placing, double t, const double *x, const double *remembered)
{
    if (!s->steps) {
        s->steps = index3_new(s->kernel, &s->schedule, &fixed_options);
        s->free_steps = free_steps;
    }
    if (!s->steps) {
        snprintf(s->sentence, sizeof s->sentence, "memory is lacking");
        return false;
    }
    s->steps->context = placing.context;
    s->steps->place = placing.place;
    kernel_set_fast(s->kernel, false);
    const int status = index3_start(s->kernel, s->steps, t, x);
    if (remembered)
        memcpy(s->steps->memory, remembered, (size_t)s->kernel->states * sizeof *remembered);
    return ended_step(s, status);
}

const double *system_memory(const System *s)
{
    return s->steps->memory;
}

bool system_take_step(System *s, Placing placing, double t, double h, double end, double *x, bool goes_on)
{
    s->steps->context = placing.context;
    s->steps->place = placing.place;
    kernel_set_fast(s->kernel, false);
    memcpy(s->steps->x, x, (size_t)s->kernel->states * sizeof *x);
    int status = index3_step(s->kernel, s->steps, t, h, end);
    if (status == KERNEL_DONE && goes_on)
        status = index3_evaluate(s->kernel, s->steps, end);
    if (status == KERNEL_DONE)
        memcpy(x, s->steps->x, (size_t)s->kernel->states * sizeof *x);
    return ended_step(s, status);
}

void system_between(const System *s, double f, double h, double *x)
{
    index3_between(s->steps, s->kernel->states, f, h, x);
}
