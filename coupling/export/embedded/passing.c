/* Finds the components of a mechanism, and brings into them what is outside of them. */
#include "whole.h"

#include <math.h>

Member *member_at(const Whole *w, Reference reference)
{
    unsigned low = 0, high = mechanism.components;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (w->members[middle].first <= reference)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &w->members[low - 1] : NULL;
}

/* The importer solves for the multipliers. */
bool given(const Whole *w)
{
    return mechanism.switch_reference && w->v[mechanism.switch_reference] != 0;
}

static void gather(const double *v, const Reference *reference, unsigned count, double *values)
{
    for (unsigned i = 0; i < count; i++)
        values[i] = v[reference[i]];
}

/* States stand in the components already. */
static void move_components(Whole *w, unsigned stage)
{
    const double t = w->v[w->model.time];
    for (unsigned i = 0; i < mechanism.components; i++) {
        Member *p = &w->members[i];
        p->v[p->model->time] = t;
        if (stage != EVERYTHING) /* comes after the motion, at the same point */
            member_changed(p, stage == AT_EVENTS ? 0 : p->moving);
    }
    w->behind = false;
}

bool prepare_system(Whole *w, unsigned stage)
{
    const double t = w->v[w->model.time];
    const bool events = stage == AT_EVENTS;
    gather(w->v, w->model.state, w->model.states, w->x);
    gather(w->v, w->model.input, w->model.inputs, w->inputs);
    system_set_inputs(w->system, t, w->inputs);
    if (given(w))
        system_give(w->system, w->v);
    else if (mechanism.switch_reference)
        system_keep(w->system);
    if (events && !given(w) && !system_take(w->system))
        return false;
    if (events) {
        double passed = -INFINITY;
        for (unsigned i = 0; i < mechanism.kinked; i++) {
            const Kinks *k = &mechanism.kinks[i];
            const int next = (int)w->v[k->next];
            if (next > 0 && next <= (int)k->count)
                passed = fmax(passed, k->times[next - 1]);
        }
        system_set_passed(w->system, passed);
    }
    return true;
}

/* Brings what is outside of the components into them. */
bool prepare(Whole *w, unsigned stage)
{
    move_components(w, w->behind && stage == EVERYTHING ? MOTION : stage);
    return prepare_system(w, stage);
}

bool prepare_motion(Whole *w)
{
    return prepare(w, MOTION);
}

void pass_values(Whole *w)
{
    prepare(w, AT_EVENTS);
    system_exchange(w->system, w->v[w->model.time]);
    for (unsigned i = 0; i < mechanism.components; i++)
        member_evaluate(&w->members[i], w->members[i].model->stages);
}
