/* The right-hand side, the constraints and the record of forward sensitivities; see sensitivity.h. */
#include "runs/sensitivity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void end_sensitivities(Kernel *k)
{
    if (k->sensitivity) {
        free(k->sensitivity->block);
        free(k->sensitivity->inputs);
    }
    free(k->sensitivity);
    k->sensitivity = NULL;
}

int kernel_width(const Kernel *k)
{
    return k->states * (1 + (k->sensitivity ? k->sensitivity->rows.parameters : 0));
}

double kernel_grazing(const Kernel *k)
{
    return k->sensitivity->grazing;
}

/* Counts the real inputs of instances, or notes them where there is room. */
static int list_inputs(const Kernel *k, const Operations *operations, PartInputs *inputs, bool noting)
{
    int count = 0;
    for (const Operation *o = operations->items; o < operations->items + operations->count; o++) {
        if (o->kind != SET || o->type != FLOAT64)
            continue;
        PartInputs *of = &inputs[o->index];
        for (int i = 0; i < o->count; i++) {
            int j = 0;
            while (noting && j < of->inputs && of->input[j] != o->references[i])
                j++;
            if (noting && j == of->inputs) {
                of->input[of->inputs] = o->references[i];
                of->place[of->inputs++] = o->places ? o->places[i] : o->first + i;
            } else if (!noting) {
                of->inputs++;
            }
        }
        count += o->count;
    }
    (void)k;
    return count;
}

static int list_all(const Kernel *k, PartInputs *inputs, bool noting)
{
    int count = list_inputs(k, &k->lists[EVENTS], inputs, noting);
    for (int i = 0; i < k->loop_count; i++)
        count += list_inputs(k, &k->loops[i].inside, inputs, noting);
    return count;
}

static bool find_inputs(Kernel *k, Sensitivity *s)
{
    s->inputs = calloc((size_t)k->part_count + 1, sizeof *s->inputs);
    if (!s->inputs)
        return false;
    const int count = list_all(k, s->inputs, false);
    s->block = malloc(2 * ((size_t)count + 1) * sizeof *s->block);
    if (!s->block)
        return false;
    int *next = s->block;
    for (int i = 0; i < k->part_count; i++) {
        PartInputs *of = &s->inputs[i];
        of->place = next;
        of->input = (Reference *)(next + of->inputs);
        next += 2 * of->inputs;
        of->inputs = 0;
    }
    list_all(k, s->inputs, true);
    return true;
}

double sum_of_shadows(const Kernel *k, int parameter, const double *of, int width, int index)
{
    const SensitivityRows *r = &k->sensitivity->rows;
    double sum = 0;
    for (int i = parameter * r->shadows; i < (parameter + 1) * r->shadows; i++)
        sum += r->weight[i] * of[(size_t)i * (size_t)width + (size_t)index];
    return sum;
}

/* Adds the differences between shadows, of all slots from one on; states stay as given. */
static void add_shadows(Kernel *k, int parameter, int from)
{
    const SensitivityRows *r = &k->sensitivity->rows;
    double *const v = k->sensitivity->v + (size_t)parameter * (size_t)k->slots;
    for (int i = parameter * r->shadows; i < (parameter + 1) * r->shadows; i++)
        for (int slot = from; slot < k->slots; slot++)
            v[slot] += r->weight[i] * (r->shadow[i]->v[slot] - k->v[slot]);
}

/* Values that stay between events move with all that they followed when they were found. */
void hold_tangents(Kernel *k, int parameter)
{
    memset(k->sensitivity->v + (size_t)parameter * (size_t)k->slots, 0, (size_t)k->slots * sizeof(double));
    add_shadows(k, parameter, 0);
}

int shadow_failed(Kernel *k, int shadow, int result)
{
    if (result)
        k->failure = k->sensitivity->rows.shadow[shadow]->failure;
    return result;
}

/* Derivatives of slots at the present point, from those of the states; `evaluate` brings shadows there. */
static int follow(Kernel *k, int parameter, double t, const double *x, const double *s, bool recording)
{
    const SensitivityRows *r = &k->sensitivity->rows;
    double *const v = k->sensitivity->v + (size_t)parameter * (size_t)k->slots;
    const bool apart = r->apart[parameter];
    int result = KERNEL_DONE;
    if (apart)
        memset(v, 0, (size_t)k->slots * sizeof *v);
    memcpy(v, s, (size_t)k->states * sizeof *v);
    for (int i = parameter * r->shadows; apart && i < (parameter + 1) * r->shadows && result == KERNEL_DONE; i++)
        result = shadow_failed(k, i, recording ? kernel_evaluate(r->shadow[i], t, x)
                                               : kernel_derivatives(r->shadow[i], t, x, k->sensitivity->slope));
    if (result == KERNEL_DONE)
        result = pass_tangents(k, parameter, &k->lists[CONTINUOUS]);
    if (result == KERNEL_DONE && recording)
        result = pass_tangents(k, parameter, &k->lists[RECORDING]);
    if (result == KERNEL_DONE && apart)
        add_shadows(k, parameter, k->states);
    return result;
}

