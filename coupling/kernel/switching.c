/* Joints whose constraints depend on modes: at an event the modes are chosen for all of them at once, and velocities jump where what comes together
 * has to. States are set in Continuous-Time Mode and modes in Event Mode, the ways that all versions of FMI allow. */
#include "switching.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_IMPACTS = 20 };
static const double fitting = 1e-6;     /* m, or rad: by how much the position of what comes into force may be off */
static const double starts_slow = 1e-6; /* the same at the start, absolute */
static const double sure = 1e-6;       /* of the terms: what FMUs may say otherwise than the problem did */

static void end_switching(Kernel *k)
{
    Switching *s = k->switching;
    for (int i = 0; s && i < s->strikes; i++)
        free(s->strike[i].impulse); /* with velocities */
    if (s) {
        free(s->item);
        free(s->z);
        free(s->change);
        free(s->strike);
        free(k->arms);
        k->arms = NULL;
    }
    free(s);
    k->switching = NULL;
}

int kernel_begin_switching(Kernel *k, const Rows *rows, const SwitchingOptions *options)
{
    end_switching(k);
    Switching *s = k->switching = calloc(1, sizeof *s);
    if (!s)
        return -1;
    k->end_switching = end_switching;
    s->rows = *rows;
    s->options = *options;
    s->notes.two = s->notes.shared = s->notes.several = NONE;
    for (int i = 0; i < k->loop_count; i++)
        s->unknowns += k->loops[i].count;
    s->count = rows->switcheds;
    s->item = calloc((size_t)s->count + 1, sizeof *s->item);
    s->z = calloc(4 * (size_t)s->unknowns + 1, sizeof *s->z);
    if (!s->item || !s->z)
        return -1;
    s->z_before = s->z + s->unknowns;
    s->impulse = s->z_before + s->unknowns;
    s->velocity = s->impulse + s->unknowns;
    for (int i = 0; i < s->count; i++) {
        const SwitchedRow *row = &rows->switched[i];
        Loop *l = &k->loops[row->loop];
        Item *item = &s->item[i];
        *item = (Item){.row = row, .loop = l, .place = (int)(l->off - k->off) + row->unknown, .position = NONE, .velocity = NONE, .fell_at = NAN};
        for (int c = 0; c < rows->constraints; c++)
            if (rows->constraint[c].loop == row->loop && rows->constraint[c].unknown == row->unknown) {
                item->position = rows->constraint[c].position;
                item->velocity = rows->constraint[c].velocity;
            }
    }
    return watch_falls(k) ? 0 : -1;
}

const ModeChange *kernel_mode_changes(const Kernel *k, int *count)
{
    *count = k->switching ? k->switching->changes : 0;
    return k->switching ? k->switching->change : NULL;
}

const Strike *kernel_strikes(const Kernel *k, int *count)
{
    *count = k->switching ? k->switching->strikes : 0;
    return k->switching ? k->switching->strike : NULL;
}

const SwitchingNotes *kernel_switching_notes(const Kernel *k)
{
    return k->switching ? &k->switching->notes : NULL;
}

/* Whether friction has nothing that presses it. */
static bool unpressed(const Switching *s, const Item *item)
{
    return item->row->normal != NONE && !s->item[item->row->normal].mode && (item->row->second == NONE || !s->item[item->row->second].mode);
}

/* -- what is told --------------------------------------------------------------------------------------------------------------- */

static int note_changes(Kernel *k, double t)
{
    Switching *s = k->switching;
    for (int i = 0; i < s->count && s->begun; i++) {
        const SwitchedRow *row = s->item[i].row;
        double limit = 1;
        if (s->item[i].mode == s->item[i].before || (row->kind == FRICTION && unpressed(s, &s->item[i])))
            continue;
        if (s->item[i].mode == -s->item[i].before && get_of(k, &s->item[i], row->still == NONE ? row->limit : row->still, &limit))
            return KERNEL_FMU_FAILED;
        if (!(limit > 0)) /* slips without friction, now the other way */
            continue;
        ModeChange *more = room_for_more(s->change, s->changes, &s->change_room, sizeof *more);
        if (!more)
            return KERNEL_NO_MEMORY;
        s->change = more;
        more[s->changes++] = (ModeChange){t, i, s->item[i].before, s->item[i].mode, (int)kernel_rows(k)};
    }
    return KERNEL_DONE;
}

/* -- forces --------------------------------------------------------------------------------------------------------------------- */

