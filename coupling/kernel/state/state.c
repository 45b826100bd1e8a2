/* The walk over all that the state of a run is; see visit.h. */
#include "state/state.h"

#include "cosimulation/implicit.h"
#include "cosimulation/saving.h"
#include "events/changes.h"
#include "events/switching.h"
#include "runs/sensitivity.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEGREE = 2 }; /* of the polynomials of inputs */

/* -- instances -------------------------------------------------------------------------------------------------------------------- */

static void visit_serialised(Visit *v, Instance *instance, void **state)
{
    size_t size = 0;
    Status status = OK;
    if (v->mode != LOADING)
        status = instance_serialised_size(instance, *state, &size);
    VISIT(v, size);
    unsigned char *const bytes = status > WARNING ? NULL : visit_room(v, size);
    if (bytes && v->mode == SAVING)
        status = instance_serialise(instance, *state, bytes, size);
    if (bytes && v->mode == LOADING)
        status = instance_deserialise(instance, bytes, size, state);
    if (status > WARNING && v->result == VISITED)
        v->result = VISIT_FMU_FAILED;
}

/* Visits the present state of an instance. */
static void visit_instance(Kernel *k, Visit *v, int part)
{
    Instance *const instance = k->parts[part].instance;
    void *now = NULL;
    if (v->result != VISITED)
        return;
    v->instance = part;
    VISIT(v, instance->next_time);
    if (v->restarted && v->restarted[part])
        return;
    Status status = v->mode == LOADING ? OK : instance_save(instance, &now);
    if (status <= WARNING)
        visit_serialised(v, instance, &now);
    if (v->mode == LOADING && v->result == VISITED)
        status = instance_restore(instance, now);
    if (status > WARNING)
        v->result = VISIT_FMU_FAILED;
    instance_forget(instance, &now);
}

/* -- loops ------------------------------------------------------------------------------------------------------------------------ */

static void visit_held(Loop *l, Visit *v)
{
    bool held = l->held, whole = l->whole;
    VISIT(v, held);
    VISIT(v, whole);
    if (!visit_truths(v, &held, 1) || !visit_truths(v, &whole, 1))
        return;
    if (v->mode == LOADING && !held) {
        free(l->held);
        l->held = NULL;
    }
    if (v->mode == LOADING && !whole) {
        linear_free(l->whole);
        l->whole = NULL;
    }
    if (held && !l->held)
        l->held = calloc((size_t)l->count + 1, sizeof *l->held);
    if (whole && !l->whole)
        l->whole = linear_new(l->count, l->row_start, l->column, l->order);
    if ((held && !l->held) || (whole && !l->whole)) {
        v->result = VISIT_NO_MEMORY;
        return;
    }
    if (held)
        visit(v, l->held, (size_t)l->count * sizeof *l->held);
    if (held)
        visit_truths(v, l->held, (size_t)l->count);
    if (whole)
        linear_visit(l->whole, v, l->term + l->first_entry, l->reduced);
}

/* The constraints that repeat others: as many as are marked, or none. */
static bool visit_dropped(const Loop *l, Visit *v)
{
    int marked = 0;
    for (int i = 0; i < l->count && l->dropped; i++)
        marked += l->dropped[i];
    return visit_check(v, !l->repeated_count || l->repeated_count == marked);
}

