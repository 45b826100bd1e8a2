/* Running operations, and evaluations of the whole system. One of the operations solves a loop, which runs its own: this file and loop.c
 * call each other, as they must. */
#include "fmi/continuous.h"
#include "system/kernel_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Instances that a cache does not hold, and how many operations ahead their data are called for. */
enum { MANY = 200, AHEAD = 3 };

static int call_failed(Kernel *k, const Operation *o, Status status)
{
    place_instances(&k->phase, ASTRAY);
    static const char *const actions[] = {[SET_TIME] = "setting the time", [SET_STATES] = "setting the states", [SET] = "setting", [GET] = "getting"};
    const int result = failed(k, KERNEL_FMU_FAILED, actions[o->kind], o->index, status);
    if (o->kind == SET || o->kind == GET) {
        k->failure.references = o->references;
        k->failure.count = o->count;
    }
    if (o->kind != GET)
        k->failure.slot = o->first;
    return result;
}

#define TIMED(call)                                              \
    do {                                                         \
        if (k->timed) {                                          \
            const double began = k->clock();                     \
            call;                                                \
            k->in_fmus += k->clock() - began - k->clock_cost;    \
        } else {                                                 \
            call;                                                \
        }                                                        \
    } while (0)

/* Returns the value of an input: the sum of its sources. */
static inline double arriving(const Operation *o, const double *v, int input)
{
    int s = o->source_start[input];
    double sum = v[o->source[s]];
    while (++s < o->source_start[input + 1])
        sum += v[o->source[s]];
    return sum;
}

/* Puts together what inputs get; whether that is anything new. Values that are no neighbours are gathered in the buffer. */
static bool gather(const Operation *restrict o, double *restrict v, double *restrict buffer)
{
    bool news = false;
    const bool single = o->source_start[o->count] == o->count;
    const int *const source = o->source, count = o->count;
    for (int i = 0; i < count; i++) {
        const int place = o->places ? o->places[i] : o->first + i;
        const double value = single ? v[source[i]] : arriving(o, v, i);
        news |= value != v[place];
        v[place] = value;
        if (o->places)
            buffer[i] = value;
    }
    return news;
}

/* Outputs as they would be with the inputs that arrive now. */
static void follow_inputs(const Operation *o, double *v)
{
    for (int i = 0; i < o->count; i++) {
        const int *s = o->source + o->source_start[i], *const end = o->source + o->source_start[i + 1];
        double sum = v[*s++];
        for (; s < end; s += 3)
            sum += v[s[0]] * (v[s[1]] - v[s[2]]);
        v[o->places ? o->places[i] : o->first + i] = sum;
    }
}

/* An instance will be called soon: in a system larger than the caches, its data had better be on the way. */
void expect(const Instance *instance)
{
#if defined(__GNUC__)
    enum { LINES = 10, LINE = 64 };
    for (int i = 0; i < LINES; i++)
        __builtin_prefetch((const char *)instance->component + LINE * i);
#else
    (void)instance;
#endif
}

/* Runs operations in their order. */
int operate(Kernel *k, const Operations *operations)
{
    double *const v = k->v;
    const bool point = !in_event_mode(&k->phase), large = k->part_count > MANY;
    const Operation *const end = operations->items + operations->count;
    for (const Operation *o = operations->items; o < end; o++) {
        Status status = OK;
        Instance *const instance = o->instance;
        if (large && o + AHEAD < end && o[AHEAD].instance)
            expect(o[AHEAD].instance);
        double *const first = v + o->first, *const values = o->places ? k->buffer : first;
        switch (o->kind) {
        case SET_TIME:
            if (point)
                TIMED(status = instance_set_time(instance, k->t));
            break;
        case SET_STATES:
            if (point)
                TIMED(status = instance_set_states(instance, first, (size_t)o->count));
            break;
        case SET:
            if (!gather(o, v, k->buffer) && inputs_are_known(&k->phase))
                break; /* the instance has it already */
            if (o->type == FLOAT64)
                TIMED(status = instance_set_reals(instance, o->references, (size_t)o->count, values));
            else
                TIMED(status = instance_set(instance, o->type, o->references, (size_t)o->count, values));
            break;
        case GET:
            if (o->get) {
                instance->called = true;
                TIMED(status = o->get(o->component, o->references, (size_t)o->count, values));
                status = heard(instance, status);
            } else if (o->type == FLOAT64)
                TIMED(status = instance_get_reals(instance, o->references, (size_t)o->count, values));
            else
                TIMED(status = instance_get(instance, o->type, o->references, (size_t)o->count, values));
            for (int i = 0; o->places && i < o->count; i++)
                v[o->places[i]] = values[i];
            break;
        case DRIVE: {
            *first = drive_value(&k->drives[o->index], k->t, k->passed);
            if (!isfinite(*first)) {
                failed(k, KERNEL_NOT_FINITE, "evaluating", -1, OK);
                k->failure.slot = o->first;
                return KERNEL_RETRY;
            }
            break;
        }
        case ARRIVE:
            gather(o, v, k->buffer);
            break;
        case AFFINE:
            follow_inputs(o, v);
            break;
        case LOOP: {
            const int result = loop_solve(k, o->index);
            if (result)
                return result;
            break;
        }
        case SHORTCUT: {
            const int result = loop_shortcut(k, o->index);
            if (result)
                return result;
            break;
        }
        }
        if (status > WARNING)
            return call_failed(k, o, status);
    }
    return KERNEL_DONE;
}

