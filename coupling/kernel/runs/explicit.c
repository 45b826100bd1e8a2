/* Runs by the kernel's own Runge-Kutta methods, and what is watched of their steps: shortcuts that prove wrong, rejections, stiffness, and
 * derivatives that jump without an event. */
#include "runs/runge_kutta.h"
#include "runs/sensitivity.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A derivative that changes its sign in a quarter of so many steps is checked for a jump. */
enum { FEWEST_WATCHED = 512, MOST_WATCHED = 1 << 20 };

/* Stiffness is looked for in one of so many steps, from a first sign on in each. It is there where so many in a row come near to the limit
 * of stability, of which fewer than a few one after another may not (Hairer and Wanner, as for rk_stiffness). */
enum { STIFFNESS_EVERY = 32, STIFF_IN_A_ROW = 15, STIFF_NO_MORE = 6 };
static const double nearly = 0.98;

/* Rejections one after another are rough where the step size shrinks by as much. */
static const double collapse = 1e-3;

typedef struct Explicit {
    RungeKutta *rk;
    /* Most rejections of a step, their time, and the state that caused them. */
    int most_rejected, roughest;
    double rough_at, rough_begin, rough_step;
    int rejected_in_a_row, clean;
    double size_before;
    /* Number of steps that stability has limited, since when, the state that limited most, and the state under check. */
    long stiff_steps;
    int stiffest;
    double stiff_since;
    long to_look;
    int stiff_in_a_row, not_stiff;
    double suspected_since;
    /* The start of the roughest step, and its mean derivative. */
    double *rough_from, *rough_along;
    /* Changes of sign by state, in so many of the steps to be watched. */
    double *slope;
    int *flips;
    long watched, to_watch;
    /* The last point at which the shortcuts were checked, to which a run goes back where one proves wrong; checks become rarer the
     * longer all goes well, but where the instances themselves are asked for more than derivatives each step is checked. */
    double *x_checked, t_checked;
    long rows_checked, output_checked;
    int unchecked, unchecked_at_most;
} Explicit;

/* Most steps between two checks: with shortcuts through the instances, and with fused code, where a check takes as long as steps do. */
enum { SELDOM = 31, MORE_SELDOM = 1023 };

static void end(Kernel *k)
{
    if (k->run->own)
        rk_free(k->run->own->rk);
    free(k->run->own);
}

const RungeKutta *kernel_runge_kutta(const Kernel *k)
{
    return k->run->own->rk;
}

int kernel_roughest(const Kernel *k, int *state, double *time)
{
    *state = k->run->own->roughest;
    *time = k->run->own->rough_at;
    return k->run->own->most_rejected;
}

/* The search for a jump: steps that it looks ahead, halvings of the interval, and the least share of the change that is left where the
 * derivative jumps. */
enum { AHEAD = 10, HALVINGS = 50 };
static const double jump_share = 1e-3;

/* The greatest difference of derivatives, in tolerances of their states; not a number if one is not. */
static double apart(const Kernel *k, const double *a, const double *b)
{
    const RungeKutta *rk = k->run->own->rk;
    double most = 0;
    for (int i = 0; i < k->states; i++) {
        const double off = a[i] == b[i] ? 0 : fabs(a[i] - b[i]) / (rk->atol[i] + rk->rtol * fabs(rk->x[i]));
        if (isnan(off))
            return NAN;
        most = fmax(most, off);
    }
    return most;
}

/* The derivatives so long after the begin of the roughest step, along its mean derivative. */
static int derivatives_ahead(Kernel *k, double after, double *dx)
{
    Explicit *own = k->run->own;
    for (int i = 0; i < k->states; i++)
        k->run->x[i] = own->rough_from[i] + after * own->rough_along[i];
    return kernel_derivatives(k, own->rough_begin + after, k->run->x, dx);
}

