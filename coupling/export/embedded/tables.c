/* Puts the tables of the components together into those of the mechanism. */
#include "whole.h"
#include "this_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef model

static const char *name_of(const void *context, Reference reference)
{
    const Model *m = &((const Whole *)context)->model;
    return variable_name(m, &m->variable[reference]);
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

static const char *joined(Whole *w, const char *format, const char *a, const char *b)
{
    const char *text = w->next_text;
    w->next_text += sprintf(w->next_text, format, a, b) + 1;
    return text;
}

static unsigned name_and_unit(Whole *w, const char *format, const char *a, const char *b, const char *unit)
{
    const char *name = joined(w, format, a, b);
    joined(w, "%s%s", unit, "");
    return (unsigned)(name - w->texts);
}

/* Returns the role of a component's variable in the mechanism. */
static Role role_of(const Variable *variable)
{
    const bool shown = mechanism.switch_reference != 0;
    switch (variable->role) {
    case INPUT:
    case DISCRETE_INPUT: return LOCAL; /* another component, or the mechanism, gives it */
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
    m->variables = 2 + mechanism.owns;
    m->ranges = mechanism.ranges;
    *text += mechanism.texts + sizeof "time" + sizeof "s";
    m->inputs = mechanism.inputs;
    m->times = m->events = m->assignments = mechanism.kinked;
    for (unsigned i = 0; i < mechanism.components; i++) {
        const char *own = component_name(i);
        const Model *part = model_of(i);
        m->states += part->states;
        m->variables += part->variables + part->states;
        m->indicators += part->indicators;
        m->relations += part->relations;
        m->times += part->times;
        m->events += part->events;
        m->assignments += part->assignments;
        m->requirements += part->requirements;
        m->ranges += part->ranges;
        *memory += part->temporaries + part->entries + part->variables * (part->chain ? 2u : 1u);
        for (unsigned r = 0; r < part->variables; r++) {
            const Variable *variable = &part->variable[r];
            *text += strlen(own) + strlen(variable_name(part, variable)) + sizeof "." + strlen(variable_unit(part, variable)) + 1;
        }
        for (unsigned s = 0; s < part->states; s++) {
            const Variable *state = &part->variable[part->state[s]], *derivative = &part->variable[part->derivative[s]];
            *text += strlen(own) + strlen(variable_name(part, state)) + sizeof "der(.)" + strlen(variable_unit(part, derivative)) + 1;
        }
        for (unsigned k = 0; k < part->ranges; k++)
            *text += strlen(part->text + part->range[k].otherwise) + 1;
        for (unsigned q = 0; q < part->requirements; q++)
            *text += strlen(own) + strlen(part->requirement[q].text) + sizeof "of : ";
        for (unsigned e = 0; e < part->events; e++)
            *text += strlen(own) + strlen(part->event[e].text) + sizeof "of : ";
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
        const Model *part = model_of(i);
        concerned += part->requirements ? part->concerns[part->requirements] : 0;
    }
    NEW(w->texts, text);
    NEW(w->scratch, memory);
    NEW(w->members, mechanism.components);
    NEW(w->member, mechanism.components);
    NEW(w->state, m->states);
    NEW(w->derivative, m->states);
    NEW(w->nominal, m->states);
    NEW(w->input, m->inputs);
    NEW(w->indicator, m->indicators);
    NEW(w->relation, m->relations);
    NEW(w->relation_indicator, m->relations);
    NEW(w->watch, m->relations);
    NEW(w->watched, mechanism.watches);
    NEW(w->fell, 2 * mechanism.watches);
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
    NEW(w->moved_states, m->states);
    NEW(w->projected_states, m->states);
    NEW(w->shown, m->variables);
    NEW(w->variables, m->variables);
    NEW(w->ranges, m->ranges);
    w->next_text = w->texts;
    return w->texts && w->scratch && w->members && w->member && w->state && w->derivative && w->nominal && w->input &&
           w->indicator && w->relation && w->relation_indicator && w->watch && w->watched && w->fell && w->events && w->assignment && w->requirements &&
           w->concerns && w->concerned && w->x && w->dx && w->inputs && w->moved_inputs && w->moved_multipliers && w->moved_states &&
           w->projected_states && w->shown && w->variables && w->ranges;
}

static void add_variable(Whole *w, Reference reference, const Variable *variable, Role role, unsigned *positions)
{
    Variable *added = &w->variables[reference];
    *added = *variable;
    added->role = (unsigned char)role;
    added->stage = stage_of(role);
    added->position = (unsigned short)positions[role]++;
}

/* The variables of a component, after those of the components before, and their ranges. */
static void add_component(Whole *w, unsigned index, Reference first, unsigned *positions, unsigned state, unsigned range)
{
    const char *name = component_name(index);
    const Model *m = model_of(index);
    for (Reference r = 0; r < m->variables; r++) {
        Variable variable = m->variable[r];
        const bool own = r == 0 || r == m->time || variable.role == SWITCH || variable.role == DERIVATIVE;
        variable.texts = name_and_unit(w, "%s.%s", name, variable_name(m, &variable), variable_unit(m, &variable));
        variable.range = variable.range ? range + variable.range : 0;
        if (own)
            variable.type = INTERNAL;
        if (variable.role == SWITCH)
            variable.start = 1;
        add_variable(w, first + r, &variable, own ? LOCAL : role_of(&variable), positions);
    }
    for (unsigned k = 0; k < m->ranges; k++) {
        Range *added = &w->ranges[range + k];
        *added = m->range[k];
        added->otherwise = (unsigned)(joined(w, "%s%s", m->text + added->otherwise, "") - w->texts);
    }
    for (unsigned s = 0; s < m->states; s++) {
        const Variable *of = &w->variables[first + m->state[s]];
        const char *unit = variable_unit(m, &m->variable[m->derivative[s]]);
        const unsigned texts = name_and_unit(w, "der(%s)%s", w->texts + of->texts, "", unit);
        w->state[state + s] = first + m->state[s];
        w->derivative[state + s] = 1 + state + s;
        w->nominal[state + s] = m->nominal[s];
        add_variable(w, 1 + state + s, &(Variable){.texts = texts, .type = REAL}, DERIVATIVE, positions);
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
        const char *own = component_name(i);
        const Model *part = model_of(i);
        for (unsigned e = 0; e < part->events; e++) {
            Event added = part->event[e];
            added.index += added.kind == REACHES ? time : relation;
            added.first += assignment;
            added.text = joined(w, "%s: %s", own, added.text);
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
            w->requirements[requirement] = (Requirement){joined(w, "of %s: %s", own, part->requirement[q].text), part->requirement[q].advisory};
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
    unsigned positions[INDICATOR + 1] = {0}, state = 0, range = mechanism.ranges;
    double *free_memory = w->scratch;
    Reference first = first_component();
    m->text = w->texts;
    memcpy(w->next_text, mechanism.text, mechanism.texts);
    w->next_text += mechanism.texts;
    memcpy(w->ranges, mechanism.range, mechanism.ranges * sizeof *w->ranges);
    add_variable(w, 0, &(Variable){.type = INTERNAL}, LOCAL, positions);
    for (unsigned i = 0; i < mechanism.components; i++) {
        const Model *part = model_of(i);
        add_component(w, i, first, positions, state, range);
        w->members[i] = (Member){.model = part, .first = first, .moving = moving_stage(part)};
        w->members[i].t = free_memory;
        w->members[i].j = free_memory + part->temporaries;
        w->members[i].moved = w->members[i].j + part->entries;
        w->members[i].along = w->members[i].moved + part->variables;
        free_memory = w->members[i].along + (part->chain ? part->variables : 0);
        w->member[i] = &w->members[i];
        state += part->states;
        first += part->variables;
        range += part->ranges;
    }
    for (unsigned i = 0; i < mechanism.owns; i++) {
        const Reference reference = 1 + m->states + i;
        if (i < mechanism.inputs)
            w->input[i] = reference;
        add_variable(w, reference, &mechanism.own[i], (Role)mechanism.own[i].role, positions);
    }
    for (unsigned i = 0; i < mechanism.internals; i++)
        w->variables[mechanism.internal[i]].type = INTERNAL;
    m->time = m->variables - 1;
    add_variable(w, m->time, &(Variable){.texts = name_and_unit(w, "%s%s", "time", "", "s"), .type = REAL}, TIME, positions);
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
    for (Reference place = 0; place < m->variables; place++)
        if (w->variables[place].type != INTERNAL)
            w->shown[w->references++] = place;
    add_events(w);
    m->name = mechanism.name;
    m->token = mechanism.token;
    m->default_stop = mechanism.default_stop;
    m->longest_step = mechanism.longest_step;
    m->stages = STAGES;
    m->variable = w->variables;
    m->range = w->ranges;
    m->state = w->state;
    m->derivative = w->derivative;
    m->nominal = w->nominal;
    m->input = w->input;
    m->indicator = w->indicator;
    m->relation = w->relation;
    m->relation_indicator = w->relation_indicator;
    m->watch = w->watch;
    m->angles = mechanism.angles;
    m->angle = mechanism.angle;
    m->event = w->events;
    m->assignment = w->assignment;
    m->requirement = w->requirements;
    m->concerned = w->concerned;
    m->concerns = w->concerns;
    m->switch_reference = mechanism.switch_reference;
    m->implicit_reference = mechanism.implicit_reference;
    m->implicit_method = mechanism.implicit_method;
    m->update = update_all;
    m->instants = all_instants;
    m->require = require_all;
    m->composition = &composition;
}

Model *model_new(void)
{
    Whole *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    if (allocate(w)) {
        describe(w);
        w->system = system_new(w->member, name_of, w);
    }
    if (w->system && mechanism.watching)
        mechanism.watching->begin(w);
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
        member_forget(&w->members[i]);
    void *const arrays[] = {w->texts,     w->scratch,  w->members,      w->member,         w->state,  w->derivative,
                            w->nominal,   w->input,    w->indicator,  w->relation,     w->watch,     w->watched, w->fell,     w->events, w->relation_indicator,
                            w->assignment, w->concerns, w->requirements, w->concerned, w->x,         w->dx,     w->inputs,
                            w->moved_inputs, w->moved_multipliers, w->moved_states, w->projected_states, w->variables, w->ranges, w->shown,
                            w->translated[0], w->translated[1]};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    free(w);
}
