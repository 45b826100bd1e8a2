/* Many instances up to the end of their initialization, in few calls. */
#include "fmi/continuous.h"

/* Doors for callers outside of the kernel. */

bool instance_handles_events(const Instance *instance)
{
    return instance->event_mode;
}

Status instance_move_states(Instance *instance, const double *x, size_t count)
{
    return instance_set_states(instance, x, count);
}

int instances_start(Instance *const *instances, const Start *const *starts, int count, bool reset, double tolerance, double start, double stop,
                    Refusal *refusal, Status *status)
{
    for (int i = 0; i < count; i++) {
        Start own = *starts[i];
        own.reset = reset;
        own.tolerance = tolerance;
        own.start = start;
        own.stop = stop;
        *status = instance_start(instances[i], &own, refusal);
        if (*status > WARNING)
            return i;
    }
    return count;
}

int instances_exit_initialization(Instance *const *instances, int first, int count, Status *status)
{
    for (int i = first; i < count; i++) {
        *status = instance_exit_initialization(instances[i]);
        if (*status > WARNING || *instance_said(instances[i]))
            return i;
    }
    return count;
}
