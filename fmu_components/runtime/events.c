#include "runtime.h"

#include <math.h>

enum { MOST_ITERATIONS = 10000 };

/* Says whether a relation differs from the sign of its indicator at the present values. */
bool relation_changed(Instance *instance)
{
    if (model.relations == 0)
        return false;
    evaluate(instance, instance->indicator_stage);
    for (unsigned i = 0; i < model.relations; i++)
        if ((instance->v[model.relation_indicator[i]] > 0) != (instance->v[model.relation[i]] != 0))
            return true;
    return false;
}

/* Sets the relations to what their indicators say; where they depend on each other, from all false until they agree. */
Status start_events(Instance *instance)
{
    for (unsigned i = 0; i < model.relations; i++)
        if (instance->v[model.relation[i]] != 0) {
            instance->v[model.relation[i]] = 0;
            changed(instance, model.variable[model.relation[i]].stage);
        }
    for (int iteration = 0; relation_changed(instance); iteration++) {
        if (iteration > MOST_ITERATIONS)
            return report(instance, ERROR, "%s: the relations do not settle at the start, time %g; check the start values", instance->name,
                          instance->v[model.time]);
        for (unsigned i = 0; i < model.relations; i++)
            instance->v[model.relation[i]] = instance->v[model.relation_indicator[i]] > 0;
        changed(instance, model.variable[model.relation[0]].stage);
    }
    return OK;
}

/* At the end of an integrator step of the importer: whether Event Mode is wanted. An indicator may have left zero without crossing
 * it, which no root finder sees; what only arms an event for the next time is noted without one. */
bool completed_step(Instance *instance)
{
    bool wanted = false;
    accept_point(instance);
    if (model.relations)
        evaluate(instance, instance->indicator_stage);
    for (unsigned i = 0; i < model.relations; i++) {
        int now = instance->v[model.relation_indicator[i]] > 0, before = instance->v[model.relation[i]] != 0;
        if (now != before && model.watch[i] == before - now)
            instance->v[model.relation[i]] = now;
        else
            wanted = wanted || now != before;
    }
    return wanted;
}

/* Warns once that the importer does not choose the modes, which then stay unchanged. */
void expect_modes(Instance *instance)
{
    if (!model.modes || instance->modes_chosen || instance->v[model.switch_reference] == 0)
        return;
    instance->modes_chosen = true;
    const Variable *first = &model.variable[model.mode[0]], *ideal = &model.variable[model.switch_reference];
    report(instance, WARNING,
           "%s: the importer does not choose %s, which stays %g; if a tool does not know modes (org.jourdain.switched), use %s = false",
           instance->name, variable_name(&model, first), instance->v[model.mode[0]], variable_name(&model, ideal));
}

/* Importers add up step sizes: an instant has come when only rounding is missing to it. */
bool time_reached(const Instance *instance, double instant)
{
    return isfinite(instant) && instant <= instance->v[model.time] + 1e-14 * fmax(1, fabs(instant));
}

static bool due(const Instance *instance, unsigned i)
{
    return time_reached(instance, instance->next[i]) && instance->next[i] != instance->spent[i];
}

/* Says whether a variable can take the value that an event computes. */
static bool acceptable(const Variable *variable, double value)
{
    return variable->type == INTEGER ? value == whole(value) : isfinite(value);
}

static bool fires(const Instance *instance, const Event *event)
{
    switch (event->kind) {
    case RISES: return instance->edge[event->index] > 0;
    case FALLS: return instance->edge[event->index] < 0;
    default: return due(instance, event->index);
    }
}

Status follow_start(Instance *instance)
{
    const bool before = instance->progress.mode & (INSTANTIATED | CONFIGURATION | INITIALIZATION);
    return before && model.relations ? start_events(instance) : OK;
}

/* Returns whether a relation has changed in a direction that equations or events depend on. */
static bool relation_matters(const Instance *instance, unsigned i)
{
    return instance->edge[i] && (model.watch[i] == 0 || model.watch[i] == instance->edge[i]);
}

/* One round: all events that fire now take effect together, computed from the values before. Some importers restart their integrator only where
 * states are said to have changed, and some look at the last round only: it says so after every event that changes anything. */