static void visit_loop(Loop *l, Visit *v)
{
    const size_t n = (size_t)l->count;
    visit_same(v, l->count);
    visit(v, l->residual, 9 * n * sizeof *l->residual); /* with all numbers by unknown */
    VISIT(v, l->deficiency);
    VISIT(v, l->worst.count);
    VISIT(v, l->worst.time);
    VISIT(v, l->passed.count);
    VISIT(v, l->passed.time);
    VISIT(v, l->given);
    VISIT(v, l->off_count);
    VISIT_FROM_TO(v, l, dropped_count, repeated_count);
    VISIT(v, l->shares);
    VISIT(v, l->repeated_since);
    VISIT(v, l->largest);
    VISIT_FROM_TO(v, l, accepted_largest, far);
    visit_same(v, l->linear != NULL);
    visit_same(v, l->sequence != NULL);
    visit_same(v, l->dropped != NULL);
    VISIT_WITHIN(v, l, deficiency, deficiency, 0, l->count);
    VISIT_WITHIN(v, l, worst.count, worst.count, 0, l->count);
    VISIT_WITHIN(v, l, passed.count, passed.count, 0, l->count);
    VISIT_WITHIN(v, l, off_count, off_count, 0, l->count);
    VISIT_WITHIN(v, l, dropped_count, repeated_count, 0, l->dropped ? l->count : 0);
    VISIT_TRUTHS(v, l, given, given);
    VISIT_TRUTHS(v, l, shares, shares);
    if (!l->linear || v->result != VISITED)
        return;
    visit_doubles(v, l->term, l->first_sum + l->sums);
    if (l->sequence)
        visit(v, l->sequence, n * sizeof *l->sequence);
    if (l->sequence)
        visit_within(v, l->sequence, n, 0, l->count - 1);
    if (l->dropped) {
        visit(v, l->dropped, n * sizeof *l->dropped);
        if (!visit_truths(v, l->dropped, n) || !visit_dropped(l, v))
            return;
        visit(v, l->repeats, (size_t)l->repeated_count * n * sizeof *l->repeats);
        visit_doubles(v, l->reduced, l->row_start[l->count]);
    }
    linear_visit(l->linear, v, l->term + l->first_entry, l->reduced);
    if (v->result == VISITED)
        visit_held(l, v);
}

/* -- methods ---------------------------------------------------------------------------------------------------------------------- */

static void visit_projection(const Kernel *k, Visit *v)
{
    Projection *p = k->projection;
    visit_doubles(v, p->right, p->unknowns + 2 * k->states + p->count + 3 * p->turns);
    VISIT_FROM_TO(v, p, light, contraction);
    VISIT_WITHIN(v, p, light, heavy, -1, k->states - 1);
}

static void visit_switching(Switching *s, Visit *v)
{
    visit_same(v, s->count);
    for (int i = 0; i < s->count; i++) {
        VISIT_FROM_TO(v, &s->item[i], mode, restitution);
        VISIT_WITHIN(v, &s->item[i], mode, due, -HELD, HELD);
        VISIT_TRUTHS(v, &s->item[i], candidate, fell);
    }
    visit_doubles(v, s->z, 4 * s->unknowns);
    VISIT_FROM_TO(v, s, begun, ahead);
    VISIT_FROM_TO(v, s, slack, least_force);
    VISIT_TRUTHS(v, s, begun, begun);
    VISIT_TRUTHS(v, s, parts, parts);
    VISIT(v, s->notes);
    VISIT_WITHIN(v, &s->notes, two, several, -1, s->count - 1);
    VISIT_TRUTHS(v, &s->notes, two_closed, two_closed);
    VISIT(v, s->changes);
    if (!visit_check(v, s->changes >= 0)) {
        s->changes = 0;
        return;
    }
    size_t room = (size_t)s->change_room;
    s->change = visit_array(v, s->change, &room, (size_t)s->changes, sizeof *s->change);
    s->change_room = (int)room;
    for (int i = 0; i < s->changes && v->result == VISITED; i++) {
        VISIT_WITHIN(v, &s->change[i], item, item, 0, s->count - 1);
        VISIT_WITHIN(v, &s->change[i], from, to, -HELD, HELD);
        visit_check(v, s->change[i].row >= 0);
    }
    int strikes = s->strikes;
    VISIT(v, strikes);
    for (int i = 0; i < strikes && v->result == VISITED; i++) {
        if (v->mode == LOADING && i == s->strikes) {
            Strike *more = room_for_more(s->strike, i, &s->strike_room, sizeof *more);
            double *const numbers = calloc(2 * (size_t)s->unknowns + 1, sizeof *numbers);
            s->strike = more ? more : s->strike;
            if (!more || !numbers) {
                free(numbers);
                v->result = VISIT_NO_MEMORY;
                return;
            }
            more[s->strikes++] = (Strike){.impulse = numbers, .velocity = numbers + s->unknowns};
        }
        VISIT_FROM_TO(v, &s->strike[i], time, row);
        visit_check(v, s->strike[i].row >= 0);
        visit_doubles(v, s->strike[i].impulse, 2 * s->unknowns);
    }
    while (v->mode == LOADING && s->strikes > strikes && strikes >= 0) /* a run that goes back forgets what came later */
        free(s->strike[--s->strikes].impulse);
}

