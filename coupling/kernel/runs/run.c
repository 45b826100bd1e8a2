/* A run in time: outputs, events and how they end, whatever method takes the steps. */
#include "runs/sensitivity.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* So many events in a row are chattering if each comes this small share of the run after the one before. So are as many events of one
 * kind at intervals that shrink to that share. */
enum { MOST_CLOSE_EVENTS = 200, MOST_SHRINKING = 4, MOST_MOVES = 20 };
static const double close_events = 1e-9;

/* The first step after a state event is no longer than a share of the time since the last of its kind, but at least as long as one of
 * the run: two crossings within one step, such as those of a ball that bounces, are not seen. */
static const double shy = 1e-3, shyest = 1e-12;

int begin_run(Kernel *k, const Method *method, double start, double stop, long outputs, const double *output_times)
{
    kernel_end_run(k);
    const size_t n = (size_t)kernel_width(k), m = (size_t)k->indicators;
    size_t u = 0;
    for (int i = 0; i < k->loop_count; i++)
        u += (size_t)k->loops[i].count;
    Run *run = calloc(1, sizeof *run + 2 * m * sizeof(Crossing) + (3 * n + 4 * m + 2 * u) * sizeof(double));
    if (!run)
        return KERNEL_NO_MEMORY;
    k->run = run;
    k->end_run = kernel_end_run;
    run->method = method;
    run->crossing = (Crossing *)(run + 1);
    run->present = (double *)(run->crossing + 2 * m);
    run->x = run->present + n;
    run->slope = run->x + n;
    run->z = run->slope + n;
    run->z_before = run->z + m;
    run->z_middle = run->z_before + m;
    run->z_earlier = run->z_middle + m;
    run->unknowns = run->z_earlier + m;
    run->unknowns_before = run->unknowns + u;
    run->output_times = output_times;
    run->outputs = outputs;
    run->start = run->t = run->t_before = start;
    run->stop = stop;
    run->t_earlier = NAN;
    run->longest = INFINITY;
    run->pause = INFINITY;
    run->parted = NAN;
    run->span = isfinite(stop) ? stop - start : 1; /* a run without a known end is measured in seconds */
    run->last_event = -INFINITY;
    if (k->switching)
        note_span(k, run->span);
    if (k->leaves_last) /* the caller has passed what happens at the start */
        k->passed = start;
    for (int i = 0; i < k->part_count; i++)
        run->listens = run->listens || k->parts[i].completed_step;
    return KERNEL_DONE;
}

double run_limit(const Kernel *k)
{
    return fmin(fmin(k->run->stop, k->run->pause), kernel_next_time(k));
}

void kernel_end_run(Kernel *k)
{
    if (k->run && k->run->method->end)
        k->run->method->end(k);
    if (k->run) {
        free(k->run->z_inside);
        free(k->run->angle_before);
    }
    free(k->run);
    k->run = NULL;
}

double kernel_run_time(const Kernel *k)
{
    return k->run->t;
}

const double *kernel_run_state(const Kernel *k)
{
    return k->run->present;
}

long kernel_run_steps(const Kernel *k)
{
    return k->run->steps;
}

/* Begins at the present state. */
static int restart(Kernel *k, double t)
{
    Run *run = k->run;
    run->t = run->t_before = t;
    run->t_earlier = NAN;
    run->judged = false;
    for (int i = 0; i < k->drive_count; i++) /* a rest shows no derivative: the next piece limits the first step */
        run->longest = fmin(run->longest, drive_next_piece(&k->drives[i], t) - t);
    int result = k->projection ? project_fully(k, t, run->present) : KERNEL_DONE;
    if (result == KERNEL_DONE)
        result = k->projection ? decide_rank(k, t, run->present) : kernel_decide_in_order(k, t, run->present);
    if (result == KERNEL_DONE && k->sensitivity)
        result = sensitivity_restart(k, t, run->present);
    if (result == KERNEL_DONE)
        result = run->method->restart(k, t, run->present);
    kernel_accept(k);
    return result;
}

