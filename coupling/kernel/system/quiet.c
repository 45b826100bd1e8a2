/* Instances that no event concerns: at state events they are left where they are. */
#include "system/kernel_internal.h"

#include <stdlib.h>
#include <string.h>

static void mark_quiet(const Kernel *k, const Operations *operations)
{
    for (Operation *o = operations->items; o < operations->items + operations->count; o++)
        o->quiet = o->kind == LOOP || o->kind == SHORTCUT ? k->loops[o->index].quiet : o->kind != DRIVE && k->parts[o->index].quiet;
}

static void mark_slots(const Operations *operations, bool *quiet)
{
    for (const Operation *o = operations->items; o < operations->items + operations->count; o++)
        for (int i = 0; o->quiet && (o->kind == SET || o->kind == GET) && i < o->count; i++)
            quiet[o->places ? o->places[i] : o->first + i] = true;
}

static bool list_loud(Kernel *k)
{
    bool *const quiet = calloc((size_t)k->slots + 1, sizeof *quiet);
    for (int i = 0; i < k->part_count && quiet; i++)
        for (int s = 0; s < k->parts[i].states; s++)
            quiet[k->parts[i].first_state + s] = k->parts[i].quiet;
    for (int i = 0; i < LISTS && quiet; i++)
        mark_slots(&k->lists[i], quiet);
    for (int i = 0; i < k->loop_count && quiet; i++) {
        const Loop *l = &k->loops[i];
        const Shortcut *s = &l->shortcut;
        mark_slots(&l->inside, quiet);
        memset(quiet + l->first, l->quiet, (size_t)l->count * sizeof *quiet);
        if (s->start) /* the rows of its shortcut */
            memset(quiet + s->first, l->quiet, (size_t)(2 * l->count + s->always + s->inner + s->last) * sizeof *quiet);
    }
    k->loud_count = 0;
    for (int i = 0; i < k->slots && quiet; i++)
        if (!quiet[i])
            k->loud[k->loud_count++] = i;
    free(quiet);
    return quiet != NULL;
}

/* Lists the operations that stay at rest out of those of all instances. */
static bool list_operations(Kernel *k)
{
    for (int i = 0; i < LISTS; i++) {
        const Operations *const all = &k->lists[i];
        Operations *const loud = &k->loud_lists[i];
        free_operations(loud);
        *loud = (Operations){.items = malloc(((size_t)all->count + 1) * sizeof *loud->items)};
        if (!loud->items)
            return false;
        for (int o = 0; o < all->count; o++)
            if (!all->items[o].quiet)
                loud->items[loud->count++] = all->items[o];
    }
    return true;
}

static void list_states(Kernel *k)
{
    k->loud_states = 0;
    for (int i = 0; i < k->part_count; i++)
        for (int s = 0; s < k->parts[i].states && !k->parts[i].quiet; s++)
            k->loud_state[k->loud_states++] = k->parts[i].first_state + s;
}

int kernel_set_quiet(Kernel *k, const bool *quiet)
{
    int unknowns = 0;
    for (int i = 0; i < k->part_count; i++) {
        k->parts[i].quiet = quiet[i];
        k->quiet = k->quiet || quiet[i];
    }
    for (int i = 0; i < k->loop_count; unknowns += k->loops[i++].count) {
        Loop *l = &k->loops[i];
        mark_quiet(k, &l->inside);
        l->quiet = l->inside.count > 0;
        for (int o = 0; o < l->inside.count; o++)
            l->quiet = l->quiet && l->inside.items[o].quiet;
    }
    for (int i = 0; i < LISTS; i++)
        mark_quiet(k, &k->lists[i]);
    free(k->quiet_unknown);
    free(k->loud);
    free(k->loud_state);
    k->quiet_unknown = calloc((size_t)unknowns + 1, sizeof *k->quiet_unknown);
    k->loud = malloc(((size_t)k->slots + 1) * sizeof *k->loud);
    k->loud_state = malloc(((size_t)k->states + 1) * sizeof *k->loud_state);
    if (!k->quiet_unknown || !k->loud || !k->loud_state)
        return -1;
    for (int i = 0, first = 0; i < k->loop_count; first += k->loops[i++].count)
        memset(k->quiet_unknown + first, k->loops[i].quiet, (size_t)k->loops[i].count);
    list_states(k);
    return list_loud(k) && list_operations(k) ? 0 : -1;
}
