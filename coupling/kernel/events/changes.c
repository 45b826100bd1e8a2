/* Constraints that come into force and go during a run.
 *
 * Nothing moves positions in no time: they have to fit. Velocities jump so that all constraints in force hold, each by its impulse:
 * v+ = v- + V Lambda with S Lambda = -g-, which is the plastic impact, and loses the energy -Lambda'(g- + g+)/2 (Carnot). Where a
 * constraint goes, velocities stay. */
#include "events/changes.h"

#include "constraints/project.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 8 };
static const double falling = 0.5;   /* velocities that are left, in each round */
static const double of_velocity = 10; /* what velocities may be off, as a multiple of positions */
static const double tied = 1e-6;     /* the least share of what repeats another */

typedef struct Changes {
    Rows rows;
    double allowed;
    int unknowns, count, next, passed, room;
    ScheduledChange *scheduled;
    Change *change;
    bool *conflicting;
    double *share, *pose, *size; /* size: of positions and velocities, by unknown */
} Changes;

static void end_changes(Kernel *k)
{
    Changes *c = k->changes;
    for (int i = 0; c && i < c->passed; i++)
        free(c->change[i].impulse); /* with all that is by unknown */
    if (c) {
        free(c->scheduled);
        free(c->change);
        free(c->conflicting);
        free(c->share);
    }
    free(c);
    k->changes = NULL;
}

int kernel_schedule(Kernel *k, const Rows *rows, const ScheduledChange *scheduled, int count, double allowed, const double *size)
{
    end_changes(k);
    Changes *c = k->changes = calloc(1, sizeof *c);
    if (!c)
        return -1;
    k->end_changes = end_changes;
    for (int i = 0; i < k->loop_count; i++)
        c->unknowns += k->loops[i].count;
    c->rows = *rows;
    c->allowed = allowed;
    c->count = count;
    c->scheduled = malloc((size_t)count * sizeof *c->scheduled + 1);
    c->conflicting = calloc((size_t)c->unknowns + 1, sizeof *c->conflicting);
    c->share = malloc((2 * (size_t)c->unknowns + (size_t)k->states + 1) * sizeof *c->share);
    if (!c->scheduled || !c->conflicting || !c->share)
        return -1;
    c->size = c->share + c->unknowns;
    c->pose = c->size + c->unknowns;
    memcpy(c->size, size, (size_t)c->unknowns * sizeof *size);
    memcpy(c->scheduled, scheduled, (size_t)count * sizeof *c->scheduled);
    return 0;
}

double next_change(const Kernel *k)
{
    const Changes *c = k->changes;
    return c->next < c->count ? c->scheduled[c->next].time : INFINITY;
}

const Change *kernel_changes(const Kernel *k, int *count)
{
    *count = k->changes ? k->changes->passed : 0;
    return k->changes ? k->changes->change : NULL;
}

const bool *kernel_conflicting(const Kernel *k)
{
    return k->changes ? k->changes->conflicting : NULL;
}

static int place(const Kernel *k, int loop, int unknown)
{
    return (int)(k->loops[loop].off - k->off) + unknown;
}

/* A position or a velocity of a constraint, as a multiple of its size. */
static double relative(const Kernel *k, const ConstraintRow *c, int slot)
{
    return fabs(k->v[slot]) / k->changes->size[place(k, c->loop, c->unknown)];
}

/* Two unknowns are in one relation, of those by which constraints carry nothing. */
static bool related(const Loop *l, int one, int other)
{
    const double *factor = l->repeats;
    for (int i = 0; i < l->count && l->dropped_count; i++) {
        if (!l->dropped[i])
            continue;
        if ((i == one || fabs(factor[one]) > tied) && (i == other || fabs(factor[other]) > tied))
            return true;
        factor += l->count;
    }
    return false;
}

/* Marks the unknowns in force that are tied to one. */
static void mark_tied(Kernel *k, int loop, int unknown, bool *marked)
{
    const Loop *l = &k->loops[loop];
    double *share = k->changes->share;
    linear_tied(l->linear, unknown, share);
    for (int i = 0; i < l->count; i++)
        if (i != unknown && (fabs(share[i]) > tied || related(l, i, unknown)) && l->joint[i] != l->joint[unknown])
            marked[place(k, loop, i)] = true;
}

/* The ranks of the constraints in force, at a pose that satisfies them, and V and S there. */
static int decide_in_force(Kernel *k, double t, const double *x)
{
    Changes *c = k->changes;
    bool holds;
    memcpy(c->pose, x, (size_t)k->states * sizeof *x);
    int result = project_positions(k, t, c->pose, &holds);
    if (result == KERNEL_DONE)
        result = decide_rank(k, t, c->pose);
    return result == KERNEL_DONE ? linearise_constraints(k, t, c->pose) : result;
}

