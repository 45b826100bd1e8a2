/* Does for a mechanism the work that a component does for itself: evaluates, differentiates and reports errors. */
#include "whole.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void bind(Model *m, double *v)
{
    Whole *w = whole(m);
    w->v = v;
    for (unsigned i = 0; i < mechanism.components; i++)
        w->members[i].v = v + w->members[i].first;
}

static void restart(Model *m)
{
    Whole *w = whole(m);
    for (unsigned i = 0; i < mechanism.components; i++)
        member_changed(&w->members[i], 0);
    w->chosen_at = NAN;
    memset(w->fell, 0, mechanism.watches * sizeof *w->fell);
    system_restart(w->system, w->v);
    if (!mechanism.memory)
        return;
    system_set_tolerance(w->system, w->v[mechanism.memory]);
    system_remember(w->system, w->v + mechanism.memory + 1);
}

/* Components compute with the projected states, and importers read the states that they have set: what has been computed stays valid. */
static void show_states(Whole *w, const double *x)
{
    for (unsigned i = 0; x && i < w->model.states; i++)
        w->v[w->model.state[i]] = x[i];
}

/* Derivatives without the components. */
static bool moves_alone(Whole *w)
{
    const Model *const m = &w->model;
    if (w->failed || !system_has_equations(w->system) || !prepare_system(w, MOTION) || !system_derivatives_alone(w->system, w->v[m->time], w->x, w->dx))
        return false;
    for (unsigned i = 0; i < m->states; i++)
        w->v[m->derivative[i]] = w->dx[i];
    return w->behind = true;
}

static void evaluate_stage(Model *m, unsigned stage)
{
    Whole *w = whole(m);
    const double *const projected = system_projected(w->system);
    if (stage == MOTION && moves_alone(w))
        return;
    const bool ready = prepare(w, stage);
    bool done = ready;
    if (stage == AT_EVENTS) {
        w->failed = !(ready && system_settle(w->system, w->v[w->model.time]));
        return;
    }
    done = done && !w->failed;
    if (stage == MOTION) {
        done = done && system_derivatives(w->system, w->v[w->model.time], w->x, w->dx);
    } else {
        show_states(w, projected);
        done = done && system_complete(w->system, w->v[w->model.time], projected ? projected : w->x, w->dx);
    }
    for (unsigned i = 0; i < m->states && stage == MOTION; i++)
        w->v[m->derivative[i]] = done ? w->dx[i] : NAN;
    for (unsigned i = 0; i < mechanism.components && stage == EVERYTHING; i++) {
        Member *p = &w->members[i];
        if (done) {
            member_evaluate(p, p->model->stages);
            continue;
        }
        for (Reference r = 1; r < p->model->variables; r++)
            if (calculated(&p->model->variable[r]))
                p->v[r] = NAN;
        member_changed(p, 0);
    }
    if (stage == EVERYTHING && mechanism.watching)
        mechanism.watching->show(w);
    if (projected)
        show_states(w, w->x);
}

static void steps(Model *m)
{
    system_steps(whole(m)->system);
}

static void accept(Model *m)
{
    Whole *w = whole(m);
    if (mechanism.watching)
        mechanism.watching->arm(w);
    if (mechanism.memory)
        system_accept(w->system, w->v + mechanism.memory + 1);
}

static Projected project(Model *m, double *x, bool anew)
{
    Whole *w = whole(m);
    if (!system_constrained(w->system))
        return UNCONSTRAINED;
    if (anew && !prepare(w, MOTION))
        return UNPROJECTABLE;
    return system_project(w->system, w->v[w->model.time], x, anew) ? PROJECTED : UNPROJECTABLE;
}

