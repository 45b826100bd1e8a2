/* The callback that FMUs call within a step. */
#include "fmi/instance.h"

void instance_follow(void *environment, double time, bool set_requested, bool get_allowed, bool step_finished, bool can_return,
                     bool *return_requested, double *return_time)
{
    (void)step_finished;
    Instance *const found = environment == instance_stepping ? instance_stepping : instance_of(environment, NULL);
    Instance *const instance = found ? found : instance_stepping;
    const Polynomials *p = instance ? instance->inputs : NULL;
    if (return_requested)
        *return_requested = can_return && get_allowed && instance && instance->wanted && instance->wanted(instance->by, time);
    if (return_time)
        *return_time = time;
    if (!set_requested || !p || !p->degree)
        return;
    const double d = time - p->start;
    for (int i = 0; i < p->count; i++)
        p->scratch[i] = p->value[i] + d * (p->slope[i] + d * p->curve[i] / 2);
    instance_set_reals(instance, p->reference, (size_t)p->count, p->scratch);
}
