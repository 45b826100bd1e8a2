#include "kernel_internal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As many events in a row, each this little of the run after the one before, are chattering; and so are as many of one kind at
 * intervals that shrink to that. */
enum { MOST_CLOSE_EVENTS = 200, MOST_SHRINKING = 4 };
static const double close_events = 1e-9;

/* The first step behind a state event is no longer than a share of the time since the last of its kind, but at least as long as one of
 * the run: two crossings within one step, such as those of a ball that bounces, are not seen. */
static const double shy = 1e-3, shyest = 1e-12;

/* Of as many steps, a derivative that changed its sign in a quarter is looked at: whether it jumps there. */
enum { FEWEST_WATCHED = 512, MOST_WATCHED = 1 << 20 };

/* Stiffness is looked for in one of so many steps, from a first sign on in each. It is there where so many in a row come near to the limit
 * of stability, of which fewer than a few one after another may not (Hairer and Wanner, as for rk_stiffness). */
enum { STIFFNESS_EVERY = 32, STIFF_IN_A_ROW = 15, STIFF_NO_MORE = 6 };
static const double nearly = 0.98;

/* Rejections one after another are rough where the step size shrinks by as much. */
static const double collapse = 1e-3;

/* The history of one way of crossing one indicator. */
typedef struct {
    double last, interval;
    int shrinking;
} Crossing;

typedef struct Run {
    RungeKutta *rk;
    const double *output_times;
    long outputs, next_output;
    double start, stop, span, last_event;
    double longest; /* the next step */
    int close;
    Crossing *crossing; /* by indicator: out of the positive, into it */
    double *x, *z, *z_before, *z_middle;
    double *unknowns, *unknowns_before; /* of all loops, at both ends of the last step */
    /* Where steps were rejected most often: how often, where, and which state was to blame. */
    int most_rejected, roughest;
    double rough_at;
    int rejected_in_a_row, clean;
    double size_before;
    /* How many steps stability has limited, since when, and which state was most to blame; and what is being looked at. */
    long stiff_steps;
    int stiffest;
    double stiff_since;
    long to_look;
    int stiff_in_a_row, not_stiff;
    double suspected_since;
    /* Changes of sign by state, in so many of the steps to be watched. */
    double *slope;
    int *flips;
    long watched, to_watch;
    /* The last point at which the shortcuts were checked, to which a run goes back where one proves wrong; checks become rarer the
     * longer all goes well, but where instances are asked for more than derivatives each step is checked. */
    double *x_checked, t_checked;
    long rows_checked, output_checked;
    int unchecked, unchecked_at_most;
    bool check_always;
} Run;

enum { SELDOM = 31 };

int kernel_begin_run(Kernel *k, const Tableau *tableau, double rtol, const double *atol, double largest, double first_step, double start,
                     double stop, long outputs, const double *output_times)
{
    kernel_end_run(k);
    const size_t n = (size_t)k->states, m = (size_t)k->indicators;
    size_t u = 0;
    for (int i = 0; i < k->loop_count; i++)
        u += (size_t)k->loops[i].count;
    Run *run = calloc(1, sizeof *run + 2 * m * sizeof(Crossing) + (3 * n + 3 * m + 2 * u) * sizeof(double) + n * sizeof(int));
    if (!run)
        return KERNEL_NO_MEMORY;
    k->run = run;
    k->end_run = kernel_end_run;
    run->crossing = (Crossing *)(run + 1);
    run->x_checked = (double *)(run->crossing + 2 * m);
    run->x = run->x_checked + n;
    run->check_always = k->indicators > 0;
    for (int i = 0; i < k->part_count; i++)
        run->check_always = run->check_always || k->parts[i].completed_step;
    run->z = run->x + n;
    run->z_before = run->z + m;
    run->z_middle = run->z_before + m;
    run->slope = run->z_middle + m;
    run->unknowns = run->slope + n;
    run->unknowns_before = run->unknowns + u;
    run->flips = (int *)(run->unknowns_before + u);
    run->to_watch = FEWEST_WATCHED;
    run->output_times = output_times;
    run->outputs = outputs;
    run->start = start;
    run->stop = stop;
    run->longest = INFINITY;
    run->span = stop - start;
    run->last_event = -INFINITY;
    run->roughest = run->stiffest = -1;
    run->to_look = STIFFNESS_EVERY;
    run->rk = rk_new(tableau, k->states, kernel_derivatives, k, rtol, atol);
    if (!run->rk)
        return KERNEL_NO_MEMORY;
    run->rk->largest = largest;
    run->rk->h = first_step;
    return KERNEL_DONE;
}

void kernel_end_run(Kernel *k)
{
    if (k->run)
        rk_free(k->run->rk);
    free(k->run);
    k->run = NULL;
}

