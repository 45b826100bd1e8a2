/* Parts of an instance that all integration methods use. */
#include "method.h"

/* Inputs follow their polynomials from the start of the communication step, or what the importer knows of them. */
void place(Instance *instance, const Step *step, double time, const double *x)
{
    set_time(instance, time);
    for (unsigned i = 0; i < model.states; i++)
        instance->v[model.state[i]] = x[i];
    if (instance->progress.varying) {
        double d = time - step->start;
        for (unsigned i = 0; i < model.inputs; i++)
            instance->v[model.input[i]] = instance->base[i] + d * (instance->slope[i] + d / 2 * instance->curvature[i]);
    }
    changed(instance, model.variable[model.time].stage);
    if (step->observe)
        step->observe(instance, time, false);
}

/* The derivatives at the present values; false where one, or an input, is not finite. */
bool slopes(Instance *instance, double *k)
{
    evaluate(instance, instance->derivative_stage);
    bool finite = true;
    for (unsigned i = 0; i < model.states; i++) {
        k[i] = instance->v[model.derivative[i]];
        finite = finite && isfinite(k[i]);
    }
    for (unsigned i = 0; instance->progress.varying && i < model.inputs; i++)
        finite = finite && isfinite(instance->v[model.input[i]]);
    return finite;
}
