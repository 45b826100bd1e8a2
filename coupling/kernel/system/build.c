/* A kernel from rows. Arrays that do not change stay where the rows have them. */
#include "system/kernel_internal.h"

#include <stdlib.h>
#include <string.h>

static const int *number(const Rows *rows, int place)
{
    return place == NONE ? NULL : rows->number + place;
}

static const Reference *references(const Rows *rows, int place)
{
    return (const Reference *)number(rows, place);
}

static const double *real(const Rows *rows, int place)
{
    return place == NONE ? NULL : rows->real + place;
}

/* -- operations ---------------------------------------------------------------------------------------------------------- */

/* Returns the list of a row; null for a row that is built another time. */
static Operations *list_of(Kernel *k, const OperationRow *row, bool of_steppers)
{
    if (of_steppers != (row->list >= LISTS))
        return NULL;
    if (row->loop != NONE)
        return &k->loops[row->loop].inside;
    if (row->list < LISTS)
        return &k->lists[row->list];
    Stepper *s = &k->coupling->steppers[(row->list - LISTS) / 2];
    return (row->list - LISTS) % 2 ? &s->outputs : &s->sequence;
}

enum { ARRAYS = 4 };

static void find_arrays(const Rows *rows, const OperationRow *row, const int *array[ARRAYS], int length[ARRAYS])
{
    const int places[] = {row->references, row->places, row->source_start, row->source};
    const int *const start = number(rows, row->source_start);
    const int lengths[] = {row->count, row->count, row->count + 1, start ? start[row->count] : 0};
    for (int i = 0; i < ARRAYS; i++) {
        array[i] = number(rows, places[i]);
        length[i] = array[i] ? lengths[i] : 0;
    }
}

static void add_operation(Kernel *k, const Rows *rows, const OperationRow *row, Operations *list)
{
    const int *array[ARRAYS], *kept[ARRAYS];
    int length[ARRAYS];
    find_arrays(rows, row, array, length);
    for (int i = 0; i < ARRAYS; i++) {
        int *const room = list->block + list->room;
        kept[i] = array[i] ? room : NULL;
        if (length[i])
            memcpy(room, array[i], (size_t)length[i] * sizeof *room);
        list->room += (size_t)length[i];
    }
    const bool moves = row->kind < DRIVE || row->kind == ARRIVE || row->kind == AFFINE;
    Operation *added = &list->items[list->count++];
    *added = (Operation){
        .kind = (OperationKind)row->kind,
        .type = (Type)row->type,
        .index = row->index,
        .count = row->count,
        .first = row->first,
        .references = (const Reference *)kept[0],
        .places = kept[1],
        .source_start = kept[2],
        .source = kept[3],
        .instance = moves ? k->parts[row->index].instance : NULL,
    };
    if (added->kind == GET && added->type == FLOAT64 && added->instance->stepped && added->instance->library->version == 2 &&
        !added->instance->views && !IS_WATCHED) {
        added->get = added->instance->library->fmi2.get[FLOAT64];
        added->component = added->instance->component;
    }
}

/* First the sizes of all lists, then their memory, then their content. */
bool build_operations(Kernel *k, const Rows *rows, bool of_steppers)
{
    for (int i = 0; i < rows->operations; i++) {
        Operations *list = list_of(k, &rows->operation[i], of_steppers);
        if (!list)
            continue;
        const int *array[ARRAYS];
        int length[ARRAYS];
        find_arrays(rows, &rows->operation[i], array, length);
        list->count++;
        for (int j = 0; j < ARRAYS; j++)
            list->room += (size_t)length[j];
    }
    for (int i = 0; i < rows->operations; i++) {
        Operations *list = list_of(k, &rows->operation[i], of_steppers);
        if (!list)
            continue;
        if (!list->items) {
            list->items = malloc((size_t)list->count * sizeof *list->items);
            list->block = malloc((list->room + 1) * sizeof *list->block);
            list->count = 0;
            list->room = 0;
            if (!list->items || !list->block)
                return false;
        }
        add_operation(k, rows, &rows->operation[i], list);
    }
    return true;
}

/* -- loops --------------------------------------------------------------------------------------------------------------- */

static bool are_alike(const LocalDerivative *a, const LocalDerivative *b)
{
    return a->kind == DIRECTIONAL && b->kind == DIRECTIONAL && a->instance == b->instance && a->at_events == b->at_events;
}