/* What can hold at these positions and velocities; the others are open, or slip. */
static void find_candidates(Kernel *k, const double *x, bool at_start)
{
    Switching *s = k->switching;
    const double least = at_start ? starts_slow : slow(k, x), off = 10 * s->options.allowed;
    for (int i = 0; i < s->count; i++) {
        Item *item = &s->item[i];
        if (item->row->kind != UNILATERAL)
            continue;
        item->candidate = touches(item) && item->speed <= (item->before ? fmax(least, off) : least);
        item->mode = item->candidate;
    }
    for (int i = 0; i < s->count; i++) {
        Item *item = &s->item[i];
        if (item->row->kind != FRICTION)
            continue;
        const SwitchedRow *row = item->row;
        const bool pressed = row->normal == NONE || s->item[row->normal].candidate || (row->second != NONE && s->item[row->second].candidate);
        const int slips = item->speed < 0 ? -1 : 1;
        item->candidate = pressed && fabs(item->speed) <= (item->before ? least : fmax(least, off));
        item->mode = item->candidate ? 0 : slips;
    }
}

/* What friction presses a contact, or NONE. */
static int friction_on(const Switching *s, int contact)
{
    for (int i = 0; i < s->count; i++)
        if (s->item[i].row->kind == FRICTION && s->item[i].row->normal != NONE && (s->item[i].row->normal == contact || s->item[i].row->second == contact))
            return i;
    return NONE;
}

