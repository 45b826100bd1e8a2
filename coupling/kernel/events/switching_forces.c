/* Modes of switched joints by forces: chosen so that no multiplier and no acceleration is wrong, and compared with what the instances give. */
#include "events/switching.h"

#include <math.h>
#include <stdlib.h>

static const double sure = 1e-6;      /* of the terms: what FMUs may say otherwise than the problem did */
static const double rounding = 1e-10; /* of the same, where the problem alone is asked */

/* Friction has no contact that presses it. */
bool unpressed(const Switching *s, const Item *item)
{
    return item->row->normal != NONE && !s->item[item->row->normal].mode && (item->row->second == NONE || !s->item[item->row->second].mode);
}

/* Returns the friction of a contact, or NONE. */
static int friction_on(const Switching *s, int contact)
{
    for (int i = 0; i < s->count; i++)
        if (s->item[i].row->kind == FRICTION && s->item[i].row->normal != NONE && (s->item[i].row->normal == contact || s->item[i].row->second == contact))
            return i;
    return NONE;
}

/* Notes a contact that its friction pushes into the ground: Snn - mu s Snt is positive below the bound. */
static void note_steepness(Kernel *k, double t, const double *x, int contact, Problem *p)
{
    Switching *s = k->switching;
    const int friction = friction_on(s, contact);
    s->notes.mu = s->notes.below = 0;
    if (friction == NONE)
        return;
    s->notes.mu = fmax(s->item[friction].mu[0], s->item[friction].mu[1]);
    s->item[friction].candidate = true;
    if (find_problem(k, t, x, false, p))
        return;
    int n = 0, f = 0;
    for (int c = 0; c < p->count; c++) {
        n = p->item[c] == contact ? c : n;
        f = p->item[c] == friction ? c : f;
    }
    const double across = fabs(p->S[n * p->count + f]);
    s->notes.below = across > 0 ? p->S[n * p->count + n] / across : 0;
}

int say_unsettled(Kernel *k, double t, const double *x, Problem *p, int status)
{
    const Switching *s = k->switching;
    const int count = p->count;
    bool pressed = false;
    for (int i = 0; i < count; i++) {
        const int contact = p->item[i];
        pressed = pressed || s->item[contact].row->normal != NONE;
        if (s->item[contact].row->kind == UNILATERAL && (p->S[i * count + i] < 0 || (pressed && !(p->S[i * count + i] > 0)))) {
            note_steepness(k, t, x, contact, p);
            return no_forces(k, KERNEL_NO_FORCES, contact, count);
        }
    }
    for (int i = 0; i < count && status == MODES_NONE; i++)
        if (s->item[p->item[i]].row->followed)
            return no_forces(k, KERNEL_NO_FORCES, p->item[i], count);
    if (status == MODES_NONE && !pressed)
        return no_forces(k, KERNEL_PRESCRIBED, lowest_of(p, p->b), count);
    return no_forces(k, status == MODES_NONE ? KERNEL_NO_FORCES : KERNEL_UNSETTLED_MODES, count ? p->item[0] : 0, count);
}

static void note_shared(Switching *s, double t, const Item *item)
{
    if (s->notes.shared != NONE || !item->mode)
        return;
    s->notes.shared = (int)(item - s->item);
    s->notes.shared_time = t;
}

/* Friction at rest that is at its limit, though others hold it, sticks, unless this is its event. Friction without any limit slips: nothing
 * has to be watched there. */
static void settle_ties(Switching *s, double t, Problem *p)
{
    for (int c = 0; c < p->count; c++) {
        Item *item = &s->item[p->item[c]];
        Switched *given = &p->given[c];
        item->mode = given->mode;
        if (given->kind != FRICTION)
            continue;
        const bool rests = fabs(p->a[c]) <= rounding * s->free_acceleration; /* what is prescribed may move it all the same */
        if (given->mode && rests && modes_held(p->count, p->S, p->given, c)) {
            given->mode = item->due ? given->mode : 0;
            item->mode = HELD * given->mode;
            note_shared(s, t, item);
        }
        if (!item->mode && !item->row->followed && !(given->limit[0] + given->limit[1] + given->mu[0] + given->mu[1] > 0))
            item->mode = item->before < 0 ? -1 : 1;
    }
}

