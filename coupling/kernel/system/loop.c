/* Loops: unknowns that make residuals vanish, by damped Newton iteration or by a shortcut. evaluate.c runs what is inside, and calls this file. */
#include "system/kernel_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 60 };
static const double tolerance = 1e-12;   /* of the unknowns, against the greatest of them */
static const double tolerable = 1e-7;    /* where rounding prevents more */
static const double consistent = 1e-6;   /* misfit of redundant equations, against their terms */
static const double in_passing = 0.1;    /* the same, where the redundancy has come with the motion and will go with it */
static const double in_steps = 0.5;      /* a part: a step that ends just before a contradiction has to leave a solvable point */
static const double drift = 1e-8;        /* the same, against what the loop passes on */
static const double rounding = 64 * DBL_EPSILON;
static const double of_products = 1e-12; /* the same, where the values are those that residuals are computed from */
static const double least_damping = 1e-5, roughly = 1e-4; /* accuracy of unknowns if equations are nearly redundant */
static const double as_near = 1e3;       /* unknowns so many times greater than all on the motion are no start: their rounding would be seen */

void loop_residual(const Loop *l, const double *v, double *r)
{
    for (int i = 0; i < l->count; i++) {
        double sum = 0;
        for (int s = l->residual_start[i]; s < l->residual_start[i + 1]; s++)
            sum += l->residual_factor[s] * v[l->residual_slot[s]];
        r[i] = l->off[i] ? v[l->first + i] : l->held && l->held[i] ? 0 : sum;
    }
}

/* The loop's own operations with the unknowns as they are, and the residuals that follow. */
static int pass(Kernel *k, Loop *l, double *r)
{
    const int result = operate(k, &l->inside);
    if (result)
        return result;
    loop_residual(l, k->v, r);
    for (int i = 0; i < l->count; i++)
        if (!isfinite(r[i])) {
            failed(k, KERNEL_NOT_FINITE, "evaluating", -1, OK);
            k->failure.slot = l->residual_slot[l->residual_start[i]];
            return KERNEL_RETRY;
        }
    return KERNEL_DONE;
}

/* Puts the identity into the rows of unknowns that are held. */
static void hold_rows(const Loop *l)
{
    for (int i = 0; i < l->count; i++)
        for (int e = l->row_start[i]; e < l->row_start[i + 1] && l->held[i]; e++)
            l->term[l->first_entry + e] = l->column[e] == i;
}

/* The same, into their columns too, of unknowns that are off: the equations stay symmetric. */
static void leave_out(const Loop *l)
{
    for (int i = 0; i < l->count; i++)
        for (int e = l->row_start[i]; e < l->row_start[i + 1]; e++)
            if (l->off[i] || l->off[l->column[e]])
                l->term[l->first_entry + e] = l->column[e] == i;
}

/* The entries without constraints that are dropped. The equations themselves keep them, and show whether they hold. */
static const double *reduced(const Loop *l)
{
    for (int i = 0; i < l->count; i++)
        for (int e = l->row_start[i]; e < l->row_start[i + 1]; e++)
            l->reduced[e] = l->dropped[i] || l->dropped[l->column[e]] ? l->column[e] == i : l->term[l->first_entry + e];
    return l->reduced;
}

static void note_deficiency(const Kernel *k, const Loop *l, Deficiency *greatest, int count)
{
    if (count <= greatest->count)
        return;
    greatest->count = count;
    greatest->time = k->t;
    linear_undetermined(l->linear, greatest->undetermined, greatest->redundant);
}

static int factorise_entries(Kernel *k, Loop *l, Linear *linear, bool noted)
{
    k->statistics.factorisations++;
    if (l->held && linear == l->linear)
        hold_rows(l);
    if (l->off_count)
        leave_out(l);
    const int deficiency = linear_factorise(linear, l->dropped_count ? reduced(l) : l->term + l->first_entry);
    if (linear == l->linear || deficiency < 0)
        l->deficiency = deficiency;
    if (deficiency < 0) {
        failed(k, KERNEL_NOT_FINITE, "differentiating", -1, OK);
        k->failure.slot = l->first;
        return KERNEL_RETRY;
    }
    const int passing = linear_passing(l->linear);
    if (noted) {
        note_deficiency(k, l, &l->worst, l->deficiency - passing);
        note_deficiency(k, l, &l->passed, passing);
    }
    return KERNEL_DONE;
}

