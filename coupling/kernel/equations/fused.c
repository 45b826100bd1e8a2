/* Evaluations by fused code, in place of the instances; where it is in doubt, by the general equations, or by the instances after all. */
#include "equations/fused.h"

#include "equations/shares.h"
#include "equations/gather.h"
#include "constraints/project.h"
#include "platform/visit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    Fused calls; /* what k->fused points to */
    const FusedRows *rows;
    FusedReport report;
    Shares *shares;
    Operations called; /* those of the FMUs whose equations are not known, and of drives */
    double *w, *right, *before; /* right and what follows: by unknown of all loops */
    int unknowns;
    bool solved; /* the unknowns of the last evaluation are those of SOLVE_STAGE */
    bool bare;   /* none exist: it was of loops alone */
} Own;

static Own *own_of(const Kernel *k)
{
    return (Own *)k->fused;
}

static bool has(const FusedRows *rows, int stage)
{
    return rows->stage[stage] != NULL;
}

static void run(Own *own, int stage)
{
    if (has(own->rows, stage))
        own->rows->stage[stage](own->rows->code[stage], own->w);
}

RARELY bool fused_get(const Kernel *k, const FusedReading *reading, int readings, const int *number, bool all, double *w)
{
    for (const FusedReading *r = reading; r < reading + readings; r++) {
        if (!all && k->parts[r->part].quiet)
            continue;
        const Reference *references = (const Reference *)number + r->references;
        if (instance_get(k->parts[r->part].instance, (Type)r->type, references, (size_t)r->count, w + r->first) > WARNING)
            return false;
    }
    return true;
}

/* Gets from the instances the values that change at events only. */
static RARELY bool get_settled(const Kernel *k, Own *own)
{
    const FusedRows *rows = own->rows;
    if (!fused_get(k, rows->reading, rows->readings, rows->number, own->calls.stale == STALE, own->w))
        return false;
    run(own, PREPARE_STAGE);
    own->calls.stale = FRESH;
    return true;
}

/* FMUs whose equations are not known, with what they are fed from at this point. */
static RARELY bool call(Kernel *k, Own *own)
{
    const FusedRows *rows = own->rows;
    const Failure before = k->failure;
    run(own, GIVING_STAGE);
    for (int i = 0; i < rows->leavings; i++)
        k->v[rows->fed[i]] = own->w[rows->leaving[i]];
    if (operate(k, &own->called) != KERNEL_DONE) {
        k->failure = before;
        return false;
    }
    for (int i = 0; i < rows->arrivings; i++)
        own->w[rows->u + rows->drives + i] = k->v[rows->arriving[i]];
    return true;
}

static bool place_point(Kernel *k, Own *own)
{
    const FusedRows *rows = own->rows;
    if (own->calls.stale && !get_settled(k, own))
        return false;
    memcpy(own->w + rows->x, k->v, (size_t)k->states * sizeof *own->w);
    own->w[rows->t] = k->t;
    for (int i = 0; i < rows->drives; i++)
        own->w[rows->u + i] = drive_value(&k->drives[rows->drive[i]], k->t, k->passed);
    return !rows->calls || call(k, own);
}

static bool fill(Kernel *k, Own *own)
{
    if (!place_point(k, own))
        return false;
    run(own, BEFORE_STAGE);
    return true;
}

static RARELY bool give(Kernel *k, double *w, int count)
{
    Own *own = own_of(k);
    if (!place_point(k, own))
        return false;
    double *unknown = w + count - own->unknowns; /* the last of what is given */
    memcpy(w, own->w, (size_t)(count - own->unknowns) * sizeof *w);
    for (int i = 0; i < k->loop_count; unknown += k->loops[i++].count)
        memcpy(unknown, k->v + k->loops[i].first, (size_t)k->loops[i].count * sizeof *unknown);
    return true;
}

/* Entries in the places of the loops. */
static RARELY void place_entries(Kernel *k, const Own *own)
{
    const int *slot = own->rows->entry;
    for (int i = 0; i < k->loop_count; i++) {
        const Loop *l = &k->loops[i];
        collect(own->w, slot, l->row_start[l->count], l->term + l->first_entry);
        slot += l->row_start[l->count];
    }
}

/* The equations are those of the graph, in its order. Constraints that are off are so by a mode, which the graph knows. */
static bool complete(const Own *own, const Loop *l, int first)
{
    bool known = !l->dropped_count && !l->held && !l->sequence;
    for (int i = 0; i < l->count && l->off_count; i++)
        known = known && (!l->off[i] || own->rows->switched[first + i]);
    return known;
}

