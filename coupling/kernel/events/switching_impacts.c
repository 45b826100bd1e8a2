/* Impacts on switched joints: velocities jump by impulses that keep all constraints in force. */
#include "events/switching.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double still = 1e-9;    /* of the greatest speed, or of 1: what is as slow may stick or close */
static const double hardly = 1e-3;   /* of that, in a second: an acceleration that is rounding alone, where no forces are */
static const double touching = 1e-6; /* m, or rad: what is as near may close */

static int note_strike(Kernel *k, double t)
{
    Switching *s = k->switching;
    const size_t n = (size_t)s->unknowns;
    Strike *more = room_for_more(s->strike, s->strikes, &s->strike_room, sizeof *more);
    double *numbers = malloc((2 * n + 1) * sizeof *numbers);
    if (more)
        s->strike = more;
    if (!more || !numbers) {
        free(numbers);
        return KERNEL_NO_MEMORY;
    }
    memcpy(numbers, s->impulse, n * sizeof *numbers);
    memcpy(numbers + n, s->velocity, n * sizeof *numbers);
    Strike *strike = &more[s->strikes++];
    *strike = (Strike){.time = t, .row = (int)kernel_rows(k), .impulse = numbers, .velocity = numbers + n};
    return KERNEL_DONE;
}

double slow(const Kernel *k, const double *x)
{
    double speed = 1;
    for (int i = 0; i < k->loop_count; i++)
        for (int j = 0; j < k->loops[i].mobile; j++)
            speed = fmax(speed, fabs(x[k->loops[i].mobile_state[j]]));
    return still * speed;
}

double unfelt(const Kernel *k, const double *x)
{
    return hardly * slow(k, x);
}

double slow_of(const Item *item, double relative, double absolute)
{
    return fmax(fmin(1, item->size) * relative, item->size * absolute);
}

bool touches(const Item *item)
{
    return item->row->kind == UNILATERAL && (item->mode || item->gap <= touching * item->size);
}

/* Two bodies approach, or an item came into force with a velocity. Closed contacts may be off by the tolerance of runs. */
bool collides(const Kernel *k, const double *x)
{
    const Switching *s = k->switching;
    const double least = slow(k, x), off = 10 * s->options.allowed;
    for (int i = 0; i < s->count; i++) {
        const Item *item = &s->item[i];
        const bool came = item->row->kind == HOLDS_WHILE && item->mode && !item->before && fabs(item->speed) > fmax(least, off);
        if (came || (touches(item) && -item->speed > slow_of(item, least, item->mode ? off : 0)))
            return true;
    }
    return false;
}

static void read_velocities(const Kernel *k, double *velocity)
{
    memset(velocity, 0, (size_t)k->switching->unknowns * sizeof *velocity);
    for (int i = 0; i < k->projection->count; i++) {
        const ConstraintRow *c = &k->projection->constraint[i];
        if (c->velocity != NONE)
            velocity[(int)(k->loops[c->loop].off - k->off) + c->unknown] = k->v[c->velocity];
    }
}

int lowest_of(const Problem *p, const double *value)
{
    int lowest = 0;
    for (int c = 1; c < p->count; c++)
        lowest = value[c] < value[lowest] ? c : lowest;
    return p->count ? p->item[lowest] : 0;
}

/* v+ = v- + V Lambda. */
static void push(Kernel *k, const double *impulse, double *x)
{
    for (int i = 0; i < k->loop_count; i++) {
        const Loop *l = &k->loops[i];
        const double *const mobility = l->term + l->first_mobility, *const own = impulse + (l->off - k->off);
        for (int s = 0; s < l->mobile; s++)
            for (int e = l->mobile_start[s]; e < l->mobile_start[s + 1]; e++)
                x[l->mobile_state[s]] += mobility[e] * own[l->mobile_column[e]];
    }
}

/* Impulses on all that touches. shock: an item that is compressed though it does not approach, or NONE. */
int strike_joints(Kernel *k, double t, double *x, int shock, Problem *p)
{
    Switching *s = k->switching;
    for (int i = 0; i < s->count; i++) {
        Item *item = &s->item[i];
        const SwitchedRow *row = item->row;
        const bool pressed = row->normal != NONE && (touches(&s->item[row->normal]) || (row->second != NONE && touches(&s->item[row->second])));
        item->candidate = row->kind == FRICTION ? pressed || (row->normal == NONE && row->followed) : touches(item);
        item->mode = item->candidate ? item->row->kind == UNILATERAL : item->mode;
    }
    int result = set_modes(k, t, x, false);
    for (int i = 0; i < s->count && result == KERNEL_DONE; i++)
        result = read_limit(k, &s->item[i]);
    if (result == KERNEL_DONE)
        result = find_problem(k, t, x, true, p);
    if (result)
        return result;
    read_velocities(k, s->velocity);
    for (int c = 0; c < p->count; c++)
        if (p->item[c] == shock)
            p->b[c] -= still / 10;
    /* Bearings: their limits follow the impulses. */
    for (int round = 0; round < MOST_LIMITS && result == KERNEL_DONE; round++) {
        double moved = 0;
        memcpy(p->a, p->b, (size_t)p->count * sizeof *p->a);
        Impact m = {.count = p->count, .S = p->S, .item = p->given, .sequential = !s->options.simultaneous, .rest = s->options.rest, .velocity = p->a, .impulse = p->lambda};
        const int status = modes_impact(&m);
        if (status)
            return no_forces(k, status == MODES_NONE ? KERNEL_PRESCRIBED : KERNEL_UNSETTLED_MODES, lowest_of(p, p->b), p->count);
        spread(k, p, s->impulse);
        for (int c = 0; c < p->count && result == KERNEL_DONE; c++) {
            Item *item = &s->item[p->item[c]];
            if (item->row->kind != FRICTION || item->row->normal != NONE)
                continue;
            double *const v = k->v;
            memcpy(s->z, v + item->loop->first, (size_t)item->loop->count * sizeof *v);
            memcpy(v + item->loop->first, s->impulse + (item->loop->off - k->off), (size_t)item->loop->count * sizeof *v);
            result = operate(k, &item->loop->inside);
            memcpy(v + item->loop->first, s->z, (size_t)item->loop->count * sizeof *v);
            const double limit[] = {item->limit[0], item->limit[1]};
            if (result == KERNEL_DONE)
                result = read_limit(k, item);
            for (int way = 0; way < 2; way++) {
                moved = fmax(moved, fabs(item->limit[way] - limit[way]) / fmax(fabs(item->limit[way]), 1e-12));
                p->given[c].limit[way] = item->limit[way];
            }
        }
        if (!(moved > 1e-13))
            break;
    }
    place_instances(&k->phase, ASTRAY);
    push(k, s->impulse, x);
    if (result == KERNEL_DONE)
        result = read_constraints(k, x);
    if (result == KERNEL_DONE)
        result = note_strike(k, t);
    if (result)
        return result;
    Strike *noted = &s->strike[s->strikes - 1];
    read_velocities(k, s->z);
    for (int i = 0; i < s->unknowns; i++)
        noted->lost -= s->impulse[i] * (s->velocity[i] + s->z[i]) / 2;
    return KERNEL_DONE;
}