int kernel_restart(Kernel *k, double t, const double *x)
{
    Run *run = k->run;
    memmove(run->present, x, (size_t)k->states * sizeof *x);
    if (k->sensitivity)
        memcpy(run->present + k->states, k->sensitivity->now, (size_t)(kernel_width(k) - k->states) * sizeof *x);
    return restart(k, t);
}

static void take_loud(const Kernel *k, const double *from, double *x)
{
    for (int i = 0; i < k->loud_states; i++)
        x[k->loud_state[i]] = from[k->loud_state[i]];
}

/* Completes the state at an event by what the event does not concern, moved onto its constraints as at the end of a step. */
static int follow_quiet(Kernel *k, double t, double *x)
{
    Run *run = k->run;
    if (!k->resting)
        return KERNEL_DONE;
    k->resting = false;
    int result = run->method->state(k, t, run->slope);
    take_loud(k, x, run->slope);
    memcpy(x, run->slope, (size_t)k->states * sizeof *x);
    if (result == KERNEL_DONE && k->projection)
        result = kernel_derivatives(k, t, x, run->slope);
    if (result == KERNEL_DONE && k->projection)
        result = project_row(k, t, x);
    if (k->projection)
        take_loud(k, k->projection->before, x);
    k->resting = true;
    return result;
}

