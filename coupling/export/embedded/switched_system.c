/* Joints whose constraints depend on modes, which are chosen inside, for all of them at once. */
#include "system_internal.h"

#include "schedule.h"

#include "kernel/switching.h"

#include <stdlib.h>
#include <string.h>

static const SwitchingOptions options = {.rest = 1e-3, .allowed = 1e-6};

/* Of the record, which there is none of inside. */
long kernel_rows(const Kernel *k)
{
    (void)k;
    return 0;
}

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
    s->kernel->handler_count = 0;
    return kernel_begin_switching(s->kernel, &schedule.rows, &options) == 0;
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
    double *const z = malloc((2 * (size_t)k->indicators + (size_t)k->states + 1) * sizeof *z), *const before = z + 2 * k->indicators;
    int status = z ? KERNEL_DONE : KERNEL_NO_MEMORY;
    for (int i = 0; i < k->indicators && z; i++) {
        z[i] = 1;
        z[k->indicators + i] = fell[i] ? -1 : 1;
    }
    s->moved = true;
    s->until_verified = 0;
    if (z) {
        memcpy(before, x, (size_t)k->states * sizeof *x);
        status = read_modes(k);
        note_due(k, z, z + k->indicators);
        if (status == KERNEL_DONE)
            status = pass_switching(k, t, x, !k->switching->begun, chosen);
        *jumped = memcmp(before, x, (size_t)k->states * sizeof *x) != 0;
    }
    k->passed = passed;
    free(z);
    return system_ended(s, status);
}

const Chooser chooser = {begin, restore, choose};
