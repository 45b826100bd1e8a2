/* Between the runtime, which knows instances, and the system, which knows the kernel. */
#include "fixed.h"
#include "whole.h"

bool model_start_steps(void *model, Placing placing, double t, const double *x, const double *remembered)
{
    return system_start_steps(whole(model)->system, placing, t, x, remembered);
}

const double *model_memory(const void *model)
{
    return system_memory(whole(model)->system);
}

bool model_take_step(void *model, Placing placing, double t, double h, double end, double *x, bool goes_on)
{
    return system_take_step(whole(model)->system, placing, t, h, end, x, goes_on);
}

void model_between(void *model, double f, double h, double *x)
{
    system_between(whole(model)->system, f, h, x);
}

void model_prepare(void *model)
{
    prepare_motion(whole(model));
}