static void find_groups(LocalDerivative *all, int count)
{
    for (int first = 0, i = 0; i < count; i++) {
        if (all[first].together == TOGETHER || !are_alike(&all[first], &all[i]))
            first = i;
        all[first].together++;
    }
}

bool build_derivatives(const Rows *rows, int loop, LocalDerivative **derivatives, int *count)
{
    int all = 0;
    for (int i = 0; i < rows->derivatives; i++)
        all += rows->derivative[i].loop == loop;
    *count = 0;
    *derivatives = malloc(((size_t)all + 1) * sizeof **derivatives);
    for (int i = 0; i < rows->derivatives && *derivatives; i++) {
        const DerivativeRow *row = &rows->derivative[i];
        if (row->loop == loop)
            (*derivatives)[(*count)++] = (LocalDerivative){
                .kind = (DerivativeKind)row->kind,
                .instance = row->part,
                .at_events = row->at_events,
                .unknowns = row->unknowns,
                .knowns = row->knowns,
                .first = row->first,
                .unknown = references(rows, row->unknown),
                .known = references(rows, row->known),
                .seed = real(rows, row->seed),
                .unknown_slot = number(rows, row->unknown_slot),
                .known_slot = row->known_slot,
                .nominal = *real(rows, row->nominal),
            };
    }
    if (*derivatives)
        find_groups(*derivatives, *count);
    return *derivatives != NULL;
}

static bool build_loop(const Rows *rows, const LoopRow *row, Loop *loop)
{
    const size_t n = (size_t)row->unknowns;
    *loop = (Loop){
        .count = row->unknowns,
        .first = row->first,
        .residual_start = number(rows, row->residual_start),
        .residual_slot = number(rows, row->residual_slot),
        .residual_factor = real(rows, row->residual_factor),
    };
    loop->residual = calloc(9 * n + 1, sizeof(double));
    if (!loop->residual)
        return false;
    loop->step = loop->residual + n;
    loop->start = loop->step + n;
    loop->correction = loop->start + n;
    loop->worst.undetermined = loop->correction + n;
    loop->worst.redundant = loop->worst.undetermined + n;
    loop->passed.undetermined = loop->worst.redundant + n;
    loop->passed.redundant = loop->passed.undetermined + n;
    loop->accepted = loop->passed.redundant + n;
    loop_forget(loop);
    return true;
}

/* Sums of a single product whose left term is 1 are copies; all others are added up, except those that are computed on request. */
static void divide_sums(Loop *l)
{
    const int first = l->first_mobility - l->first_sum, last = first + (l->mobile ? l->mobile_start[l->mobile] : 0);
    for (int i = 0; i < l->sums; i++) {
        if (i >= first && i < last)
            continue;
        const int p = l->sum_start[i];
        const bool copy = l->sum_start[i + 1] == p + 1 && l->left[p] == 0 && l->right[p] < l->first_sum;
        if (copy) {
            l->copied[l->copies] = i;
            l->copy_of[l->copies] = l->right[p];
            l->copy_factor[l->copies++] = l->factor[p];
        } else {
            l->other[l->others++] = i;
        }
    }
}

bool loop_renew(Loop *l)
{
    linear_free(l->linear);
    l->linear = linear_new(l->count, l->row_start, l->column, l->sequence ? l->sequence : l->order);
    return l->linear && (!l->joint || linear_set_constraints(l->linear, l->joint, l->cycle));
}

static bool add_jacobian(Kernel *k, const Rows *rows, int index)
{
    const LoopRow *row = &rows->loop[index];
    Loop *l = &k->loops[index];
    const size_t sums = (size_t)row->sums + 1;
    l->first_sum = row->first_sum;
    l->sums = row->sums;
    l->sum_start = number(rows, row->sum_start);
    l->factor = real(rows, row->sum_factor);
    l->left = number(rows, row->left);
    l->right = number(rows, row->right);
    l->row_start = number(rows, row->row_start);
    l->column = number(rows, row->column);
    l->order = number(rows, row->order);
    l->first_entry = row->first_sum + row->sums - l->row_start[l->count];
    l->mobile = row->mobile == NONE ? 0 : row->mobile;
    l->first_mobility = row->first_sum + (l->mobile ? row->first_mobility : 0);
    l->mobile_state = number(rows, row->mobile_state);
    l->mobile_start = number(rows, row->mobile_start);
    l->mobile_column = number(rows, row->mobile_column);
    l->term = calloc((size_t)row->first_sum + sums, sizeof(double));
    l->copied = malloc(3 * sums * sizeof *l->copied);
    l->copy_factor = malloc(sums * sizeof *l->copy_factor);
    l->joint = number(rows, row->joint);
    l->cycle = number(rows, row->cycle);
    if (!l->term || !l->copied || !l->copy_factor || !loop_renew(l) || !build_derivatives(rows, index, &l->derivatives, &l->derivative_count))
        return false;
    l->copy_of = l->copied + sums;
    l->other = l->copy_of + sums;
    l->term[0] = 1;
    divide_sums(l);
    if (row->first_row != NONE)
        l->shortcut = (Shortcut){
            .first = row->first_row,
            .always = row->always,
            .inner = row->inner,
            .last = row->last,
            .unknown = number(rows, row->moved),
            .target = number(rows, row->target),
            .start = number(rows, row->row),
            .middle = number(rows, row->middle),
            .factor = real(rows, row->factor),
            .term = number(rows, row->term),
            .slot = number(rows, row->slot),
        };
    return true;
}

