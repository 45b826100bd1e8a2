/* Joints whose constraints depend on modes, which are chosen inside, for all of them at once. */
#include "system_internal.h"

#include "schedule.h"

#include "kernel/switching.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const SwitchingOptions options = {.rest = 1e-3, .allowed = 1e-6};

/* Of the record, which there is none of inside. */
long kernel_rows(const Kernel *k)
{
    (void)k;
    return 0;
}

/* Time stands in the components already. */
static Status set_time(Component part, double time)
{
    (void)part, (void)time;
    return OK;
}

static Status set_modes_of(Component part, const Reference *references, size_t count, const void *values, size_t value_count)
{
    (void)value_count;
    for (size_t i = 0; i < count; i++) {
        const double mode = ((const int32_t *)values)[i];
        member_set(part, references + i, 1, &mode);
    }
    return OK;
}

static Status get_modes_of(Component part, const Reference *references, size_t count, void *values, size_t value_count)
{
    (void)value_count;
    for (size_t i = 0; i < count; i++) {
        double mode;
        member_get(part, references + i, 1, &mode);
        ((int32_t *)values)[i] = (int32_t)mode;
    }
    return OK;
}

static bool begin(System *s)
{
    s->library.fmi3.set_time = set_time;
    s->library.fmi3.set[INT32] = set_modes_of;
    s->library.fmi3.get[INT32] = get_modes_of;
    s->kernel->handler_count = 0; /* the runtime handles their events */
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