/* Opens what closed without a force beside others that hold all the same, which would take a share of theirs. */
static bool open_idle(const Switching *s, Problem *p)
{
    double most = 0;
    bool opened = false;
    for (int c = 0; c < p->count; c++)
        most = fmax(most, fabs(p->lambda[c]));
    for (int c = 0; c < p->count; c++) {
        Switched *given = &p->given[c];
        if (given->kind == UNILATERAL && given->mode && fabs(p->lambda[c]) <= rounding * most && modes_held(p->count, p->S, p->given, c)) {
            s->item[p->item[c]].mode = given->mode = 0;
            opened = true;
        }
    }
    return opened;
}

/* Contacts that touch without a force, though they could carry a part of the load of others: no force is wrong with all of them closed either. */
static void note_undetermined(Switching *s, double t, const Problem *p)
{
    const size_t n = (size_t)p->count;
    if (s->notes.several != NONE)
        return;
    Switched *const all = malloc((n + 1) * sizeof *all);
    double *const lambda = malloc((n + 1) * sizeof *lambda), *const a = malloc((n + 1) * sizeof *a);
    bool more = false;
    for (size_t c = 0; c < n && all && lambda && a; c++) {
        all[c] = p->given[c];
        if (all[c].kind == UNILATERAL && !all[c].mode && fabs(p->a[c]) <= sure * s->free_acceleration)
            all[c].mode = more = true;
    }
    if (more && modes_solve(p->count, p->S, p->b, all, lambda, a) == MODES_FOUND) {
        double most = 0, apart = 0, wrong = 0;
        int which = NONE;
        for (size_t c = 0; c < n; c++)
            most = fmax(most, all[c].kind == UNILATERAL ? fabs(lambda[c]) : 0);
        for (size_t c = 0; c < n; c++) {
            if (all[c].kind != UNILATERAL || !all[c].mode)
                continue;
            wrong = fmax(wrong, fmax(-lambda[c] / most, fabs(a[c]) / s->free_acceleration));
            if (fabs(lambda[c] - p->lambda[c]) > fmax(apart, sure * most))
                apart = fabs(lambda[c] - p->lambda[c]), which = p->item[c];
        }
        if (which != NONE && wrong <= sure)
            s->notes.several = which, s->notes.several_time = t;
    }
    free(all);
    free(lambda);
    free(a);
}

/* The most that stabilisation adds to an acceleration, which is no violation: by it alone two that are each other's opposite would both be wrong. */
static int note_stabilised(Kernel *k, const Problem *p)
{
    Switching *s = k->switching;
    int result = KERNEL_DONE;
    s->stabilised = 0;
    for (int i = 0; i < k->loop_count; i++)
        loop_residual(&k->loops[i], k->v, s->z + (k->loops[i].off - k->off));
    for (int c = 0; c < p->count && result == KERNEL_DONE; c++) {
        const Item *item = &s->item[p->item[c]];
        double a = 0;
        result = get_of(k, item, item->row->acceleration, &a);
        s->stabilised = fmax(s->stabilised, result ? 0 : fabs(s->z[item->place] - a));
    }
    return result;
}

