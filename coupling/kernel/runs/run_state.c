/* The state of a run: as bytes that can be saved, and moved by a caller. */
#include "runs/sensitivity.h"

#include <limits.h>
#include <math.h>
#include <string.h>

void run_visit(Kernel *k, Visit *v)
{
    Run *run = k->run;
    const size_t n = (size_t)kernel_width(k), m = (size_t)k->indicators;
    size_t u = 0;
    for (int i = 0; i < k->loop_count; i++)
        u += (size_t)k->loops[i].count;
    visit_same(v, (long)n);
    visit_same(v, (long)m);
    VISIT_FROM_TO(v, run, t, t_before);
    VISIT_FROM_TO(v, run, steps, near);
    VISIT(v, run->next_output);
    if (v->mode == LOADING && !isfinite(run->stop)) /* the next piece has rows of its own */
        run->next_output = run->outputs;
    VISIT_FROM_TO(v, run, last_event, close); /* the end of the run, and what is recorded, may be others */
    VISIT_FROM_TO(v, run, from, t_earlier);
    visit_check(v, run->t >= run->start && run->t <= run->stop && run->t_before >= run->start && run->t_before <= run->t && !isnan(run->longest));
    visit_check(v, run->steps >= 0 && run->steps < LONG_MAX / 2 && run->next_output >= 0 && run->next_output <= run->outputs);
    VISIT_TRUTHS(v, run, near, near);
    VISIT_WITHIN(v, run, close, close, 0, INT_MAX - 1);
    visit(v, run->crossing, 2 * m * sizeof *run->crossing);
    visit(v, run->present, (size_t)(run->unknowns_before + u - run->present) * sizeof *run->present); /* with all numbers */
    visit_bounds(v, run->bound, run->bounds);
    run->judged = run->judged && v->mode != LOADING;
    if (v->result == VISITED && run->method->visit)
        run->method->visit(k, v);
}

void kernel_set_present(Kernel *k, const double *x)
{
    memcpy(k->run->present, x, (size_t)k->states * sizeof *x);
}