int kernel_rough_is_steep(Kernel *k)
{
    const Explicit *own = k->run->own;
    const Statistics counted = k->statistics;
    const size_t n = (size_t)k->states;
    double *found = own->roughest >= 0 ? malloc((3 * n + 1) * sizeof *found) : NULL;
    if (!found)
        return 0;
    double *at_low = found, *at_high = found + n, *at_middle = found + 2 * n, low = 0, high = AHEAD * own->rough_step, left = NAN;
    int status = derivatives_ahead(k, low, at_low) | derivatives_ahead(k, high, at_high);
    const double whole = apart(k, at_low, at_high);
    for (int i = 0; i < HALVINGS && !status; i++) {
        const double middle = low + (high - low) / 2;
        status = derivatives_ahead(k, middle, at_middle);
        const double before = apart(k, at_low, at_middle), after = apart(k, at_middle, at_high);
        double *const spare = before >= after ? at_high : at_low;
        left = fmax(before, after);
        if (before >= after)
            high = middle, at_high = at_middle;
        else
            low = middle, at_low = at_middle;
        at_middle = spare;
    }
    status |= kernel_derivatives(k, own->rk->t, own->rk->x, at_middle);
    free(found);
    k->statistics = counted;
    if (status)
        k->failure.kind = KERNEL_DONE; /* of the search, not of the run */
    return !status && whole > 0 && isfinite(whole) && left <= jump_share * whole;
}

long kernel_stiffness(const Kernel *k, int *state, double *since)
{
    const Explicit *own = k->run ? k->run->own : NULL;
    *state = own ? own->stiffest : -1;
    *since = own ? own->stiff_since : 0;
    return own ? own->stiff_steps : 0;
}

static void visit_state(Kernel *k, Visit *v)
{
    Explicit *own = k->run->own;
    RungeKutta *rk = own->rk;
    const size_t n = (size_t)k->states;
    VISIT_FROM_TO(v, own, most_rejected, suspected_since);
    VISIT_FROM_TO(v, own, watched, to_watch);
    VISIT_FROM_TO(v, own, t_checked, unchecked_at_most);
    visit(v, own->x_checked, n * (4 * sizeof(double) + sizeof(int))); /* with slopes, the roughest step and changes of sign */
    VISIT_WITHIN(v, own, roughest, roughest, -1, k->states - 1);
    VISIT_WITHIN(v, own, stiffest, stiffest, -1, k->states - 1);
    visit_within(v, own->flips, n, 0, INT_MAX - 1);
    visit_check(v, own->watched >= 0 && own->to_watch >= FEWEST_WATCHED && own->to_watch <= MOST_WATCHED && own->stiff_steps >= 0);
    if (v->mode == LOADING && !isfinite(k->run->stop)) /* the next piece has rows of its own */
        own->output_checked = 0;
    visit_check(v, own->t_checked >= k->run->start && own->t_checked <= k->run->t && own->rows_checked >= 0 && own->rows_checked <= kernel_rows(k));
    visit_check(v, own->output_checked >= 0 && own->output_checked <= k->run->outputs && own->unchecked >= 0 && own->unchecked_at_most >= 0 &&
                       own->unchecked_at_most <= MORE_SELDOM);
    visit_same(v, rk->tableau->stages);
    VISIT_FROM_TO(v, rk, t, h);
    VISIT_FROM_TO(v, rk, steps, worst);
    VISIT_FROM_TO(v, rk, error_before, dense_ready);
    visit_check(v, rk->t >= k->run->start && rk->t <= k->run->t && rk->h >= 0 && isfinite(rk->h) && rk->steps >= 0 && rk->steps < LONG_MAX / 2);
    visit_check(v, rk->rejected >= 0 && rk->refused >= 0 && rk->evaluations >= 0);
    VISIT_WITHIN(v, rk, worst, worst, -1, k->states - 1);
    VISIT_TRUTHS(v, rk, dense_ready, dense_ready);
    visit(v, rk->atol, (size_t)(rk->corrected + rk->width - rk->atol) * sizeof *rk->atol); /* with states, stages and all numbers */
}

