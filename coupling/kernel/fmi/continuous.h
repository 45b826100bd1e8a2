/* Time and states of an instance in Model Exchange, which an evaluation sets. */
#ifndef KERNEL_CONTINUOUS_H
#define KERNEL_CONTINUOUS_H

#include "fmi/instance.h"

static inline Status instance_set_time(Instance *instance, double time)
{
    const Library *l = instance->library;
    instance->called = true;
    instance->time = time;
    AT(time);
    ENTERS_BOTH(set_time);
    return heard(instance, l->version == 3 ? l->fmi3.set_time(instance->component, time) : l->fmi2.set_time(instance->component, time));
}

static inline Status instance_set_states(Instance *instance, const double *x, size_t count)
{
    const Library *l = instance->library;
    instance->called = true;
    ENTERS_BOTH(set_states);
    return heard(instance, l->version == 3 ? l->fmi3.set_states(instance->component, x, count)
                                           : l->fmi2.set_states(instance->component, x, count));
}

#endif
