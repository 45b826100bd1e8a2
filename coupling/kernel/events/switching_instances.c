/* Passes modes to the instances of switched joints, and reads values from them. */
#include "events/switching.h"

#include <stdlib.h>

int get_of(Kernel *k, const Item *item, int reference, double *value)
{
    const Reference r = (Reference)reference;
    const Status status = instance_get_reals(k->parts[item->row->part].instance, &r, 1, value);
    return status > WARNING ? failed(k, KERNEL_FMU_FAILED, "getting the inputs of a mode", item->row->part, status) : KERNEL_DONE;
}

/* Slipping friction keeps its law as its equation, but velocities are not moved onto it. */
static void enforce_mode(Kernel *k, const Item *item)
{
    kernel_switch(k, item->row->loop, item->row->unknown, item->row->kind == FRICTION || item->mode != 0);
    item->loop->lawful[item->row->unknown] = item->row->kind == FRICTION && item->mode != 0;
}

void enforce_modes(Kernel *k)
{
    for (int i = 0; i < k->switching->count; i++)
        enforce_mode(k, &k->switching->item[i]);
}

/* Passes the modes to instances and loops, and lets the instances settle; `solving`: loops are solved. */
int set_modes(Kernel *k, double t, double *x, bool solving)
{
    Switching *s = k->switching;
    bool changed;
    int result = kernel_synchronise(k, t, x);
    if (result == KERNEL_DONE)
        result = kernel_start_events(k);
    for (int i = 0; i < s->count && result == KERNEL_DONE; i++) {
        const Item *item = &s->item[i];
        const SwitchedRow *row = item->row;
        const double mode = item->mode;
        const Reference reference = (Reference)row->mode;
        enforce_mode(k, item);
        if (row->kind == HOLDS_WHILE)
            continue;
        const Status status = instance_set(k->parts[row->part].instance, (Type)row->type, &reference, 1, &mode);
        if (status > WARNING)
            result = failed(k, KERNEL_FMU_FAILED, "setting a mode", row->part, status);
    }
    place_instances(&k->phase, ASTRAY);
    kernel_set_open(k, !solving);
    for (int i = 0; i < k->loop_count && solving; i++)
        if (!rests(k, i))
            linear_reconsider(k->loops[i].linear);
    if (result == KERNEL_DONE)
        result = kernel_settle(k, x, &changed);
    kernel_set_open(k, false);
    place_instances(&k->phase, ASTRAY);
    return result;
}

int read_items(Kernel *k, const double *x)
{
    Switching *s = k->switching;
    int result = read_constraints(k, x);
    for (int i = 0; i < s->count && result == KERNEL_DONE; i++) {
        Item *item = &s->item[i];
        item->gap = item->position == NONE ? 0 : k->v[item->position];
        item->speed = item->velocity == NONE ? 0 : k->v[item->velocity];
        if (item->row->kind == UNILATERAL && item->row->restitution != NONE)
            result = get_of(k, item, item->row->restitution, &item->restitution);
    }
    return result;
}

/* The constraints in force follow from the modes of the instances. */
int read_modes(Kernel *k)
{
    Switching *s = k->switching;
    for (int i = 0; i < s->count; i++) {
        Item *item = &s->item[i];
        const SwitchedRow *row = item->row;
        const Reference reference = (Reference)row->mode;
        double mode;
        const Status status = instance_get(k->parts[row->part].instance, (Type)row->type, &reference, 1, &mode);
        if (status > WARNING)
            return failed(k, KERNEL_FMU_FAILED, "getting a mode", row->part, status);
        item->mode = (int)mode;
        enforce_mode(k, item);
    }
    return KERNEL_DONE;
}

/* The modes of joints that hold while a condition does, which is their own. */
int follow_conditions(Kernel *k)
{
    Switching *s = k->switching;
    int result = KERNEL_DONE;
    for (int i = 0; i < s->count && result == KERNEL_DONE; i++) {
        Item *item = &s->item[i];
        const Reference reference = (Reference)item->row->mode;
        double mode;
        if (item->row->kind != HOLDS_WHILE)
            continue;
        const Status status = instance_get(k->parts[item->row->part].instance, (Type)item->row->type, &reference, 1, &mode);
        if (status > WARNING)
            result = failed(k, KERNEL_FMU_FAILED, "getting a mode", item->row->part, status);
        item->mode = mode != 0;
    }
    return result;
}

void *room_for_more(void *array, int count, int *room, size_t size)
{
    if (count < *room)
        return array;
    void *bigger = realloc(array, (size_t)(2 * *room + 8) * size);
    *room = bigger ? 2 * *room + 8 : *room;
    return bigger;
}

int no_forces(Kernel *k, KernelStatus kind, int item, int count)
{
    failed(k, kind, "choosing modes", -1, OK);
    k->failure.index = item;
    k->failure.slot = count;
    return kind;
}