/* Assembles and factorises the Jacobian. */
static int factorise(Kernel *k, Loop *l, Linear *linear, bool noted, bool at_events)
{
    double *const term = l->term;
    for (int i = 0; i < l->derivative_count; i++) {
        const LocalDerivative *d = &l->derivatives[i];
        const int result = d->at_events && !at_events ? KERNEL_DONE : differentiate(k, d, term + d->first);
        if (result)
            return result;
    }
    const int *const start = l->sum_start, *const left = l->left, *const right = l->right;
    const double *const factor = l->factor;
    double *const sums = term + l->first_sum;
    for (int i = 0; i < l->copies; i++)
        sums[l->copied[i]] = l->copy_factor[i] * term[l->copy_of[i]];
    for (int i = 0; i < l->others; i++) {
        double sum = 0;
        for (int p = start[l->other[i]]; p < start[l->other[i] + 1]; p++)
            sum += factor[p] * term[left[p]] * term[right[p]];
        sums[l->other[i]] = sum;
    }
    return factorise_entries(k, l, linear, noted);
}

static double greatest(const double *x, int count)
{
    double result = 0;
    for (int i = 0; i < count; i++)
        result = fabs(x[i]) > result ? fabs(x[i]) : result;
    return result;
}

/* The greatest value that the loop passes on: where the unknowns vanish, such as the force between bodies that fall freely, they have
 * no size of their own against which to see rounding. */
static double passed_on(const Kernel *k, const Loop *l)
{
    double size = 0;
    for (int i = 0; i < l->inside.count; i++) {
        const Operation *o = &l->inside.items[i];
        for (int j = 0; j < o->count && o->kind == SET; j++)
            size = fmax(size, fabs(k->v[o->places ? o->places[j] : o->first + j]));
    }
    return size;
}

static bool has_part(const Loop *l, int part)
{
    for (int i = 0; i < l->inside.count; i++)
        if (l->inside.items[i].index == part && (l->inside.items[i].kind == GET || l->inside.items[i].kind == SET))
            return true;
    return false;
}

/* The greatest value that the loop's instances are given from outside: where no force acts, what is left of residuals is the rounding of
 * products of these, such as of directions and speeds, though all that the loop passes on itself vanishes. */
static double given_from_outside(const Kernel *k, const Loop *l)
{
    const Operations *const list = &k->lists[in_event_mode(&k->phase) ? EVENTS : CONTINUOUS];
    double size = 0;
    for (int i = 0; i < list->count; i++) {
        const Operation *o = &list->items[i];
        if (o->kind != SET || o->type != FLOAT64 || !has_part(l, o->index))
            continue;
        for (int j = 0; j < o->count; j++)
            size = fmax(size, fabs(k->v[o->places ? o->places[j] : o->first + j]));
    }
    return size;
}

/* Returns the size of the terms of an equation, against which its residual is compared. */
static double terms(const Loop *l, int row, const double *z, const double *r)
{
    double sum = 0, known = r[row];
    for (int e = l->row_start[row]; e < l->row_start[row + 1]; e++) {
        const double product = l->term[l->first_entry + e] * z[l->column[e]];
        sum += fabs(product);
        known -= product;
    }
    return sum + fabs(known);
}

/* Residuals vanish within rounding. Near a pose in which equations become redundant no better result exists: the unknowns are as
 * uncertain as the equations are close to each other. */
static bool vanish(const Kernel *k, const Loop *l, const double *z, const double *r)
{
    const double size = passed_on(k, l);
    double unseen = -1;
    for (int i = 0; i < l->count; i++) {
        if (fabs(r[i]) <= rounding * (terms(l, i, z, r) + size))
            continue;
        unseen = unseen < 0 ? of_products * given_from_outside(k, l) : unseen;
        if (!(fabs(r[i]) <= unseen))
            return false;
    }
    return true;
}

/* A step moves the residuals by rounding at most, a share of their terms. Such a solution is as good as any and stays; values on
 * connections then settle, which events allow more tolerance for. A light body's acceleration is a difference of large forces over a
 * small mass. */
