/* Event Mode: all instances settle together. */
#include "system/kernel_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_UPDATES = 1000, MOST_TREMBLES = 20 };

void kernel_set_at_event(Kernel *k, int count, const int *part, const int *type, const Reference *reference, int drives, const int *drive,
                         const double *value, const double *slope)
{
    k->settings = (Settings){count, drives, part, type, drive, reference, value, slope};
}

static int set_values(Kernel *k)
{
    const Settings s = k->settings;
    k->settings.count = k->settings.drives = 0;
    for (int i = 0; i < s.drives; i++)
        kernel_set_polynomial(k, s.drive[i], k->t, s.value[s.count + i], s.slope[i], 0);
    for (int i = 0; i < s.count; i++) {
        const Status status = instance_set(k->parts[s.part[i]].instance, (Type)s.type[i], s.reference + i, 1, s.value + i);
        if (status > WARNING)
            return failed(k, KERNEL_FMU_FAILED, "setting values", s.part[i], status);
    }
    return KERNEL_DONE;
}

int kernel_start_events(Kernel *k)
{
    for (int i = 0; i < k->handler_count; i++) {
        if (k->resting && k->parts[k->handler[i]].quiet)
            continue;
        const Status status = instance_enter_events(k->parts[k->handler[i]].instance);
        if (status > WARNING)
            return failed(k, KERNEL_FMU_FAILED, "entering Event Mode", k->handler[i], status);
    }
    return k->settings.count || k->settings.drives ? set_values(k) : KERNEL_DONE;
}

/* One round of discrete updates; whether any instance wants another. */
static int update(Kernel *k, bool *again, bool *changed)
{
    *again = false;
    for (int h = 0; h < k->handler_count; h++) {
        const int i = k->handler[h];
        Part *part = &k->parts[i];
        Update u = {0};
        if (k->resting && part->quiet)
            continue;
        const Status status = instance_update_discrete(part->instance, &u);
        if (status > WARNING)
            return failed(k, KERNEL_FMU_FAILED, "updating discrete states", i, status);
        if (u.terminate) {
            failed(k, KERNEL_TERMINATED, "updating discrete states", i, status);
            return KERNEL_TERMINATED;
        }
        *again = *again || u.again;
        *changed = *changed || u.states_changed;
        if (u.again)
            k->failure = (Failure){KERNEL_UNSETTLED, i, OK, "updating discrete states", NULL, 0, -1, -1, k->t};
    }
    return KERNEL_DONE;
}

/* Returns the relative accuracy of values that depend on solutions of loops: a small body between heavy ones leaves few digits of a weak
 * unknown. */
static double certainty(const Kernel *k)
{
    for (int i = 0; i < k->loop_count; i++)
        if (linear_weak(k->loops[i].linear) || k->loops[i].deficiency > 0)
            return 1e-5;
    return 1e-9;
}

/* Leaves out residuals of solved equations: where terms of 1e11 cancel, they are rounding of any size. */
static void leave_out_residuals(const Kernel *k, double *before)
{
    for (int i = 0; i < k->loop_count; i++) {
        const Loop *l = &k->loops[i];
        if (rests(k, i))
            continue;
        for (int row = 0; row < l->count; row++) {
            const int slot = l->residual_slot[l->residual_start[row]];
            if (l->residual_start[row + 1] == l->residual_start[row] + 1)
                before[slot] = k->v[slot];
        }
    }
}

/* A change within the accuracy of a loop's solution, or within rounding of the greatest value, counts as no change. */
static bool same(const double *before, const double *now, int count, double certain, int *changing)
{
    double size = 1e-3;
    for (int i = 0; i < count; i++)
        size = fmax(size, 1e-4 * fabs(before[i]));
    for (int i = 0; i < count; i++)
        if (!(fabs(now[i] - before[i]) <= certain * (size + fabs(before[i])))) {
            *changing = i;
            return false;
        }
    return true;
}