int operate_list(Kernel *k, List list)
{
    return operate(k, k->resting ? &k->loud_lists[list] : &k->lists[list]);
}

static int check_derivatives(Kernel *k, const double *dx)
{
    if (are_finite(dx, k->states))
        return KERNEL_DONE;
    for (int i = 0; i < k->states; i++)
        if (!isfinite(dx[i])) {
            failed(k, KERNEL_NOT_FINITE, "evaluating", -1, OK);
            k->failure.slot = k->derivative_slot[i];
            break;
        }
    return KERNEL_RETRY;
}

int pass_once(Kernel *k)
{
    take_factors(&k->phase, OF_INSTANCES);
    kernel_set_open(k, true);
    const int result = operate_list(k, CONTINUOUS);
    kernel_set_open(k, false);
    place_instances(&k->phase, result == KERNEL_DONE ? IN_PLACE : ASTRAY);
    return result;
}

int catch_up(Kernel *k)
{
    if (!by_equations(&k->phase) || inputs_are_known(&k->phase)) /* a check has brought them there */
        return KERNEL_DONE;
    const long factorisations = k->statistics.factorisations; /* those of evaluations are counted */
    int result = pass_once(k);
    for (int i = 0; i < k->loop_count && result == KERNEL_DONE; i++)
        result = loop_factorise(k, i);
    k->statistics.factorisations = factorisations;
    return result;
}

/* Evaluates by the instances. */
static int evaluate_rows(Kernel *k, double *dx)
{
    const bool fast = k->fast && inputs_are_known(&k->phase) && k->purpose != OF_POINT && !k->open;
    take_factors(&k->phase, OF_INSTANCES);
    if (!fast)
        place_instances(&k->phase, ASTRAY);
    const int result = operate_list(k, fast ? FAST : CONTINUOUS);
    if (!fast && result == KERNEL_DONE)
        place_instances(&k->phase, IN_PLACE);
    for (int i = 0; i < k->states && dx && result == KERNEL_DONE; i++)
        dx[i] = k->v[k->derivative_slot[i]];
    return result;
}

static int evaluate(Kernel *k, double t, const double *x, double *dx)
{
    k->t = t;
    if (x)
        memcpy(k->v, x, (size_t)k->states * sizeof *x);
    const bool asked = k->fused && dx && k->purpose != OF_POINT && !k->open;
    k->statistics.evaluations++;
    k->timed = k->statistics.way[asked].begun++ % SAMPLING == 0 && k->clock;
    k->in_fmus = 0;
    const bool fused = asked && k->fused->derive(k, dx), resting = k->resting;
    k->resting = resting && (!dx || k->searching); /* all derivatives are asked for */
    const int result = fused ? KERNEL_DONE : evaluate_rows(k, dx);
    k->resting = resting;
    Sample *const way = &k->statistics.way[fused];
    way->made++;
    if (k->timed) {
        k->timed = false;
        way->timed++;
        way->fmu_seconds += k->in_fmus;
    }
    k->purpose = OF_STAGE;
    return result == KERNEL_DONE && dx && !fused ? check_derivatives(k, dx) : result;
}

int kernel_derivatives(void *kernel, double t, const double *x, double *dx)
{
    return evaluate(kernel, t, x, dx);
}

static double greatest_of(const Part *p, const double *values)
{
    double size = 0;
    for (int i = p->first_state; i < p->first_state + p->states; i++)
        size = fmax(size, fabs(values[i]));
    return size;
}

static void nudge(double *values, int first, int count, double by, int probe)
{
    double size = 0;
    for (int i = 0; i < count; i++)
        size = fmax(size, fabs(values[i]));
    for (int i = 0; i < count; i++)
        values[i] += by * size * sin(1 + probe + 7.0 * (first + i)); /* in any direction */
}