/* Narrows the last step down to its first state event; ends with the instances evaluated after it. */
static int locate(Kernel *k, double *time)
{
    Run *run = k->run;
    double low = run->from, high = run->end, beside = 1;
    int which = crossed(run->z_before, run->z, k->indicators, k->arms);
    double f_low = run->z_before[which], f_high = run->z[which];
    int result, side = 0;
    for (int i = 0; i < 200 && high - low > 2 * DBL_EPSILON * fmax(fabs(high), run->t - run->t_before); i++) {
        /* Illinois method, with a bisection every fourth time. Once one end is the zero to rounding, the other end approaches it in growing steps. */
        double middle = i % 4 == 3 ? (low + high) / 2 : high - f_high * (high - low) / (f_high - f_low);
        const double margin = fmin(0.25 * (high - low), beside * DBL_EPSILON * fabs(high)), inside = fmin(fmax(middle, low + margin), high - margin);
        beside = middle == inside ? 1 : 4 * beside;
        middle = inside;
        if (!(middle > low && middle < high))
            break;
        result = probe_indicators(k, middle, run->z_middle);
        if (result)
            return result;
        const int now = crossed(run->z_before, run->z_middle, k->indicators, k->arms);
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
    result = state_on_constraints(k, high, run->x);
    return result ? result : kernel_evaluate(k, high, run->x);
}

/* Should rounding have left the indicator on the near side, time moves on, by the mean slope of the step and then faster, until it does not;
 * the end of the step lies beyond. Ends with the instances evaluated there. */
static int settle_beyond(Kernel *k, int which, double *time)
{
    Run *run = k->run;
    const double slope = (run->z[which] - run->z_before[which]) / (run->end - run->from);
    double stride = 4 * DBL_EPSILON * fmax(fabs(*time), run->end - run->t_before);
    for (int move = 0; *time < run->end; move++) {
        int result = kernel_indicators(k, run->z_middle);
        if (result || (run->z_middle[which] > 0) != (run->z_before[which] > 0))
            return result;
        stride = fmax(2 * stride, fabs(run->z_middle[which] / slope));
        *time = move == MOST_MOVES ? run->end : fmin(*time + stride, run->end);
        result = state_on_constraints(k, *time, run->x);
        if (result == KERNEL_DONE)
            result = kernel_evaluate(k, *time, run->x);
        if (result)
            return result;
    }
    return KERNEL_DONE;
}

int chattering(Kernel *k, int indicator, int state)
{
    failed(k, KERNEL_CHATTERING, "integrating", -1, OK);
    k->failure.index = indicator;
    k->failure.slot = state;
    return KERNEL_CHATTERING;
}

/* Events are so many, or so close, that no end of them can be expected. */
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

/* The outputs before the event, the point itself, the event, and the point after it; x is the state at the event. */
static int pass_event(Kernel *k, double t, int indicator)
{
    Run *run = k->run;
    k->statistics.events++;
    run->t = t; /* so far the run has come, whatever happens now */
    memmove(run->present, run->x, (size_t)kernel_width(k) * sizeof *run->x);
    if (endless(run, t, indicator))
        return chattering(k, indicator, -1);
    int result = kernel_synchronise(k, t, run->x);
    if (result == KERNEL_DONE)
        result = record_event(k, t, run->x);
    if (result == KERNEL_DONE && k->switching) {
        result = kernel_indicators(k, run->z_middle);
        note_due(k, indicator < 0 ? NULL : run->z_before, run->z_middle);
    }
    if (result == KERNEL_DONE && k->sensitivity)
        result = sensitivity_arrive(k, t, run->x, indicator);
    if (result == KERNEL_DONE)
        result = happen(k, t, run->x);
    if (result == KERNEL_DONE && k->sensitivity)
        result = sensitivity_leave(k, t, run->x);
    if (result == KERNEL_DONE)
        result = record_event(k, t, run->x);
    while (run->next_output < run->outputs && run->output_times[run->next_output] <= t)
        run->next_output++;
    memmove(run->present, run->x, (size_t)kernel_width(k) * sizeof *run->x);
    return result ? result : restart(k, t);
}

/* Handles a contradiction as an event: prescribed motions may part here, which switched joints have tied together. The modes are chosen anew. */
static int part(Kernel *k, int result)
{
    Run *run = k->run;
    if (!k->switching || k->failure.kind != KERNEL_CONTRADICTORY || run->parted == run->t)
        return result;
    run->parted = run->t;
    note_parting(k);
    k->statistics.state_events++;
    memcpy(run->x, run->present, (size_t)kernel_width(k) * sizeof *run->x);
    return pass_event(k, run->t, -1);
}

/* A shortcut has proved wrong when the run was about to end. */
static int gone_back(Kernel *k, int result)
{
    k->run->t_earlier = NAN;
    k->run->judged = false;
    k->resting = false;
    return result;
}

/* One accepted step and all that belongs to it. */
static int step(Kernel *k)
{
    Run *run = k->run;
    const Method *method = run->method;
    const double time_event = kernel_next_time(k), limit = fmin(fmin(run->stop, run->pause), time_event);
    const double t_earlier = run->t > run->t_before ? run->t_before : NAN;
    memcpy(run->z_earlier, run->z_before, (size_t)k->indicators * sizeof *run->z);
    memcpy(run->z_before, run->z, (size_t)k->indicators * sizeof *run->z);
    note_angles(k);
    keep_unknowns(k, run->unknowns_before);
    k->failure.kind = KERNEL_DONE;
    int result = KERNEL_DONE;
    bool wanted = false, back = false;
    if (run->near) {
        run->t_before = run->t;
        run->t = fmax(run->t, limit);
    } else {
        result = method->step(k, limit, &back);
    }
    run->t_earlier = back ? NAN : t_earlier;
    run->judged = run->judged && !back && run->t > run->t_before;
    if (result || back)
        return result ? part(k, result) : result;
    kernel_accept(k);
    if (run->bounds)
        note_bounds(k);
    if (!method->evaluates && (run->listens || k->indicators))
        result = kernel_evaluate(k, run->t, run->present);
    if (result == KERNEL_DONE)
        result = kernel_indicators(k, run->z);
    if (result)
        return result;
    if (run->t > run->t_before && k->switching && left_behind(k, run->t_before, run->present, run->z_before, run->z, isnan(run->t_earlier))) {
        result = method->state(k, run->t_before, run->x);
        k->statistics.state_events++;
        return result ? result : pass_event(k, run->t_before, -1);
    }
    result = look_inside(k);
    if (result)
        return result;
    const int indicator = crossed(run->z_before, run->z, k->indicators, k->arms);
    if (indicator >= 0) {
        double t;
        if (run->t < limit) /* nothing else happens then */
            rest(k);
        result = locate(k, &t);
        const int which = k->failure.index;
        if (result == KERNEL_DONE)
            result = settle_beyond(k, which, &t);
        if (result == KERNEL_DONE)
            result = record_until(k, nextafter(t, -INFINITY));
        if (result == KERNEL_DONE)
            result = k->until ? until_within(k, t, &back) : KERNEL_DONE;
        if (back)
            return gone_back(k, result);
        if (result == KERNEL_DONE)
            result = state_on_constraints(k, t, run->x);
        if (result == KERNEL_DONE)
            result = kernel_evaluate(k, t, run->x);
        if (result == KERNEL_DONE)
            result = settle_beyond(k, which, &t); /* multipliers from another start differ by rounding */
        if (result == KERNEL_DONE)
            result = kernel_complete_step(k, &wanted);
        if (result == KERNEL_DONE)
            result = follow_quiet(k, t, run->x);
        k->statistics.state_events++;
        result = result ? result : pass_event(k, t, which);
        k->resting = false;
        return result;
    }
    if (run->listens)
        result = kernel_complete_step(k, &wanted);
    if (result == KERNEL_DONE && run->listens && k->sensitivity)
        result = sensitivity_complete(k, run->t, run->present);
    if (result)
        return result;
    const bool timely = run->t >= time_event && !(k->leaves_last && run->t >= run->stop);
    result = record_until(k, timely || wanted ? nextafter(run->t, -INFINITY) : run->t);
    if (result == KERNEL_DONE && k->until)
        result = until_within(k, run->t, &back);
    if (back)
        return gone_back(k, result);
    if (result || !(timely || wanted))
        return result || !method->complete ? result : method->complete(k);
    *(timely ? &k->statistics.time_events : &k->statistics.step_events) += 1;
    memcpy(run->x, run->present, (size_t)kernel_width(k) * sizeof *run->x);
    return pass_event(k, run->t, -1);
}

int kernel_pause_at(Kernel *k, double t, long outputs, const double *output_times)
{
    Run *run = k->run;
    run->pause = t;
    run->output_times = outputs ? output_times : &run->pause;
    run->outputs = outputs ? outputs : isfinite(t);
    run->next_output = 0;
    int result = KERNEL_DONE;
    if (t <= run->t && kernel_recorded_until(k) != run->t) /* the run stays, and shows where it is */
        result = record_until(k, run->t);
    if (result == KERNEL_DONE && run->near && t > run->t) { /* the method has not begun here */
        run->near = false;
        return run->method->restart(k, run->t, run->present);
    }
    return result || !run->method->go_on ? result : run->method->go_on(k, run_limit(k));
}

int kernel_pass_jump(Kernel *k)
{
    Run *run = k->run;
    k->statistics.time_events++;
    memcpy(run->x, run->present, (size_t)kernel_width(k) * sizeof *run->x);
    if (kernel_recorded_until(k) == run->t) /* the row of the pause, which the event replaces */
        kernel_forget_rows(k, kernel_rows(k) - 1);
    return pass_event(k, run->t, -1);
}

/* Integrates until the stop or the pause, or for so many steps. */
int kernel_advance(Kernel *k, long steps)
{
    Run *run = k->run;
    while (run->t < run->stop) {
        if (steps <= 0 || run->t >= run->pause)
            return KERNEL_PAUSED;
        int result = k->until && !run->judged ? until_here(k) : KERNEL_DONE;
        if (result)
            return result;
        steps -= !run->near;
        result = step(k);
        if (result == KERNEL_DONE)
            result = check_limits(k);
        if (result)
            return result;
    }
    return KERNEL_DONE;
}