const RungeKutta *kernel_runge_kutta(const Kernel *k)
{
    return k->run->rk;
}

int kernel_roughest(const Kernel *k, int *state, double *time)
{
    *state = k->run->roughest;
    *time = k->run->rough_at;
    return k->run->most_rejected;
}

long kernel_stiffness(const Kernel *k, int *state, double *since)
{
    *state = k->run ? k->run->stiffest : -1;
    *since = k->run ? k->run->stiff_since : 0;
    return k->run ? k->run->stiff_steps : 0;
}

static void note_checked(Kernel *k)
{
    Run *run = k->run;
    run->t_checked = run->rk->t;
    memcpy(run->x_checked, run->rk->x, (size_t)k->states * sizeof(double));
    run->rows_checked = kernel_rows(k);
    run->output_checked = run->next_output;
    run->unchecked = 0;
}

/* Begins at a point, or anew behind an event. */
int kernel_restart(Kernel *k, double t, const double *x)
{
    Run *run = k->run;
    int result = rk_start(run->rk, t, x);
    if (result == KERNEL_DONE)
        result = kernel_verify(k, run->rk->dx);
    if (result == KERNEL_RETRY && k->failure.kind == KERNEL_DONE)
        result = rk_start(run->rk, t, x);
    if (result == KERNEL_DONE)
        note_checked(k);
    return result ? result : kernel_indicators(k, run->z);
}

/* Whether the shortcuts that led to the present point were exact. Where they were not, the run is back where they last were, and
 * from then on iterates. */
static int check_shortcuts(Kernel *k, bool *back)
{
    Run *run = k->run;
    RungeKutta *rk = run->rk;
    *back = false;
    if (!run->check_always && run->unchecked < run->unchecked_at_most && rk->t < run->stop) {
        run->unchecked++;
        return KERNEL_DONE;
    }
    const int result = kernel_verify(k, rk->dx);
    if (result == KERNEL_DONE) {
        run->unchecked_at_most = run->unchecked_at_most < SELDOM ? 2 * run->unchecked_at_most + 1 : SELDOM;
        note_checked(k);
    }
    if (result != KERNEL_RETRY || k->failure.kind != KERNEL_DONE)
        return result;
    *back = true;
    kernel_forget_rows(k, run->rows_checked);
    run->next_output = run->output_checked;
    memcpy(run->x, run->x_checked, (size_t)k->states * sizeof *run->x);
    return rk_start(rk, run->t_checked, run->x);
}

/* Everything at the present point of the instances, and a row of the record. */
static int record_at(Kernel *k, double t, const double *x)
{
    const int result = kernel_evaluate(k, t, x);
    return result ? result : kernel_record(k);
}

/* The unknowns of all loops, from which the next iterations begin. */
static void keep_unknowns(const Kernel *k, double *kept)
{
    for (int i = 0; i < k->loop_count; kept += k->loops[i++].count)
        memcpy(kept, k->v + k->loops[i].first, (size_t)k->loops[i].count * sizeof *kept);
}

static void begin_from(Kernel *k, const double *kept)
{
    for (int i = 0; i < k->loop_count; kept += k->loops[i++].count)
        memcpy(k->v + k->loops[i].first, kept, (size_t)k->loops[i].count * sizeof *kept);
}

/* The outputs that were asked for up to a time within the last step. A loop with several solutions is followed from the step's
 * beginning, as in the step itself, and not back from its end. */
static int record_until(Kernel *k, double t)
{
    Run *run = k->run;
    int result = KERNEL_DONE;
    if (run->next_output == run->outputs || run->output_times[run->next_output] > t)
        return result;
    keep_unknowns(k, run->unknowns);
    begin_from(k, run->unknowns_before);
    while (result == KERNEL_DONE && run->next_output < run->outputs && run->output_times[run->next_output] <= t) {
        const double time = run->output_times[run->next_output++];
        result = rk_interpolate(run->rk, time, run->x);
        if (result == KERNEL_DONE)
            result = record_at(k, time, run->x);
    }
    begin_from(k, run->unknowns);
    return result;
}

/* The first indicator that has left its domain, positive or not, or -1. */
static int crossed(const double *before, const double *now, int count)
{
    for (int i = 0; i < count; i++)
        if ((before[i] > 0) != (now[i] > 0))
            return i;
    return -1;
}

