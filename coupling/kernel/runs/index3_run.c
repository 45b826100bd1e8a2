/* Runs by implicit steps of fixed size that hold constraints. */
#include "runs/index3.h"
#include "runs/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double visible = 1e-6; /* of its size, what a state that rings changes by */
static const double least = 1e-4; /* of a step: over less, what positions are rounded by is too much of a velocity */
static const double nothing = 1e-6; /* of a step: times that differ by less differ by rounding alone */
enum { RINGING = 20 };

static void end(Kernel *k)
{
    index3_free(k->run->index3);
}

const Index3Report *kernel_index3(const Kernel *k)
{
    return &k->run->index3->report;
}

const double *kernel_index3_violation(const Kernel *k)
{
    return k->run->index3->b->violation;
}

static void visit_matrix(Matrix *m, Visit *v, int rows)
{
    visit_doubles(v, m->value, m->row_start[rows]);
    linear_visit(m->linear, v, m->value, NULL);
}

static void visit_state(Kernel *k, Visit *v)
{
    Index3 *own = k->run->index3;
    Bordered *b = own->b;
    const int rows = b->states + b->unknowns;
    VISIT(v, own->report);
    VISIT_WITHIN(v, &own->report, worst, ringing, -1, b->states - 1);
    visit_check(v, own->report.iterations >= 0 && own->report.unfinished >= 0 && own->report.factorisations >= 0 && own->report.most_iterations >= 0);
    visit_doubles(v, own->x, (int)(own->unknowns - own->x) + b->unknowns); /* with all numbers by state */
    if (own->o.penalty > 0) {
        visit_doubles(v, own->lambda, 5 * b->unknowns); /* with the reactions */
        VISIT_FROM_TO(v, own, began, ended);
    }
    visit(v, own->alternations, (size_t)b->states * sizeof *own->alternations);
    VISIT(v, b->stale);
    visit_within(v, own->alternations, (size_t)b->states, 0, RINGING);
    VISIT_TRUTHS(v, b, stale, stale);
    visit_doubles(v, b->term, (int)(b->right - b->term) + rows); /* with all numbers */
    visit_matrix(&b->step, v, rows);
    if (v->result == VISITED)
        visit_matrix(&b->projection, v, rows);
}

static int restart(Kernel *k, double t, const double *x)
{
    Run *run = k->run;
    Index3 *own = run->index3;
    int result = index3_start(k, own, t, x);
    if (result == KERNEL_DONE && own->o.penalty > 0)
        augmented_begin(own, t);
    if (result == KERNEL_DONE)
        result = kernel_indicators(k, run->z);
    memset(own->change, 0, (size_t)k->states * sizeof *own->change);
    memset(own->alternations, 0, (size_t)k->states * sizeof *own->alternations);
    const double limit = run_limit(k);
    run->near = limit - t <= 8 * DBL_EPSILON * fmax(fabs(limit), fabs(t));
    return result;
}

/* Watches for a state that oscillates from step to step. */
static void watch_ringing(Index3 *own, int n, double t)
{
    for (int i = 0; i < n && own->report.ringing < 0; i++) {
        const double change = own->x[i] - own->x_before[i], seen = visible * (own->o.nominal[i] + fabs(own->x[i]));
        own->alternations[i] = change * own->change[i] < 0 && fabs(change) > seen ? own->alternations[i] + 1 : 0;
        own->change[i] = change;
        if (own->alternations[i] >= RINGING) {
            own->report.ringing = i;
            own->report.ringing_since = t;
        }
    }
}

/* Steps are equal up to the limit, which the last of them meets. */
static int step(Kernel *k, double limit, bool *back)
{
    Run *run = k->run;
    Index3 *own = run->index3;
    (void)back;
    const double left = limit - run->t;
    if (left <= nothing * own->o.step) {
        const int result = index3_evaluate(k, own, limit);
        run->t_before = run->t;
        run->t = result == KERNEL_DONE ? limit : run->t;
        return result;
    }
    const double parts = fmax(1, ceil(left / own->o.step - 1e-9)), h = fmin(left / parts, fmax(run->longest, least * own->o.step));
    const double reached = parts == 1 && h == left ? limit : run->t + h;
    int result = index3_step(k, own, run->t, h, reached);
    if (result == KERNEL_DONE)
        result = index3_evaluate(k, own, reached);
    if (result)
        return result;
    if (own->o.penalty > 0)
        augmented_accelerations(own, reached, h);
    if (own->o.method == TRAPEZOIDAL)
        watch_ringing(own, k->states, reached);
    run->steps++;
    run->longest = INFINITY;
    run->t_before = run->t;
    run->t = reached;
    memcpy(run->present, own->x, (size_t)k->states * sizeof *own->x);
    return KERNEL_DONE;
}

static int state_at(Kernel *k, double t, double *x)
{
    const Run *run = k->run;
    const double h = run->t - run->t_before;
    if (run->near || t == run->t)
        memmove(x, run->present, (size_t)k->states * sizeof *x);
    else
        index3_between(run->index3, k->states, (t - run->t_before) / h, h, x);
    return KERNEL_DONE;
}

int kernel_begin_index3(Kernel *k, const Rows *rows, const Index3Options *options, double start, double stop, long outputs,
                        const double *output_times)
{
    static const Method method = {
        .restart = restart, .step = step, .state = state_at, .end = end, .visit = visit_state, .evaluates = true, .samples = 1, .show = augmented_show};
    const int result = begin_run(k, &method, start, stop, outputs, output_times);
    if (result)
        return result;
    k->run->index3 = index3_new(k, rows, options);
    if (k->run->index3 && options->penalty > 0)
        k->run->index3->iteration = &augmented_iteration;
    return k->run->index3 ? KERNEL_DONE : KERNEL_NO_MEMORY;
}