static bool derive(Model *m, const Reference *unknowns, size_t unknown_count, const Reference *knowns, size_t known_count,
                   const double *seed, double *result)
{
    Whole *w = whole(m);
    double time = 0;
    for (unsigned i = 0; i < mechanism.components; i++)
        member_rest(&w->members[i]);
    memset(w->moved_inputs, 0, (m->inputs + 1) * sizeof(double));
    memset(w->moved_multipliers, 0, m->variables * sizeof(double));
    for (size_t i = 0; i < known_count; i++) {
        const Reference known = knowns[i];
        Member *p = member_at(w, known);
        if (known == m->time)
            time += seed[i];
        else if (m->variable[known].role == INPUT && !p)
            w->moved_inputs[m->variable[known].position] += seed[i];
        else if (m->variable[known].role == ALGEBRAIC)
            w->moved_multipliers[known] += given(w) ? seed[i] : 0;
        else if (p)
            member_move(p, known - p->first, p->moved[known - p->first] + seed[i]);
    }
    for (unsigned i = 0; i < mechanism.components; i++)
        member_move(&w->members[i], w->members[i].model->time, time);
    for (unsigned i = 0; i < m->states; i++) {
        const Member *p = member_at(w, m->state[i]);
        w->moved_states[i] = w->projected_states[i] = p->moved[m->state[i] - p->first];
    }
    show_states(w, system_projected(w->system));
    const bool done = !w->failed && system_follow(w->system, time, w->moved_inputs, w->moved_multipliers, w->projected_states);
    for (size_t i = 0; i < unknown_count && done; i++) {
        Reference unknown = unknowns[i];
        if (m->variable[unknown].role == STATE) {
            result[i] = w->moved_states[m->variable[unknown].position];
            continue;
        }
        if (m->variable[unknown].role == DERIVATIVE) { /* the component has one of its own */
            const unsigned position = m->variable[unknown].position;
            Member *p = member_at(w, m->state[position]);
            const unsigned own = w->model.variable[m->state[position]].position - w->model.variable[p->first + p->model->state[0]].position;
            result[i] = member_follow(p, p->model->derivative[own]);
            result[i] -= system_decay(w->system) * (w->moved_states[position] - w->projected_states[position]);
            continue;
        }
        Member *p = member_at(w, unknown);
        result[i] = p ? member_follow(p, unknown - p->first) : 0;
    }
    if (system_projected(w->system))
        show_states(w, w->x);
    return done;
}

/* Indicators that fall while events settle after a choice belong to the new modes. */
static bool choose(Model *m, const signed char *edge, bool settled, bool *chosen, bool *jumped)
{
    Whole *w = whole(m);
    const double t = w->v[m->time];
    (void)edge;
    *chosen = *jumped = false;
    if (!mechanism.watching)
        return true;
    mechanism.watching->note_falls(w, w->chosen_at != t);
    mechanism.watching->arm(w);
    if (!settled || given(w))
        return true;
    prepare(w, AT_EVENTS);
    const bool done = system_choose(w->system, t, w->x, w->fell, chosen, jumped);
    memset(w->fell, 0, mechanism.watches * sizeof *w->fell);
    w->chosen_at = *chosen ? t : w->chosen_at;
    if (*chosen)
        mechanism.watching->begin_anew(w, *jumped);
    show_states(w, *jumped ? w->x : NULL);
    return done;
}

static void look_ahead(Model *m, bool begins)
{
    if (mechanism.watching)
        mechanism.watching->look_ahead(whole(m), begins);
}

static const char *reason(const Model *m)
{
    return system_reason(whole(m)->system);
}

/* States that count turns begin at the angles that they follow. */
static void follow_gauges(Whole *w)
{
    for (unsigned i = 0; i < mechanism.gauges; i++)
        w->v[w->model.state[mechanism.gauge[i].state]] = w->v[mechanism.gauge[i].follows];
    if (mechanism.gauges)
        pass_values(w);
}

static void arrange(Model *m)
{
    Whole *w = whole(m);
    pass_values(w);
    w->open = mechanism.assemble_reference && w->v[mechanism.assemble_reference] != 0 ? close_start(w) : NULL;
    if (!w->open)
        follow_gauges(w);
}

static const char *violation(Model *m, double tolerance)
{
    Whole *w = whole(m);
    if (w->open)
        return w->open;
    system_set_tolerance(w->system, tolerance);
    if (mechanism.memory)
        w->v[mechanism.memory] = tolerance;
    pass_values(w); /* positions and velocities are there whether or not anything can be solved */
    const char *const open =
        mechanism.relaxed ? NULL
                          : describe_open(w, 0, 1, 1e-6, true, "the start violates constraints: ",
                                          "; correct the start values of the states, set initial.assemble, which has "
                                          "them moved, or export the mechanism with initial='relax', which leaves violations to the "
                                          "stabilisation");
    if (open)
        return open;
    for (unsigned stage = 0; stage < STAGES; stage++)
        evaluate_stage(m, stage);
    if (mechanism.watching) /* which constraints are in force is decided by the events that follow */
        return NULL;
    return w->failed || (m->states && isnan(w->v[m->derivative[0]])) ? reason(m) : NULL;
}

/* Joints that switch have no modes yet: constraints that repeat others may not be in force together. */
static const char *warning(Model *m)
{
    return mechanism.watching ? NULL : system_redundancy(whole(m)->system);
}

const Composition composition = {bind, restart, evaluate_stage, derive, reason, arrange, violation, warning, steps, project, accept, choose, look_ahead};