/* Narrows the last step down to its first state event; ends with the instances evaluated behind it. */
static int locate(Kernel *k, double *time)
{
    Run *run = k->run;
    double low = run->rk->t_before, high = run->rk->t;
    int which = crossed(run->z, run->z_before, k->indicators); /* z: at the end, z_before: at the beginning */
    double f_low = run->z_before[which], f_high = run->z[which];
    int result, side = 0;
    for (int i = 0; i < 200 && high - low > 2 * DBL_EPSILON * fmax(fabs(high), run->rk->t - run->rk->t_before); i++) {
        /* Illinois, kept off the ends, with a bisection whenever that crawls. */
        double middle = i % 4 == 3 ? (low + high) / 2 : high - f_high * (high - low) / (f_high - f_low);
        const double margin = fmin(0.25 * (high - low), DBL_EPSILON * fabs(high));
        middle = middle >= low + margin && middle <= high - margin ? middle : (low + high) / 2;
        if (!(middle > low && middle < high))
            break;
        result = rk_interpolate(run->rk, middle, run->x);
        if (result == KERNEL_DONE)
            result = kernel_evaluate(k, middle, run->x);
        if (result == KERNEL_DONE)
            result = kernel_indicators(k, run->z_middle);
        if (result)
            return result;
        const int now = crossed(run->z_before, run->z_middle, k->indicators);
        if (now >= 0) {
            high = middle;
            f_high = run->z_middle[now];
            if (now != which)
                f_low = run->z_before[now];
            else if (side == 1)
                f_low /= 2;
            which = now;
            side = 1;
        } else {
            low = middle;
            f_low = run->z_middle[which];
            if (side == -1)
                f_high /= 2;
            side = -1;
        }
    }
    k->failure.index = which;
    *time = high;
    result = rk_interpolate(run->rk, high, run->x);
    return result ? result : kernel_evaluate(k, high, run->x);
}

static int chattering(Kernel *k, int indicator, int state)
{
    failed(k, KERNEL_CHATTERING, "integrating", -1, OK);
    k->failure.index = indicator;
    k->failure.slot = state;
    return KERNEL_CHATTERING;
}

/* Whether events are so many, or accumulate so, that no end of them is in sight. */
static bool endless(Run *run, double t, int indicator)
{
    run->close = t - run->last_event <= close_events * run->span ? run->close + 1 : 0;
    run->last_event = t;
    if (indicator >= 0) {
        Crossing *c = &run->crossing[2 * indicator + !(run->z_before[indicator] > 0)];
        const double interval = t - fmax(c->last, run->start);
        run->longest = fmax(shy * interval, shyest * run->span);
        c->shrinking = interval < c->interval ? c->shrinking + 1 : 0;
        c->interval = interval;
        c->last = t;
        if (c->shrinking >= MOST_SHRINKING && interval <= close_events * run->span)
            return true;
    }
    return run->close > MOST_CLOSE_EVENTS;
}

/* The outputs before the event, the point itself, the event, and the point behind it; x is the state at the event. */
static int pass_event(Kernel *k, double t, int indicator)
{
    Run *run = k->run;
    k->statistics.events++;
    run->rk->t = t; /* so far the run has come, whatever happens now */
    run->watched = 0;
    if (endless(run, t, indicator))
        return chattering(k, indicator, -1);
    bool changed;
    int result = kernel_synchronise(k, t, run->x);
    if (result == KERNEL_DONE)
        result = record_at(k, t, run->x);
    if (result == KERNEL_DONE)
        result = kernel_start_events(k);
    if (result == KERNEL_DONE)
        result = kernel_settle(k, run->x, &changed);
    if (result == KERNEL_DONE)
        result = record_at(k, t, run->x);
    while (run->next_output < run->outputs && run->output_times[run->next_output] <= t)
        run->next_output++;
    run->rk->h = 0;
    return result ? result : kernel_restart(k, t, run->x);
}

/* Notes the state to blame where steps are rejected again and again and shrink to nearly nothing, as at a jump. */
static void watch_rejections(Run *run, long rejected, double size)
{
    const RungeKutta *rk = run->rk;
    run->clean = rejected ? 0 : run->clean + 1;
    if (run->clean > 1)
        run->rejected_in_a_row = 0;
    if (!rejected)
        return;
    if (!run->rejected_in_a_row)
        run->size_before = size;
    run->rejected_in_a_row += (int)rejected;
    if (run->rejected_in_a_row > run->most_rejected && rk->t - rk->t_before <= collapse * run->size_before) {
        run->most_rejected = run->rejected_in_a_row;
        run->roughest = rk->worst;
        run->rough_at = rk->t;
    }
}

/* Counts the steps that stability limits, and not accuracy. */
static void watch_stiffness(Run *run)
{
    if (!run->stiff_in_a_row && --run->to_look > 0)
        return;
    int state;
    const bool stiff = rk_stiffness(run->rk, &state) > nearly;
    if (!stiff) {
        if (++run->not_stiff >= STIFF_NO_MORE || !run->stiff_in_a_row) {
            run->stiff_in_a_row = 0;
            run->to_look = STIFFNESS_EVERY;
        }
        return;
    }
    run->not_stiff = 0;
    if (!run->stiff_in_a_row++)
        run->suspected_since = run->rk->t;
    if (run->stiff_in_a_row < STIFF_IN_A_ROW)
        return;
    if (run->stiff_in_a_row == STIFF_IN_A_ROW) {
        if (!run->stiff_steps)
            run->stiff_since = run->suspected_since;
        run->stiff_steps += STIFF_IN_A_ROW - 1;
    }
    run->stiff_steps++;
    run->stiffest = state;
}