/* Modes in which no force and no acceleration is wrong, with limits that follow other multipliers solved for in turn. */
int find_modes(Kernel *k, double t, double *x, Problem *p)
{
    Switching *s = k->switching;
    const double least = unfelt(k, x);
    bool follows = false;
    for (int i = 0; i < s->count; i++) /* what slips has a law, which may be bent */
        follows = follows || s->item[i].row->followed;
    int result = set_modes(k, t, x, false);
    for (int round = 0; result == KERNEL_DONE; round++) {
        result = find_problem(k, t + s->ahead, s->ahead > 0 ? s->later : x, false, p);
        result = result ? result : note_stabilised(k, p);
        for (int i = 0; i < s->count && result == KERNEL_DONE; i++)
            result = s->item[i].candidate || s->item[i].row->normal != NONE ? read_limit(k, &s->item[i]) : KERNEL_DONE;
        for (int c = 0; c < p->count; c++) {
            give_limits(&s->item[p->item[c]], &p->given[c]);
            if (round)
                p->given[c].mode = s->item[p->item[c]].before, p->given[c].due = 0;
        }
        for (int c = 0; c < p->count; c++) /* parts that move alike press each other by rounding alone */
            p->b[c] = fabs(p->b[c]) > least ? p->b[c] : 0;
        int status = MODES_FOUND;
        result = result ? result : find_limited(k, p, 2 * s->stabilised, &status);
        if (result)
            return result;
        if (status || round == MOST_LIMITS)
            return say_unsettled(k, t, x, p, status);
        bool same = round > 0;
        for (int c = 0; c < p->count; c++) {
            Item *item = &s->item[p->item[c]];
            same = same && item->before == p->given[c].mode;
            item->before = p->given[c].mode;
            if (item->row->kind == UNILATERAL && p->S[c * p->count + c] < 0 && s->notes.two == NONE) {
                s->notes.two = p->item[c];
                s->notes.two_time = t;
                s->notes.two_closed = p->given[c].mode;
                s->notes.two_mu = friction_on(s, p->item[c]) == NONE ? 0 : s->item[friction_on(s, p->item[c])].mu[0];
            }
        }
        s->free_acceleration = least / sure;
        s->least_force = 0;
        for (int c = 0; c < p->count; c++) {
            const double moved = p->S[c * p->count + c];
            s->free_acceleration = fmax(s->free_acceleration, fmax(fabs(p->b[c]), fabs(moved * p->lambda[c])));
            s->least_force = moved > 0 ? fmax(s->least_force, least / sure / moved) : s->least_force;
        }
        spread(k, p, s->z);
        set_unknowns(k, s->z);
        if (!follows || same)
            break;
    }
    if (result == KERNEL_DONE)
        note_undetermined(s, t, p);
    settle_ties(s, t, p);
    for (int i = 0; i < s->count; i++)
        if (s->item[i].row->kind == FRICTION && unpressed(s, &s->item[i]) && !s->item[i].mode)
            s->item[i].mode = s->item[i].speed < 0 ? -1 : 1;
    return result;
}

/* Checks whether multipliers and accelerations of the instances fit the modes at the point of the last evaluation. Also returns the
 * sticking friction that is farthest above its limit, or NONE. */
int modes_agree(Kernel *k, bool *fits, int *over)
{
    Switching *s = k->switching;
    int result = KERNEL_DONE;
    const double slack = s->slack + 2 * s->stabilised;
    double force = s->least_force, acceleration = s->free_acceleration, most = 0, a, limit;
    *fits = true;
    *over = NONE;
    for (int i = 0; i < s->unknowns; i++)
        force = fmax(force, fabs(s->z[i]));
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < s->count && result == KERNEL_DONE; i++) {
            const Item *item = &s->item[i];
            const SwitchedRow *row = item->row;
            const double lambda = k->v[item->loop->first + row->unknown];
            result = get_of(k, item, row->acceleration, &a);
            acceleration = fmax(acceleration, fabs(a));
            force = fmax(force, fabs(lambda));
            if (!pass || row->kind == HOLDS_WHILE || result || !item->candidate)
                continue;
            if (row->kind == UNILATERAL) {
                *fits = *fits && (item->mode ? lambda >= -sure * force : a >= -sure * acceleration - slack);
            } else if (item->mode) {
                *fits = *fits && (unpressed(s, item) || item->mode * a >= -sure * acceleration - slack);
            } else {
                result = get_of(k, item, still_limit(row, lambda > 0), &limit);
                const double excess = fabs(lambda) - limit - sure * force;
                *over = excess > most ? i : *over;
                most = fmax(most, excess);
                *fits = *fits && !(excess > 0);
            }
        }
    return result;
}

/* Least reactions may ask more of one friction than it can carry, though others could carry the rest: it carries its limit then. */
int share_limits(Kernel *k, double t, double *x, Problem *p, bool *fits)
{
    Switching *s = k->switching;
    int over, result = modes_agree(k, fits, &over);
    for (int round = 0; result == KERNEL_DONE && !*fits && over != NONE && round < p->count; round++) {
        int c = 0;
        while (p->item[c] != over)
            c++;
        if (!modes_held(p->count, p->S, p->given, c))
            break;
        Item *item = &s->item[over];
        p->given[c].mode = k->v[item->loop->first + item->row->unknown] > 0 ? -1 : 1;
        item->mode = HELD * p->given[c].mode;
        note_shared(s, t, item);
        result = set_modes(k, t, x, true);
        if (result == KERNEL_DONE)
            result = modes_agree(k, fits, &over);
    }
    if (result || *fits || !open_idle(k->switching, p))
        return result;
    result = set_modes(k, t, x, true);
    return result ? result : modes_agree(k, fits, &over);
}
