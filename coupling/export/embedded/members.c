/* One component inside a mechanism: its values and derivatives, computed when they are asked for. */
#include "chain.h"
#include "whole.h"

#include <stdlib.h>
#include <string.h>

void member_changed(Member *p, unsigned stage)
{
    p->valid = stage < p->valid ? stage : p->valid;
    p->valid_jacobian = stage < p->valid_jacobian ? stage : p->valid_jacobian;
    p->followed = stage < p->followed ? stage : p->followed;
}

void member_evaluate(Member *p, unsigned stages)
{
    for (; p->valid < stages; p->valid++)
        if (p->model->evaluate[p->valid])
            p->model->evaluate[p->valid](p->v, p->t);
}

static void member_differentiate(Member *p, unsigned stages)
{
    member_evaluate(p, stages);
    for (; p->valid_jacobian < stages; p->valid_jacobian++)
        if (p->model->differentiate[p->valid_jacobian])
            p->model->differentiate[p->valid_jacobian](p->v, p->t, p->j);
}

static inline double member_entry(Member *p, unsigned entry)
{
    const unsigned stages = p->model->entry[entry].stage + 1u;
    if (stages > p->valid_jacobian)
        member_differentiate(p, stages);
    return p->j[entry];
}

void member_set(Member *p, const Reference *references, size_t count, const double *values)
{
    for (size_t i = 0; i < count; i++) {
        const Reference r = references[i];
        if (p->v[r] != values[i]) {
            p->v[r] = values[i];
            member_changed(p, p->model->variable[r].stage);
        }
    }
}

void member_place(Member *p, const double *states)
{
    member_set(p, p->model->state, p->model->states, states);
}

void member_states(const Member *p, double *states)
{
    for (unsigned i = 0; i < p->model->states; i++)
        states[i] = p->v[p->model->state[i]];
}

Reference member_reference(const Member *p, Reference own)
{
    return p->first + own;
}

double member_start(const Member *p, Reference reference)
{
    return p->model->variable[reference].start;
}

void member_get(Member *p, const Reference *references, size_t count, double *values)
{
    const Variable *const variable = p->model->variable;
    unsigned stages = 0;
    for (size_t i = 0; i < count; i++) {
        const Variable *each = &variable[references[i]];
        if (each->stage >= stages && calculated(each))
            stages = each->stage + 1u;
    }
    member_evaluate(p, stages);
    for (size_t i = 0; i < count; i++)
        values[i] = p->v[references[i]];
}

/* One direction of derivatives, as a list of products: callers ask for the same ones at every evaluation, with the same arrays. */
struct Plan {
    const Reference *unknowns, *knowns;
    size_t unknown_count, known_count;
    unsigned stages, count;
    struct Plan *next;
    struct {
        unsigned entry, unknown, known;
    } item[];
};

static Plan *plan_new(const Model *m, const Reference *unknowns, size_t unknown_count, const Reference *knowns, size_t known_count)
{
    size_t most = 0;
    for (size_t i = 0; i < unknown_count; i++)
        most += m->row[unknowns[i] + 1] - m->row[unknowns[i]];
    Plan *plan = calloc(1, sizeof *plan + (most + 1) * sizeof plan->item[0]);
    if (!plan)
        return NULL;
    *plan = (Plan){.unknowns = unknowns, .knowns = knowns, .unknown_count = unknown_count, .known_count = known_count};
    for (size_t i = 0; i < unknown_count; i++)
        for (unsigned e = m->row[unknowns[i]]; e < m->row[unknowns[i] + 1]; e++)
            for (size_t k = 0; k < known_count; k++)
                if (m->entry[e].known == knowns[k]) {
                    plan->item[plan->count].entry = e;
                    plan->item[plan->count].unknown = (unsigned)i;
                    plan->item[plan->count++].known = (unsigned)k;
                    plan->stages = m->entry[e].stage >= plan->stages ? m->entry[e].stage + 1u : plan->stages;
                }
    return plan;
}

/* Made when it is first asked for. */
static const Plan *plan_for(Member *p, const Reference *unknowns, size_t unknown_count, const Reference *knowns, size_t known_count)
{
    for (const Plan *plan = p->plans; plan; plan = plan->next)
        if (plan->unknowns == unknowns && plan->knowns == knowns && plan->unknown_count == unknown_count && plan->known_count == known_count)
            return plan;
    Plan *plan = plan_new(p->model, unknowns, unknown_count, knowns, known_count);
    if (plan) {
        plan->next = p->plans;
        p->plans = plan;
    }
    return plan;
}

