/* States moved onto the constraints at the end of a step: by V and the factor of S that the last evaluation of the step, at the same time,
 * has left. Readings of positions and velocities of constraints, and solves; nothing is differentiated or factorised. */
#include "constraints/project.h"
#include "platform/turning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TRUSTED = 8 };
static const double exact = 1e-12;  /* of the size: violations below are left */
static const double surely = 0.1;   /* in units of exact: what is expected to be left, and not read */
static const double falling = 0.5;  /* violations have to fall by this much to be worth another correction */
static const double rounding = 1e-3; /* in units of exact: what is left of violations where derivatives are made of differences */

static RARELY void free_projection(Kernel *k)
{
    if (k->projection) {
        free(k->projection->position_of); /* with turn_of */
        free(k->projection->right); /* with all numbers */
    }
    free(k->projection);
    k->projection = NULL;
}

/* Lists the moving states and the unknowns of all loops, one loop after the other. */
static RARELY void list_moving(const Kernel *k, Projection *p)
{
    for (int i = 0; i < k->loop_count; i++)
        for (int s = 0; s < k->loops[i].mobile; s++) {
            const int moved = k->loops[i].mobile_state[s];
            p->shifted[p->moving_count] = p->position_of[moved];
            p->moving[p->moving_count++] = moved;
            if (p->position_of[moved] >= 0)
                p->sized[p->sized_count++] = p->position_of[moved];
            p->turning = p->turning || (p->position_of[moved] < 0 && p->turn_of[moved] >= 0);
        }
    for (int n = 0; n < LEVELS; n++) {
        Listed *l = &p->level[n];
        l->constraint = p->sized + p->moving_count + 3 * n * p->count;
        l->slot = l->constraint + p->count;
        l->unknown = l->slot + p->count;
        for (int i = 0; i < p->count; i++) {
            const ConstraintRow *c = &p->constraint[i];
            const int slot = n == POSITIONS ? c->position : c->velocity;
            if (slot == NONE)
                continue;
            l->constraint[l->count] = i;
            l->slot[l->count] = slot;
            l->unknown[l->count++] = (int)(k->loops[c->loop].off - k->off) + c->unknown;
        }
    }
}

RARELY int kernel_set_sizes(Kernel *k, const double *size)
{
    free(k->size);
    k->size = NULL;
    if (!size)
        return 0;
    size_t count = (size_t)k->states;
    for (int i = 0; i < k->loop_count; i++)
        count += (size_t)k->loops[i].count;
    k->size = malloc((count + 1) * sizeof *size);
    if (!k->size)
        return -1;
    memcpy(k->size, size, count * sizeof *size);
    return 0;
}

RARELY int kernel_set_projection(Kernel *k, const Rows *rows, bool on)
{
    free_projection(k);
    if (!on || !rows->constraints)
        return 0;
    Projection *p = k->projection = calloc(1, sizeof *p);
    if (!p)
        return -1;
    k->end_projection = free_projection;
    p->count = rows->constraints;
    p->constraint = rows->constraint;
    p->motions = rows->motions;
    p->motion = rows->motion;
    p->turns = rows->turns;
    p->turn = rows->turn;
    size_t moving = 0;
    for (int i = 0; i < k->loop_count; moving += (size_t)k->loops[i++].mobile)
        p->unknowns = k->loops[i].count > p->unknowns ? k->loops[i].count : p->unknowns;
    p->position_of = malloc((2 * (size_t)k->states + 3 * moving + 6 * (size_t)p->count + 1) * sizeof *p->position_of);
    p->right = calloc((size_t)p->unknowns + 2 * (size_t)k->states + (size_t)p->count + 3 * (size_t)p->turns + 1, sizeof *p->right);
    if (!p->position_of || !p->right) {
        free_projection(k);
        return -1;
    }
    p->before = p->right + p->unknowns;
    p->trial = p->before + k->states;
    p->rest = p->trial + k->states;
    p->turned = p->rest + p->count;
    p->turn_of = p->position_of + k->states;
    p->group = rows->group == NONE ? NULL : rows->number + rows->group;
    p->light = p->heavy = -1;
    for (int i = 0; i < k->states; i++)
        p->position_of[i] = p->turn_of[i] = -1;
    for (int i = 0; i < p->motions; i++)
        p->position_of[p->motion[i].velocity] = p->motion[i].state;
    for (int i = 0; i < 3 * p->turns; i++)
        p->turn_of[p->turn[i / 3].omega + i % 3] = i;
    p->moving = p->turn_of + k->states;
    p->shifted = p->moving + moving;
    p->sized = p->shifted + moving;
    list_moving(k, p);
    return 0;
}

/* Positions and velocities of the constraints at some states. */
int read_constraints(Kernel *k, const double *x)
{
    memcpy(k->v, x, (size_t)k->states * sizeof *x);
    if (by_equations(&k->phase) && k->fused->read(k))
        return KERNEL_DONE;
    place_instances(&k->phase, inputs_are_known(&k->phase) ? IN_PLACE : ASTRAY);
    return operate_list(k, READING);
}