int sensitivity_derivatives(void *kernel, double t, const double *x, double *dx)
{
    Kernel *k = kernel;
    int result = kernel_derivatives(k, t, x, dx);
    const size_t n = (size_t)k->states;
    for (int j = 0; j < k->sensitivity->rows.parameters && result == KERNEL_DONE; j++) {
        const double *const v = k->sensitivity->v + (size_t)j * (size_t)k->slots;
        result = follow(k, j, t, x, x + (size_t)(j + 1) * n, false);
        for (size_t i = 0; i < n && result == KERNEL_DONE; i++)
            dx[(size_t)(j + 1) * n + i] = v[k->derivative_slot[i]];
    }
    return result;
}

/* Takes off what sensitivities violate the derivatives of the constraints by, one level after the other. */
static int along_constraints(Kernel *k, double t, const double *x, double *s)
{
    const SensitivityRows *r = &k->sensitivity->rows;
    int result = KERNEL_DONE;
    k->t = t;
    for (int j = 0; j < r->parameters && result == KERNEL_DONE && k->projection; j++, s += k->states) {
        double *const v = k->sensitivity->v + (size_t)j * (size_t)k->slots;
        for (int velocities = 0; velocities < 2 && result == KERNEL_DONE; velocities++) {
            if (r->apart[j])
                memset(v, 0, (size_t)k->slots * sizeof *v);
            memcpy(v, s, (size_t)k->states * sizeof *v);
            for (int i = j * r->shadows; r->apart[j] && i < (j + 1) * r->shadows && result == KERNEL_DONE; i++) {
                r->shadow[i]->t = t;
                result = shadow_failed(k, i, read_constraints(r->shadow[i], x));
            }
            if (result == KERNEL_DONE)
                result = pass_tangents(k, j, &k->lists[READING]);
            if (result == KERNEL_DONE && r->apart[j])
                add_shadows(k, j, k->states);
            if (result == KERNEL_DONE)
                project_along(k, v, !velocities, s);
        }
    }
    return result;
}

int along_constraints_at(Kernel *k, double t, const double *x, double *s)
{
    const int result = k->projection ? read_constraints(k, x) : KERNEL_DONE;
    return result ? result : along_constraints(k, t, x, s);
}

int sensitivity_correct(void *kernel, double t, double *x)
{
    Kernel *k = kernel;
    const int result = project_next_step(k, t, x);
    return result ? result : along_constraints_at(k, t, x, x + k->states);
}

int sensitivity_record(Kernel *k, const int *slot, int columns, double *row)
{
    const SensitivityRows *r = &k->sensitivity->rows;
    memcpy(k->sensitivity->x, k->v, (size_t)k->states * sizeof(double));
    int result = KERNEL_DONE;
    for (int j = 0; j < r->parameters && result == KERNEL_DONE; j++) {
        const double *const v = k->sensitivity->v + (size_t)j * (size_t)k->slots;
        result = follow(k, j, k->t, k->sensitivity->x, k->sensitivity->now + (size_t)j * (size_t)k->states, true);
        for (int i = 0; i < columns; i++)
            *row++ = v[slot[i]];
    }
    return result;
}

int kernel_set_sensitivities(Kernel *k, const SensitivityRows *rows, double t, const double *x)
{
    end_sensitivities(k);
    if (!rows)
        return KERNEL_DONE;
    const size_t n = (size_t)k->states, p = (size_t)rows->parameters, all = p * (size_t)rows->shadows, slots = (size_t)k->slots + 1;
    size_t u = 0;
    for (int i = 0; i < k->loop_count; i++)
        u = (size_t)k->loops[i].count > u ? (size_t)k->loops[i].count : u;
    const size_t numbers = p * slots + 3 * slots + 2 * u + 2 * n + p * n + all * (n + 2) + p + (size_t)k->indicators;
    Sensitivity *s = k->sensitivity = calloc(1, sizeof *s + numbers * sizeof(double) + 2 * slots * sizeof(Reference) + slots * sizeof(int));
    k->end_sensitivity = end_sensitivities;
    if (!s || !find_inputs(k, s))
        return KERNEL_NO_MEMORY;
    s->rows = *rows;
    double *const first = (double *)(s + 1);
    double *next = first;
    double **const places[] = {&s->v, &s->seed, &s->answer, &s->values, &s->right, &s->residual, &s->x, &s->slope,
                               &s->event, &s->time, &s->next, &s->shift, &s->z};
    const size_t sizes[] = {p * slots, slots, slots, slots, u, u, n, n, all * n, all, all, p, (size_t)k->indicators};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        *places[i] = next;
        next += sizes[i];
    }
    double *const start = next;
    next += p * n;
    s->known = (Reference *)next;
    s->asked = s->known + slots;
    s->target = (int *)(s->asked + slots);
    s->grazing = NAN;
    memcpy(start, rows->start, p * n * sizeof *start);
    s->now = start;
    for (int j = 0; j < rows->parameters; j++)
        hold_tangents(k, j);
    const int result = along_constraints_at(k, t, x, start);
    return result ? result : kernel_evaluate(k, t, x);
}
