#include "kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more item at the end of a growing array; false where memory lacks. */
static bool grow(void **items, int count, int *capacity, size_t size)
{
    if (count < *capacity)
        return true;
    const int more = *capacity ? 2 * *capacity : 8;
    void *bigger = realloc(*items, (size_t)more * size);
    if (!bigger)
        return false;
    *items = bigger;
    *capacity = more;
    return true;
}

/* A copy of an array; null for an empty one and where memory lacks, which `complete` then says. */
static void *copy(const void *items, int count, size_t size, bool *complete)
{
    if (!items || count <= 0)
        return NULL;
    void *result = malloc((size_t)count * size);
    if (result)
        memcpy(result, items, (size_t)count * size);
    else
        *complete = false;
    return result;
}

#define COPY(items, count, complete) copy(items, count, sizeof *(items), complete)

Kernel *kernel_new(int slots, int states)
{
    Kernel *k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    k->slots = slots;
    k->states = states;
    k->v = calloc((size_t)slots + 1, sizeof(double));
    k->buffer = calloc((size_t)slots + 1, sizeof(double));
    k->derivative_slot = calloc((size_t)states + 1, sizeof(int));
    k->failure.instance = k->failure.index = k->failure.slot = -1;
    if (!k->v || !k->buffer || !k->derivative_slot) {
        kernel_free(k);
        return NULL;
    }
    return k;
}

void free_operations(Operations *operations)
{
    for (int i = 0; i < operations->count && !operations->block; i++) {
        free(operations->items[i].references);
        free(operations->items[i].places);
        free(operations->items[i].source_start);
        free(operations->items[i].source);
    }
    free(operations->block);
    free(operations->items);
}

static int length(const Operation *o, int which)
{
    const int sources = o->source_start ? o->source_start[o->count] : 0;
    const int lengths[] = {o->references ? o->count : 0, o->places ? o->count : 0, o->source_start ? o->count + 1 : 0, sources};
    return lengths[which];
}

static bool pack(Operations *operations)
{
    size_t total = 1;
    for (int i = 0; i < operations->count; i++)
        for (int which = 0; which < 4; which++)
            total += (size_t)length(&operations->items[i], which);
    int *next = operations->block ? NULL : malloc(total * sizeof *next);
    if (!next)
        return operations->block != NULL;
    int *const block = next;
    for (int i = 0; i < operations->count; i++) {
        Operation *o = &operations->items[i];
        void *const arrays[] = {o->references, o->places, o->source_start, o->source};
        int *moved[4];
        for (int which = 0; which < 4; which++) {
            const int count = length(o, which);
            moved[which] = arrays[which] ? next : NULL;
            if (count)
                memcpy(next, arrays[which], (size_t)count * sizeof *next);
            next += count;
        }
        for (int which = 0; which < 4; which++)
            free(arrays[which]);
        o->references = (Reference *)moved[0];
        o->places = moved[1];
        o->source_start = moved[2];
        o->source = moved[3];
    }
    operations->block = block;
    return true;
}

int kernel_pack(Kernel *k)
{
    bool complete = true;
    for (int i = 0; i < LISTS; i++)
        complete = pack(&k->lists[i]) && complete;
    for (int i = 0; i < k->loop_count; i++)
        complete = pack(&k->loops[i].inside) && complete;
    for (int i = 0; k->coupling && i < k->coupling->count; i++)
        complete = pack(&k->coupling->steppers[i].sequence) && pack(&k->coupling->steppers[i].outputs) && complete;
    return complete ? 0 : -1;
}

void derivative_free(LocalDerivative *d)
{
    free(d->unknown);
    free(d->known);
    free(d->seed);
    free(d->unknown_slot);
}