/* The derivative of one state with this state moved, at the present point; NaN where there is none. */
static double derivative_at(Kernel *k, int state, double value)
{
    Run *run = k->run;
    double *dx = run->slope; /* free for the moment */
    memcpy(run->x, run->rk->x, (size_t)k->states * sizeof *run->x);
    run->x[state] = value;
    return kernel_derivatives(k, run->rk->t, run->x, dx) == KERNEL_DONE ? dx[state] : NAN;
}

/* Whether a derivative jumps to the other sign near the present point, rather than changing steeply. */
static bool jumps(Kernel *k, int state)
{
    const RungeKutta *rk = k->run->rk;
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
    const RungeKutta *rk = run->rk;
    if (!run->watched)
        memset(run->flips, 0, (size_t)k->states * sizeof *run->flips);
    const double h = rk->t - rk->t_before;
    for (int i = 0; i < k->states && run->watched; i++)
        run->flips[i] += (run->slope[i] > 0) != (rk->dx[i] > 0) && h * fabs(rk->dx[i] - run->slope[i]) > rk->atol[i] + rk->rtol * fabs(rk->x[i]);
    memcpy(run->slope, rk->dx, (size_t)k->states * sizeof *run->slope);
    if (run->watched++ < run->to_watch)
        return KERNEL_DONE;
    int worst = 0;
    for (int i = 1; i < k->states; i++)
        worst = run->flips[i] > run->flips[worst] ? i : worst;
    if (k->states && run->flips[worst] > run->to_watch / 4) {
        if (jumps(k, worst))
            return chattering(k, -1, worst);
        run->to_watch = run->to_watch < MOST_WATCHED ? 2 * run->to_watch : run->to_watch;
        k->failure.kind = KERNEL_DONE;
    }
    run->watched = 0;
    return KERNEL_DONE;
}

/* One accepted step and all that belongs to it. */
static int step(Kernel *k)
{
    Run *run = k->run;
    RungeKutta *rk = run->rk;
    const double time_event = kernel_next_time(k);
    const long rejected = rk->rejected;
    const double size = rk->h;
    memcpy(run->z_before, run->z, (size_t)k->indicators * sizeof *run->z);
    keep_unknowns(k, run->unknowns_before);
    k->failure.kind = KERNEL_DONE;
    const double largest = rk->largest;
    rk->largest = fmin(largest, run->longest);
    int result = rk_step(rk, fmin(run->stop, time_event));
    rk->largest = largest;
    run->longest = INFINITY;
    if (result)
        return result;
    watch_rejections(run, rk->rejected - rejected, size);
    watch_stiffness(run);
    bool wanted, back;
    result = check_shortcuts(k, &back);
    if (result || back)
        return result;
    result = kernel_indicators(k, run->z);
    if (result)
        return result;
    const int indicator = crossed(run->z_before, run->z, k->indicators);
    if (indicator >= 0) {
        double t;
        result = locate(k, &t);
        const int which = k->failure.index;
        if (result == KERNEL_DONE)
            result = record_until(k, nextafter(t, -INFINITY));
        if (result == KERNEL_DONE)
            result = rk_interpolate(rk, t, run->x);
        if (result == KERNEL_DONE)
            result = kernel_evaluate(k, t, run->x);
        if (result == KERNEL_DONE)
            result = kernel_complete_step(k, &wanted);
        k->statistics.state_events++;
        return result ? result : pass_event(k, t, which);
    }
    result = kernel_complete_step(k, &wanted);
    if (result)
        return result;
    const bool timely = rk->t >= time_event && !(k->leaves_last && rk->t >= run->stop);
    result = record_until(k, timely || wanted ? nextafter(rk->t, -INFINITY) : rk->t);
    if (result || !(timely || wanted))
        return result ? result : watch_signs(k);
    *(timely ? &k->statistics.time_events : &k->statistics.step_events) += 1;
    memcpy(run->x, rk->x, (size_t)k->states * sizeof *run->x);
    return pass_event(k, rk->t, -1);
}

/* Integrates until the stop, or for so many steps. */
int kernel_advance(Kernel *k, long steps)
{
    Run *run = k->run;
    for (; run->rk->t < run->stop; steps--) {
        if (steps <= 0)
            return KERNEL_PAUSED;
        const int result = step(k);
        if (result)
            return result;
    }
    return KERNEL_DONE;
}
