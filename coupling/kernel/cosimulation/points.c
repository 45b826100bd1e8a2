/* Communication points, and explicit steps from one to the next. */
#include "cosimulation/saving.h"
#include "runs/run.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Divides the first interval, which has no past to extrapolate from: into halves, the first half again, and so on. The order of the
 * extrapolation gives the number of divisions. */
static const int divisions[] = {0, 4, 12};

typedef struct Course {
    double start, step, stop; /* points lie at start + number * step */
    double pause;             /* time at which it waits for what is to happen next */
    long number, steps;
    int order;
    bool in_turn, variable;
    int division; /* how many halvings are left of the interval from `from` to `to` */
    double from, to;
    bool restart;
    const double *output_times;
    long outputs, next_output;
    bool returns; /* all instances can: the state is saved now and then, and a step that is discarded is made anew with care */
} Course;

/* So many steps lie between two points to which a run can return. */
enum { RETURN = 100 };


/* A held output has changed since the last point. */
static bool held_changed(const Kernel *k)
{
    const Coupling *c = k->coupling;
    for (int i = 0; i < c->held_count; i++)
        if (k->v[c->held[i]] != c->held_before[i])
            return true;
    return false;
}

static void note_discrete(Kernel *k)
{
    Coupling *c = k->coupling;
    for (int i = 0; i < c->held_count; i++)
        c->held_before[i] = k->v[c->held[i]];
    if (k->indicators)
        memcpy(c->z_before, c->z, (size_t)k->indicators * sizeof *c->z);
    for (int i = 0; i < c->count && c->event; i++)
        c->steppers[i].event = false;
    c->event = false;
}

static int evaluate_point(Kernel *k)
{
    int result = kernel_get_outputs(k);
    if (result == KERNEL_DONE)
        result = kernel_evaluate_point(k, k->t);
    if (result == KERNEL_DONE && k->indicators)
        result = kernel_indicators(k, k->coupling->z);
    return result;
}

/* If an instance has requested the end of the run, the point there is the last. */
static int last_point(Kernel *k, int result)
{
    Coupling *c = k->coupling;
    const Stepper *ends = NULL;
    for (int i = 0; i < c->count && !ends; i++)
        ends = c->steppers[i].ends ? &c->steppers[i] : NULL;
    c->ending = ends;
    if (result != KERNEL_TERMINATED && !ends)
        return result;
    const Failure asked = k->failure;
    if ((result == KERNEL_DONE || evaluate_point(k) == KERNEL_DONE) && kernel_complete(k) == KERNEL_DONE) {
        const int recorded = kernel_record(k);
        if (recorded)
            return recorded;
    }
    k->failure = asked;
    return result == KERNEL_DONE ? step_terminated(k, ends) : result;
}

/* Event Mode of all instances at the present point, and their outputs after it. */
static int update_at_point(Kernel *k)
{
    bool changed;
    int result = kernel_synchronise(k, k->t, k->v);
    if (result == KERNEL_DONE)
        result = kernel_start_events(k);
    if (result == KERNEL_DONE)
        result = kernel_settle(k, k->v, &changed);
    return result ? result : evaluate_point(k);
}

int kernel_point(Kernel *k, double t, bool *event)
{
    const double due = kernel_next_time(k); /* before the time moves on, since tables look from it */
    k->t = t;
    int result = evaluate_point(k);
    Coupling *c = k->coupling;
    const bool state_event = result == KERNEL_DONE && (c->event || crossed(c->z_before, c->z, k->indicators, NULL) >= 0);
    c->sudden = result == KERNEL_DONE && (due <= t || state_event);
    *event = c->sudden || (result == KERNEL_DONE && held_changed(k));
    if (*event) {
        k->statistics.events++;
        *(due <= t      ? &k->statistics.time_events
          : state_event ? &k->statistics.state_events
                        : &k->statistics.step_events) += 1;
        result = kernel_complete(k);
        if (result == KERNEL_DONE)
            result = kernel_record(k); /* before the event; the caller records what comes after */
        if (result == KERNEL_DONE)
            result = update_at_point(k);
    }
    if (result == KERNEL_DONE) {
        note_discrete(k);
        kernel_accept(k);
    }
    if (result == KERNEL_TERMINATED || (result == KERNEL_DONE && c->ending))
        result = last_point(k, result);
    return result;
}

/* Mean error of an extrapolated input over a step, as a share of its difference from the value that arrives at the end, for polynomials
 * through 1, 2 or 3 points. */
static const double mean_share[] = {1. / 2, 5. / 12, 3. / 8};