static const double MOST_MISFIT = 1e-12; /* of the terms of an equation: what elimination in a fixed order may leave */

/* A pivot of which elimination has left less than this share has lost half of its digits. */
static const double LEAST_SHARE = 1e-8;

static bool alone(const Own *own)
{
    return own->unknowns && own->rows->order[0] == ALONE_ORDER;
}

/* Every pivot is more than rounding. */
static RARELY bool trusts_pivots(const double *w, const int *diagonal, const int *pivot, int count)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(w[pivot[i]]) > LEAST_SHARE * w[diagonal[i]]))
            return false;
    return true;
}

/* Says whether the general equations would do no more than eliminate, apart from rows that were left out. Before that they have to note once which
 * constraints take part in the redundancy. A mechanism that passes singular poses is left to them from the first one on. */
static bool trusts(const Own *own, const Loop *l, int loop, int first)
{
    const int *const diagonal = own->rows->diagonal + first, *const pivot = own->rows->pivot + first, order = own->rows->order[loop];
    const int *const left_out = own->rows->left_out ? own->rows->left_out + first : NULL;
    int count = 0;
    for (int i = 0; i < l->count && left_out; i++)
        count += left_out[i];
    if (!(slot_value(own->w, own->rows->misfit[loop]) <= MOST_MISFIT) || (count && (!l->worst.count || l->passed.count)))
        return false;
    return (order != OTHER_ORDER && linear_trusts(l->linear, own->w, diagonal, pivot, count)) ||
           (order != DEFINITE_ORDER && linear_trusts_terms(l->linear, own->w, diagonal, pivot));
}

/* All equations are taken as they are: none is left out, damped or checked again. */
static bool trusted(const Kernel *k, const Own *own)
{
    const FusedRows *rows = own->rows;
    for (int i = 0, first = 0; i < k->loop_count; first += k->loops[i++].count) {
        const Loop *l = &k->loops[i];
        if (is_idle(k, i))
            continue;
        if (!complete(own, l, first))
            return false;
        if (alone(own) ? !trusts_pivots(own->w, rows->diagonal + first, rows->pivot + first, l->count) : !trusts(own, l, i, first))
            return false;
    }
    return true;
}

static RARELY bool hand_over(Kernel *k, Own *own)
{
    own->report.handed++;
    place_entries(k, own);
    collect(own->w, own->rows->right, own->unknowns, own->right);
    const Failure before = k->failure;
    bool solved = true;
    for (int i = 0, first = 0; i < k->loop_count && solved; first += k->loops[i++].count) {
        const Loop *l = &k->loops[i];
        solved = is_idle(k, i) || (!l->held && loop_solve_entries(k, i, own->right + first));
        for (int j = 0; j < l->count && solved; j++)
            own->w[own->rows->unknown[first + j]] = k->v[l->first + j];
    }
    k->failure = before;
    return solved;
}

/* The unknowns, in the loops' places too. */
static bool solve(Kernel *k, Own *own)
{
    run(own, SOLVE_STAGE); /* later code may use more values than the unknowns */
    own->solved = trusted(k, own);
    if (!own->solved)
        return !alone(own) && hand_over(k, own);
    k->statistics.factorisations += k->loop_count;
    k->statistics.newton_iterations += k->loop_count;
    for (int i = 0, first = 0; i < k->loop_count; first += k->loops[i++].count)
        if (!is_idle(k, i))
            gather_plain(own->w, own->rows->unknown + first, k->loops[i].count, k->v + k->loops[i].first);
    return true;
}

static bool evaluate_here(Kernel *k, Own *own, double *dx)
{
    own->bare = false;
    if (!fill(k, own) || !solve(k, own))
        return false;
    if (dx)
        run(own, AFTER_STAGE);
    if (!dx)
        return true;
    return k->searching ? gather_some(own->w, own->rows->derivative, k->loud_state, k->loud_states, dx)
                        : gather_finite(own->w, own->rows->derivative, k->states, dx);
}

/* In any doubt the instances are evaluated, which report the cause. Their iterations start from the usual values. */
static bool derive(Kernel *k, double *dx)
{
    Own *own = own_of(k);
    if (!isnan(own->report.given_up))
        return false;
    keep_unknowns(k, own->before);
    const long factorisations = k->statistics.factorisations, iterations = k->statistics.newton_iterations;
    own->report.evaluations++;
    take_factors(&k->phase, OF_EQUATIONS);
    const bool made = evaluate_here(k, own, dx);
    if (!made) {
        take_factors(&k->phase, OF_INSTANCES);
        own->report.by_rows++;
        k->statistics.factorisations = factorisations;
        k->statistics.newton_iterations = iterations;
        begin_from(k, own->before);
    }
    return made;
}