/* The size of the terms of each derivative, which may cancel, by how far it follows small changes of states and unknowns. The instances are
 * where they were afterwards. */
static RARELY bool find_terms(Kernel *k, double *terms)
{
    static const double by = 1e-9;
    enum { PROBES = 4 };
    const size_t bytes = (size_t)k->slots * sizeof(double);
    double *const kept = malloc(bytes);
    bool found = kept != NULL;
    if (found)
        memcpy(kept, k->v, bytes);
    memset(terms, 0, (size_t)k->states * sizeof *terms);
    for (int probe = 0; probe <= PROBES && kept; probe++) { /* the last one at the point itself */
        memcpy(k->v, kept, bytes);
        for (int p = 0; p < k->part_count && probe < PROBES; p++)
            nudge(k->v + k->parts[p].first_state, k->parts[p].first_state, k->parts[p].states, by, probe);
        for (int i = 0; i < k->loop_count && probe < PROBES; i++)
            nudge(k->v + k->loops[i].first, k->loops[i].first, k->loops[i].count, by, probe);
        place_instances(&k->phase, ASTRAY);
        found = pass_once(k) == KERNEL_DONE && found;
        for (int i = 0; i < k->states; i++)
            terms[i] = fmax(terms[i], fabs(k->v[k->derivative_slot[i]] - kept[k->derivative_slot[i]]) / by);
    }
    free(kept);
    return found;
}

static const double ALIKE = 1e-7, ROUNDING = 1e-11; /* of derivatives; of their terms */

/* Compares derivatives with those of the instances, relative to the greatest of the same instance: a pressure's size says nothing about
 * an acceleration. If an instance stands still, the rest is rounding of the others, or of its own terms. */
static bool agree(Kernel *k, const double *dx, Apart *apart)
{
    double all = 0, *terms = NULL;
    bool same = true;
    for (int i = 0; i < k->states; i++)
        all = fmax(all, fabs(dx[i]));
    for (int p = 0; p < k->part_count && same; p++) {
        const Part *const part = &k->parts[p];
        if (k->resting && part->quiet)
            continue;
        double size = 0;
        int worst = part->first_state;
        for (int i = part->first_state; i < part->first_state + part->states; i++) {
            const double exact = k->v[k->derivative_slot[i]];
            size = fmax(size, fabs(exact));
            if (!(fabs(exact - dx[i]) <= fabs(k->v[k->derivative_slot[worst]] - dx[worst])))
                worst = i;
        }
        const double off = part->states ? fabs(k->v[k->derivative_slot[worst]] - dx[worst]) : 0;
        if (off <= ALIKE * size + ROUNDING * all)
            continue;
        if (!terms && (terms = malloc((size_t)k->states * sizeof *terms)) && !find_terms(k, terms))
            memset(terms, 0, (size_t)k->states * sizeof *terms);
        size = fmax(size, terms ? greatest_of(part, terms) : 0);
        same = off <= ROUNDING * size;
        *apart = (Apart){.slot = k->derivative_slot[worst], .off = off, .size = size};
    }
    free(terms);
    return same;
}

/* The unknown that the instances correct most. */
static RARELY Apart farthest(const Loop *l, const double *v)
{
    Apart most = {.slot = l->first};
    for (int i = 0; i < l->count; i++) {
        most.size = fmax(most.size, fabs(v[l->first + i]));
        if (fabs(l->correction[i]) > most.off) {
            most.slot = l->first + i;
            most.off = fabs(l->correction[i]);
        }
    }
    return most;
}

/* Passes the values that the shortcuts gave, or fused code, through the instances. Where these answer otherwise, none exist any more. */
int kernel_verify(Kernel *k, double *dx)
{
    const bool fused = by_equations(&k->phase), fast = k->fast;
    if (!fast && !fused)
        return KERNEL_DONE;
    const long factorisations = k->statistics.factorisations; /* those of evaluations are counted */
    k->failure.kind = KERNEL_DONE; /* not what an event or a step that was refused left there */
    k->statistics.way[BY_INSTANCES].made++; /* of time in FMUs it takes as much */
    place_instances(&k->phase, ASTRAY);
    /* If events exist, the run continues with the instances' own rounding, because the events were located within it. */
    const bool shared = fused && k->fused->share(k), placed = shared && !k->indicators && k->fused->place(k);
    Apart apart = {.slot = -1};
    int result = pass_once(k);
    for (int i = 0; i < k->loop_count && result == KERNEL_DONE; i++) {
        if (fused && !placed)
            result = loop_factorise(k, i);
        if (result == KERNEL_DONE && (result = loop_verify(k, i, placed)) == KERNEL_RETRY)
            apart = farthest(&k->loops[i], k->v);
    }
    k->statistics.factorisations = factorisations;
    if (result == KERNEL_DONE && !agree(k, dx, &apart)) {
        kernel_set_fast(k, false);
        result = KERNEL_RETRY;
    }
    if (result == KERNEL_RETRY && k->failure.kind == KERNEL_DONE && fused) {
        k->fused->disagree(k, apart);
        kernel_set_fast(k, fast);
    }
    if (placed && result == KERNEL_DONE) { /* the factors are still those of equations, and the instances are there now */
        take_factors(&k->phase, OF_EQUATIONS);
        place_instances(&k->phase, IN_PLACE);
    }
    return result;
}