void kernel_add_up(Kernel *k, double h)
{
    const Coupling *c = k->coupling;
    for (int i = 0; i < c->bond_count; i++) {
        Bond *b = &c->bonds[i];
        const double arriving = k->v[c->arriving[b->input]], off = k->v[c->first_end + b->input] - arriving, rate = k->v[b->rate];
        k->v[b->total] += b->sign * mean_share[c->degree] * h * off * rate;
        b->passed += h * fabs(arriving * rate);
    }
}

bool kernel_sudden(const Kernel *k)
{
    return k->coupling->sudden;
}

double kernel_passed(const Kernel *k, int bond)
{
    return k->coupling->bonds[bond].passed;
}

/* -- the course of explicit steps ---------------------------------------------------------------------------------------- */

int kernel_begin_course(Kernel *k, double start, double step, double stop, int order, bool in_turn, bool variable, long outputs,
                        const double *output_times)
{
    Coupling *c = k->coupling;
    free(c->course);
    Course *course = c->course = calloc(2, sizeof *course); /* now, and at the point to which it can return */
    if (!course)
        return KERNEL_NO_MEMORY;
    *course = (Course){.start = start,
                       .step = step,
                       .stop = stop,
                       .pause = INFINITY,
                       .order = order,
                       .in_turn = in_turn,
                       .variable = variable,
                       .restart = true,
                       .returns = true,
                       .outputs = outputs,
                       .output_times = output_times};
    for (int i = 0; i < c->count; i++)
        course->returns = course->returns && c->steppers[i].saves;
    c->careful = !course->returns;
    c->origin = start;
    for (int i = 0; i < c->count; i++)
        c->steppers[i].own = (Period){.begun = start};
    k->t = start;
    int result = k->indicators ? kernel_indicators(k, c->z) : KERNEL_DONE;
    if (result == KERNEL_DONE)
        note_discrete(k);
    return result;
}

double kernel_time(const Kernel *k)
{
    return k->t;
}

long kernel_course_steps(const Kernel *k)
{
    return k->coupling->course->steps;
}

void course_visit(Kernel *k, Visit *v)
{
    Course *const now = k->coupling->course;
    for (Course *course = now; course < now + 2; course++) {
        if (v->mode == LOADING && course != now)
            *course = *now;
        const Course begun = *course;
        VISIT_FROM_TO(v, course, number, restart);
        VISIT(v, course->next_output);
        if (v->mode == LOADING && !isfinite(course->stop)) /* the next piece has rows of its own */
            course->next_output = course->outputs;
        VISIT(v, course->returns);
        visit_check(v, course->order >= 0 && course->order <= begun.order && course->next_output >= 0 && course->next_output <= course->outputs);
        visit_check(v, course->steps >= 0 && course->number >= 0 && course->number < LONG_MAX / 2);
        VISIT_WITHIN(v, course, division, division, 0, divisions[2]);
        VISIT_TRUTHS(v, course, in_turn, variable);
        VISIT_TRUTHS(v, course, restart, restart);
        VISIT_TRUTHS(v, course, returns, returns);
        if (v->result != VISITED)
            return;
        visit_check(v, course->in_turn <= begun.in_turn && course->variable <= begun.variable && k->t >= course->start && k->t <= course->stop);
    }
    visit_bounds(v, k->coupling->bound, 2 * k->coupling->bounds);
}

#define CLOSE 1e-9

static double grid(const Course *course, long number)
{
    const double t = course->start + (double)number * course->step;
    return t >= course->stop - 1e-9 * course->step ? course->stop : t;
}

/* The next point: on the grid, or before it at an event that is foreseen, or where the first interval is divided. */
static double next_point(Kernel *k)
{
    Course *course = k->coupling->course;
    const double close = CLOSE * course->step; /* points that only rounding sets apart are one */
    while (grid(course, course->number) <= k->t + close && grid(course, course->number) < course->stop)
        course->number++;
    double next = grid(course, course->number);
    if (!course->variable)
        return next;
    if (course->restart && (k->coupling->sudden || !course->steps)) {
        course->division = divisions[course->order < k->coupling->highest ? course->order : k->coupling->highest];
        course->from = k->t;
        course->to = next;
    }
    if (course->division)
        next = course->from + ldexp(course->to - course->from, -course->division--);
    const double event = fmin(fmin(kernel_next_time(k), kernel_next_period(k)), course->pause);
    return event > k->t && event < next + close ? fmin(event, course->stop) : next;
}

static int record_due(Kernel *k, bool event)
{
    Course *course = k->coupling->course;
    const double reach = k->t + 1e-9 * course->step;
    const int noted = kernel_note_point(k);
    const bool due = course->next_output < course->outputs && course->output_times[course->next_output] <= reach;
    while (course->next_output < course->outputs && course->output_times[course->next_output] <= reach)
        course->next_output++;
    if (!due && !event)
        return noted;
    int result = kernel_complete(k);
    if (!result)
        result = kernel_record(k);
    return result ? result : noted;
}