static bool is_rounding(const Loop *l, const double *z, const double *r, const double *step, double share)
{
    for (int i = 0; i < l->count; i++) {
        double moved = 0;
        for (int e = l->row_start[i]; e < l->row_start[i + 1]; e++)
            moved += l->term[l->first_entry + e] * step[l->column[e]];
        if (!(fabs(moved) <= share * terms(l, i, z, r)))
            return false;
    }
    return true;
}

static bool redundant(const Loop *l)
{
    return l->deficiency || l->dropped_count;
}

/* The misfit that redundant equations may have, against their terms. Stages of a step violate the constraints by what the step errs, and
 * redundant equations miss each other by as much there: only projected or recorded states and those at events show a contradiction. */
static double allowed_misfit(const Kernel *k, const Loop *l)
{
    const Purpose purpose = in_event_mode(&k->phase) ? OF_POINT : k->purpose;
    const bool passing = (l->deficiency && linear_passing(l->linear) > 0) || (k->projection && purpose == OF_STAGE);
    return passing ? in_passing : consistent * (purpose == OF_PROJECTED ? in_steps : 1);
}

/* Fails where redundant equations contradict each other. */
static int check_consistency(Kernel *k, const Loop *l, const double *z, const double *r)
{
    const double size = passed_on(k, l), allowed = allowed_misfit(k, l);
    for (int i = 0; i < l->count; i++)
        if (fabs(r[i]) > allowed * terms(l, i, z, r) && fabs(r[i]) > drift * size && fabs(r[i]) > of_products * given_from_outside(k, l)) {
            failed(k, KERNEL_CONTRADICTORY, "solving", -1, OK);
            k->failure.index = (int)(l - k->loops);
            k->failure.slot = i;
            return KERNEL_RETRY;
        }
    return KERNEL_DONE;
}

/* The full Newton step from z with residuals r. Among the solutions the unknowns of least length are taken, which is why
 * the new unknowns are solved for and not the step alone. */
void loop_newton_step(const Loop *l, const double *z, const double *r, double *step)
{
    const double *const entry = l->term + l->first_entry;
    for (int i = 0; i < l->count; i++) {
        double sum = -r[i];
        for (int e = l->row_start[i]; e < l->row_start[i + 1]; e++)
            sum += entry[e] * z[l->column[e]];
        step[i] = l->dropped_count && l->dropped[i] ? 0 : sum;
    }
    linear_solve(l->linear, step);
    for (int i = 0; i < l->count; i++)
        step[i] -= z[i];
}

bool loop_solve_entries(Kernel *k, int index, const double *right)
{
    Loop *l = &k->loops[index];
    if (factorise_entries(k, l, l->linear, true))
        return false;
    k->statistics.newton_iterations++;
    for (int i = 0; i < l->count; i++) {
        l->start[i] = l->off[i] ? 0 : right[i];
        l->step[i] = l->dropped_count && l->dropped[i] ? 0 : l->start[i];
    }
    linear_solve(l->linear, l->step);
    bool solved = true;
    for (int i = 0; i < l->count; i++) {
        double left = -l->start[i];
        for (int e = l->row_start[i]; e < l->row_start[i + 1]; e++)
            left += l->term[l->first_entry + e] * l->step[l->column[e]];
        l->residual[i] = left;
        solved = solved && isfinite(left);
    }
    const double size = greatest(l->start, l->count);
    for (int i = 0; i < l->count && solved && redundant(l); i++)
        solved = fabs(l->residual[i]) <= fmax(allowed_misfit(k, l) * terms(l, i, l->step, l->residual), drift * size);
    if (solved)
        memcpy(k->v + l->first, l->step, (size_t)l->count * sizeof *l->step);
    return solved;
}

static int not_solved(Kernel *k, const Loop *l)
{
    const int result = failed(k, KERNEL_NOT_SOLVED, "solving", -1, OK);
    k->failure.index = (int)(l - k->loops);
    return result;
}

/* Damped Newton iteration. The step that the old Jacobian would take at the new point measures the distance to the solution, and has
 * to shrink. */