int kernel_evaluate(Kernel *k, double t, const double *x)
{
    k->purpose = OF_POINT;
    const int result = evaluate(k, t, x, NULL);
    return result ? result : operate_list(k, RECORDING);
}

/* Whatever is not finite would spread through all instances. */
static int check_arriving(Kernel *k)
{
    const Coupling *c = k->coupling;
    double sum = 0;
    for (int i = 0; i < c->inputs; i++)
        sum += k->v[c->arriving[i]] - k->v[c->arriving[i]];
    for (int i = 0; i < c->inputs && sum != 0; i++)
        if (!isfinite(k->v[c->arriving[i]])) {
            failed(k, KERNEL_NOT_FINITE, "evaluating", -1, OK);
            k->failure.slot = c->arriving[i];
            return KERNEL_NOT_FINITE;
        }
    return KERNEL_DONE;
}

int kernel_evaluate_point(Kernel *k, double t)
{
    k->purpose = OF_POINT;
    const int result = evaluate(k, t, NULL, NULL);
    return result ? result : check_arriving(k);
}

int kernel_complete(Kernel *k)
{
    return operate(k, &k->lists[RECORDING]);
}

int kernel_exchange(Kernel *k, double t, bool solving)
{
    k->t = k->passed = t;
    set_event_mode(&k->phase, true);
    kernel_set_open(k, !solving);
    int result = k->coupling ? k->coupling->get_outputs(k) : KERNEL_DONE;
    if (result == KERNEL_DONE)
        result = operate(k, &k->lists[EVENTS]);
    set_event_mode(&k->phase, false);
    kernel_set_open(k, false);
    return result;
}

void set_unknowns(Kernel *k, const double *z)
{
    for (int i = 0; i < k->loop_count; i++) {
        const Loop *loop = &k->loops[i];
        if (!rests(k, i))
            memcpy(k->v + loop->first, z, (size_t)loop->count * sizeof *z);
        z += loop->count;
    }
}

/* The unknowns of all loops, from which the next iterations begin. */
void keep_unknowns(const Kernel *k, double *kept)
{
    for (int i = 0; i < k->loop_count; kept += k->loops[i++].count)
        if (!is_idle(k, i))
            memcpy(kept, k->v + k->loops[i].first, (size_t)k->loops[i].count * sizeof *kept);
}

void begin_from(Kernel *k, const double *kept)
{
    for (int i = 0; i < k->loop_count; kept += k->loops[i++].count)
        if (!is_idle(k, i))
            memcpy(k->v + k->loops[i].first, kept, (size_t)k->loops[i].count * sizeof *kept);
}

int kernel_residuals(Kernel *k, double t, const double *x, const double *z, double *dx, double *r)
{
    set_unknowns(k, z);
    kernel_set_open(k, true);
    const int result = evaluate(k, t, x, dx);
    kernel_set_open(k, false);
    for (int i = 0; i < k->loop_count && result == KERNEL_DONE; i++) {
        loop_residual(&k->loops[i], k->v, r);
        r += k->loops[i].count;
    }
    return result;
}

int kernel_synchronise(Kernel *k, double t, const double *x)
{
    k->t = t;
    memcpy(k->v, x, (size_t)k->states * sizeof *x);
    for (int i = 0; i < k->part_count; i++) {
        const Part *part = &k->parts[i];
        if (part->instance->stepped || (k->resting && part->quiet))
            continue;
        Status status = instance_set_time(part->instance, t);
        if (status <= WARNING && part->states)
            status = instance_set_states(part->instance, x + part->first_state, (size_t)part->states);
        if (status > WARNING)
            return failed(k, KERNEL_FMU_FAILED, "setting time and states", i, status);
    }
    return KERNEL_DONE;
}
