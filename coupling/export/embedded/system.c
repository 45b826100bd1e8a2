/* The kernel's core over components that are linked in, built from generated rows. */
#include "system_internal.h"

#include "schedule.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every so many evaluations a shortcut through a loop is held against the components, and equations in their place. */
enum { VERIFYING = 32, SELDOM = 4096 };

/* -- building ----------------------------------------------------------------------------------------------------------------------- */

static bool has_shortcuts(const System *s)
{
    for (int i = 0; i < s->schedule.loops; i++)
        if (s->schedule.loop[i].first_row != NONE)
            return true;
    return false;
}

static Kernel *build(const System *s)
{
    Instance **by_row = malloc(((size_t)s->schedule.parts + 1) * sizeof *by_row);
    for (int i = 0; i < s->schedule.parts && by_row; i++)
        by_row[i] = &s->instances[i];
    Kernel *k = by_row ? kernel_build(&s->schedule, by_row, NULL) : NULL;
    free(by_row);
    if (k)
        kernel_set_fast(k, has_shortcuts(s));
    if (!k || (kernel_set_sizes(k, schedule.size) == 0 && kernel_set_projection(k, &s->schedule, true) == 0))
        return k;
    kernel_free(k);
    return NULL;
}

static void fuse(System *s)
{
    if (schedule.equations && !s->refuted)
        (void)schedule.equations->fusing->begin(s); /* the components do as well */
}

static void unfuse(System *s)
{
    if (s->kernel->fused)
        schedule.equations->fusing->end(s);
}

/* Notes that values which change at events only have changed. */
static void note_stale(System *s)
{
    if (s->kernel->fused)
        s->kernel->fused->stale = true;
}

System *system_new(Member *const *parts, Naming naming, const void *context)
{
    System *s = calloc(1, sizeof *s);
    if (!s || !unpack(s)) {
        free(s);
        return NULL;
    }
    s->naming = naming;
    s->context = context;
    for (int i = 0; i < s->schedule.loops; i++)
        s->unknowns += s->schedule.loop[i].unknowns;
    s->instances = calloc((size_t)s->schedule.parts + 1, sizeof *s->instances);
    s->found = calloc((size_t)s->unknowns + 1, sizeof *s->found);
    s->right = calloc((size_t)s->unknowns + 1, sizeof *s->right);
    s->tangent = calloc((size_t)s->schedule.slots + 1, sizeof *s->tangent);
    const bool done = s->instances && s->found && s->right && s->tangent;
    for (int i = 0; i < s->schedule.parts && done; i++) {
        s->instances[i].library = &library_of_parts;
        s->instances[i].component = parts[i];
        s->instances[i].next_time = INFINITY;
    }
    s->kernel = done ? build(s) : NULL;
    if (s->kernel && (!schedule.chooser || schedule.chooser->begin(s))) {
        s->returning = s->kernel->projection;
        fuse(s);
        return s;
    }
    system_free(s);
    return NULL;
}

void system_free(System *s)
{
    if (!s)
        return;
    if (s->free_steps)
        s->free_steps(s);
    kernel_free(s->kernel);
    free(s->instances);
    free(s->found);
    free(s->right);
    free(s->tangent);
    free(s->unpacked);
    free(s);
}

/* -- settings ------------------------------------------------------------------------------------------------------------------------ */

static void find_again(System *s)
{
    const double *found = s->found;
    for (int i = 0; i < s->schedule.loops; i++) {
        memcpy(s->kernel->v + s->schedule.loop[i].first, found, (size_t)s->schedule.loop[i].unknowns * sizeof *found);
        found += s->schedule.loop[i].unknowns;
    }
    kernel_unsettle(s->kernel);
    s->linear = false;
    s->moved = true;
}

static void note_found(System *s)
{
    double *found = s->found;
    for (int i = 0; i < s->schedule.loops; i++) {
        memcpy(found, s->kernel->v + s->schedule.loop[i].first, (size_t)s->schedule.loop[i].unknowns * sizeof *found);
        found += s->schedule.loop[i].unknowns;
    }
}

void system_restart(System *s, const double *values)
{
    double *found = s->found;
    for (int i = 0; i < s->schedule.loops; i++)
        for (int z = 0; z < s->schedule.loop[i].unknowns; z++)
            *found++ = values[s->slot_variable[s->schedule.loop[i].first + z]];
    find_again(s);
    note_stale(s);
    s->until_verified = 0;
    s->redundancy[0] = s->sentence[0] = '\0';
    if (schedule.chooser)
        schedule.chooser->restore(s);
}