/* The run is where the method is. */
static void follow(Kernel *k)
{
    Run *run = k->run;
    const RungeKutta *rk = run->own->rk;
    run->t = rk->t;
    run->t_before = rk->t_before;
    memcpy(run->present, rk->x, (size_t)kernel_width(k) * sizeof *rk->x);
}

static void note_checked(Kernel *k)
{
    Run *run = k->run;
    Explicit *own = run->own;
    own->t_checked = own->rk->t;
    memcpy(own->x_checked, own->rk->x, (size_t)k->states * sizeof(double));
    own->rows_checked = kernel_rows(k);
    own->output_checked = run->next_output;
    own->unchecked = 0;
}

static int restart(Kernel *k, double t, const double *x)
{
    Explicit *own = k->run->own;
    own->watched = 0;
    expect_nothing(k);
    int result = rk_start(own->rk, t, x);
    if (result == KERNEL_DONE)
        result = kernel_verify(k, own->rk->dx);
    if (result == KERNEL_RETRY && k->failure.kind == KERNEL_DONE)
        result = rk_start(own->rk, t, x);
    if (result == KERNEL_DONE) {
        follow(k); /* states may have been moved onto the constraints */
        note_checked(k);
    }
    return result ? result : kernel_indicators(k, k->run->z);
}

/* Checks that the shortcuts to the present point were exact. If not, the run returns to the last exact point, and iterates from there
 * on. */
static int check_shortcuts(Kernel *k, bool *back)
{
    Run *run = k->run;
    Explicit *own = run->own;
    RungeKutta *rk = own->rk;
    *back = false;
    const bool always = run->listens || (k->indicators && !by_equations(&k->phase));
    if (!always && own->unchecked < own->unchecked_at_most && rk->t < run->stop) {
        own->unchecked++;
        return KERNEL_DONE;
    }
    const bool fused = by_equations(&k->phase);
    const int result = kernel_verify(k, rk->dx);
    if (result == KERNEL_DONE) {
        const int most = fused ? MORE_SELDOM : SELDOM, times = fused ? 4 : 2;
        own->unchecked_at_most = own->unchecked_at_most < most ? times * (own->unchecked_at_most + 1) - 1 : most;
        note_checked(k);
    }
    if (result != KERNEL_RETRY || k->failure.kind != KERNEL_DONE)
        return result;
    *back = true;
    kernel_forget_rows(k, own->rows_checked);
    run->next_output = own->output_checked;
    memcpy(run->x, own->x_checked, (size_t)k->states * sizeof *run->x);
    int again = k->indicators && own->unchecked ? kernel_evaluate(k, own->t_checked, run->x) : KERNEL_DONE;
    if (again == KERNEL_DONE && own->unchecked)
        again = kernel_indicators(k, run->z);
    return again ? again : rk_start(rk, own->t_checked, run->x);
}

/* Notes the state to blame where steps are rejected again and again and shrink to nearly nothing, as at a jump. */
static void watch_rejections(Explicit *own, int states, long rejected, double size)
{
    const RungeKutta *rk = own->rk;
    own->clean = rejected ? 0 : own->clean + 1;
    if (own->clean > 1)
        own->rejected_in_a_row = 0;
    if (!rejected)
        return;
    if (!own->rejected_in_a_row)
        own->size_before = size;
    own->rejected_in_a_row += (int)rejected;
    if (own->rejected_in_a_row > own->most_rejected && rk->t - rk->t_before <= collapse * own->size_before) {
        own->most_rejected = own->rejected_in_a_row;
        own->roughest = rk->worst;
        own->rough_at = rk->t;
        own->rough_begin = rk->t_before;
        own->rough_step = rk->t - rk->t_before;
        for (int i = 0; i < states; i++) {
            own->rough_from[i] = rk->x_before[i];
            own->rough_along[i] = (rk->x[i] - rk->x_before[i]) / own->rough_step;
        }
    }
}