static void visit_sensitivity(Kernel *k, Visit *v)
{
    Sensitivity *s = k->sensitivity;
    visit_same(v, s->rows.parameters);
    visit(v, s->v, (size_t)((unsigned char *)s->known - (unsigned char *)s->v)); /* with all numbers */
    VISIT_FROM_TO(v, s, next_time, grazing);
    if (v->mode == LOADING && k->run)
        s->now = k->run->present + k->states;
}

/* -- co-simulation ---------------------------------------------------------------------------------------------------------------- */

/* The point at which an instance with a step of its own is. */
static void visit_period(Visit *v, Period *own, double period)
{
    VISIT(v, *own);
    visit_check(v, own->number >= 0 && own->number < LONG_MAX / 2 && isfinite(own->begun) && isfinite((double)own->number * period));
    VISIT_WITHIN(v, own, degree, degree, 0, MOST_DEGREE);
}

/* A point to which an explicit course may return. */
static void visit_return(Kernel *k, Visit *v)
{
    Coupling *c = k->coupling;
    if (v->result != VISITED)
        return;
    bool there = c->course && c->backup[FOR_RUN] && !c->careful;
    VISIT(v, there);
    if (!visit_truths(v, &there, 1) || !visit_check(v, !there || c->course) || !there)
        return;
    if (!c->backup[FOR_RUN])
        c->backup[FOR_RUN] = malloc(saved_size(k) * sizeof(double));
    if (!c->backup[FOR_RUN]) {
        v->result = VISIT_NO_MEMORY;
        return;
    }
    visit(v, c->backup[FOR_RUN], saved_size(k) * sizeof(double));
    VISIT(v, c->backup_time[FOR_RUN]);
    VISIT(v, c->backup_passed[FOR_RUN]);
    VISIT(v, c->backup_known[FOR_RUN]);
    VISIT(v, c->backup_rows[FOR_RUN]);
    visit_check(v, c->backup_known[FOR_RUN] >= 0 && c->backup_known[FOR_RUN] <= PAST && c->backup_rows[FOR_RUN] >= 0);
    for (int i = 0; i < c->count; i++) {
        Stepper *s = &c->steppers[i];
        v->instance = s->part;
        visit_period(v, &s->saved_own[FOR_RUN], s->period);
        VISIT(v, s->next_time[FOR_RUN]);
        if (s->instance)
            visit_serialised(v, s->instance, &s->saved[FOR_RUN]);
    }
    for (int i = 0; i < c->other_count; i++) {
        v->instance = c->other[i].part;
        VISIT(v, c->other[i].next_time[FOR_RUN]);
        visit_serialised(v, k->parts[c->other[i].part].instance, &c->other[i].saved[FOR_RUN]);
    }
}

