/* Calls that only composed models get about their motion. */
#include "runtime.h"

void takes_steps(Instance *instance)
{
    instance->co_simulation = true;
    if (model.composition)
        model.composition->steps(instance->own);
}

void accept_point(Instance *instance)
{
    if (!model.composition || !model.states)
        return;
    evaluate(instance, model.relations ? instance->indicator_stage : instance->derivative_stage);
    model.composition->accept(instance->own);
}

Status choose_modes(Instance *instance, Update *update)
{
    bool chosen, jumped;
    if (!model.composition)
        return OK;
    if (!model.composition->choose(instance->own, instance->edge, !update->again, &chosen, &jumped))
        return report(instance, ERROR, "%s: %s", instance->name, model.composition->reason(instance->own));
    if (chosen)
        changed(instance, 0);
    update->again = update->again || chosen;
    update->states_changed = update->states_changed || chosen || jumped;
    return OK;
}

Status hold_constraints(Instance *instance)
{
    if (!model.composition || !model.states)
        return OK;
    for (unsigned i = 0; i < model.states; i++)
        instance->stage[i] = instance->v[model.state[i]];
    const Projected done = model.composition->project(instance->own, instance->stage, true);
    if (done == UNCONSTRAINED)
        return OK;
    if (done == UNPROJECTABLE) {
        const char *reason = model.composition->reason(instance->own);
        return report(instance, DISCARD, "%s: at time %.17g the states cannot be moved onto the constraints%s%s", instance->name, instance->v[model.time],
                      reason ? ": " : "", reason ? reason : "");
    }
    for (unsigned i = 0; i < model.states; i++)
        instance->v[model.state[i]] = instance->stage[i];
    changed(instance, model.variable[model.state[0]].stage);
    return OK;
}