static RARELY bool share(Kernel *k)
{
    Own *own = own_of(k);
    if (!own->solved || !own->rows->left_out)
        return true;
    place_entries(k, own);
#ifdef KERNEL_EXPORTED /* FMUs of mechanisms leave nothing out */
    return share_loads(k, &own->shares, own->rows->left_out);
#else
    return false;
#endif
}

static RARELY bool place(Kernel *k)
{
    const Own *own = own_of(k);
    if (own->solved && !alone(own)) /* where they were handed over they are there */
        place_entries(k, own);
    return !alone(own);
}

static RARELY void load(Kernel *k)
{
    Own *own = own_of(k);
    if (alone(own))
        return; /* nothing is projected */
    const long factorisations = k->statistics.factorisations; /* those of evaluations are counted */
    const int *mobility = own->rows->mobility;
    if (own->solved)
        place_entries(k, own);
    for (int i = 0; i < k->loop_count; i++) {
        Loop *l = &k->loops[i];
        const int count = l->mobile ? l->mobile_start[l->mobile] : 0;
        collect(own->w, mobility, count, l->term + l->first_mobility);
        mobility += count;
        if (own->solved)
            linear_factorise(l->linear, l->term + l->first_entry);
    }
    k->statistics.factorisations = factorisations;
}

static bool corrects(const Kernel *k)
{
    const Own *own = own_of(k);
    return own->solved && has(own->rows, CORRECTING_STAGE);
}

static void correct_states(Kernel *k, bool positions, double *x)
{
    Own *own = own_of(k);
    Projection *p = k->projection;
    double *const w = own->w, *const right = w + own->rows->violation;
    const Listed *const level = &p->level[positions ? POSITIONS : VELOCITIES];
    const bool *const off = k->off, *const lawful = k->loops->lawful, all = all_in_force(k);
    memset(right, 0, (size_t)own->unknowns * sizeof *right);
    for (int i = 0; i < level->count; i++) {
        const int unknown = level->unknown[i];
        if (all || (!off[unknown] && !lawful[unknown]))
            right[unknown] = -k->v[level->slot[i]];
    }
    run(own, CORRECTING_STAGE);
    const int *const correction = own->rows->correction, *const to = positions ? p->shifted : p->moving, count = p->moving_count;
    for (int i = 0; i < count; i++) {
        const double by = slot_value(w, correction[i]);
        if (to[i] >= 0)
            x[to[i]] += by;
        else
            move_position(p, p->moving[i], by, x);
    }
    turn_all(p, x);
}

/* Linearises as kernel_project does: without unknowns, and therefore with the factors of the general equations, unless those of the
 * graph serve. */
static bool linearise(Kernel *k)
{
    Own *own = own_of(k);
    bool made = !alone(own) && isnan(own->report.given_up);
    own->solved = false;
    own->bare = true;
    take_factors(&k->phase, OF_EQUATIONS);
    for (int i = 0, first = 0; i < k->loop_count && made; first += k->loops[i++].count)
        made = complete(own, &k->loops[i], first);
    made = made && fill(k, own);
    k->statistics.factorisations += made ? k->loop_count : 0;
    if (made && has(own->rows, CORRECTING_STAGE)) {
        run(own, SOLVE_STAGE);
        own->solved = trusted(k, own);
    }
    if (made && !own->solved)
        place_entries(k, own);
    for (int i = 0; i < k->loop_count && made && !own->solved; i++)
        made = linear_factorise(k->loops[i].linear, k->loops[i].term + k->loops[i].first_entry) >= 0;
    if (!made)
        take_factors(&k->phase, OF_INSTANCES);
    return made;
}

static bool accept_point(Kernel *k)
{
    Own *own = own_of(k);
    if (alone(own))
        return true; /* its equations have no peaks that are kept */
    if (!own->solved)
        return false;
    const int *entry = own->rows->entry, *pivot = own->rows->pivot;
    for (const Loop *l = k->loops; l < k->loops + k->loop_count; entry += l->row_start[l->count], pivot += l->count, l++)
        linear_accept_elsewhere(l->linear, own->w, entry, pivot);
    return true;
}