int kernel_add_jacobians(Kernel *k, const Rows *rows)
{
    for (int i = 0; i < rows->loops; i++)
        if (!k->loops[i].linear && rows->loop[i].row_start != NONE && !add_jacobian(k, rows, i))
            return -1;
    return 0;
}

/* -- the system ---------------------------------------------------------------------------------------------------------- */

static void build_parts(Kernel *k, const Rows *rows, Instance *const *instances)
{
    for (int i = 0; i < rows->parts; i++) {
        const PartRow *row = &rows->part[i];
        k->parts[i] = (Part){instances[i], row->first_state, row->states, k->indicators, row->indicators, row->completed_step, false};
        k->indicators += row->indicators;
        if (!instances[i]->stepped || instances[i]->event_mode)
            k->handler[k->handler_count++] = i;
    }
    k->part_count = rows->parts;
}

static void build_drives(Kernel *k, const Rows *rows, const TimeFunction *functions)
{
    for (int i = 0; i < rows->drives; i++) {
        const DriveRow *row = &rows->drive[i];
        Drive *drive = &k->drives[i];
        *drive = (Drive){.kind = (DriveKind)row->kind, .points = row->points, .count = row->count, .formula = rows->formula};
        drive->times = real(rows, row->times);
        drive->values = real(rows, row->values);
        if (drive->kind == BY_FUNCTION)
            drive->function = functions[row->count];
        else if (drive->kind == BY_POLYNOMIAL)
            *drive->coefficient = *drive->values;
    }
    k->drive_count = rows->drives;
}

Kernel *kernel_build(const Rows *rows, Instance *const *instances, const TimeFunction *functions)
{
    Kernel *k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    k->slots = rows->slots;
    k->states = rows->states;
    k->derivative_slot = number(rows, rows->derivative_slot);
    k->failure.instance = k->failure.index = k->failure.slot = -1;
    k->v = calloc((size_t)rows->slots + 1, sizeof *k->v);
    k->buffer = calloc((size_t)rows->slots + 1, sizeof *k->buffer);
    k->displaced = calloc((size_t)rows->states + 1, sizeof *k->displaced);
    k->parts = malloc(((size_t)rows->parts + 1) * sizeof *k->parts);
    k->handler = malloc(((size_t)rows->parts + 1) * sizeof *k->handler);
    k->drives = malloc(((size_t)rows->drives + 1) * sizeof *k->drives);
    k->loops = malloc(((size_t)rows->loops + 1) * sizeof *k->loops);
    bool complete = k->v && k->buffer && k->displaced && k->parts && k->handler && k->drives && k->loops;
    if (complete) {
        build_parts(k, rows, instances);
        build_drives(k, rows, functions);
    }
    size_t unknowns = 0;
    while (complete && k->loop_count < rows->loops) {
        complete = build_loop(rows, &rows->loop[k->loop_count], &k->loops[k->loop_count]);
        unknowns += (size_t)k->loops[k->loop_count++].count;
    }
    k->off = calloc(2 * unknowns + 1, sizeof *k->off);
    complete = complete && k->off;
    for (int i = 0; complete && i < k->loop_count; i++)
        k->loops[i].off = i ? k->loops[i - 1].off + k->loops[i - 1].count : k->off;
    for (int i = 0; complete && i < k->loop_count; i++)
        k->loops[i].lawful = k->loops[i].off + unknowns;
    if (complete && build_operations(k, rows, false) && kernel_add_jacobians(k, rows) == 0)
        return k;
    kernel_free(k);
    return NULL;
}