/* Counts the steps that stability limits, and not accuracy. */
static void watch_stiffness(Explicit *own)
{
    if (!own->stiff_in_a_row && --own->to_look > 0)
        return;
    int state;
    const bool stiff = rk_stiffness(own->rk, &state) > nearly;
    if (!stiff) {
        if (++own->not_stiff >= STIFF_NO_MORE || !own->stiff_in_a_row) {
            own->stiff_in_a_row = 0;
            own->to_look = STIFFNESS_EVERY;
        }
        return;
    }
    own->not_stiff = 0;
    if (!own->stiff_in_a_row++)
        own->suspected_since = own->rk->t;
    if (own->stiff_in_a_row < STIFF_IN_A_ROW)
        return;
    if (own->stiff_in_a_row == STIFF_IN_A_ROW) {
        if (!own->stiff_steps)
            own->stiff_since = own->suspected_since;
        own->stiff_steps += STIFF_IN_A_ROW - 1;
    }
    own->stiff_steps++;
    own->stiffest = state;
}

/* The derivative of one state with this state moved, at the present point; NaN if none exists. */
static double derivative_at(Kernel *k, int state, double value)
{
    Run *run = k->run;
    Explicit *own = run->own;
    double *dx = own->slope; /* free for the moment */
    memcpy(run->x, own->rk->x, (size_t)k->states * sizeof *run->x);
    run->x[state] = value;
    return kernel_derivatives(k, own->rk->t, run->x, dx) == KERNEL_DONE ? dx[state] : NAN;
}

/* A derivative jumps to the other sign near the present point, rather than changing steeply. */
static bool jumps(Kernel *k, int state)
{
    const RungeKutta *rk = k->run->own->rk;
    double near = rk->x[state], f_near = rk->dx[state], reach = fabs(near - rk->x_before[state]), far = near, f_far = f_near;
    for (int i = 0; i < 4 && (f_far > 0) == (f_near > 0); i++, reach *= 8) {
        far = near + copysign(reach, f_near); /* where the derivative drives it */
        f_far = derivative_at(k, state, far);
    }
    const double size = fabs(f_far - f_near), width = fabs(far - near);
    if (!((f_far > 0) != (f_near > 0)) || isnan(f_far))
        return false;
    for (int i = 0; i < 60 && fabs(far - near) > 1e-6 * width; i++) {
        const double middle = near + (far - near) / 2, f = derivative_at(k, state, middle);
        if (middle == near || middle == far)
            break;
        if ((f > 0) == (f_near > 0))
            near = middle, f_near = f;
        else
            far = middle, f_far = f;
    }
    return fabs(f_far - f_near) > size / 2;
}

/* Looks for a derivative that changes its sign again and again because it jumps there without an event. */
static int watch_signs(Kernel *k)
{
    Run *run = k->run;
    Explicit *own = run->own;
    const RungeKutta *rk = own->rk;
    if (!own->watched)
        memset(own->flips, 0, (size_t)k->states * sizeof *own->flips);
    const double h = rk->t - rk->t_before;
    for (int i = 0; i < k->states && own->watched; i++)
        if ((own->slope[i] > 0) != (rk->dx[i] > 0))
            own->flips[i] += h * fabs(rk->dx[i] - own->slope[i]) > rk->atol[i] + rk->rtol * fabs(rk->x[i]);
    memcpy(own->slope, rk->dx, (size_t)k->states * sizeof *own->slope);
    if (own->watched++ < own->to_watch)
        return KERNEL_DONE;
    int worst = 0;
    for (int i = 1; i < k->states; i++)
        worst = own->flips[i] > own->flips[worst] ? i : worst;
    if (k->states && own->flips[worst] > own->to_watch / 4) {
        if (jumps(k, worst))
            return chattering(k, -1, worst);
        own->to_watch = own->to_watch < MOST_WATCHED ? 2 * own->to_watch : own->to_watch;
        k->failure.kind = KERNEL_DONE;
    }
    own->watched = 0;
    return KERNEL_DONE;
}


