/* Propagates tangents through all values of the system, by the derivatives of the instances and the implicit function theorem. */
#include "runs/sensitivity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REFINEMENTS = 5, POINTS = 4 };
static const double settled = 1e-15; /* of the tangents of unknowns, against the greatest */
static const double reach = 1e-3;    /* of differences of an instance's variables, against their sizes */
static const double offset[POINTS] = {-2, -1, 1, 2}, share[POINTS] = {1. / 12, -2. / 3, 2. / 3, -1. / 12};

static int by_value(const void *a, const void *b)
{
    const Reference left = *(const Reference *)a, right = *(const Reference *)b;
    return (left > right) - (left < right);
}

static bool differentiates(const Sensitivity *s, int part, Reference unknown)
{
    const int first = s->rows.unknown_start[part], count = s->rows.unknown_start[part + 1] - first;
    return count && bsearch(&unknown, s->rows.unknown + first, (size_t)count, sizeof unknown, by_value);
}

/* The knowns of an instance that move. */
static int moving(const Kernel *k, int parameter, int part, const double *v, bool with_parameter)
{
    Sensitivity *s = k->sensitivity;
    const Part *p = &k->parts[part];
    const PartInputs *inputs = &s->inputs[part];
    int count = 0;
    for (int i = p->first_state; i < p->first_state + p->states; i++)
        if (v[i] != 0) {
            s->known[count] = s->rows.state[i];
            s->seed[count++] = v[i];
        }
    for (int i = 0; i < inputs->inputs; i++)
        if (v[inputs->place[i]] != 0) {
            s->known[count] = inputs->input[i];
            s->seed[count++] = v[inputs->place[i]];
        }
    if (with_parameter && s->rows.part[parameter] == part) {
        s->known[count] = s->rows.reference[parameter];
        s->seed[count++] = 1;
    }
    return count;
}

/* Puts states and inputs of an instance to where they are, and so far along the tangent. */
static Status move(Kernel *k, int part, const double *v, double by)
{
    Sensitivity *s = k->sensitivity;
    const Part *p = &k->parts[part];
    const PartInputs *inputs = &s->inputs[part];
    Status status = OK;
    for (int i = 0; i < p->states; i++)
        s->values[i] = k->v[p->first_state + i] + by * v[p->first_state + i];
    if (p->states)
        status = instance_move_states(p->instance, s->values, (size_t)p->states);
    for (int i = 0; i < inputs->inputs; i++)
        s->values[i] = k->v[inputs->place[i]] + by * v[inputs->place[i]];
    if (status <= WARNING && inputs->inputs)
        status = instance_set_reals(p->instance, inputs->input, (size_t)inputs->inputs, s->values);
    return status;
}

/* Uses differences of fourth order along the tangent where an instance gives no derivatives. */
static Status difference(Kernel *k, int part, const double *v, int count, double *answer)
{
    Sensitivity *s = k->sensitivity;
    const Part *p = &k->parts[part];
    const PartInputs *inputs = &s->inputs[part];
    double by = INFINITY;
    for (int i = 0; i < p->states + inputs->inputs; i++) {
        const int slot = i < p->states ? p->first_state + i : inputs->place[i - p->states];
        if (v[slot] != 0)
            by = fmin(by, reach * fmax(fabs(k->v[slot]), 1) / fabs(v[slot]));
    }
    for (int i = 0; i < count; i++)
        answer[i] = 0;
    if (!isfinite(by))
        return OK;
    Status status = OK;
    for (int j = 0; j < POINTS && status <= WARNING; j++) {
        status = move(k, part, v, offset[j] * by);
        if (status <= WARNING)
            status = instance_get_reals(p->instance, s->asked, (size_t)count, s->values);
        for (int i = 0; i < count && status <= WARNING; i++)
            answer[i] += share[j] / by * s->values[i];
    }
    const Status back = move(k, part, v, 0);
    return status <= WARNING ? back : status;
}