void system_give(System *s, const double *values)
{
    for (int i = 0; i < s->schedule.loops; i++) {
        const LoopRow *l = &s->schedule.loop[i];
        const int multipliers = schedule.multipliers[i];
        Loop *loop = &s->kernel->loops[i];
        for (int z = 0; z < multipliers; z++)
            s->kernel->v[l->first + z] = values[s->slot_variable[l->first + z]];
        if (!loop->held && multipliers) {
            bool *held = calloc((size_t)l->unknowns + 1, sizeof *held);
            for (int z = 0; z < multipliers && held; z++)
                held[z] = true;
            if (held)
                kernel_hold(s->kernel, i, held);
            free(held);
        }
    }
    kernel_set_fast(s->kernel, false);
    unfuse(s);
    kernel_unsettle(s->kernel);
    s->linear = false;
}

bool system_take(System *s)
{
    for (int i = 0; i < s->schedule.loops; i++)
        kernel_hold(s->kernel, i, NULL);
    kernel_set_fast(s->kernel, has_shortcuts(s));
    fuse(s);
    s->until_verified = 0;
    return true;
}

void system_keep(System *s)
{
    const Operations *all = &s->kernel->lists[EVENTS];
    for (int n = -1; n < s->schedule.loops; n++) {
        const Operations *list = n < 0 ? all : &s->kernel->loops[n].inside;
        for (int i = 0; i < list->count; i++) {
            const Operation *o = &list->items[i];
            for (int j = 0; j < o->count && o->kind == SET; j++)
                member_set(o->instance->component, o->references + j, 1, s->kernel->v + (o->places ? o->places[j] : o->first + j));
        }
    }
}

void system_set_inputs(System *s, double t, const double *inputs)
{
    for (int i = 0; i < s->schedule.drives; i++) {
        const int input = schedule.input[i];
        if (input != NONE)
            kernel_set_polynomial(s->kernel, i, t, inputs[input], 0, 0);
    }
}

void system_set_passed(System *s, double t)
{
    s->kernel->passed = t;
}

void system_set_tolerance(System *s, double tolerance)
{
    kernel_set_damping(s->kernel, tolerance);
}

/* -- sentences ----------------------------------------------------------------------------------------------------------------------- */

static const char *variable_at(const System *s, int slot)
{
    return s->naming(s->context, s->slot_variable[slot]);
}

static int residual_slot(const System *s, const LoopRow *l, int residual)
{
    const int *const number = s->schedule.number;
    return number[l->residual_slot + number[l->residual_start + residual]];
}

/* Up to `most` names of those of a loop's unknowns that matter, or of what its residuals are. */
static void list_names(const System *s, const LoopRow *l, bool residuals, const double *weight, char *text, size_t size)
{
    enum { MOST = 6 };
    size_t length = 0;
    int shown = 0, left_out = 0;
    text[0] = '\0';
    for (int i = 0; i < l->unknowns; i++) {
        if (weight && !(weight[i] > 1e-3))
            continue;
        if (shown == MOST || length + 64 > size) {
            left_out++;
            continue;
        }
        const int slot = residuals ? residual_slot(s, l, i) : l->first + i;
        length += (size_t)snprintf(text + length, size - length, "%s%.48s", shown++ ? ", " : "", variable_at(s, slot));
    }
    if (left_out)
        snprintf(text + length, size - length, " and %d more", left_out);
}

