/* Joints whose constraints depend on modes, which are chosen inside, for all of them at once. */
#include "system_internal.h"

#include "schedule.h"

#include "kernel/events/switching.h"

#include <stdlib.h>
#include <string.h>

/* The runtime handles the events of the components. */
Status instance_enter_events(Instance *instance)
{
    (void)instance;
    return FATAL;
}

Status instance_update_discrete(Instance *instance, Update *update)
{
    (void)update;
    return instance_enter_events(instance);
}

Status instance_enter_continuous(Instance *instance)
{
    return instance_enter_events(instance);
}

Status instance_enter_step(Instance *instance)
{
    return instance_enter_events(instance);
}

static bool begin(System *s)
{
    const SwitchingOptions options = {.rest = schedule.rest, .allowed = 1e-6, .size = schedule.switched_size};
    s->kernel->handler_count = 0;
    return kernel_begin_switching(s->kernel, &s->schedule, &options) == 0;
}

static void restore(System *s)
{
    s->kernel->switching->begun = false;
    (void)read_modes(s->kernel);
}

static bool choose(System *s, double t, double *x, const bool *fell, bool *chosen, bool *jumped)
{
    Kernel *const k = s->kernel;
    const double passed = k->passed;
    double *const before = malloc(((size_t)k->states + 1) * sizeof *before);
    int status = before ? KERNEL_DONE : KERNEL_NO_MEMORY;
    s->moved = true;
    s->until_verified = 0;
    if (before) {
        memcpy(before, x, (size_t)k->states * sizeof *x);
        status = read_modes(k);
        for (int i = 0; i < k->switching->count; i++)
            k->switching->item[i].fell = fell[i];
        note_due(k, NULL, NULL);
        if (status == KERNEL_DONE)
            status = pass_switching(k, t, x, !k->switching->begun, chosen);
        *jumped = memcmp(before, x, (size_t)k->states * sizeof *x) != 0;
    }
    k->passed = passed;
    free(before);
    return system_ended(s, status);
}

bool *system_begun(System *s)
{
    return &s->kernel->switching->begun;
}

int system_watched(const System *s, unsigned joint)
{
    const SwitchedRow *row = &s->schedule.switched[joint];
    return row->indicator == NONE ? -1 : s->kernel->parts[row->part].first_indicator + row->indicator;
}

bool system_noise(System *s, const double *x, double *noise)
{
    bool changed = false;
    for (int i = 0; i < s->kernel->switching->count; i++) {
        const Item *item = &s->kernel->switching->item[i];
        noise[i] = noise_of(s->kernel, item, x);
        changed = changed || item->mode != item->was;
    }
    return changed;
}

const Chooser chooser = {begin, restore, choose};