static int place_of(const Operation *o, int i)
{
    return o->places ? o->places[i] : o->first + i;
}

/* States that are passed on are known; all else is asked for, what the instance differentiates first. */
static int get(Kernel *k, int parameter, const Operation *o, double *v)
{
    Sensitivity *s = k->sensitivity;
    const Part *p = &k->parts[o->index];
    Status status = OK;
    for (int differing = 0; differing < 2; differing++) {
        int count = 0;
        for (int i = 0; i < o->count; i++) {
            int state = p->first_state;
            while (state < p->first_state + p->states && s->rows.state[state] != o->references[i])
                state++;
            if (o->type != FLOAT64 || state < p->first_state + p->states) {
                v[place_of(o, i)] = o->type == FLOAT64 ? v[state] : 0;
            } else if (differentiates(s, o->index, o->references[i]) != (differing == 1)) {
                s->asked[count] = o->references[i];
                s->target[count++] = place_of(o, i);
            }
        }
        if (!count)
            continue;
        if (differing) {
            status = difference(k, o->index, v, count, s->answer);
        } else {
            const int knowns = moving(k, parameter, o->index, v, !s->rows.apart[parameter]);
            for (int i = 0; i < count; i++)
                s->answer[i] = 0;
            if (knowns)
                status = instance_directional(p->instance, s->asked, (size_t)count, s->known, (size_t)knowns, s->seed, s->answer);
        }
        if (status > WARNING) {
            const int result = failed(k, KERNEL_FMU_FAILED, "differentiating", o->index, status);
            k->failure.references = o->references;
            k->failure.count = o->count;
            return status == DISCARD ? KERNEL_RETRY : result;
        }
        for (int i = 0; i < count; i++)
            v[s->target[i]] = s->answer[i];
    }
    return KERNEL_DONE;
}

static void gather(const Operation *o, double *v)
{
    for (int i = 0; i < o->count; i++) {
        double sum = 0;
        for (int j = o->source_start[i]; j < o->source_start[i + 1]; j++)
            sum += v[o->source[j]];
        v[place_of(o, i)] = sum;
    }
}

/* The unknowns move such that the residuals go on vanishing; their Jacobian may be of the last iterate, and is corrected for that. */
static int follow_loop(Kernel *k, int parameter, const Loop *l, double *v)
{
    Sensitivity *s = k->sensitivity;
    double *const z = v + l->first;
    double before = INFINITY;
    memset(z, 0, (size_t)l->count * sizeof *z);
    for (int round = 0;; round++) {
        const int result = pass_tangents(k, parameter, &l->inside);
        if (result)
            return result;
        loop_residual(l, v, s->residual);
        if (round == MOST_REFINEMENTS)
            return KERNEL_DONE;
        loop_newton_step(l, z, s->residual, s->right);
        double moved = 0, size = 0;
        for (int i = 0; i < l->count; i++) {
            moved = fmax(moved, fabs(s->right[i]));
            size = fmax(size, fabs(z[i]));
        }
        if (!(moved > settled * size) || !(moved < before / 2))
            return KERNEL_DONE;
        for (int i = 0; i < l->count; i++)
            z[i] += s->right[i];
        before = moved;
    }
}

int pass_tangents(Kernel *k, int parameter, const Operations *operations)
{
    double *const v = k->sensitivity->v + (size_t)parameter * (size_t)k->slots;
    for (const Operation *o = operations->items; o < operations->items + operations->count; o++) {
        int result = KERNEL_DONE;
        if (o->kind == SET)
            gather(o, v);
        else if (o->kind == DRIVE)
            v[o->first] = 0;
        else if (o->kind == GET)
            result = get(k, parameter, o, v);
        else if (o->kind == LOOP)
            result = follow_loop(k, parameter, &k->loops[o->index], v);
        if (result)
            return result;
    }
    return KERNEL_DONE;
}