void describe_failure(System *s)
{
    const Failure *f = &s->kernel->failure;
    char names[384];
    switch (f->kind) {
    case KERNEL_NOT_FINITE:
        snprintf(s->sentence, sizeof s->sentence, "%s is not a finite number at time %.9g", variable_at(s, f->slot), f->time);
        break;
    case KERNEL_NOT_SOLVED:
        list_names(s, &s->schedule.loop[f->index], false, NULL, names, sizeof names);
        snprintf(s->sentence, sizeof s->sentence, "the equations for %s have no solution at time %.9g that the iteration finds", names, f->time);
        break;
    case KERNEL_CONTRADICTORY: {
        const LoopRow *l = &s->schedule.loop[f->index];
        list_names(s, l, true, s->kernel->loops[f->index].worst.redundant, names, sizeof names);
        snprintf(s->sentence, sizeof s->sentence, "the constraints contradict each other at time %.9g: %.64s cannot vanish%s%.280s", f->time,
                 variable_at(s, residual_slot(s, l, f->slot)), *names ? ", beside " : "", names);
        break;
    }
    case KERNEL_FMU_FAILED: {
        Reference found = 0;
        for (int i = f->count - 1; i >= 0; i--) {
            double value;
            member_get(s->instances[f->instance].component, f->references + i, 1, &value);
            if (!isfinite(value))
                found = member_reference(s->instances[f->instance].component, f->references[i]);
        }
        snprintf(s->sentence, sizeof s->sentence, "%s is not a finite number at time %.9g", s->naming(s->context, found), f->time);
        break;
    }
    case KERNEL_NO_FORCES:
    case KERNEL_UNSETTLED_MODES:
        snprintf(s->sentence, sizeof s->sentence, "%s at time %.9g; use less friction there, or a joint that is compliant",
                 f->kind == KERNEL_NO_FORCES ? "no forces satisfy a contact" : "the modes of the joints do not settle", f->time);
        break;
    default:
        snprintf(s->sentence, sizeof s->sentence, "an evaluation at time %.9g failed with the status %d", f->time, (int)f->kind);
    }
}

const char *system_reason(const System *s)
{
    return *s->sentence ? s->sentence : NULL;
}

const char *system_redundancy(System *s)
{
    for (int i = 0; i < s->schedule.loops; i++) {
        const Loop *l = &s->kernel->loops[i];
        const Deficiency *worst = l->worst.count ? &l->worst : &l->passed;
        if (!worst->count)
            continue;
        char names[384];
        list_names(s, &s->schedule.loop[i], true, worst->redundant, names, sizeof names);
        snprintf(s->redundancy, sizeof s->redundancy,
                 "%d constraint%s redundant at time %.6g, among %s; the multipliers of least length are taken", worst->count,
                 worst->count == 1 ? " is" : "s are", worst->time, names);
        return s->redundancy;
    }
    return NULL;
}

/* -- modes ---------------------------------------------------------------------------------------------------------------------------- */

bool system_choose(System *s, double t, double *x, const bool *fell, bool *chosen, bool *jumped)
{
    *chosen = *jumped = false;
    return !schedule.chooser || schedule.chooser->choose(s, t, x, fell, chosen, jumped);
}

/* -- evaluation ---------------------------------------------------------------------------------------------------------------------- */

bool system_ended(System *s, int status)
{
    s->linear = false;
    if (status == KERNEL_DONE) {
        note_found(s);
        s->sentence[0] = '\0';
        return true;
    }
    describe_failure(s);
    find_again(s);
    return false;
}

void system_exchange(System *s, double t)
{
    const double passed = s->kernel->passed;
    kernel_exchange(s->kernel, t, false);
    note_stale(s);
    s->kernel->passed = passed;
    kernel_unsettle(s->kernel);
    s->linear = false;
    s->moved = true;
}

bool system_settle(System *s, double t)
{
    const double passed = s->kernel->passed;
    s->until_verified = 0;
    s->moved = true;
    const int status = kernel_exchange(s->kernel, t, true);
    note_stale(s);
    s->kernel->passed = passed;
    return system_ended(s, status);
}

/* A shortcut starts from the inputs as they are. Were these what the evaluation before has left, the last digits of a derivative would depend
 * on where that was, and differences of derivatives, which integrators make Jacobians of, on nothing else. */
static void begin_anew(System *s)
{
    for (int n = 0; n < s->kernel->loop_count && s->moved; n++) {
        const Operations *inside = &s->kernel->loops[n].inside;
        for (int i = 0; i < inside->count; i++) {
            const Operation *o = &inside->items[i];
            for (int j = 0; j < o->count; j++) {
                double *const slot = s->kernel->v + (o->places ? o->places[j] : o->first + j);
                if (o->kind == SET) {
                    *slot = member_start(o->instance->component, o->references[j]);
                    member_set(o->instance->component, o->references + j, 1, slot);
                } else if (o->kind == GET) { /* not all of them are got at every evaluation */
                    member_get(o->instance->component, o->references + j, 1, slot);
                }
            }
        }
    }
    s->moved = false;
}