static void visit_coupling(Kernel *k, Visit *v)
{
    Coupling *c = k->coupling;
    visit_same(v, c->count);
    visit_same(v, c->inputs);
    double *const by_input[] = {c->value, c->slope, c->curve, c->scratch, c->own[0], c->own[1], c->own[2]};
    for (size_t i = 0; i < sizeof by_input / sizeof *by_input; i++)
        visit_doubles(v, by_input[i], c->inputs);
    for (int i = 0; i < PAST; i++) {
        visit_doubles(v, c->past[i], c->inputs);
        visit_doubles(v, c->predicted_past[i], c->predicted);
    }
    VISIT(v, c->past_time);
    visit_doubles(v, c->held_before, (int)(c->z_before - c->held_before) + k->indicators);
    VISIT_FROM_TO(v, c, known, degree);
    VISIT_FROM_TO(v, c, event, seconds);
    VISIT_WITHIN(v, c, known, known, 0, PAST);
    VISIT_WITHIN(v, c, degree, degree, 0, MOST_DEGREE);
    VISIT_TRUTHS(v, c, event, align);
    for (int i = 0; i < c->bond_count; i++)
        VISIT(v, c->bonds[i].passed);
    for (int i = 0; i < c->count; i++) {
        Stepper *s = &c->steppers[i];
        VISIT(v, s->degree);
        VISIT_FROM_TO(v, s, event, ends);
        VISIT_TRUTHS(v, s, event, ends);
        visit_period(v, &s->own, s->period);
        VISIT(v, s->inputs.start);
        VISIT(v, s->inputs.degree);
        VISIT_WITHIN(v, s, degree, degree, 0, MOST_DEGREE);
        VISIT_WITHIN(v, &s->inputs, degree, degree, 0, MOST_DEGREE);
    }
    visit_same(v, c->course != NULL);
    if (c->course && v->result == VISITED)
        course_visit(k, v);
    visit_return(k, v);
}

static void visit_implicit(Implicit *own, Visit *v)
{
    const int m = own->constraints, n = own->inputs, u = own->unknowns;
    visit_same(v, u);
    VISIT_FROM_TO(v, own, repetition, best);
    VISIT_WITHIN(v, own, repetition, unimproved, 0, INT_MAX - 1);
    VISIT_TRUTHS(v, own, at_beginning, has_before);
    visit_doubles(v, own->block, 4 * u + 6 * m + 2 * n); /* up to those of the past */
    Past *past = &own->past;
    VISIT_FROM_TO(v, past, known, predictions);
    VISIT_FROM_TO(v, past, predicted_time, led);
    VISIT_WITHIN(v, past, known, known, 0, MOST_POINTS);
    VISIT_WITHIN(v, past, count, count, 1, MOST_POINTS);
    VISIT_WITHIN(v, past, predictions, predictions, 0, MOST_POINTS);
    visit_truths(v, past->led, sizeof past->led);
    for (int i = 0; i < MOST_POINTS; i++) {
        visit_doubles(v, past->point[i], past->width);
        visit_doubles(v, past->predicted[i], past->width);
    }
    FixedPoint *f = &own->fixed_point;
    VISIT_FROM_TO(v, f, known, gain);
    VISIT_WITHIN(v, f, known, known, 0, MOST_ANSWERS);
    VISIT_WITHIN(v, f, gains, gains, 0, 2);
    VISIT_TRUTHS(v, f, goes_on, goes_on);
    double *const by_unknown[] = {f->x, f->value, f->residual, f->left};
    for (size_t i = 0; i < sizeof by_unknown / sizeof *by_unknown; i++)
        visit_doubles(v, by_unknown[i], u);
    for (int i = 0; i < MOST_ANSWERS; i++) {
        visit_doubles(v, f->change[i], u);
        visit_doubles(v, f->difference[i], u);
    }
    for (int i = 0; i < own->moves.loops; i++)
        if (own->moves.loop[i].holonomic && v->result == VISITED)
            linear_visit(own->moves.loop[i].holonomic, v, own->moves.loop[i].entries, NULL);
}

/* -- the whole state
 * -------------------------------------------------------------------------------------------------------------------- */

static void visit_statistics(Visit *v, const Statistics *s)
{
    const long counts[] = {s->evaluations, s->newton_iterations, s->factorisations, s->events, s->time_events, s->state_events, s->step_events,
                           s->way[0].begun, s->way[0].made, s->way[0].timed, s->way[1].begun, s->way[1].made, s->way[1].timed};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        visit_check(v, counts[i] >= 0 && counts[i] < LONG_MAX / 2);
}