static void free_loop(Loop *loop)
{
    free_operations(&loop->inside);
    for (int i = 0; i < loop->derivative_count; i++)
        derivative_free(&loop->derivatives[i]);
    free(loop->derivatives);
    free(loop->residual_start);
    free(loop->residual_slot);
    free(loop->residual_factor);
    free(loop->sum_start);
    free(loop->factor);
    free(loop->copied);
    free(loop->copy_of);
    free(loop->copy_factor);
    free(loop->other);
    free(loop->left);
    free(loop->right);
    free(loop->term);
    free(loop->row_start);
    free(loop->column);
    free(loop->residual);
    Shortcut *s = &loop->shortcut;
    void *const arrays[] = {s->unknown, s->target, s->start, s->middle, s->factor, s->term, s->slot};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    free(loop->held);
    free(loop->order);
    linear_free(loop->linear);
    linear_free(loop->whole);
}

/* The instances belong to whoever made them. */
void kernel_free(Kernel *k)
{
    if (!k)
        return;
    void (*const ends[])(Kernel *) = {k->end_run, k->end_record, k->end_coupling};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends[i])
            ends[i](k);
    for (int i = 0; i < k->loop_count; i++)
        free_loop(&k->loops[i]);
    for (int i = 0; i < k->drive_count; i++) {
        free(k->drives[i].times);
        free(k->drives[i].values);
    }
    for (int i = 0; i < LISTS; i++)
        free_operations(&k->lists[i]);
    free(k->loops);
    free(k->drives);
    free(k->parts);
    free(k->handler);
    free(k->derivative_slot);
    free(k->buffer);
    free(k->v);
    free(k);
}

double *kernel_slots(Kernel *k)
{
    return k->v;
}

const Failure *kernel_failure(const Kernel *k)
{
    return &k->failure;
}

const Statistics *kernel_statistics(const Kernel *k)
{
    return &k->statistics;
}

int kernel_loop_deficiency(const Kernel *k, int loop, double *undetermined, double *redundant, double *time, bool *passing)
{
    const Loop *l = &k->loops[loop];
    memcpy(undetermined, l->undetermined, (size_t)l->count * sizeof *undetermined);
    memcpy(redundant, l->redundant, (size_t)l->count * sizeof *redundant);
    *time = l->deficient_at;
    *passing = l->passing;
    return l->worst_deficiency;
}

void kernel_loop_solve_linear(Kernel *k, int loop, double *right)
{
    const Loop *l = &k->loops[loop];
    linear_solve(l->whole ? l->whole : l->linear, right);
}

int kernel_add_instance(Kernel *k, Instance *instance, int first_state, int states, int indicators, bool completed_step)
{
    if (!grow((void **)&k->parts, k->part_count, &k->part_capacity, sizeof *k->parts))
        return -1;
    k->parts[k->part_count] = (Part){instance, first_state, states, k->indicators, indicators, completed_step};
    k->indicators += indicators;
    if (!instance->stepped || instance->event_mode) {
        if (!grow((void **)&k->handler, k->handler_count, &k->handler_capacity, sizeof *k->handler))
            return -1;
        k->handler[k->handler_count++] = k->part_count;
    }
    return k->part_count++;
}

static int add_drive(Kernel *k, Drive drive)
{
    if (!grow((void **)&k->drives, k->drive_count, &k->drive_capacity, sizeof *k->drives))
        return -1;
    k->drives[k->drive_count] = drive;
    return k->drive_count++;
}

int kernel_add_function(Kernel *k, double (*function)(double))
{
    return add_drive(k, (Drive){.function = function});
}

int kernel_add_polynomial(Kernel *k)
{
    return add_drive(k, (Drive){.polynomial = true});
}

void kernel_set_polynomial(Kernel *k, int drive, double start, double value, double slope, double curve)
{
    Drive *d = &k->drives[drive];
    d->start = start;
    d->coefficient[0] = value;
    d->coefficient[1] = slope;
    d->coefficient[2] = curve / 2;
}

void kernel_leave_last(Kernel *k)
{
    k->leaves_last = true;
}

void kernel_unsettle(Kernel *k)
{
    k->settled = false;
}

int kernel_add_table(Kernel *k, int points, const double *times, const double *values)
{
    bool complete = true;
    Drive drive = {.points = points, .times = COPY(times, points, &complete), .values = COPY(values, points, &complete)};
    const int index = complete ? add_drive(k, drive) : -1;
    if (index < 0) {
        free(drive.times);
        free(drive.values);
    }
    return index;
}