/* Derives by shortcuts where they exist. */
static int derive_by_components(System *s, double t, const double *x, double *dx)
{
    Kernel *k = s->kernel;
    int status = KERNEL_DONE;
    if (k->fast && !inputs_are_known(&k->phase)) /* what comes first after an event is as exact, but rounded otherwise */
        status = kernel_derivatives(k, t, x, dx);
    if (k->fast && inputs_are_known(&k->phase))
        begin_anew(s);
    if (status == KERNEL_DONE)
        status = kernel_derivatives(k, t, x, dx);
    if (status == KERNEL_DONE && k->fast && --s->until_verified < 0) {
        s->until_verified = VERIFYING;
        status = kernel_verify(k, dx);
        s->moved = true;
        if (!k->fast) /* its loops are not affine after all: from here on they are iterated */
            status = kernel_derivatives(k, t, x, dx);
    }
    return status;
}

/* Derives by equations, and verifies with the components. */
static int derive_and_verify(System *s, double t, const double *x, double *dx)
{
    Kernel *k = s->kernel;
    s->moved = true;
    int status = kernel_derivatives(k, t, x, dx);
    s->until_verified = by_equations(&k->phase) ? SELDOM : 0;
    if (status != KERNEL_DONE || !by_equations(&k->phase))
        return status;
    status = kernel_verify(k, dx);
    s->refuted = status == KERNEL_RETRY && k->failure.kind == KERNEL_DONE;
    if (!s->refuted)
        return status;
    unfuse(s);
    return derive_by_components(s, t, x, dx);
}

bool system_derivatives(System *s, double t, const double *x, double *dx)
{
    Kernel *k = s->kernel;
    const double *const given = x;
    int status = KERNEL_DONE;
    if (s->returning) {
        memcpy(k->displaced, x, (size_t)k->states * sizeof *x);
        status = kernel_project(k, t, k->displaced);
        s->moved = true;
        x = k->displaced;
    }
    if (status == KERNEL_DONE)
        status = k->fused ? derive_and_verify(s, t, x, dx) : derive_by_components(s, t, x, dx);
    if (status == KERNEL_DONE && s->returning)
        draw_after(k, given, dx);
    return system_ended(s, status);
}

bool system_has_equations(const System *s)
{
    return s->kernel->fused;
}

bool system_derivatives_alone(System *s, double t, const double *x, double *dx)
{
    if (--s->until_verified < 0 || !schedule.equations->fusing->derive(s, t, x, dx))
        return false;
    return system_ended(s, KERNEL_DONE);
}

bool system_complete(System *s, double t, const double *x, double *dx)
{
    Kernel *k = s->kernel;
    s->moved = true;
    const int status = kernel_evaluate(k, t, x);
    for (int i = 0; i < k->states && status == KERNEL_DONE; i++)
        dx[i] = k->v[k->derivative_slot[i]];
    return system_ended(s, status);
}

/* -- what is remembered ----------------------------------------------------------------------------------------------------------------- */

/* Passes the greatest pivots at points of the motion, by unknown. */
static void pass_peaks(System *s, double *peaks, bool back)
{
    for (int i = 0; i < s->kernel->loop_count; i++) {
        const Loop *l = &s->kernel->loops[i];
        double *const own = linear_peaks(l->linear);
        if (own)
            memcpy(back ? own : peaks, back ? peaks : own, (size_t)l->count * sizeof *own);
        peaks += l->count;
    }
}

void system_accept(System *s, double *peaks)
{
    kernel_accept(s->kernel);
    pass_peaks(s, peaks, false);
}

void system_remember(System *s, const double *peaks)
{
    pass_peaks(s, (double *)peaks, true);
}

/* -- projection ---------------------------------------------------------------------------------------------------------------------- */

bool system_constrained(const System *s)
{
    return s->kernel->projection;
}

void system_steps(System *s)
{
    s->returning = false;
}

const double *system_projected(const System *s)
{
    return s->returning ? s->kernel->displaced : NULL;
}

double system_decay(const System *s)
{
    return s->returning ? kernel_decay() : 0;
}

bool system_project(System *s, double t, double *x, bool anew)
{
    s->moved = true;
    return system_ended(s, anew ? kernel_return(s->kernel, t, x) : project_step(s->kernel, t, x));
}