static int iterate(Kernel *k, Loop *l)
{
    const int n = l->count;
    double *const z = k->v + l->first, *const r = l->residual;
    double before = INFINITY;
    for (int iteration = 1; iteration <= MOST_ITERATIONS; iteration++) {
        int result = factorise(k, l, l->linear, true, in_event_mode(&k->phase));
        if (result)
            return result;
        k->statistics.newton_iterations++;
        loop_newton_step(l, z, r, l->step);
        /* Not where equations are singular, which do not see what is left of them; weak ones at events are if they are deficient. */
        const bool event = in_event_mode(&k->phase), blind = event ? l->deficiency > 0 : linear_weak(l->linear) > 0;
        if (!blind && is_rounding(l, z, r, l->step, event ? rounding : DBL_EPSILON))
            return redundant(l) ? check_consistency(k, l, z, r) : KERNEL_DONE;
        memcpy(l->start, z, (size_t)n * sizeof *z);
        const double length = greatest(l->step, n);
        double left = INFINITY;
        for (double damping = 1;; damping /= 2) {
            if (damping < least_damping)
                return result ? result : not_solved(k, l);
            for (int i = 0; i < n; i++)
                z[i] = l->start[i] + damping * l->step[i];
            result = pass(k, l, r);
            if (result == KERNEL_RETRY)
                continue;
            if (result)
                return result;
            loop_newton_step(l, z, r, l->correction);
            left = greatest(l->correction, n);
            l->largest = fmax(l->largest, greatest(z, n));
            if (left <= (1 - damping / 4) * length || left <= tolerable * l->largest)
                break;
            const bool sensitive = linear_weak(l->linear) && left <= roughly * greatest(z, n);
            if (damping == 1 && sensitive && iteration == 1)
                break;
            if (damping == 1 && (vanish(k, l, z, r) || sensitive))
                return redundant(l) ? check_consistency(k, l, z, r) : KERNEL_DONE;
        }
        if (!isfinite(left))
            return not_solved(k, l);
        const double size = fmax(greatest(z, n), length);
        const bool stalled = iteration > 1 && left > before / 4;
        const double enough = linear_weak(l->linear) ? roughly : tolerable;
        if (left <= tolerance * size || (stalled && (left <= enough * size || vanish(k, l, z, r))) || left == 0)
            return redundant(l) ? check_consistency(k, l, z, r) : KERNEL_DONE;
        before = left;
    }
    return not_solved(k, l);
}

void loop_forget(Loop *l)
{
    memset(l->accepted, 0, (size_t)l->count * sizeof *l->accepted);
    l->accepted_largest = 0;
    l->far = DBL_MAX;
}

void loop_accept(const Kernel *k, Loop *l)
{
    const double *const z = k->v + l->first;
    for (int i = 0; i < l->count; i++)
        if (!isfinite(z[i]))
            return;
    memcpy(l->accepted, z, (size_t)l->count * sizeof *z);
    l->accepted_largest = fmax(l->accepted_largest, greatest(z, l->count));
    l->far = as_near * l->accepted_largest;
}

/* An attempt of a step that was too long may leave unknowns that are no numbers, or far too great: the next begins from those of the last
 * point of the motion. */
static void begin_near(Loop *l, double *z)
{
    for (int i = 0; i < l->count; i++)
        if (!(fabs(z[i]) <= l->far)) {
            memcpy(z, l->accepted, (size_t)l->count * sizeof *z);
            l->largest = l->accepted_largest;
            return;
        }
}

int loop_solve(Kernel *k, int index)
{
    Loop *l = &k->loops[index];
    if (k->open || l->given) /* nothing to be found */
        return operate(k, &l->inside);
    if (!l->held)
        begin_near(l, k->v + l->first);
    const int result = pass(k, l, l->residual);
    return result ? result : iterate(k, l);
}

int loop_factorise(Kernel *k, int index)
{
    return rests(k, index) ? KERNEL_DONE : factorise(k, &k->loops[index], k->loops[index].linear, true, in_event_mode(&k->phase));
}

int loop_linearise(Kernel *k, int index, bool at_events)
{
    return factorise(k, &k->loops[index], k->loops[index].linear, false, at_events);
}

