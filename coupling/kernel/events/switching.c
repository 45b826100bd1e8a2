/* Joints whose constraints depend on modes: at an event the modes are chosen for all of them at once, and velocities jump where what comes together
 * has to. States are set in Continuous-Time Mode and modes in Event Mode, the ways that all versions of FMI allow. */
#include "events/switching.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_IMPACTS = 20 };
static const double fitting = 1e-6;     /* m, or rad: by how much the position of what comes into force may be off */
static const double starts_slow = 1e-6; /* the same at the start, absolute */

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
        *item = (Item){.row = row, .loop = l, .place = (int)(l->off - k->off) + row->unknown, .position = NONE, .velocity = NONE, .fell_at = NAN,
                       .size = options->size ? options->size[i] : 1};
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

static int note_changes(Kernel *k, double t)
{
    Switching *s = k->switching;
    for (int i = 0; i < s->count && s->begun; i++) {
        const SwitchedRow *row = s->item[i].row;
        double limit = 1;
        const int way = s->item[i].mode < 0;
        if (s->item[i].mode == s->item[i].was || (row->kind == FRICTION && unpressed(s, &s->item[i])))
            continue;
        if (s->item[i].mode == -s->item[i].was && get_of(k, &s->item[i], still_limit(row, way), &limit))
            return KERNEL_FMU_FAILED;
        if (!(limit > 0)) /* slips without friction, now the other way */
            continue;
        ModeChange *more = room_for_more(s->change, s->changes, &s->change_room, sizeof *more);
        if (!more)
            return KERNEL_NO_MEMORY;
        s->change = more;
        more[s->changes++] = (ModeChange){t, i, s->item[i].was, s->item[i].mode, (int)kernel_rows(k)};
    }
    return KERNEL_DONE;
}

/* Finds the items that can hold at these positions and velocities. All others are open or slip. */
static void find_candidates(Kernel *k, const double *x, bool at_start)
{
    Switching *s = k->switching;
    const double least = at_start ? 0 : slow(k, x), start = at_start ? starts_slow : 0, off = fmax(start, 10 * s->options.allowed);
    for (int i = 0; i < s->count; i++) {
        Item *item = &s->item[i];
        if (item->row->kind != UNILATERAL)
            continue;
        item->candidate = touches(item) && item->speed <= slow_of(item, least, item->before ? off : start);
        item->mode = item->candidate;
    }
    for (int i = 0; i < s->count; i++) {
        Item *item = &s->item[i];
        if (item->row->kind != FRICTION)
            continue;
        const SwitchedRow *row = item->row;
        const bool pressed = row->normal == NONE || s->item[row->normal].candidate || (row->second != NONE && s->item[row->second].candidate);
        const int slips = item->speed < 0 ? -1 : 1;
        item->candidate = pressed && fabs(item->speed) <= slow_of(item, least, item->before ? start : off);
        item->mode = item->candidate ? 0 : slips;
    }
}

static int check_fit(Kernel *k)
{
    const Switching *s = k->switching;
    for (int i = 0; i < s->count; i++) {
        const Item *item = &s->item[i];
        const bool came = item->row->kind == HOLDS_WHILE && item->mode && !item->before;
        if (came && item->position != NONE && fabs(item->gap) > fitting * item->size)
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
        if (result == KERNEL_PRESCRIBED && -s->item[k->failure.index].speed <= 10 * s->options.allowed) {
            result = KERNEL_DONE; /* it is touched, as far as the run measures it */
            break;
        }
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
        if (result == KERNEL_DONE && !s->parts)
            result = find_modes(k, t, x, p);
        if (result == KERNEL_PRESCRIBED || (result == KERNEL_DONE && s->parts))
            result = choose_ahead(k, t, x, first, p);
        if (result != KERNEL_NO_FORCES || s->item[k->failure.index].row->kind != UNILATERAL || !s->options.impulse || shocks == MOST_IMPACTS)
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

/* An item slips against its sign, for example where its limit was 0 before. */
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

/* Nothing has to be decided unless an indicator fired, an item approaches, or a force is too great after a jump of loads. */
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
    return result ? result : modes_agree(k, quiet, &over);
}

/* Checks whether the solution has changed conditions, such as a lock that a torque opens at once. */
static int look_at_conditions(Kernel *k, bool *again)
{
    Switching *s = k->switching;
    for (int i = 0; i < s->count; i++)
        s->item[i].before = s->item[i].mode;
    const int result = follow_conditions(k);
    *again = false;
    for (int i = 0; i < s->count; i++) {
        *again = *again || s->item[i].mode != s->item[i].before;
        s->item[i].due = 0;
    }
    return result;
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
        s->item[i].was = s->item[i].before = s->item[i].mode;
    if (!new_problem(k, &p))
        result = KERNEL_NO_MEMORY;
    for (int i = 0; i < s->count && at_start; i++)
        if (s->item[i].row->followed) /* where all multipliers vanish, a limit such as their length has no derivative */
            for (int j = 0; j < s->item[i].loop->count; j++)
                k->v[s->item[i].loop->first + j] = 1;
    s->slack = 0;
    if (result == KERNEL_DONE && !at_start && !s->parts)
        result = is_quiet(k, t, x, &quiet);
    if (result == KERNEL_DONE && !quiet) {
        for (int i = 0; i < s->count; i++)
            s->item[i].mode = s->item[i].was;
        bool again = true;
        for (int round = 0; result == KERNEL_DONE && again; round++) {
            result = decide(k, t, x, at_start, &jumped, &p);
            if (result == KERNEL_DONE)
                result = share_limits(k, t, x, &p, &fits);
            if (result == KERNEL_DONE)
                result = look_at_conditions(k, &again);
            if (result == KERNEL_DONE && (again ? round == MOST_IMPACTS : !fits))
                result = say_unsettled(k, t, x, &p, MODES_UNSETTLED);
        }
        if (result == KERNEL_DONE)
            result = note_changes(k, t);
        *changed = true;
    }
    for (int i = 0; i < s->count && result; i++) /* what is said of the run is of the modes that it had */
        s->item[i].mode = s->item[i].was;
    if (result)
        enforce_modes(k);
    free_problem(&p);
    if (borrowed) {
        kernel_set_projection(k, &s->rows, false);
        for (int i = 0; i < k->loop_count; i++)
            linear_decide(k->loops[i].linear, NULL);
    }
    s->begun = true;
    s->parts = false;
    place_instances(&k->phase, ASTRAY);
    return result;
}

int kernel_switch_at_start(Kernel *k, double t, double *x)
{
    bool changed;
    note_due(k, NULL, NULL);
    return pass_switching(k, t, x, true, &changed);
}