static void visit_values(Kernel *k, Visit *v)
{
    int unknowns = 0;
    for (int i = 0; i < k->loop_count; i++)
        unknowns += k->loops[i].count;
    visit_same(v, k->slots);
    visit_same(v, k->states);
    VISIT(v, k->t);
    visit_doubles(v, k->v, k->slots + 1);
    visit_doubles(v, k->buffer, k->slots + 1);
    VISIT(v, k->phase);
    VISIT(v, k->passed);
    const bool inside = k->leaves_last;
    VISIT_FROM_TO(v, k, fast, open);
    VISIT(v, k->statistics);
    const Phase at = k->phase;
    visit_check(v, at.instances_at <= EVENT_IN_PLACE);
    visit_check(v, at.factors_from <= (k->fused ? OF_EQUATIONS : OF_INSTANCES));
    visit_check(v, by_equations(&at) || !are_at_step_end(&at));
    VISIT_TRUTHS(v, k, fast, fast);
    VISIT_TRUTHS(v, k, leaves_last, open);
    visit_statistics(v, &k->statistics);
    if (v->result != VISITED || !visit_check(v, k->leaves_last == inside && isfinite(k->t)))
        return;
    visit_same(v, k->displaced != NULL);
    if (k->displaced)
        visit_doubles(v, k->displaced, k->states);
    visit(v, k->off, 2 * (size_t)unknowns * sizeof *k->off); /* with those that follow a law */
    visit_truths(v, k->off, 2 * (size_t)unknowns);
    for (int i = 0; i < k->drive_count; i++) {
        VISIT_FROM_TO(v, &k->drives[i], start, coefficient);
        VISIT(v, k->drives[i].last);
        VISIT_WITHIN(v, &k->drives[i], last, last, -1, k->drives[i].points > 0 ? k->drives[i].points - 1 : 0);
    }
}

/* Rows that are named by what has been loaded: no more than there are. */
static void visit_rows(const Kernel *k, Visit *v)
{
    const long rows = k->record ? k->record->rows : LONG_MAX;
    for (int i = 0; k->switching && i < k->switching->changes; i++)
        visit_check(v, k->switching->change[i].row <= rows);
    for (int i = 0; k->switching && i < k->switching->strikes; i++)
        visit_check(v, k->switching->strike[i].row <= rows);
    visit_check(v, !k->coupling || k->coupling->backup_rows[FOR_RUN] <= rows);
}

static void visit_kernel(Kernel *k, Visit *v)
{
    const bool inside = k->leaves_last; /* its instances are those of another kernel, and its runs begin anew with each step of that one */
    visit_values(k, v);
    for (int i = 0; i < k->loop_count && v->result == VISITED; i++)
        visit_loop(&k->loops[i], v);
    const bool parts[] = {k->projection, k->coupling, k->implicit, k->changes, k->switching, k->record, k->run && !inside, k->sensitivity, k->fused};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        visit_same(v, parts[i]);
    if (k->projection && v->result == VISITED)
        visit_projection(k, v);
    if (k->coupling && v->result == VISITED)
        visit_coupling(k, v);
    if (k->implicit && v->result == VISITED)
        visit_implicit(k->implicit, v);
    if (k->changes && v->result == VISITED)
        changes_visit(k, v);
    if (k->switching && v->result == VISITED)
        visit_switching(k->switching, v);
    if (k->record && v->result == VISITED)
        record_visit(k, v);
    if (v->result == VISITED)
        visit_rows(k, v);
    if (k->run && !inside && v->result == VISITED)
        run_visit(k, v);
    if (k->sensitivity && v->result == VISITED)
        visit_sensitivity(k, v);
    if (k->fused && v->result == VISITED)
        k->fused->visit(k, v);
    for (int i = 0; i < k->part_count && !inside; i++)
        visit_instance(k, v, i);
}

int kernel_visit(Kernel *k, int mode, unsigned char *bytes, size_t *size, int *instance, const unsigned char *restarted)
{
    Visit v = {.mode = (VisitMode)mode, .bytes = bytes, .size = *size, .restarted = restarted};
    visit_kernel(k, &v);
    const SensitivityRows *rows = k->sensitivity ? &k->sensitivity->rows : NULL;
    for (int i = 0; rows && i < rows->parameters * rows->shadows; i++)
        visit_kernel(rows->shadow[i], &v);
    if (mode == COUNTING)
        *size = v.at;
    else if (v.at != *size && v.result == VISITED)
        v.result = VISIT_MISFIT;
    *instance = v.instance;
    return v.result;
}