int kernel_add_loop(Kernel *k, int unknowns, int first, const int *residual_start, const int *residual_slot, const double *factor)
{
    if (!grow((void **)&k->loops, k->loop_count, &k->loop_capacity, sizeof *k->loops))
        return -1;
    bool complete = true;
    const int terms = residual_start[unknowns];
    const size_t n = (size_t)unknowns;
    Loop *loop = &k->loops[k->loop_count++];
    *loop = (Loop){.count = unknowns, .first = first};
    loop->residual_start = COPY(residual_start, unknowns + 1, &complete);
    loop->residual_slot = COPY(residual_slot, terms, &complete);
    loop->residual_factor = COPY(factor, terms, &complete);
    loop->residual = calloc(6 * n + 1, sizeof(double));
    loop->step = loop->residual + n;
    loop->start = loop->step + n;
    loop->correction = loop->start + n;
    loop->undetermined = loop->correction + n;
    loop->redundant = loop->undetermined + n;
    return complete && loop->residual ? k->loop_count - 1 : -1;
}

/* Behind the lists of the kernel come two for each Co-Simulation instance. */
static Operations *list_of(Kernel *k, int list, int loop)
{
    if (loop >= 0)
        return &k->loops[loop].inside;
    if (list < LISTS)
        return &k->lists[list];
    Stepper *s = &k->coupling->steppers[(list - LISTS) / 2];
    return (list - LISTS) % 2 ? &s->outputs : &s->sequence;
}

int kernel_add_operation(Kernel *k, int list, int loop, int kind, int type, int index, int count, int first,
                         const Reference *references, const int *places, const int *source_start, const int *source)
{
    Operations *operations = list_of(k, list, loop);
    if (!grow((void **)&operations->items, operations->count, &operations->capacity, sizeof *operations->items))
        return -1;
    bool complete = true;
    operations->items[operations->count++] = (Operation){
        .kind = (OperationKind)kind,
        .type = (Type)type,
        .index = index,
        .count = count,
        .first = first,
        .references = COPY(references, count, &complete),
        .places = COPY(places, count, &complete),
        .instance = kind < DRIVE || kind == ARRIVE || kind == AFFINE ? k->parts[index].instance : NULL,
        .source_start = source_start ? COPY(source_start, count + 1, &complete) : NULL,
        .source = source_start ? COPY(source, source_start[count], &complete) : NULL,
    };
    Operation *added = &operations->items[operations->count - 1];
    if (kind == GET && type == FLOAT64 && added->instance->stepped && added->instance->library->version == 2) {
        added->get = added->instance->library->fmi2.get[FLOAT64];
        added->component = added->instance->component;
    }
    return complete ? operations->count - 1 : -1;
}

int kernel_add_derivative(Kernel *k, int loop, int kind, int instance, bool at_events, int unknowns, const Reference *unknown, int knowns,
                          const Reference *known, const double *seed, int first, const int *unknown_slot, int known_slot, double nominal)
{
    /* Of no loop: of Co-Simulation instances, into slots. */
    LocalDerivative **derivatives = loop >= 0 ? &k->loops[loop].derivatives : &k->coupling->derivatives;
    int *const number = loop >= 0 ? &k->loops[loop].derivative_count : &k->coupling->derivative_count;
    int *const capacity = loop >= 0 ? &k->loops[loop].derivative_capacity : &k->coupling->derivative_capacity;
    if (!grow((void **)derivatives, *number, capacity, sizeof **derivatives))
        return -1;
    bool complete = true;
    (*derivatives)[(*number)++] = (LocalDerivative){
        .kind = (DerivativeKind)kind,
        .instance = instance,
        .at_events = at_events,
        .unknowns = unknowns,
        .knowns = knowns,
        .first = first,
        .unknown = COPY(unknown, unknowns, &complete),
        .known = COPY(known, knowns, &complete),
        .seed = COPY(seed, kind == ADJOINT ? unknowns : knowns, &complete),
        .unknown_slot = COPY(unknown_slot, unknowns, &complete),
        .known_slot = known_slot,
        .nominal = nominal,
    };
    return complete ? *number - 1 : -1;
}