/* Of a contact that its friction pushes into the ground: Snn - mu s Snt is positive below the bound. */
static void note_steepness(Kernel *k, double t, const double *x, int contact, Problem *p)
{
    Switching *s = k->switching;
    const int friction = friction_on(s, contact);
    s->notes.mu = s->notes.below = 0;
    if (friction == NONE)
        return;
    s->notes.mu = s->item[friction].mu;
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

static int unsettled(Kernel *k, double t, const double *x, Problem *p, int status)
{
    const Switching *s = k->switching;
    const int count = p->count;
    for (int i = 0; i < p->count; i++)
        if (s->item[p->item[i]].row->kind == UNILATERAL && p->S[i * p->count + i] <= 0) {
            const int contact = p->item[i];
            note_steepness(k, t, x, contact, p);
            return no_forces(k, KERNEL_NO_FORCES, contact, count);
        }
    return no_forces(k, status == MODES_NONE ? KERNEL_NO_FORCES : KERNEL_UNSETTLED_MODES, p->count ? p->item[0] : 0, p->count);
}

static void note_shared(Switching *s, double t, const Item *item)
{
    if (s->notes.shared != NONE || !item->mode)
        return;
    s->notes.shared = (int)(item - s->item);
    s->notes.shared_time = t;
}

/* Friction at rest that is at its limit, though others hold it, sticks, unless this is its event. What has no limit at all slips: nothing is
 * to be watched there. */
static void settle_ties(Switching *s, double t, Problem *p)
{
    for (int c = 0; c < p->count; c++) {
        Item *item = &s->item[p->item[c]];
        Switched *given = &p->given[c];
        item->mode = given->mode;
        if (given->kind != FRICTION)
            continue;
        if (given->mode && modes_held(p->count, p->S, p->given, c)) {
            given->mode = item->due ? given->mode : 0;
            item->mode = HELD * given->mode;
            note_shared(s, t, item);
        }
        if (!item->mode && !item->row->limited && given->limit == 0 && given->mu == 0)
            item->mode = item->before < 0 ? -1 : 1;
    }
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

/* Modes in which no force and no acceleration is wrong, with limits that follow other multipliers solved for in turn. */
static int choose(Kernel *k, double t, double *x, Problem *p)
{
    Switching *s = k->switching;
    const double rounding = unfelt(k, x);
    bool follows = false;
    for (int i = 0; i < s->count; i++) /* what slips has a law, which may be bent */
        follows = follows || s->item[i].row->limited;
    int result = set_modes(k, t, x, false);
    for (int round = 0; result == KERNEL_DONE; round++) {
        result = find_problem(k, t, x, false, p);
        for (int i = 0; i < s->count && result == KERNEL_DONE; i++)
            result = s->item[i].candidate || s->item[i].row->normal != NONE ? read_limit(k, &s->item[i]) : KERNEL_DONE;
        for (int c = 0; c < p->count; c++) {
            p->given[c].limit = s->item[p->item[c]].limit;
            p->given[c].sliding = s->item[p->item[c]].sliding;
            p->given[c].mu = s->item[p->item[c]].mu;
            if (round)
                p->given[c].mode = s->item[p->item[c]].before, p->given[c].due = 0;
        }
        for (int c = 0; c < p->count; c++) /* parts that move alike press each other by rounding alone */
            p->b[c] = fabs(p->b[c]) > rounding ? p->b[c] : 0;
        int rounds;
        const int status = result ? 0 : modes_find(p->count, p->S, p->b, p->given, p->lambda, p->a, &rounds);
        if (result || status == MODES_NO_MEMORY)
            return result ? result : KERNEL_NO_MEMORY;
        if (status || round == MOST_LIMITS)
            return unsettled(k, t, x, p, status);
        bool same = round > 0;
        for (int c = 0; c < p->count; c++) {
            Item *item = &s->item[p->item[c]];
            same = same && item->before == p->given[c].mode;
            item->before = p->given[c].mode;
            if (item->row->kind == UNILATERAL && p->S[c * p->count + c] < 0 && s->notes.two == NONE) {
                s->notes.two = p->item[c];
                s->notes.two_time = t;
                s->notes.two_closed = p->given[c].mode;
                s->notes.two_mu = friction_on(s, p->item[c]) == NONE ? 0 : s->item[friction_on(s, p->item[c])].mu;
            }
        }
        s->free_acceleration = rounding / sure;
        s->least_force = 0;
        for (int c = 0; c < p->count; c++) {
            const double moved = p->S[c * p->count + c];
            s->free_acceleration = fmax(s->free_acceleration, fmax(fabs(p->b[c]), fabs(moved * p->lambda[c])));
            s->least_force = moved > 0 ? fmax(s->least_force, rounding / sure / moved) : s->least_force;
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

/* Whether the multipliers and accelerations that instances give fit the modes, at the point of the last evaluation; and what friction that
 * sticks is most above its limit, or NONE. */
static int agree(Kernel *k, bool *fits, int *over)
{
    Switching *s = k->switching;
    int result = KERNEL_DONE;
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
                *fits = *fits && (item->mode ? lambda >= -sure * force : a >= -sure * acceleration);
            } else if (item->mode) {
                *fits = *fits && (unpressed(s, item) || item->mode * a >= -sure * acceleration);
            } else {
                result = get_of(k, item, row->still == NONE ? row->limit : row->still, &limit);
                const double excess = fabs(lambda) - limit - sure * force;
                *over = excess > most ? i : *over;
                most = fmax(most, excess);
                *fits = *fits && !(excess > 0);
            }
        }
    return result;
}

/* Least reactions may ask more of one friction than it can carry, though others could carry the rest: it carries its limit then. */
static int share_out(Kernel *k, double t, double *x, Problem *p, bool *fits)
{
    Switching *s = k->switching;
    int over, result = agree(k, fits, &over);
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
            result = agree(k, fits, &over);
    }
    return result;
}

/* -- events --------------------------------------------------------------------------------------------------------------------- */

static int check_fit(Kernel *k)
{
    const Switching *s = k->switching;
    for (int i = 0; i < s->count; i++) {
        const Item *item = &s->item[i];
        const bool came = item->row->kind == HOLDS_WHILE && item->mode && !item->before;
        if (came && item->position != NONE && fabs(item->gap) > fitting)
            return no_forces(k, KERNEL_UNFIT_MODE, i, 0);
    }
    return KERNEL_DONE;
}

/* Modes and velocities at an event or the start, where the instances are in Continuous-Time Mode; x may change. */
static int decide(Kernel *k, double t, double *x, bool at_start, bool *jumped, Problem *p)
{
    Switching *s = k->switching;
    int *const first = malloc(((size_t)s->count + 1) * sizeof *first), result = first ? KERNEL_DONE : KERNEL_NO_MEMORY;
    for (int i = 0; i < s->count && first; i++)
        first[i] = s->item[i].before = s->item[i].mode;
    if (result == KERNEL_DONE)
        result = follow_conditions(k);
    for (int round = 0; round < MOST_IMPACTS && result == KERNEL_DONE; round++) {
        result = read_items(k, x);
        if (result == KERNEL_DONE && round == 0)
            result = at_start ? KERNEL_DONE : check_fit(k);
        if (result || (at_start && round == 0 && !s->options.allowed) || !collides(k, x))
            break;
        result = strike_joints(k, t, x, NONE, p);
        *jumped = true;
        for (int i = 0; i < s->count; i++)
            if (s->item[i].row->kind == HOLDS_WHILE)
                s->item[i].before = s->item[i].mode;
    }
    for (int shocks = 0; result == KERNEL_DONE; shocks++) {
        result = read_items(k, x);
        for (int i = 0; i < s->count; i++)
            if (s->item[i].row->kind != HOLDS_WHILE)
                s->item[i].mode = s->item[i].before = first[i];
        find_candidates(k, x, at_start);
        result = result ? result : choose(k, t, x, p);
        if (result != KERNEL_NO_FORCES || !s->options.impulse || shocks == MOST_IMPACTS)
            break;
        result = strike_joints(k, t, x, k->failure.index, p);
        *jumped = true;
    }
    if (result == KERNEL_DONE)
        result = set_modes(k, t, x, true);
    for (int i = 0; i < s->count && first; i++)
        s->item[i].before = first[i];
    free(first);
    return result;
}

/* Whether something slips against its sign, as where a limit was 0 until now. */
static bool slips_back(const Kernel *k, const double *x)
{
    const Switching *s = k->switching;
    for (int i = 0; i < s->count; i++) {
        const Item *item = &s->item[i];
        if (item->row->kind == FRICTION && !unpressed(s, item) && item->mode * item->speed < -slow(k, x))
            return true;
    }
    return false;
}

/* Whether there is anything to be decided: an indicator that fired, an approach, or a force that is too great since loads jumped. */
static int is_quiet(Kernel *k, double t, const double *x, bool *quiet)
{
    Switching *s = k->switching;
    *quiet = false;
    for (int i = 0; i < s->count; i++)
        if (s->item[i].due)
            return KERNEL_DONE;
    int result = follow_conditions(k);
    for (int i = 0; i < s->count && result == KERNEL_DONE; i++)
        if (s->item[i].row->kind == HOLDS_WHILE && s->item[i].mode != s->item[i].before)
            return result;
    if (result == KERNEL_DONE)
        result = read_items(k, x);
    if (result || collides(k, x) || slips_back(k, x))
        return result;
    result = kernel_evaluate(k, t, x);
    for (int i = 0; i < s->count; i++)
        s->item[i].candidate = s->item[i].row->kind == UNILATERAL ? s->item[i].mode : s->item[i].row->kind == FRICTION && !s->item[i].mode;
    int over;
    return result ? result : agree(k, quiet, &over);
}

int pass_switching(Kernel *k, double t, double *x, bool at_start, bool *changed)
{
    Switching *s = k->switching;
    Problem p = {0};
    bool fits = true, quiet = false, jumped = false;
    const bool borrowed = !k->projection;
    int result = KERNEL_DONE;
    if (borrowed && kernel_set_projection(k, &s->rows, true))
        return KERNEL_NO_MEMORY;
    for (int i = 0; i < s->count; i++)
        s->item[i].before = s->item[i].mode;
    if (!new_problem(k, &p))
        result = KERNEL_NO_MEMORY;
    for (int i = 0; i < s->count && at_start; i++)
        if (s->item[i].row->limited) /* where all multipliers vanish, a limit such as their length has no derivative */
            for (int j = 0; j < s->item[i].loop->count; j++)
                k->v[s->item[i].loop->first + j] = 1;
    if (result == KERNEL_DONE && !at_start)
        result = is_quiet(k, t, x, &quiet);
    if (result == KERNEL_DONE && !quiet) {
        for (int i = 0; i < s->count; i++)
            s->item[i].mode = s->item[i].before;
        result = decide(k, t, x, at_start, &jumped, &p);
        if (result == KERNEL_DONE)
            result = share_out(k, t, x, &p, &fits);
        if (result == KERNEL_DONE && !fits)
            result = unsettled(k, t, x, &p, MODES_UNSETTLED);
        if (result == KERNEL_DONE)
            result = note_changes(k, t);
        *changed = true;
    }
    free_problem(&p);
    if (borrowed) {
        kernel_set_projection(k, &s->rows, false);
        for (int i = 0; i < k->loop_count; i++)
            linear_decide(k->loops[i].linear, NULL);
    }
    s->begun = true;
    k->settled = false;
    return result;
}

int kernel_switch_at_start(Kernel *k, double t, double *x)
{
    bool changed;
    note_due(k, NULL, NULL);
    return pass_switching(k, t, x, true, &changed);
}