/* Does the same as fmax, which compilers do not inline. */
static inline double greatest(double a, double b)
{
    return b > a ? b : a;
}

/* Uses four maxima in turns; none of them waits for the others. */
static double greatest_of(const double *x, const int *place, int count)
{
    double found[4] = {0};
    int i = 0;
    for (; i + 4 <= count; i += 4)
        for (int j = 0; j < 4; j++)
            found[j] = greatest(found[j], fabs(x[place[i + j]]));
    for (; i < count; i++)
        found[0] = greatest(found[0], fabs(x[place[i]]));
    return greatest(greatest(found[0], found[1]), greatest(found[2], found[3]));
}

/* The same of multiples of sizes. */
static RARELY double greatest_by(const double *x, const int *place, const double *size, int count)
{
    double found = 0;
    for (int i = 0; i < count; i++)
        found = greatest(found, fabs(x[place[i]]) / size[place[i]]);
    return found;
}

/* Against what violations are seen, in units of what is exact; the size of directions is 1. */
static Violation scale_of(const Kernel *k, const double *x)
{
    const Projection *p = k->projection;
    const double positions = k->size ? greatest_by(x, p->sized, k->size, p->sized_count) : greatest_of(x, p->sized, p->sized_count);
    const double velocities = k->size ? greatest_by(x, p->moving, k->size, p->moving_count) : greatest_of(x, p->moving, p->moving_count);
    return (Violation){exact * greatest(positions, p->turning), exact * velocities};
}

/* A part of a scale: that by what events concern. */
static double loud_scale(const Kernel *k, const double *x, bool positions)
{
    const Projection *p = k->projection;
    const int *const place = positions ? p->shifted : p->moving;
    double found = 0;
    for (int i = 0, first = 0; i < k->loop_count; first += k->loops[i++].mobile)
        for (int s = first; s < first + k->loops[i].mobile && !k->loops[i].quiet; s++)
            if (place[s] >= 0)
                found = greatest(found, fabs(x[place[s]]) / (k->size ? k->size[place[s]] : 1));
    return exact * found;
}

static double greatest_violation(const Kernel *k, const Listed *l)
{
    const bool *const off = k->off, *const lawful = k->loops->lawful;
    double found = 0;
    if (!k->size && !k->resting && all_in_force(k))
        return greatest_of(k->v, l->slot, l->count);
    for (int i = 0; i < l->count; i++)
        if (!off[l->unknown[i]] && !lawful[l->unknown[i]] && !(k->resting && k->quiet_unknown[l->unknown[i]]))
            found = greatest(found, fabs(k->v[l->slot[i]]) / (k->size ? k->size[k->states + l->unknown[i]] : 1));
    return found;
}

static Violation violation_against(const Kernel *k, Violation scale)
{
    const double position = greatest_violation(k, &k->projection->level[POSITIONS]);
    const double velocity = greatest_violation(k, &k->projection->level[VELOCITIES]);
    return (Violation){position > 0 ? position / scale.position : 0, velocity > 0 ? velocity / scale.velocity : 0};
}

RARELY double violation(const Kernel *k, const double *x, bool positions)
{
    const double found = greatest_violation(k, &k->projection->level[positions ? POSITIONS : VELOCITIES]);
    if (!(found > 0) || (k->resting && found <= loud_scale(k, x, positions))) /* the whole scale is at least this part */
        return 0;
    const Violation scale = scale_of(k, x);
    return found / (positions ? scale.position : scale.velocity);
}

void turn_all(Projection *p, double *x)
{
    for (int i = 0; i < p->turns; i++) {
        double *const d = p->turned + 3 * i;
        turn_by(d, x + p->turn[i].q);
        d[0] = d[1] = d[2] = 0;
    }
}

/* Adds to x the correction of positions and velocities for the violations of a loop's constraints at one level, except for quaternions. */
static RARELY void correct_all_but_turns(Kernel *k, int loop, const double *violated, bool positions, double *x)
{
    Projection *const p = k->projection;
    Loop *l = &k->loops[loop];
    for (int i = 0; i < l->count; i++)
        p->right[i] = 0;
    for (int i = 0; i < p->count; i++) {
        const ConstraintRow *c = &p->constraint[i];
        const int slot = positions ? c->position : c->velocity;
        if (c->loop == loop && slot != NONE && in_force(k, c) && !(l->dropped_count && l->dropped[c->unknown]))
            p->right[c->unknown] = -violated[slot];
    }
    linear_solve(l->linear, p->right);
    const double *const mobility = l->term + l->first_mobility;
    for (int i = 0; i < l->mobile; i++) {
        double sum = 0;
        for (int e = l->mobile_start[i]; e < l->mobile_start[i + 1]; e++)
            sum += mobility[e] * p->right[l->mobile_column[e]];
        if (positions)
            move_position(p, l->mobile_state[i], sum, x);
        else
            x[l->mobile_state[i]] += sum;
    }
}

RARELY void correct(Kernel *k, int loop, const double *violated, bool positions, double *x)
{
    if (rests(k, loop))
        return;
    correct_all_but_turns(k, loop, violated, positions, x);
    turn_all(k->projection, x);
}