void member_forget(Member *p)
{
    while (p->plans) {
        Plan *next = p->plans->next;
        free(p->plans);
        p->plans = next;
    }
}

static void prepare_chain(Member *p, unsigned last)
{
    memset(p->along, 0, p->model->variables * sizeof *p->along);
    if (last >= p->valid_jacobian)
        member_differentiate(p, last + 1);
}

bool member_directional(Member *p, const Reference *unknowns, size_t unknown_count, const Reference *knowns, size_t known_count,
                        const double *seed, double *result)
{
    if (p->model->chain) {
        const unsigned last = chain_stage(p->model, unknowns, unknown_count, knowns, known_count);
        prepare_chain(p, last);
        for (size_t i = 0; i < known_count; i++)
            p->along[knowns[i]] += seed[i];
        chain_forward(p->model, p->j, 0, last, p->along);
        for (size_t i = 0; i < unknown_count; i++)
            result[i] = p->along[unknowns[i]];
        return true;
    }
    const Plan *plan = plan_for(p, unknowns, unknown_count, knowns, known_count);
    if (!plan)
        return false;
    if (plan->stages > p->valid_jacobian)
        member_differentiate(p, plan->stages);
    for (size_t i = 0; i < unknown_count; i++)
        result[i] = 0;
    for (unsigned i = 0; i < plan->count; i++)
        result[plan->item[i].unknown] += seed[plan->item[i].known] * p->j[plan->item[i].entry];
    return true;
}

bool member_adjoint(Member *p, const Reference *unknowns, size_t unknown_count, const Reference *knowns, size_t known_count,
                    const double *seed, double *result)
{
    if (p->model->chain) {
        const unsigned last = chain_stage(p->model, unknowns, unknown_count, knowns, known_count);
        prepare_chain(p, last);
        for (size_t i = 0; i < unknown_count; i++)
            p->along[unknowns[i]] += seed[i];
        chain_backward(p->model, p->j, last, p->along);
        for (size_t i = 0; i < known_count; i++)
            result[i] = p->along[knowns[i]];
        return true;
    }
    const Plan *plan = plan_for(p, unknowns, unknown_count, knowns, known_count);
    if (!plan)
        return false;
    if (plan->stages > p->valid_jacobian)
        member_differentiate(p, plan->stages);
    for (size_t k = 0; k < known_count; k++)
        result[k] = 0;
    for (unsigned i = 0; i < plan->count; i++)
        result[plan->item[i].known] += seed[plan->item[i].unknown] * p->j[plan->item[i].entry];
    return true;
}

void member_rest(Member *p)
{
    memset(p->moved, 0, p->model->variables * sizeof *p->moved);
    p->followed = 0;
    p->by_parameters = false;
}

void member_move(Member *p, Reference known, double amount)
{
    const Variable *variable = &p->model->variable[known];
    p->moved[known] = amount;
    p->followed = variable->stage < p->followed ? variable->stage : p->followed;
    p->by_parameters |= variable->role == PARAMETER;
}

void member_displace(Member *p, const double *states)
{
    for (unsigned i = 0; i < p->model->states; i++)
        member_move(p, p->model->state[i], states[i]);
}

double member_follow(Member *p, Reference unknown)
{
    const Model *const m = p->model;
    if (!calculated(&m->variable[unknown]))
        return p->moved[unknown];
    if (m->chain) {
        const unsigned stage = m->variable[unknown].stage, needed = p->by_parameters ? m->stages : stage + 1u;
        if (needed > p->valid_jacobian)
            member_differentiate(p, needed);
        if (stage >= p->followed) {
            chain_forward(m, p->j, p->followed, stage, p->moved);
            p->followed = stage + 1;
        }
        return p->moved[unknown];
    }
    double sum = 0;
    for (unsigned e = m->row[unknown]; e < m->row[unknown + 1]; e++)
        if (p->moved[m->entry[e].known] != 0)
            sum += member_entry(p, e) * p->moved[m->entry[e].known];
    return sum;
}
