/* Propagates tangents through all values of the system, by the derivatives of the components and the implicit function theorem. */
#include "system_internal.h"

#include "schedule.h"

#include <string.h>

typedef struct {
    System *system;
    double time;
    const double *inputs, *multipliers;
    bool given; /* all multipliers are given: nothing is solved for */
} Seed;

static double slope_of(const Drive *d)
{
    const int i = d->last;
    return i < 0 || i + 1 >= d->points ? 0 : (d->values[i + 1] - d->values[i]) / (d->times[i + 1] - d->times[i]);
}

static bool follow(const Seed *, const Operations *);

static void follow_drive(const Seed *seed, const Operation *o)
{
    const int input = schedule.input[o->index];
    seed->system->tangent[o->first] =
        input != NONE ? seed->inputs[input] : seed->time * slope_of(&seed->system->kernel->drives[o->index]);
}

/* The implicit function theorem: the unknowns move such that the residuals go on vanishing. */
static bool follow_loop(const Seed *seed, int index)
{
    System *s = seed->system;
    Kernel *k = s->kernel;
    Loop *l = &k->loops[index];
    double *const z = s->tangent + l->first;
    for (int i = 0; i < l->count; i++)
        z[i] = seed->given || (l->held && l->held[i]) ? seed->multipliers[s->slot_variable[l->first + i]] : 0;
    if (!follow(seed, &l->inside))
        return false;
    if (l->given || seed->given)
        return true;
    for (int i = 0; i < l->count; i++) {
        double sum = 0;
        for (int t = l->residual_start[i]; t < l->residual_start[i + 1]; t++)
            sum += l->residual_factor[t] * s->tangent[l->residual_slot[t]];
        s->right[i] = l->held && l->held[i] ? 0 : -sum;
    }
    linear_solve(l->linear, s->right);
    for (int i = 0; i < l->count; i++)
        z[i] += s->right[i];
    return follow(seed, &l->inside);
}

static bool follow(const Seed *seed, const Operations *list)
{
    double *const tangent = seed->system->tangent;
    for (int i = 0; i < list->count; i++) {
        const Operation *o = &list->items[i];
        switch (o->kind) {
        case DRIVE: follow_drive(seed, o); break;
        case SET:
            for (int j = 0; j < o->count; j++) {
                double sum = 0;
                for (int source = o->source_start[j]; source < o->source_start[j + 1]; source++)
                    sum += tangent[o->source[source]];
                tangent[o->places ? o->places[j] : o->first + j] = sum;
                member_move(o->instance->component, o->references[j], sum);
            }
            break;
        case GET:
            for (int j = 0; j < o->count; j++)
                tangent[o->places ? o->places[j] : o->first + j] = member_follow(o->instance->component, o->references[j]);
            break;
        case LOOP:
            if (!follow_loop(seed, o->index))
                return false;
            break;
        default: break; /* nothing that moves */
        }
    }
    return true;
}

/* Propagates tangents through projected states: constraints keep vanishing, first at positions, whose motion changes velocities too. */
static bool follow_projection(const Seed *seed, double *states)
{
    System *s = seed->system;
    for (int positions = 1; positions >= 0; positions--) {
        if (!follow(seed, &s->kernel->lists[READING]))
            return false;
        project_along(s->kernel, s->tangent, positions, states);
        for (int i = 0; i < s->schedule.parts; i++)
            member_displace(s->instances[i].component, states + s->schedule.part[i].first_state);
    }
    return true;
}

bool system_follow(System *s, double time, const double *inputs, const double *multipliers, double *states)
{
    Kernel *k = s->kernel;
    for (int i = 0; i < s->schedule.loops && !s->linear; i++)
        if (!k->loops[i].given && loop_factorise(k, i) != KERNEL_DONE) {
            describe_failure(s);
            return false;
        }
    s->linear = true;
    memset(s->tangent, 0, ((size_t)s->schedule.slots + 1) * sizeof *s->tangent);
    const Seed seed = {s, time, inputs, multipliers, false};
    return (!s->returning || follow_projection(&seed, states)) && follow(&seed, &k->lists[EVENTS]);
}

void system_follow_given(System *s, const double *inputs, const double *multipliers)
{
    memset(s->tangent, 0, ((size_t)s->schedule.slots + 1) * sizeof *s->tangent);
    const Seed seed = {s, 0, inputs, multipliers, true};
    follow(&seed, &s->kernel->lists[EVENTS]);
}