const double *loop_mobility(Loop *l)
{
    double *const term = l->term;
    const int first = l->first_mobility - l->first_sum, count = l->mobile ? l->mobile_start[l->mobile] : 0;
    for (int i = first; i < first + count; i++) {
        double sum = 0;
        for (int p = l->sum_start[i]; p < l->sum_start[i + 1]; p++)
            sum += l->factor[p] * term[l->left[p]] * term[l->right[p]];
        term[l->first_sum + i] = sum;
    }
    return term + l->first_mobility;
}

int kernel_loop_linearise(Kernel *k, int index)
{
    Loop *l = &k->loops[index];
    return factorise(k, l, l->whole ? l->whole : l->linear, true, in_event_mode(&k->phase));
}

/* Rows of a shortcut, counted after the unknowns. */
static void follow(const Kernel *k, const Loop *l, int from, int count)
{
    const Shortcut *const s = &l->shortcut;
    const double *const term = l->term, *const factor = s->factor;
    const int *const index = s->term, *const slot = s->slot, *const start = s->start + from, *const middle = s->middle + from;
    double *const v = k->v, *const row = v + s->first + l->count + from;
    int i = start[0];
    for (int n = 0; n < count; n++) {
        double sum = 0;
        for (const int end = middle[n]; i < end; i++)
            sum += factor[i] * v[slot[i]];
        for (const int end = start[n + 1]; i < end; i++)
            sum += factor[i] * term[index[i]] * v[slot[i]];
        row[n] = sum;
    }
}

/* Residuals of unknowns that are off, which no row gives. */
static void take_unknowns(const Loop *l, const double *z, double *r)
{
    for (int i = 0; l->off_count && i < l->count; i++)
        r[i] = l->off[i] ? z[i] : r[i];
}

/* Solves a loop that is affine in what is passed on inside, from outputs that were got with other inputs, and puts these right. */
int loop_shortcut(Kernel *k, int index)
{
    Loop *l = &k->loops[index];
    const Shortcut *s = &l->shortcut;
    const int n = l->count, residuals = s->always + s->inner, last = residuals + n;
    double *const z = k->v + l->first, *const moved = k->v + s->first, *const r = moved + n + residuals;
    int result = factorise(k, l, l->linear, true, in_event_mode(&k->phase));
    if (result)
        return result;
    for (int i = 0; i < n; i++) {
        l->start[i] = k->v[s->unknown[i]];
        moved[i] = 0;
    }
    follow(k, l, 0, last);
    take_unknowns(l, l->start, r);
    k->statistics.newton_iterations++;
    loop_newton_step(l, l->start, r, moved);
    double finite = 0;
    for (int i = 0; i < n; i++) {
        z[i] = l->start[i] + moved[i];
        finite += z[i] - z[i];
    }
    if (finite != 0) {
        memcpy(z, l->start, (size_t)n * sizeof *z);
        return not_solved(k, l);
    }
    if (redundant(l)) {
        follow(k, l, 0, last);
        take_unknowns(l, z, r);
        if ((result = check_consistency(k, l, z, r)))
            return result;
    }
    follow(k, l, 0, s->always);
    follow(k, l, last, s->last);
    for (int i = 0; i < s->last; i++)
        k->v[s->target[i]] = moved[n + last + i];
    return KERNEL_DONE;
}

/* After a pass through the instances with the unknowns of a shortcut: whether the residuals do vanish. Residuals of fused code are
 * compared with its entries; where more than rounding is left, the factors of the instances say how far the unknowns are off. */
int loop_verify(Kernel *k, int index, bool fused)
{
    Loop *l = &k->loops[index];
    const double *const z = k->v + l->first, size = greatest(z, l->count);
    if (rests(k, index))
        return KERNEL_DONE;
    loop_residual(l, k->v, l->residual);
    l->largest = fmax(l->largest, size);
    int result = KERNEL_DONE;
    if (vanish(k, l, z, l->residual) || (fused && (result = loop_factorise(k, index))))
        return result;
    loop_newton_step(l, z, l->residual, l->correction);
    if (greatest(l->correction, l->count) <= tolerable * fmax(size, tolerance * l->largest))
        return KERNEL_DONE;
    kernel_set_fast(k, false);
    return KERNEL_RETRY;
}