static bool read_levels(Kernel *k)
{
    Own *own = own_of(k);
    const FusedRows *rows = own->rows;
    if (!has(rows, READING_STAGE))
        return false;
    memcpy(own->w + rows->x_read, k->v, (size_t)k->states * sizeof *own->w);
    own->w[rows->t] = k->t;
    for (int i = 0; i < rows->drives; i++)
        own->w[rows->u + i] = drive_value(&k->drives[rows->drive[i]], k->t, k->passed);
    run(own, READING_STAGE);
    for (int n = 0; n < LEVELS; n++) {
        const Listed *const l = &k->projection->level[n];
        const int *const from = n == POSITIONS ? rows->position : rows->velocity;
        for (int i = 0; i < l->count; i++)
            if (!k->resting || !k->quiet_unknown[l->unknown[i]])
                k->v[l->slot[i]] = slot_value(own->w, from[l->constraint[i]]);
    }
    return true;
}

static RARELY bool indicate(const Kernel *k, double *z)
{
    Own *own = own_of(k);
    if (!has(own->rows, INDICATING_STAGE) || own->bare)
        return false;
    run(own, INDICATING_STAGE);
    collect(own->w, own->rows->indicator, k->indicators, z);
    return are_finite(z, k->indicators); /* of others the instances say which */
}

static RARELY void disagree(Kernel *k, Apart apart)
{
    FusedReport *report = &own_of(k)->report;
    report->given_up = k->t;
    report->slot = apart.slot;
    report->off = apart.off;
    report->size = apart.size;
    take_factors(&k->phase, OF_INSTANCES);
}

static RARELY void visit_here(Kernel *k, Visit *v)
{
    Own *own = own_of(k);
    visit_same(v, own->rows->size);
    visit(v, own->w, (size_t)own->rows->size * sizeof *own->w); /* the last evaluation, and what changes at events only */
    VISIT(v, own->calls.stale);
    own->calls.stale_record = v->mode == LOADING ? STALE : own->calls.stale_record;
    VISIT(v, own->report);
    VISIT_FROM_TO(v, own, solved, bare);
    visit_check(v, own->calls.stale <= STALE && own->report.slot >= -1 && own->report.slot < own->rows->size + k->slots);
    VISIT_TRUTHS(v, own, solved, bare);
}

static RARELY void end(Kernel *k)
{
    Own *own = own_of(k);
    if (own && own->calls.end_record)
        own->calls.end_record(k);
    if (own && own->calls.end_open)
        own->calls.end_open(k);
    if (own && own->calls.end_slopes)
        own->calls.end_slopes(own->calls.slopes);
    if (own) {
#ifdef KERNEL_EXPORTED
        free_shares(k, own->shares);
#endif
        free(own->called.items);
        free(own->w);
    }
    free(own);
    k->fused = NULL;
    take_factors(&k->phase, OF_INSTANCES);
}

static RARELY bool choose_calls(const Kernel *k, Own *own, const FusedRows *rows)
{
    const Operations *all = &k->lists[CONTINUOUS];
    Operations *called = &own->called;
    if (!rows->calls)
        return true;
    called->items = malloc(((size_t)all->count + 1) * sizeof *called->items);
    for (int i = 0; i < all->count && called->items; i++) {
        const Operation *o = &all->items[i];
        if (o->kind == DRIVE || (o->instance && rows->called[o->index]))
            called->items[called->count++] = *o;
    }
    return called->items;
}

RARELY int kernel_set_fused(Kernel *k, const FusedRows *rows)
{
    end(k);
    if (!rows)
        return 0;
    size_t unknowns = 0;
    for (int i = 0; i < k->loop_count; i++)
        unknowns += (size_t)k->loops[i].count;
    Own *own = calloc(1, sizeof *own);
    if (!own)
        return -1;
    k->fused = &own->calls;
    k->end_fused = end;
    own->w = malloc(((size_t)rows->size + 2 * unknowns + 1) * sizeof *own->w);
    if (!own->w || !choose_calls(k, own, rows)) {
        end(k);
        return -1;
    }
    memcpy(own->w, rows->initial, (size_t)rows->size * sizeof *own->w);
    own->right = own->w + rows->size;
    own->before = own->right + unknowns;
    own->calls = (Fused){.stale = STALE,
                         .partial = rows->left_out != NULL,
                         .derive = derive,
                         .share = share,
                         .linearise = linearise,
                         .place = place,
                         .load = load,
                         .corrects = corrects,
                         .correct = correct_states,
                         .accept = accept_point,
                         .read = read_levels,
                         .indicate = indicate,
                         .disagree = disagree,
                         .visit = visit_here,
                         .give = give};
    own->rows = rows;
    own->report.given_up = NAN;
    own->unknowns = (int)unknowns;
    return 0;
}

void kernel_fused_report(const Kernel *k, FusedReport *report)
{
    *report = k->fused ? own_of(k)->report : (FusedReport){.given_up = NAN};
}

double *kernel_fused_workspace(const Kernel *k)
{
    return own_of(k)->w;
}