static int one_step(Kernel *k)
{
    Coupling *c = k->coupling;
    Course *course = c->course;
    const double t = k->t;
    if (course->order || course->in_turn)
        kernel_note_inputs(k, course->restart);
    double next = next_point(k);
    course->restart = false;
    const bool returns = c->align && !c->lone;
    int result = returns ? kernel_save(k, 0) : KERNEL_DONE;
    if (result == KERNEL_DONE)
        result = kernel_explicit_step(k, next - t, course->order, course->in_turn, !returns);
    if (result == KERNEL_DONE && c->earliest < next && !returns) {
        next = c->earliest;
        kernel_cut_step(k, t, next);
    } else if (result == KERNEL_DONE && c->earliest < next) {
        next = c->earliest;
        c->align = false;
        result = kernel_restore(k, 0);
        if (result == KERNEL_DONE)
            result = kernel_explicit_step(k, next - t, course->order, course->in_turn, true);
        c->align = true;
    }
    bool event = false;
    if (result == KERNEL_DONE)
        result = kernel_point(k, next, &event);
    if (result)
        return result;
    course->steps++;
    course->restart = event;
    if (!event)
        kernel_add_up(k, next - t);
    return record_due(k, event);
}

/* Keeps the notes on ranges for the point to return to. */
static void copy_bounds(const Coupling *c, bool back)
{
    const size_t n = (size_t)c->bounds;
    if (n)
        memcpy(c->bound + (back ? 0 : n), c->bound + (back ? n : 0), n * sizeof *c->bound);
}

static int note_return(Kernel *k)
{
    Course *course = k->coupling->course;
    if (!course->returns || k->coupling->careful || course->steps % RETURN)
        return KERNEL_DONE;
    course[1] = course[0];
    copy_bounds(k->coupling, false);
    return kernel_save(k, FOR_RUN);
}

/* A discarded step is made again, with care, from the last point to which the run can return. */
static bool begin_anew(Kernel *k, int result)
{
    Coupling *c = k->coupling;
    Course *course = c->course;
    if (result != KERNEL_FMU_FAILED || k->failure.status != DISCARD || c->careful || !course->returns)
        return false;
    course[0] = course[1];
    copy_bounds(c, true);
    c->careful = true;
    return kernel_restore(k, FOR_RUN) == KERNEL_DONE;
}

int kernel_follow(Kernel *k, long steps)
{
    Course *course = k->coupling->course;
    const int met = kernel_until_point(k); /* at the start, after an event, and where the run is resumed */
    if (met)
        return met;
    while (steps-- > 0 && k->t < fmin(course->stop, course->pause)) {
        const double before = k->t;
        int result = note_return(k);
        if (result == KERNEL_DONE)
            result = one_step(k);
        if (result && begin_anew(k, result))
            continue;
        if (result) {
            k->t = before;
            return result == KERNEL_RETRY ? (int)k->failure.kind : result;
        }
        result = kernel_until_point(k);
        if (result)
            return result;
        if (k->coupling->stopping)
            break;
    }
    k->coupling->stopping = false;
    return k->t < course->stop ? KERNEL_PAUSED : KERNEL_DONE;
}

int kernel_pause_course_at(Kernel *k, double t, long outputs, const double *output_times)
{
    Course *course = k->coupling->course;
    course->pause = t;
    course->output_times = outputs ? output_times : &course->pause;
    course->outputs = outputs ? outputs : isfinite(t);
    course->next_output = 0;
    if (t <= k->t && kernel_recorded_until(k) != k->t) { /* the course stays, and shows where it is */
        const int result = record_due(k, true);
        if (result)
            return result;
    }
    if (!course->returns || k->coupling->careful)
        return KERNEL_DONE;
    course[1] = course[0]; /* what a pause has shown is not taken back */
    copy_bounds(k->coupling, false);
    return kernel_save(k, FOR_RUN);
}

int kernel_pass_jump_at_point(Kernel *k)
{
    Coupling *c = k->coupling;
    k->statistics.events++;
    k->statistics.time_events++;
    c->sudden = c->course->restart = true;
    int result = update_at_point(k);
    if (result == KERNEL_DONE) {
        note_discrete(k);
        kernel_accept(k);
    }
    if (result == KERNEL_TERMINATED || (result == KERNEL_DONE && c->ending))
        return last_point(k, result);
    return result ? result : record_due(k, true);
}