/* Decides from the last steps at the same place whether a correction has left so little that no reading is needed. A correction by a
 * slightly wrong Jacobian leaves a share of the violation; the next power of a greater violation remains as well. */
static bool surely_holds(const Contraction *c, double violation)
{
    return c->seen > 0 && c->trusted < MOST_TRUSTED && c->rate * fmax(1, violation / c->from) * violation <= surely;
}

static void note_contraction(Contraction *c, double before, double now)
{
    c->rate = fmax(now / before, c->rate / 2);
    c->from = before;
    c->trusted = 0;
    c->seen++;
}

static double greater(Violation v)
{
    return fmax(v.position, v.velocity);
}

/* Both levels, except one that is not violated at all, as velocities are at rest. */
static void correct_levels(Kernel *k, Violation violated, bool together, double *x)
{
    for (int positions = 1; positions >= 0; positions--) {
        if ((positions ? violated.position : violated.velocity) == 0)
            continue;
        if (together)
            k->fused->correct(k, positions, x);
        for (int i = 0; i < k->loop_count && !together; i++)
            correct(k, i, k->v, positions, x);
    }
}

/* Without contractions, by readings alone; the last reading gives the remaining violation. A smooth projection corrects however little
 * is violated: a difference quotient over a small increment would otherwise see a state that stays where it is. */
static int project(Kernel *k, double t, double *x, Contraction *contraction, bool smooth, Violation *first, Violation *last)
{
    Violation before = {INFINITY, INFINITY}, scale = {0, 0};
    const bool fused = by_equations(&k->phase);
    bool together = fused && !k->sensitivity && k->fused->corrects(k), loaded = false;
    k->t = t;
    k->purpose = OF_PROJECTED;
    for (int reading = 1; reading <= MOST_READINGS; reading++) {
        const int result = read_constraints(k, x);
        if (result)
            return result;
        if (reading == 1 || !(scale.position > 0 && scale.velocity > 0))
            scale = scale_of(k, x); /* at rest the first correction gives one */
        const Violation now = *last = violation_against(k, scale);
        if (reading == 1)
            *first = now;
        const bool holds = smooth ? reading > 1 && greater(now) <= rounding : now.position <= 1 && now.velocity <= 1;
        if (contraction && reading > 1)
            note_contraction(&contraction[reading - 2], greater(before), greater(now));
        /* Positions that move take velocities along: these fall one reading later. */
        const bool falls = now.position < falling * before.position || now.velocity < falling * before.velocity;
        if (together && !falls && k->fused->partial) /* rows that have been left out do not follow the others here */
            together = false;
        else if (!falls)
            break;
        if (holds || reading == MOST_READINGS)
            break;
        if (!together && !loaded) {
            loaded = true;
            if (fused)
                k->fused->load(k);
            for (int i = 0; i < k->loop_count && !fused; i++)
                loop_mobility(&k->loops[i]);
        }
        correct_levels(k, now, together, x);
        if (contraction && surely_holds(&contraction[reading - 1], greater(now))) {
            contraction[reading - 1].trusted++;
            break;
        }
        if (smooth && reading > 1 && greater(now) / greater(before) * greater(now) <= rounding)
            break;
        before = now;
    }
    return KERNEL_DONE;
}

int project_step(void *kernel, double t, double *x)
{
    Violation first, last;
    return project(kernel, t, x, NULL, false, &first, &last);
}

int project_smoothly(Kernel *k, double t, double *x)
{
    Violation first, last;
    return project(k, t, x, NULL, true, &first, &last);
}

int project_next_step(void *kernel, double t, double *x)
{
    Kernel *k = kernel;
    Violation first, last;
    return project(k, t, x, k->projection->contraction, false, &first, &last);
}

RARELY int project_row(Kernel *k, double t, double *x)
{
    Violation first, last;
    memcpy(k->projection->before, x, (size_t)k->states * sizeof *x);
    const int result = project(k, t, x, NULL, false, &first, &last);
    k->purpose = OF_STAGE; /* the run goes on elsewhere */
    if (result == KERNEL_DONE && greater(last) > greater(first))
        memcpy(x, k->projection->before, (size_t)k->states * sizeof *x);
    return result;
}

RARELY void expect_nothing(Kernel *k)
{
    if (k->projection)
        memset(k->projection->contraction, 0, sizeof k->projection->contraction);
}

RARELY void project_along(Kernel *k, const double *moved, bool positions, double *x)
{
    for (int i = 0; i < k->loop_count; i++) {
        loop_mobility(&k->loops[i]);
        correct_all_but_turns(k, i, moved, positions, x);
    }
    /* Quaternions follow at the states of the last evaluation. */
    Projection *const p = k->projection;
    for (int i = 0; i < p->turns; i++) {
        double *const d = p->turned + 3 * i;
        add_product(0, 0.5, d, k->v + p->turn[i].q, x + p->turn[i].q);
        d[0] = d[1] = d[2] = 0;
    }
}