static bool room_for_change(Changes *c, int count)
{
    if (c->passed == c->room) {
        const int room = 2 * c->room + 4;
        Change *bigger = realloc(c->change, (size_t)room * sizeof *bigger);
        if (!bigger)
            return false;
        c->change = bigger;
        c->room = room;
    }
    const size_t n = (size_t)c->unknowns;
    double *numbers = calloc(1, 2 * n * sizeof *numbers + n * (size_t)count * sizeof(bool) + 1);
    c->change[c->passed] = (Change){.impulse = numbers, .velocity = numbers + n, .heir = (bool *)(numbers + 2 * n)};
    return numbers;
}

void changes_visit(Kernel *k, Visit *v)
{
    Changes *c = k->changes;
    int passed = c->passed;
    visit_same(v, c->count);
    VISIT(v, c->next);
    VISIT(v, passed);
    visit(v, c->conflicting, (size_t)c->unknowns * sizeof *c->conflicting);
    VISIT_WITHIN(v, c, next, next, 0, c->count);
    visit_truths(v, c->conflicting, (size_t)c->unknowns);
    for (int i = 0; i < passed && v->result == VISITED; i++) {
        int count = v->mode == LOADING ? 0 : c->change[i].count;
        VISIT(v, count);
        if (v->mode == LOADING && c->passed == i) {
            if (count < 0 || count > c->count || !room_for_change(c, count)) {
                v->result = VISIT_NO_MEMORY;
                return;
            }
            c->passed++;
        }
        Change *change = &c->change[i];
        VISIT_FROM_TO(v, change, time, count);
        if (!visit_check(v, change->count == count && change->first >= 0 && change->first <= c->count - count && change->row >= 0)) {
            change->count = change->first = 0;
            return;
        }
        visit(v, change->impulse, 2 * (size_t)c->unknowns * sizeof *change->impulse + (size_t)count * (size_t)c->unknowns * sizeof *change->heir);
        visit_truths(v, change->heir, (size_t)count * (size_t)c->unknowns);
    }
    while (v->mode == LOADING && c->passed > passed && passed >= 0) /* a run that goes back forgets what came later */
        free(c->change[--c->passed].impulse);
}

static int refuse(Kernel *k, KernelStatus status, int loop, int unknown)
{
    failed(k, status, "changing constraints", -1, OK);
    k->failure.index = loop;
    k->failure.slot = unknown;
    return status;
}

/* Checks that positions fit the constraints that come into force. */
static int check_positions(Kernel *k, const double *x, const Change *change)
{
    const Projection *p = k->projection;
    int result = read_constraints(k, x);
    const ConstraintRow *worst = NULL;
    for (int i = 0; i < p->count && result == KERNEL_DONE; i++)
        for (int j = change->first; j < change->first + change->count; j++) {
            const ScheduledChange *s = &k->changes->scheduled[j];
            const ConstraintRow *c = &p->constraint[i];
            const bool added = s->on && s->loop == c->loop && s->unknown == c->unknown && c->position != NONE;
            if (added && relative(k, c, c->position) > (worst ? relative(k, worst, worst->position) : k->changes->allowed))
                worst = c;
        }
    return worst ? refuse(k, KERNEL_UNFIT, worst->loop, worst->unknown) : result;
}

/* The greatest velocity of a constraint in force, by its size and as read last; null where all vanish. */
static const ConstraintRow *fastest(const Kernel *k, double *speed)
{
    const Projection *p = k->projection;
    const ConstraintRow *worst = NULL;
    *speed = 0;
    for (int i = 0; i < p->count; i++) {
        const ConstraintRow *c = &p->constraint[i];
        if (c->velocity != NONE && in_force(k, c) && !(relative(k, c, c->velocity) <= *speed)) {
            *speed = relative(k, c, c->velocity);
            worst = c;
        }
    }
    return worst;
}

/* Adds half of what the impulses so far take of energy, by the velocities as they were read last. */
static void note_energy(const Kernel *k, Change *change)
{
    const Projection *p = k->projection;
    for (int i = 0; i < p->count; i++)
        if (p->constraint[i].velocity != NONE)
            change->lost -= change->impulse[place(k, p->constraint[i].loop, p->constraint[i].unknown)] * k->v[p->constraint[i].velocity] / 2;
}

static void note_velocities(const Kernel *k, Change *change)
{
    const Projection *p = k->projection;
    for (int i = 0; i < p->count; i++)
        if (p->constraint[i].velocity != NONE)
            change->velocity[place(k, p->constraint[i].loop, p->constraint[i].unknown)] = k->v[p->constraint[i].velocity];
}