static int step(Kernel *k, double limit, bool *back)
{
    Run *run = k->run;
    Explicit *own = run->own;
    RungeKutta *rk = own->rk;
    const long rejected = rk->rejected;
    const double size = rk->h, largest = rk->largest;
    rk->largest = fmin(largest, run->longest);
    const int result = rk_step(rk, limit);
    rk->largest = largest;
    run->longest = INFINITY;
    run->steps = rk->steps;
    follow(k);
    if (result)
        return result;
    watch_rejections(own, k->states, rk->rejected - rejected, size);
    watch_stiffness(own);
    const int checked = check_shortcuts(k, back);
    if (*back)
        follow(k);
    return checked;
}

/* Checks the steps since the last check, from an evaluation at their end. */
static int confirm(Kernel *k, bool *back)
{
    Explicit *own = k->run->own;
    if (!own->unchecked)
        return KERNEL_DONE;
    int result = kernel_derivatives(k, own->rk->t, own->rk->x, own->rk->dx);
    own->unchecked = own->unchecked_at_most;
    if (result == KERNEL_DONE)
        result = check_shortcuts(k, back);
    if (*back)
        follow(k);
    return result;
}

/* Rows up to a pause stay, whatever a later check finds: their reader has seen them. */
static int go_on(Kernel *k, double limit)
{
    (void)limit;
    k->run->own->rows_checked = kernel_rows(k);
    k->run->own->output_checked = 0;
    return KERNEL_DONE;
}

static int state_at(Kernel *k, double t, double *x)
{
    RungeKutta *const rk = k->run->own->rk;
    return k->resting ? rk_interpolate_some(rk, t, k->loud_state, k->loud_states, x) : rk_interpolate(rk, t, x);
}

int kernel_begin_run(Kernel *k, const Tableau *tableau, double rtol, const double *atol, double largest, double first_step, double start,
                     double stop, long outputs, const double *output_times)
{
    /* Steps of high order are long: the more can happen inside. */
    static const Method lower = {
        .restart = restart, .step = step, .state = state_at, .complete = watch_signs, .end = end, .visit = visit_state, .go_on = go_on,
        .confirm = confirm, .evaluates = true, .samples = 1};
    static const Method higher = {
        .restart = restart, .step = step, .state = state_at, .complete = watch_signs, .end = end, .visit = visit_state, .go_on = go_on,
        .confirm = confirm, .evaluates = true, .samples = 3};
    const int result = begin_run(k, tableau->order > 5 ? &higher : &lower, start, stop, outputs, output_times);
    if (result)
        return result;
    const size_t n = (size_t)k->states;
    Explicit *own = k->run->own = calloc(1, sizeof *own + n * (4 * sizeof(double) + sizeof(int)));
    if (!own)
        return KERNEL_NO_MEMORY;
    own->x_checked = (double *)(own + 1);
    own->slope = own->x_checked + n;
    own->rough_from = own->slope + n;
    own->rough_along = own->rough_from + n;
    own->flips = (int *)(own->rough_along + n);
    own->to_watch = FEWEST_WATCHED;
    own->roughest = own->stiffest = -1;
    own->to_look = STIFFNESS_EVERY;
    own->rk = rk_new(tableau, kernel_width(k), k->sensitivity ? sensitivity_derivatives : kernel_derivatives, k, rtol, atol);
    if (!own->rk)
        return KERNEL_NO_MEMORY;
    own->rk->correct = !k->projection ? NULL : k->sensitivity ? sensitivity_correct : project_next_step;
    own->rk->largest = largest;
    own->rk->h = first_step;
    return KERNEL_DONE;
}