/* Notes which values fused code has to get anew: those of all instances, unless some had no part in the event. */
static void note_stale(const Kernel *k)
{
    const Stale stale = k->resting ? STALE_AT_EVENTS : STALE;
    k->fused->stale = k->fused->stale > stale ? k->fused->stale : stale;
    k->fused->stale_record = k->fused->stale_record > stale ? k->fused->stale_record : stale;
}

/* Keeps the values of a round that an event may change, in their places. */
static void keep(const Kernel *k, double *values)
{
    if (!k->resting)
        memcpy(values, k->v, (size_t)k->slots * sizeof *values);
    for (int i = 0; k->resting && i < k->loud_count; i++)
        values[k->loud[i]] = k->v[k->loud[i]];
}

/* The values that an event may change. */
static void take(const Kernel *k, const double *from, double *values)
{
    if (!k->resting)
        memcpy(values, from, (size_t)k->slots * sizeof *values);
    for (int i = 0; k->resting && i < k->loud_count; i++)
        values[i] = from[k->loud[i]];
}

/* All connections, then all updates, until no instance wants more and no value on a connection changes. Where parts move alike, a force between
 * them is rounding, of another sign each time that it is solved for: an instance that asks again and again for that alone has settled. */
int kernel_settle(Kernel *k, double *x, bool *states_changed)
{
    *states_changed = false;
    double *before = malloc((size_t)(3 * k->slots + 1) * sizeof *before), *const had = before + k->slots, *const has = had + k->slots;
    if (!before)
        return KERNEL_NO_MEMORY;
    const int count = k->resting ? k->loud_count : k->slots;
    bool again = true;
    int result = KERNEL_DONE, trembles = 0;
    set_event_mode(&k->phase, true);
    k->passed = k->t;
    for (int round = 0; result == KERNEL_DONE; round++) {
        result = k->coupling ? k->coupling->get_outputs(k) : KERNEL_DONE;
        if (result == KERNEL_DONE)
            result = operate_list(k, EVENTS);
        int changing = -1;
        leave_out_residuals(k, before);
        take(k, before, had);
        take(k, k->v, has);
        const bool alike = result == KERNEL_DONE && round > 0 && same(had, has, count, certainty(k), &changing);
        trembles = alike && memcmp(had, has, (size_t)count * sizeof *had) ? trembles + 1 : 0;
        if (result || (alike && !again) || trembles == MOST_TREMBLES)
            break;
        if (round == MOST_UPDATES) {
            if (!again) {
                failed(k, KERNEL_UNSETTLED, "passing on values", -1, OK);
                k->failure.slot = k->resting && changing >= 0 ? k->loud[changing] : changing;
            }
            k->failure.kind = result = KERNEL_UNSETTLED;
            break;
        }
        keep(k, before);
        result = update(k, &again, states_changed);
    }
    if (result == KERNEL_DONE && k->failure.kind == KERNEL_UNSETTLED) /* what asked for another round has settled */
        k->failure.kind = KERNEL_DONE;
    memcpy(before, x, (size_t)k->states * sizeof *x);
    for (int h = 0; h < k->handler_count && result == KERNEL_DONE; h++) {
        const int i = k->handler[h];
        Part *part = &k->parts[i];
        if (k->resting && part->quiet)
            continue;
        Status status = part->instance->stepped ? instance_enter_step(part->instance) : instance_enter_continuous(part->instance);
        if (status <= WARNING && part->states)
            status = instance_get_states(part->instance, x + part->first_state, (size_t)part->states);
        if (status > WARNING)
            result = failed(k, KERNEL_FMU_FAILED, "entering Continuous-Time Mode", i, status);
    }
    /* Many FMUs say that states have changed at every event. */
    *states_changed = *states_changed && memcmp(before, x, (size_t)k->states * sizeof *x);
    free(before);
    set_event_mode(&k->phase, false);
    if (k->fused)
        note_stale(k);
    if (result == KERNEL_DONE && x != k->v)
        memcpy(k->v, x, (size_t)k->states * sizeof *x);
    return result;
}