/* Velocities jump until those of all constraints in force vanish. */
static int jump(Kernel *k, double t, double *x, Change *change)
{
    double before = INFINITY, speed = 0;
    const ConstraintRow *worst = NULL;
    int result = decide_in_force(k, t, x);
    for (int round = 0; result == KERNEL_DONE; round++) {
        result = read_constraints(k, x);
        if (result)
            return result;
        worst = fastest(k, &speed);
        if (round == 0)
            note_velocities(k, change);
        if (!(speed > 0 && speed < falling * before) || round == MOST_ROUNDS)
            break;
        before = speed;
        for (int i = 0; i < k->loop_count; i++) {
            correct(k, i, k->v, false, x);
            for (int j = 0; j < k->loops[i].count; j++)
                change->impulse[place(k, i, j)] += k->projection->right[j];
        }
    }
    if (result == KERNEL_DONE && speed > of_velocity * k->changes->allowed) {
        memset(k->changes->conflicting, 0, (size_t)k->changes->unknowns * sizeof *k->changes->conflicting);
        mark_tied(k, worst->loop, worst->unknown, k->changes->conflicting);
        return refuse(k, KERNEL_CONFLICT, worst->loop, worst->unknown);
    }
    if (result)
        return result;
    note_energy(k, change);
    for (int i = 0; i < k->projection->count; i++) {
        const ConstraintRow *c = &k->projection->constraint[i];
        if (c->velocity != NONE)
            k->v[c->velocity] = change->velocity[place(k, c->loop, c->unknown)];
    }
    note_energy(k, change);
    return KERNEL_DONE;
}

static void switch_all(Kernel *k, const Change *change, bool back)
{
    for (int j = change->first; j < change->first + change->count; j++) {
        const ScheduledChange *s = &k->changes->scheduled[j];
        kernel_switch(k, s->loop, s->unknown, back ? !s->on : s->on);
    }
}

/* Some constraint comes into force, or goes off. */
static bool has(const Kernel *k, const Change *change, bool on)
{
    for (int j = change->first; j < change->first + change->count; j++)
        if (k->changes->scheduled[j].on == on)
            return true;
    return false;
}

/* Finds the constraints that take over the load of constraints that go off, unless these carry nothing. */
static int find_heirs(Kernel *k, double t, const double *x, Change *change)
{
    const bool removed = has(k, change, false);
    int result = removed ? decide_in_force(k, t, x) : KERNEL_DONE;
    for (int j = change->first; j < change->first + change->count && removed && result == KERNEL_DONE; j++) {
        const ScheduledChange *s = &k->changes->scheduled[j];
        const Loop *l = &k->loops[s->loop];
        if (!s->on && !(l->dropped_count && l->dropped[s->unknown]))
            mark_tied(k, s->loop, s->unknown, change->heir + (j - change->first) * k->changes->unknowns);
    }
    return result;
}

/* A run that projects also removes the misfit of positions that rounding or a tolerance has left. */
static int change_constraints(Kernel *k, double t, double *x, bool positions, Change *change)
{
    int result = find_heirs(k, t, x, change);
    if (result)
        return result;
    switch_all(k, change, false);
    bool holds;
    const bool added = has(k, change, true);
    if (added)
        result = check_positions(k, x, change);
    if (result == KERNEL_DONE && added && positions)
        result = project_positions(k, t, x, &holds);
    if (result == KERNEL_DONE && added)
        result = jump(k, t, x, change);
    if (!added)
        result = decide_in_force(k, t, x);
    for (int i = 0; i < k->changes->unknowns * change->count; i++)
        change->heir[i] = change->heir[i] && !k->off[i % k->changes->unknowns];
    if (result)
        switch_all(k, change, true);
    return result;
}

int pass_changes(Kernel *k, double t, double *x, bool *changed)
{
    Changes *c = k->changes;
    *changed = false;
    if (!(next_change(k) <= t))
        return KERNEL_DONE;
    const int first = c->next;
    while (next_change(k) <= t)
        c->next++;
    if (!room_for_change(c, c->next - first))
        return KERNEL_NO_MEMORY;
    Change *change = &c->change[c->passed++];
    change->time = t;
    change->first = first;
    change->count = c->next - first;
    const bool borrowed = !k->projection;
    if (borrowed && kernel_set_projection(k, &c->rows, true))
        return KERNEL_NO_MEMORY;
    int result = change_constraints(k, t, x, !borrowed, change);
    if (borrowed) {
        kernel_set_projection(k, &c->rows, false);
        for (int i = 0; i < k->loop_count; i++)
            linear_decide(k->loops[i].linear, NULL);
    }
    change->row = kernel_rows(k);
    *changed = has(k, change, true);
    place_instances(&k->phase, ASTRAY);
    if (result)
        free(c->change[--c->passed].impulse);
    return result;
}
