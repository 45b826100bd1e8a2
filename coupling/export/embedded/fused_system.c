/* Derivatives by the mechanism's own equations in place of its components, which are asked for all other values. */
#include "system_internal.h"

#include "schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The kernel goes on by the components where memory lacks. */
static bool begin(System *s)
{
    const Equations *e = schedule.equations;
    FusedRows *rows = &s->rows;
    if (s->kernel->fused)
        return true;
    *rows = e->rows;
    double *const initial = malloc(((size_t)rows->size + 1) * sizeof *initial);
    if (!initial)
        return false;
    for (int i = 0; i < rows->size; i++)
        initial[i] = NAN;
    for (int i = 0; i < e->constants; i++)
        initial[e->constant[i].slot] = e->constant[i].value;
    rows->initial = initial;
    const bool done = kernel_set_fused(s->kernel, rows) == 0;
    free(initial); /* it has been copied */
    return done;
}

static void end(System *s)
{
    kernel_set_fused(s->kernel, NULL);
}

static bool derive(System *s, double t, const double *x, double *dx)
{
    Kernel *k = s->kernel;
    k->t = t;
    memcpy(k->v, x, (size_t)k->states * sizeof *x);
    if (s->returning) {
        memcpy(k->displaced, x, (size_t)k->states * sizeof *x);
        if (!k->fused->linearise(k) || project_smoothly(k, t, k->displaced) != KERNEL_DONE)
            return false;
        memcpy(k->v, k->displaced, (size_t)k->states * sizeof *x);
    }
    if (!k->fused->derive(k, dx))
        return false;
    if (s->returning)
        draw_after(k, x, dx);
    return true;
}

const Fusing fusing = {begin, end, derive};
