/* Many models as one: puts the tables of the components together, and computes through the system that couples them. */
#include "mechanism.h"
#include "members.h"
#include "this_model.h"
#include "system.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef model

enum { LINE = _Alignof(Variable) };
enum { AT_EVENTS, MOTION, EVERYTHING, STAGES }; /* what a change makes invalid, and what is computed in each stage */

typedef struct Plan Plan;

struct Member {
    const Model *model;
    Reference first; /* where its variables begin among those of the mechanism */
    double *v, *t, *j, *moved;
    Plan *plans;
    unsigned valid, valid_jacobian, moving; /* `moving`: the first stage that depends on more than what changes at events */
};

/* A mechanism of one instance; the model that the runtime sees is its first member. */
typedef struct {
    Model model;
    Member *members, **member;
    int *states;
    System *system;
    double *v, *x, *dx, *inputs, *moved_inputs, *moved_multipliers;
    char *lines; /* the variables begin at a line of the cache, which calloc knows nothing of */
    Variable *variables;
    Reference *state, *derivative, *input, *indicator, *relation, *relation_indicator, *assignment, *concerned;
    signed char *watch;
    Event *events;
    unsigned *concerns;
    const char **requirements;
    double *nominal, *scratch;
    char *texts, *next_text;
    bool failed;     /* what changes at events only could not be computed */
    char sentence[1024];
} Whole;

/* -- one component ---------------------------------------------------------------------------------------------------------------- */

static void member_changed(Member *p, unsigned stage)
{
    p->valid = stage < p->valid ? stage : p->valid;
    p->valid_jacobian = stage < p->valid_jacobian ? stage : p->valid_jacobian;
}

static void member_evaluate(Member *p, unsigned stages)
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