int kernel_set_jacobian(Kernel *k, int loop, int first_sum, int sums, const int *start, const double *factor, const int *left,
                        const int *right, const int *row_start, const int *column, const int *order)
{
    Loop *l = &k->loops[loop];
    bool complete = true;
    const int products = start[sums], entries = row_start[l->count];
    l->first_sum = first_sum;
    l->sums = sums;
    l->first_entry = first_sum + sums - entries;
    l->sum_start = COPY(start, sums + 1, &complete);
    l->factor = COPY(factor, products, &complete);
    l->left = COPY(left, products, &complete);
    l->right = COPY(right, products, &complete);
    l->row_start = COPY(row_start, l->count + 1, &complete);
    l->column = COPY(column, entries, &complete);
    l->term = calloc((size_t)(first_sum + sums), sizeof(double));
    l->linear = linear_new(l->count, row_start, column, order);
    l->order = COPY(order, l->count, &complete);
    l->copied = malloc(((size_t)sums + 1) * sizeof *l->copied);
    l->copy_of = malloc(((size_t)sums + 1) * sizeof *l->copy_of);
    l->copy_factor = malloc(((size_t)sums + 1) * sizeof *l->copy_factor);
    l->other = malloc(((size_t)sums + 1) * sizeof *l->other);
    complete = complete && l->copied && l->copy_of && l->copy_factor && l->other;
    for (int i = 0; i < sums && complete; i++) {
        const int p = start[i];
        const bool copy = start[i + 1] == p + 1 && left[p] == 0 && right[p] < first_sum;
        if (copy) {
            l->copied[l->copies] = i;
            l->copy_of[l->copies] = right[p];
            l->copy_factor[l->copies++] = factor[p];
        } else {
            l->other[l->others++] = i;
        }
    }
    if (!complete || !l->term || !l->linear)
        return -1;
    l->term[0] = 1;
    return 0;
}

int kernel_set_shortcut(Kernel *k, int loop, int first, int always, int inner, int last, const int *unknown, const int *target,
                        const int *start, const int *middle, const double *factor, const int *term, const int *slot)
{
    Loop *l = &k->loops[loop];
    bool complete = true;
    const int rows = always + inner + l->count + last, items = start[rows];
    l->shortcut = (Shortcut){
        .first = first,
        .always = always,
        .inner = inner,
        .last = last,
        .unknown = COPY(unknown, l->count, &complete),
        .target = COPY(target, last, &complete),
        .start = COPY(start, rows + 1, &complete),
        .middle = COPY(middle, rows, &complete),
        .factor = COPY(factor, items, &complete),
        .term = COPY(term, items, &complete),
        .slot = COPY(slot, items, &complete),
    };
    return complete ? 0 : -1;
}

void kernel_set_lost_share(Kernel *k, double share)
{
    for (int i = 0; i < k->loop_count; i++)
        linear_set_lost_share(k->loops[i].linear, share);
}

int kernel_set_fast(Kernel *k, bool fast)
{
    k->fast = fast;
    return 0;
}

int kernel_hold(Kernel *k, int loop, const bool *held)
{
    Loop *l = &k->loops[loop];
    l->given = held != NULL;
    for (int i = 0; i < l->count && held; i++)
        l->given = l->given && held[i];
    if (!held) {
        free(l->held);
        l->held = NULL;
        return 0;
    }
    if (!l->held)
        l->held = malloc((size_t)l->count + 1);
    if (!l->whole)
        l->whole = linear_new(l->count, l->row_start, l->column, l->order);
    if (!l->held || !l->whole)
        return -1;
    memcpy(l->held, held, (size_t)l->count * sizeof *held);
    return 0;
}

int kernel_set_open(Kernel *k, bool open)
{
    k->open = open;
    return 0;
}

int kernel_set_derivative_slots(Kernel *k, const int *slots)
{
    memcpy(k->derivative_slot, slots, (size_t)k->states * sizeof *slots);
    return 0;
}
