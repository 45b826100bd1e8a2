/* Causes of events: indicators, times, and instances at the end of a step. */
#include "system/kernel_internal.h"

#include <math.h>

int kernel_indicators(Kernel *k, double *z)
{
    const bool fused = by_equations(&k->phase) && k->fused->indicate(k, z);
    const int result = fused || !k->indicators ? KERNEL_DONE : catch_up(k);
    if (result)
        return result;
    for (int i = 0; i < k->part_count && !fused; i++) {
        const Part *part = &k->parts[i];
        if (!part->indicators)
            continue;
        const Status status = instance_get_indicators(part->instance, z + part->first_indicator, (size_t)part->indicators);
        if (status > WARNING)
            return failed(k, KERNEL_FMU_FAILED, "getting the event indicators", i, status);
    }
    for (int i = 0; i < k->indicators; i++)
        if (isnan(z[i])) {
            failed(k, KERNEL_NOT_FINITE, "evaluating an event indicator", -1, OK);
            k->failure.index = i;
            return KERNEL_RETRY;
        }
    return KERNEL_DONE;
}

double kernel_next_time(const Kernel *k)
{
    double next = k->changes ? next_change(k) : INFINITY;
    for (int i = 0; i < k->handler_count; i++) {
        const double time = k->parts[k->handler[i]].instance->next_time;
        next = time < next ? time : next;
    }
    for (int i = 0; i < k->drive_count; i++) {
        const double time = drive_next_time(&k->drives[i], k->t);
        next = time < next ? time : next;
    }
    return next;
}

/* Reports an accepted step to every instance that needs it, and returns whether one of them requests an event. */
int kernel_complete_step(Kernel *k, bool *event)
{
    *event = false;
    for (int i = 0; i < k->part_count; i++) {
        bool wanted, terminate;
        if (!k->parts[i].completed_step)
            continue;
        const int result = catch_up(k);
        if (result)
            return result;
        const Status status = instance_completed_step(k->parts[i].instance, &wanted, &terminate);
        if (status > WARNING)
            return failed(k, KERNEL_FMU_FAILED, "completing a step", i, status);
        if (terminate) {
            failed(k, KERNEL_TERMINATED, "completing a step", i, status);
            return KERNEL_TERMINATED;
        }
        *event = *event || wanted;
    }
    return KERNEL_DONE;
}