Status update_events(Instance *instance, Update *update)
{
    *update = (Update){.next_time = INFINITY};
    if (model.relations)
        evaluate(instance, instance->indicator_stage);
    for (unsigned i = 0; i < model.relations; i++) {
        int now = instance->v[model.relation_indicator[i]] > 0, before = instance->v[model.relation[i]] != 0;
        instance->edge[i] = (signed char)(now - before);
        update->again = update->again || now != before;
        update->states_changed = update->states_changed || relation_matters(instance, i);
    }
    if (model.times)
        model.instants(instance->v, instance->next);
    if (model.assignments)
        model.update(instance->v, instance->new_values);
    bool any = update->again;
    for (unsigned e = 0; e < model.events; e++) {
        const Event *event = &model.event[e];
        if (!fires(instance, event))
            continue;
        any = update->again = update->states_changed = true;
        note_event(instance, "%s: at time %.17g: %s", instance->name, instance->v[model.time], event->text);
        for (unsigned a = event->first; a < event->first + event->count; a++) {
            const Variable *target = &model.variable[model.assignment[a]];
            if (!acceptable(target, instance->new_values[a]))
                return report(instance, ERROR, "%s: the event '%s' sets %s = %.17g, which is not %s", instance->name, event->text,
                              variable_name(&model, target), instance->new_values[a], target->type == INTEGER ? "an integer of 32 bits" : "a finite number");
            instance->v[model.assignment[a]] = instance->new_values[a];
            changed(instance, target->stage);
        }
    }
    for (unsigned i = 0; i < model.relations; i++)
        instance->v[model.relation[i]] += instance->edge[i];
    for (unsigned i = 0; i < model.times; i++)
        if (due(instance, i))
            instance->spent[i] = instance->next[i];
    if (any)
        changed(instance, model.variable[model.time].stage);
    if (update->again && model.relations)
        changed(instance, model.variable[model.relation[0]].stage);
    if (model.times)
        model.instants(instance->v, instance->next);
    for (unsigned i = 0; i < model.times; i++)
        if (instance->next[i] != instance->spent[i] && instance->next[i] < update->next_time)
            update->next_time = instance->next[i];
    update->next_time_defined = isfinite(update->next_time);
    const Status status = choose_modes(instance, update);
    update->states_changed = update->states_changed || instance->progress.changed;
    instance->progress.changed = update->states_changed && update->again;
    instance->progress.left = update->again;
    return status;
}

/* Rounds until nothing fires any more. */
Status settle_events(Instance *instance, Update *update)
{
    for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
        Status status = update_events(instance, update);
        if (status != OK || !update->again)
            return status;
    }
    return report(instance, ERROR, "%s: the events at time %.17g do not settle: each round triggers another event", instance->name,
                  instance->v[model.time]);
}

static void say_nothing(const Instance *instance, Status status, const char *category, const char *message)
{
    (void)instance, (void)status, (void)category, (void)message;
}

/* Importers hear of events from the rounds that they take, not from a rehearsal. */
bool begin_rehearsal(Instance *instance, Rehearsal *rehearsal)
{
    rehearsal->log = instance->log;
    instance->log = say_nothing;
    rehearsal->saved = snapshot_take(instance, &instance->before) == OK;
    if (rehearsal->saved && model.composition)
        model.composition->look_ahead(instance->own, true);
    return rehearsal->saved && settle_events(instance, &rehearsal->last) == OK;
}

void end_rehearsal(Instance *instance, const Rehearsal *rehearsal)
{
    if (rehearsal->saved)
        snapshot_apply(instance, instance->before);
    if (rehearsal->saved && model.composition)
        model.composition->look_ahead(instance->own, false);
    instance->log = rehearsal->log;
}

/* OpenModelica takes one round of each event, and reads from it whether states change and when the next time event comes. */
void look_ahead(Instance *instance, Update *update)
{
    Rehearsal rehearsal;
    if (!update->again || (update->states_changed && !model.times))
        return;
    if (begin_rehearsal(instance, &rehearsal)) {
        update->states_changed = update->states_changed || rehearsal.last.states_changed;
        update->next_time_defined = rehearsal.last.next_time_defined;
        update->next_time = rehearsal.last.next_time;
    }
    end_rehearsal(instance, &rehearsal);
}