static bool calculated(const Variable *variable)
{
    return variable->role == DERIVATIVE || variable->role == OUTPUT || variable->role == LOCAL || variable->role == INDICATOR;
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

static void forget_plans(Member *p)
{
    while (p->plans) {
        Plan *next = p->plans->next;
        free(p->plans);
        p->plans = next;
    }
}

bool member_directional(Member *p, const Reference *unknowns, size_t unknown_count, const Reference *knowns, size_t known_count,
                        const double *seed, double *result)
{
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

void member_move(Member *p, Reference known, double amount)
{
    p->moved[known] = amount;
}

double member_follow(Member *p, Reference unknown)
{
    const Model *const m = p->model;
    if (!calculated(&m->variable[unknown]))
        return p->moved[unknown];
    double sum = 0;
    for (unsigned e = m->row[unknown]; e < m->row[unknown + 1]; e++)
        if (p->moved[m->entry[e].known] != 0)
            sum += member_entry(p, e) * p->moved[m->entry[e].known];
    return sum;
}

/* The first stage that a change of time, states, discrete values or inputs makes invalid. */
static unsigned moving_stage(const Model *m)
{
    unsigned first = m->stages;
    for (unsigned r = 0; r < m->variables; r++) {
        const Variable *variable = &m->variable[r];
        if (variable->role != PARAMETER && variable->role != SWITCH && !calculated(variable) && variable->stage < first)
            first = variable->stage;
    }
    return first;
}

/* -- the mechanism ---------------------------------------------------------------------------------------------------------------- */

static Whole *whole(const Model *m)
{
    return (Whole *)m;
}

/* Which component a reference belongs to; null for the mechanism's own. */
static Member *member_at(const Whole *w, Reference reference)
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

static const char *name_of(const void *context, Reference reference)
{
    return ((const Whole *)context)->model.variable[reference].name;
}

static void bind(Model *m, double *v)
{
    Whole *w = whole(m);
    w->v = v;
    for (unsigned i = 0; i < mechanism.components; i++)
        w->members[i].v = v + w->members[i].first;
}

/* Whether somebody else solves for the multipliers. */
static bool given(const Whole *w)
{
    return mechanism.switch_reference && w->v[mechanism.switch_reference] != 0;
}

static void restart(Model *m)
{
    Whole *w = whole(m);
    for (unsigned i = 0; i < mechanism.components; i++)
        member_changed(&w->members[i], 0);
    system_restart(w->system, w->v);
}

static void gather(const double *v, const Reference *reference, unsigned count, double *values)
{
    for (unsigned i = 0; i < count; i++)
        values[i] = v[reference[i]];
}

/* Brings what is outside of the components into them. */
static bool prepare(Whole *w, unsigned stage)
{
    const double t = w->v[0];
    const bool events = stage == AT_EVENTS;
    for (unsigned i = 0; i < mechanism.components; i++) {
        Member *p = &w->members[i];
        p->v[0] = t;
        if (stage != EVERYTHING) /* comes behind the motion, at the same point */
            member_changed(p, events ? 0 : p->moving);
    }
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

static void evaluate_stage(Model *m, unsigned stage)
{
    Whole *w = whole(m);
    const bool ready = prepare(w, stage);
    bool done = ready;
    if (stage == AT_EVENTS) {
        w->failed = !(ready && system_settle(w->system, w->v[0]));
        return;
    }
    done = done && !w->failed;
    if (stage == MOTION)
        done = done && system_derivatives(w->system, w->v[0], w->x, w->dx);
    else
        done = done && system_complete(w->system, w->v[0], w->x, w->dx);
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
}

static bool derive(Model *m, const Reference *unknowns, size_t unknown_count, const Reference *knowns, size_t known_count,
                   const double *seed, double *result)
{
    Whole *w = whole(m);
    double time = 0;
    for (unsigned i = 0; i < mechanism.components; i++)
        memset(w->members[i].moved, 0, w->members[i].model->variables * sizeof(double));
    memset(w->moved_inputs, 0, (m->inputs + 1) * sizeof(double));
    memset(w->moved_multipliers, 0, m->variables * sizeof(double));
    for (size_t i = 0; i < known_count; i++) {
        const Reference known = knowns[i];
        Member *p = member_at(w, known);
        if (known == 0)
            time += seed[i];
        else if (m->variable[known].role == INPUT && !p)
            w->moved_inputs[m->variable[known].position] += seed[i];
        else if (m->variable[known].role == ALGEBRAIC)
            w->moved_multipliers[known] += given(w) ? seed[i] : 0;
        else if (p)
            p->moved[known - p->first] += seed[i];
    }
    for (unsigned i = 0; i < mechanism.components; i++)
        w->members[i].moved[0] = time;
    if (w->failed || !system_follow(w->system, time, w->moved_inputs, w->moved_multipliers))
        return false;
    for (size_t i = 0; i < unknown_count; i++) {
        Reference unknown = unknowns[i];
        if (m->variable[unknown].role == DERIVATIVE) { /* the component has one of its own */
            const unsigned position = m->variable[unknown].position;
            Member *p = member_at(w, m->state[position]);
            const unsigned own = w->model.variable[m->state[position]].position - w->model.variable[p->first + p->model->state[0]].position;
            result[i] = member_follow(p, p->model->derivative[own]);
            continue;
        }
        Member *p = member_at(w, unknown);
        result[i] = p ? member_follow(p, unknown - p->first) : 0;
    }
    return true;
}

static const char *reason(const Model *m)
{
    return system_reason(whole(m)->system);
}

static const char *violation(Model *m, double tolerance)
{
    static const double allowed = 1e-6;
    Whole *w = whole(m);
    system_set_tolerance(w->system, tolerance);
    for (unsigned stage = 0; stage < STAGES; stage++)
        evaluate_stage(m, stage);
    size_t length = 0;
    unsigned shown = 0, violated = 0;
    for (unsigned i = 0; i < mechanism.constraints; i++) {
        const Reference r = mechanism.constraint[i];
        if (fabs(w->v[r]) <= allowed)
            continue;
        violated++;
        if (length < sizeof w->sentence / 2) {
            shown++;
            length += (size_t)snprintf(w->sentence + length, sizeof w->sentence - length, "%s%s = %.4g%s%s",
                                       shown > 1 ? ", " : "the start violates constraints: ", m->variable[r].name, w->v[r],
                                       *m->variable[r].unit ? " " : "", m->variable[r].unit);
        }
    }
    if (!violated)
        return w->failed || (m->states && isnan(w->v[m->derivative[0]])) ? reason(m) : NULL;
    if (violated > shown)
        length += (size_t)snprintf(w->sentence + length, sizeof w->sentence - length, " and %u more", violated - shown);
    snprintf(w->sentence + length, sizeof w->sentence - length,
             " (at most %g is allowed); correct the start values of the states, or export the mechanism with initial='relax', which leaves "
             "violations to the stabilisation",
             allowed);
    return w->sentence;
}

static const char *warning(Model *m)
{
    return system_redundancy(whole(m)->system);
}

static const Composition composition = {bind, restart, evaluate_stage, derive, reason, violation, warning};

/* -- events, all computed from the values as they are ----------------------------------------------------------------------------- */

static Reference first_component(void);

static void update(const double *v, double *new_values)
{
    Reference first = first_component();
    for (unsigned i = 0; i < mechanism.kinked; i++)
        *new_values++ = v[mechanism.kinks[i].next] + 1;
    for (unsigned i = 0; i < mechanism.components; i++) {
        const Model *m = mechanism.component[i].model;
        if (m->events)
            m->update(v + first, new_values);
        new_values += m->assignments;
        first += m->variables;
    }
}

static void instants(const double *v, double *next)
{
    Reference first = first_component();
    for (unsigned i = 0; i < mechanism.kinked; i++) {
        const Kinks *k = &mechanism.kinks[i];
        const double passed = v[k->next];
        *next++ = passed >= 0 && passed < k->count ? k->times[(unsigned)passed] : INFINITY;
    }
    for (unsigned i = 0; i < mechanism.components; i++) {
        const Model *m = mechanism.component[i].model;
        if (m->times)
            m->instants(v + first, next);
        next += m->times;
        first += m->variables;
    }
}

static void require(const double *v, double *margins)
{
    Reference first = first_component();
    for (unsigned i = 0; i < mechanism.components; i++) {
        const Model *m = mechanism.component[i].model;
        if (m->requirements)
            m->require(v + first, margins);
        margins += m->requirements;
        first += m->variables;
    }
}

/* -- putting the tables together -------------------------------------------------------------------------------------------------- */

static Reference first_component(void)
{
    Reference first = 1 + mechanism.owns;
    for (unsigned i = 0; i < mechanism.components; i++)
        first += mechanism.component[i].model->states;
    return first;
}

static const char *joined(Whole *w, const char *format, const char *a, const char *b)
{
    const char *text = w->next_text;
    w->next_text += sprintf(w->next_text, format, a, b) + 1;
    return text;
}

/* What a variable of a component is to the mechanism. */
static Role role_of(const Variable *variable)
{
    const bool shown = mechanism.switch_reference != 0;
    switch (variable->role) {
    case INPUT: return LOCAL; /* another component, or the mechanism, gives it */
    case ALGEBRAIC: return shown ? ALGEBRAIC : LOCAL;
    case OUTPUT: return LOCAL;
    default: return (Role)variable->role;
    }
}

static unsigned char stage_of(Role role)
{
    switch (role) {
    case PARAMETER:
    case SWITCH:
    case DISCRETE:
    case RELATION: return AT_EVENTS;
    case OUTPUT:
    case LOCAL:
    case INDICATOR: return EVERYTHING;
    default: return MOTION;
    }
}

static bool count_up(Model *m, size_t *text, size_t *memory)
{
    m->variables = 1 + mechanism.owns;
    m->inputs = mechanism.inputs;
    m->times = m->events = m->assignments = mechanism.kinked;
    for (unsigned i = 0; i < mechanism.components; i++) {
        const Component *c = &mechanism.component[i];
        const Model *part = c->model;
        m->states += part->states;
        m->variables += part->variables + part->states;
        m->indicators += part->indicators;
        m->relations += part->relations;
        m->times += part->times;
        m->events += part->events;
        m->assignments += part->assignments;
        m->requirements += part->requirements;
        *memory += part->temporaries + part->entries + part->variables;
        for (unsigned r = 0; r < part->variables; r++)
            *text += 2 * (strlen(c->name) + strlen(part->variable[r].name) + sizeof "der().");
        for (unsigned q = 0; q < part->requirements; q++)
            *text += strlen(c->name) + strlen(part->requirement[q]) + sizeof "of : ";
        for (unsigned e = 0; e < part->events; e++)
            *text += strlen(c->name) + strlen(part->event[e].text) + sizeof "of : ";
    }
    return true;
}

#define NEW(array, count) ((array) = calloc((size_t)(count) + 1, sizeof *(array)))

static bool allocate(Whole *w)
{
    size_t text = 1, memory = 1;
    Model *m = &w->model;
    count_up(m, &text, &memory);
    unsigned concerned = 0;
    for (unsigned i = 0; i < mechanism.components; i++) {
        const Model *part = mechanism.component[i].model;
        concerned += part->requirements ? part->concerns[part->requirements] : 0;
    }
    NEW(w->texts, text);
    NEW(w->scratch, memory);
    NEW(w->members, mechanism.components);
    NEW(w->member, mechanism.components);
    NEW(w->states, mechanism.components);
    NEW(w->state, m->states);
    NEW(w->derivative, m->states);
    NEW(w->nominal, m->states);
    NEW(w->input, m->inputs);
    NEW(w->indicator, m->indicators);
    NEW(w->relation, m->relations);
    NEW(w->relation_indicator, m->relations);
    NEW(w->watch, m->relations);
    NEW(w->events, m->events);
    NEW(w->assignment, m->assignments);
    NEW(w->requirements, m->requirements);
    NEW(w->concerns, m->requirements + 1);
    NEW(w->concerned, concerned);
    NEW(w->x, m->states);
    NEW(w->dx, m->states);
    NEW(w->inputs, m->inputs);
    NEW(w->moved_inputs, m->inputs);
    NEW(w->moved_multipliers, m->variables);
    NEW(w->lines, (m->variables + 1) * sizeof(Variable) + LINE);
    w->variables = w->lines ? (Variable *)(w->lines + (LINE - (uintptr_t)w->lines % LINE)) : NULL;
    w->next_text = w->texts;
    return w->texts && w->scratch && w->members && w->member && w->states && w->state && w->derivative && w->nominal && w->input &&
           w->indicator && w->relation && w->relation_indicator && w->watch && w->events && w->assignment && w->requirements &&
           w->concerns && w->concerned && w->x && w->dx && w->inputs && w->moved_inputs && w->moved_multipliers && w->variables;
}

static void add_variable(Whole *w, Reference reference, const Variable *variable, Role role, unsigned *positions)
{
    Variable *added = &w->variables[reference];
    *added = *variable;
    added->role = (unsigned char)role;
    added->stage = stage_of(role);
    added->position = (unsigned short)positions[role]++;
}

/* The variables of a component behind those before. */
static void add_component(Whole *w, unsigned index, Reference first, unsigned *positions, unsigned state)
{
    const Component *c = &mechanism.component[index];
    const Model *m = c->model;
    for (Reference r = 0; r < m->variables; r++) {
        Variable variable = m->variable[r];
        const Role role = r == 0 ? LOCAL : role_of(&variable);
        variable.name = joined(w, "%s.%s", c->name, variable.name);
        if (r == 0 || variable.role == SWITCH || variable.role == DERIVATIVE)
            variable.type = INTERNAL;
        if (variable.role == SWITCH)
            variable.start = 1;
        add_variable(w, first + r, &variable, variable.role == DERIVATIVE || variable.role == SWITCH ? LOCAL : role, positions);
    }
    for (unsigned s = 0; s < m->states; s++) {
        const Variable *of = &w->variables[first + m->state[s]];
        const char *name = joined(w, "der(%s)%s", of->name, "");
        w->state[state + s] = first + m->state[s];
        w->derivative[state + s] = 1 + state + s;
        w->nominal[state + s] = m->nominal[s];
        add_variable(w, 1 + state + s, &(Variable){.name = name, .unit = m->variable[m->derivative[s]].unit, .type = REAL}, DERIVATIVE, positions);
    }
}

static void add_events(Whole *w)
{
    Model *m = &w->model;
    Reference first = first_component();
    unsigned relation = 0, time = mechanism.kinked, event = mechanism.kinked, assignment = mechanism.kinked, requirement = 0, concerned = 0,
             indicator = 0;
    for (unsigned i = 0; i < mechanism.kinked; i++) {
        w->events[i] = (Event){REACHES, i, i, 1, "a table that drives an input has a kink"};
        w->assignment[i] = mechanism.kinks[i].next;
    }
    for (unsigned i = 0; i < mechanism.components; i++) {
        const Component *c = &mechanism.component[i];
        const Model *part = c->model;
        for (unsigned e = 0; e < part->events; e++) {
            Event added = part->event[e];
            added.index += added.kind == REACHES ? time : relation;
            added.first += assignment;
            added.text = joined(w, "%s: %s", c->name, added.text);
            w->events[event++] = added;
        }
        for (unsigned a = 0; a < part->assignments; a++)
            w->assignment[assignment++] = first + part->assignment[a];
        for (unsigned r = 0; r < part->relations; r++) {
            w->relation[relation] = first + part->relation[r];
            w->watch[relation] = part->watch[r];
            w->relation_indicator[relation++] = first + part->relation_indicator[r];
        }
        for (unsigned z = 0; z < part->indicators; z++)
            w->indicator[indicator++] = first + part->indicator[z];
        for (unsigned q = 0; q < part->requirements; q++) {
            w->requirements[requirement] = joined(w, "of %s: %s", c->name, part->requirement[q]);
            w->concerns[requirement++] = concerned;
            for (unsigned k = part->concerns[q]; k < part->concerns[q + 1]; k++)
                w->concerned[concerned++] = first + part->concerned[k];
        }
        time += part->times;
        first += part->variables;
    }
    w->concerns[m->requirements] = concerned;
}

static void describe(Whole *w)
{
    Model *m = &w->model;
    unsigned positions[INDICATOR + 1] = {0}, state = 0;
    double *free_memory = w->scratch;
    Reference first = first_component();
    add_variable(w, 0, &(Variable){.name = "time", .unit = "s", .type = REAL}, TIME, positions);
    for (unsigned i = 0; i < mechanism.components; i++) {
        const Model *part = mechanism.component[i].model;
        add_component(w, i, first, positions, state);
        w->members[i] = (Member){.model = part, .first = first, .moving = moving_stage(part)};
        w->members[i].t = free_memory;
        w->members[i].j = free_memory + part->temporaries;
        w->members[i].moved = w->members[i].j + part->entries;
        free_memory = w->members[i].moved + part->variables;
        w->member[i] = &w->members[i];
        w->states[i] = (int)part->states;
        state += part->states;
        first += part->variables;
    }
    for (unsigned i = 0; i < mechanism.owns; i++) {
        const Reference reference = 1 + m->states + i;
        if (i < mechanism.inputs)
            w->input[i] = reference;
        add_variable(w, reference, &mechanism.own[i], (Role)mechanism.own[i].role, positions);
    }
    for (unsigned i = 0; i < mechanism.internals; i++)
        w->variables[mechanism.internal[i]].type = INTERNAL;
    for (unsigned i = 0; i < mechanism.outputs; i++)
        if (w->variables[mechanism.output[i]].role == LOCAL)
            w->variables[mechanism.output[i]].role = OUTPUT;
    for (unsigned i = 0; i < mechanism.constants; i++) {
        Variable *constant = &w->variables[mechanism.constant[i]];
        constant->role = PARAMETER;
        constant->stage = AT_EVENTS;
        constant->tunable = true;
    }
    for (unsigned i = 0; i < mechanism.starts; i++)
        w->variables[mechanism.start[i].reference].start = mechanism.start[i].value;
    add_events(w);
    m->name = mechanism.name;
    m->token = mechanism.token;
    m->default_stop = mechanism.default_stop;
    m->stages = STAGES;
    m->variable = w->variables;
    m->state = w->state;
    m->derivative = w->derivative;
    m->nominal = w->nominal;
    m->input = w->input;
    m->indicator = w->indicator;
    m->relation = w->relation;
    m->relation_indicator = w->relation_indicator;
    m->watch = w->watch;
    m->event = w->events;
    m->assignment = w->assignment;
    m->requirement = w->requirements;
    m->concerned = w->concerned;
    m->concerns = w->concerns;
    m->switch_reference = mechanism.switch_reference;
    m->implicit_reference = mechanism.implicit_reference;
    m->implicit_method = mechanism.implicit_reference ? &implicit_method : NULL;
    m->update = update;
    m->instants = instants;
    m->require = require;
    m->composition = &composition;
}

Model *model_new(void)
{
    Whole *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    if (allocate(w)) {
        describe(w);
        w->system = system_new(w->member, w->states, (int)mechanism.components, name_of, w);
    }
    if (w->system)
        return &w->model;
    model_free(&w->model);
    return NULL;
}

void model_free(Model *m)
{
    Whole *w = m ? whole(m) : NULL;
    if (!w)
        return;
    system_free(w->system);
    for (unsigned i = 0; i < mechanism.components && w->members; i++)
        forget_plans(&w->members[i]);
    void *const arrays[] = {w->texts,     w->scratch,  w->members,      w->member,         w->states,    w->state,  w->derivative,
                            w->nominal,   w->input,    w->indicator,  w->relation,     w->watch,     w->events, w->relation_indicator,
                            w->assignment, w->concerns, w->requirements, w->concerned, w->x,         w->dx,     w->inputs,
                            w->moved_inputs, w->moved_multipliers, w->lines};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    free(w);
}
