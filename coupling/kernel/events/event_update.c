/* Handles an event: discrete updates, constraints that come into force or go off, and states that satisfy the constraints again. */
#include "system/kernel_internal.h"

/* Passes jumps of velocities to the instances. States are set in Continuous-Time Mode, the only way that all versions allow; Event Mode
 * follows. */
static int settle_again(Kernel *k, double t, double *x, bool *changed)
{
    bool again = false;
    int result = kernel_synchronise(k, t, x);
    if (result == KERNEL_DONE)
        result = kernel_start_events(k);
    if (result == KERNEL_DONE)
        result = kernel_settle(k, x, &again);
    *changed = *changed || again;
    return result;
}

int happen(Kernel *k, double t, double *x)
{
    bool changed = false, jumped = false;
    int result = kernel_start_events(k);
    if (result == KERNEL_DONE)
        result = kernel_settle(k, x, &changed);
    if (result == KERNEL_DONE && k->changes)
        result = pass_changes(k, t, x, &jumped);
    if (result == KERNEL_DONE && jumped)
        result = settle_again(k, t, x, &changed);
    if (result == KERNEL_DONE && k->switching)
        result = pass_switching(k, t, x, false, &changed);
    return result == KERNEL_DONE && changed ? project_fully(k, t, x) : result;
}
