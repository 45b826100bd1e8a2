/* Implicit steps: each is repeated from saved states until the constraints hold at its end.
 *
 * Every input goes over the step linearly, from what arrives at its beginning to what arrives at its end. How constraints at the end
 * answer to multipliers is known from the residuals' Jacobian, since a force that is constant for a time h moves a point by h^2/2 and
 * its velocity by h times the acceleration; without such a Jacobian, test steps measure the response. How inputs answer to each
 * other, and all effects without derivatives, is learned from one repetition to the next, and from step to step. */
#include "cosimulation/implicit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The least size that an unknown is taken to have, relative to the greatest: where it crosses 0, rounding still moves it. */
static const double least_size = 1e-3;
/* Largest gain of inputs on themselves over a step, twice in a row and once. A mass on a spring becomes unstable from 2 on. */
static const double most_gain = 3, most_single_gain = 20;
static const double noise_of_inputs = 1e4;

/* Repetitions without progress after which it is looked again at how constraints answer. */
enum { PATIENCE = 3 };

static bool allocate(Implicit *i)
{
    const int m = i->constraints, n = i->inputs, unknowns = i->unknowns;
    const size_t single = 4 * (size_t)unknowns + 6 * (size_t)m + 2 * (size_t)n;
    double *at = i->block = calloc(single + past_room(unknowns) + fixed_point_room(unknowns) + 1, sizeof *i->block);
    if (!at)
        return false;
    double **const arrays[] = {&i->x, &i->value, &i->violation, &i->kept, &i->scale, &i->move, &i->before, &i->force, &i->size, &i->greatest};
    const int sizes[] = {unknowns, unknowns, 2 * m, unknowns, unknowns, 2 * m, m, m, n, n};
    for (size_t a = 0; a < sizeof sizes / sizeof *sizes; a++) {
        *arrays[a] = at;
        at += sizes[a];
    }
    past_begin(&i->past, m + n, unknowns, at);
    fixed_point_begin(&i->fixed_point, unknowns, at + past_room(unknowns));
    return true;
}

int kernel_begin_implicit(Kernel *k, const ImplicitSetup *setup)
{
    kernel_end_implicit(k);
    Implicit *i = k->implicit = calloc(1, sizeof *i);
    if (!i)
        return -1;
    k->end_implicit = kernel_end_implicit;
    i->setup = setup;
    i->constraints = setup->constraints;
    i->inputs = k->coupling->inputs;
    i->unknowns = 2 * i->constraints + i->inputs;
    return allocate(i) && moves_begin(&i->moves, k, setup->constraint, i->constraints, &setup->level) ? 0 : -1;
}

void kernel_end_implicit(Kernel *k)
{
    if (!k->implicit)
        return;
    moves_end(&k->implicit->moves);
    free(k->implicit->block);
    free(k->implicit);
    k->implicit = NULL;
}

double *kernel_implicit_unknowns(Kernel *k)
{
    return k->implicit->x;
}

void kernel_implicit_forget(Kernel *k)
{
    fixed_point_forget(&k->implicit->fixed_point);
}

Past *kernel_implicit_past(Kernel *k)
{
    return &k->implicit->past;
}

/* -- a point -------------------------------------------------------------------------------------------------------------- */

static int multiplier_slot(const Kernel *k, const ImplicitConstraint *c)
{
    return k->loops[c->loop].first + c->place;
}

void kernel_implicit_note(Kernel *k, bool restart)
{
    Implicit *i = k->implicit;
    const Coupling *c = k->coupling;
    const int m = i->constraints;
    if (restart) {
        past_forget(&i->past);
        i->has_before = false;
    }
    double *point = past_add(&i->past, k->t, i->has_before);
    for (int j = 0; j < m; j++)
        point[j] = k->v[multiplier_slot(k, &i->setup->constraint[j])];
    for (int j = 0; j < i->inputs; j++) {
        point[m + j] = k->v[c->arriving[j]];
        i->greatest[j] = fmax(i->greatest[j], fabs(point[m + j]));
    }
    if (m)
        memcpy(point + m + i->inputs, i->before, (size_t)m * sizeof *point);
    past_compare(&i->past);
}

/* -- a step --------------------------------------------------------------------------------------------------------------- */

/* Multipliers and inputs as they go on from the last points. */
static void predict(Implicit *i)
{
    const int m = i->constraints;
    const double end = i->t + i->h, *const predicted = past_predict(&i->past, end), *const now = i->past.point[0];
    const bool spread = spreads(&i->setup->level);
    memcpy(i->x + m, predicted, (size_t)(m + i->inputs) * sizeof *i->x);
    memcpy(i->x, spread || i->setup->level.continuous ? now : predicted, (size_t)m * sizeof *i->x);
    if (spread)
        past_predict_led(&i->past, end, i->x);
    for (int j = 0; j < m && spread; j++)
        if (!i->setup->constraint[j].holonomic)
            i->x[j] = predicted[j];
}

int kernel_implicit_start(Kernel *k, double h)
{
    Implicit *i = k->implicit;
    i->t = i->past.time[0];
    i->h = h;
    i->repetition = i->unimproved = 0;
    i->best = INFINITY;
    i->linearised = i->held_up = false;
    const int result = kernel_save(k, 0);
    i->at_beginning = result == KERNEL_DONE;
    predict(i);
    memcpy(i->kept, i->x, (size_t)i->unknowns * sizeof *i->x);
    fixed_point_leave(&i->fixed_point);
    return result;
}

int kernel_implicit_arrive(Kernel *k, double t, const double *multipliers)
{
    const Implicit *i = k->implicit;
    for (int j = 0; j < i->constraints; j++)
        k->v[multiplier_slot(k, &i->setup->constraint[j])] = multipliers[j];
    return kernel_evaluate_point(k, t);
}

static bool any(const bool *values, int count)
{
    for (int i = 0; i < count; i++)
        if (values[i])
            return true;
    return false;
}

/* Lines from what arrives at the beginning of the step to what is supposed to arrive at its end. */
static int set_lines(Kernel *k, const double *unknowns)
{
    const Implicit *i = k->implicit;
    Coupling *c = k->coupling;
    const int m = i->constraints;
    const bool moves = any(i->setup->movable, m);
    const int result = moves ? kernel_implicit_arrive(k, i->t, unknowns) : KERNEL_DONE;
    for (int j = 0; j < i->inputs; j++) {
        const double first = moves ? k->v[c->arriving[j]] : i->past.point[0][m + j], last = i->setup->still[j] ? first : unknowns[2 * m + j];
        c->value[j] = first;
        c->slope[j] = (last - first) / i->h;
        c->curve[j] = 0;
    }
    c->degree = 1;
    return result;
}

int kernel_implicit_repeat(Kernel *k, const double *unknowns)
{
    Implicit *i = k->implicit;
    const ImplicitSetup *s = i->setup;
    int result = i->at_beginning ? KERNEL_DONE : kernel_restore(k, 0);
    i->at_beginning = false;
    if (result == KERNEL_DONE)
        result = set_lines(k, unknowns);
    if (result == KERNEL_DONE)
        result = kernel_step(k, i->t, i->h, false);
    if (result == KERNEL_DONE && s->between && !(k->coupling->earliest < i->t + i->h))
        result = s->between(i->t, i->h, s->context) ? KERNEL_DONE : KERNEL_STOPPED;
    if (result == KERNEL_DONE)
        result = kernel_get_outputs(k);
    if (result == KERNEL_DONE)
        result = kernel_implicit_arrive(k, i->t + i->h, unknowns + i->constraints);
    if (result == KERNEL_DONE)
        instances_get(s->reading, s->readings);
    for (int j = 0; j < s->reads && result == KERNEL_DONE; j++)
        i->violation[s->place[j]] = s->read[j];
    return result;
}

/* The greatest of the violations that are enforced; not a number where one of them is none. */
static double worst_violation(const Implicit *i)
{
    double worst = 0;
    for (int j = 0; j < 2 * i->constraints; j++) {
        const double size = fabs(i->violation[j]) / i->setup->constraint_size[j % i->constraints];
        if (i->setup->enforced[j])
            worst = worst > size || isnan(worst) ? worst : size;
    }
    return worst / i->setup->constraint_tolerance;
}

/* Newton's move of the multipliers. */
static int move_multipliers(Kernel *k, Implicit *i)
{
    const ImplicitSetup *s = i->setup;
    const int m = i->constraints, r = s->responses;
    const double *response = s->response;
    if (!i->linearised) {
        const int result = moves_linearise(&i->moves, k);
        if (result)
            return result;
        i->linearised = true;
    }
    memset(i->move, 0, 2 * (size_t)m * sizeof *i->move);
    moves_find(&i->moves, k, i->violation, i->h, i->move);
    for (int row = 0; row < 2 * r; row++)
        for (int j = 0; j < 2 * r; j++)
            i->move[row / r * m + s->responding[row % r]] += *response++ * i->violation[j / r * m + s->responding[j % r]];
    for (int j = 0; j < m; j++)
        i->value[j] += s->movable[j] ? i->move[j] : 0;
    for (int j = m; j < 2 * m; j++)
        i->value[j] += i->move[j];
    return KERNEL_DONE;
}

/* Inputs are at rest within their tolerance, or within the noise of multipliers if that is larger. */
static bool rest(const Implicit *i, double noise)
{
    const double *arrived = i->value + 2 * i->constraints, *supposed = i->x + 2 * i->constraints;
    for (int j = 0; j < i->inputs; j++) {
        const double allowed = noise ? noise_of_inputs * noise * fmax(i->size[j], i->setup->input_size[j])
                                     : i->setup->tolerance[j] * i->size[j] + i->setup->rounding * i->setup->input_size[j];
        if (!(fabs(arrived[j] - supposed[j]) <= allowed))
            return false;
    }
    return true;
}

static int settled(Implicit *i, ImplicitEnd *end, bool *ended)
{
    if (i->constraints)
        memcpy(i->before, i->x, (size_t)i->constraints * sizeof *i->x);
    i->has_before = true;
    end->ending = SETTLED;
    *ended = true;
    return KERNEL_DONE;
}

/* One repetition, and what the map of the unknowns has answered there. */
static int attempt(Kernel *k, ImplicitEnd *end, bool *ended)
{
    Implicit *i = k->implicit;
    const int m = i->constraints, first = 2 * m;
    int result = kernel_implicit_repeat(k, i->x);
    if (result)
        return result;
    if (k->coupling->earliest < i->t + i->h) {
        end->ending = EARLY;
        end->reached = k->coupling->earliest;
        *ended = true;
        return KERNEL_DONE;
    }
    i->worst = worst_violation(i);
    memcpy(i->value, i->x, (size_t)i->unknowns * sizeof *i->x);
    if (i->worst > 1) {
        result = move_multipliers(k, i);
        if (result == KERNEL_DONE)
            result = kernel_implicit_arrive(k, i->t + i->h, i->value + m);
        if (result)
            return result;
    }
    for (int j = 0; j < i->inputs; j++) {
        if (!i->setup->still[j])
            i->value[first + j] = k->v[k->coupling->arriving[j]];
        i->size[j] = fmax(fmax(fabs(i->value[first + j]), fabs(i->past.point[0][m + j])), least_size * i->greatest[j]);
    }
    if (i->worst <= 1 && rest(i, 0))
        return settled(i, end, ended);
    i->unimproved = i->worst >= fmax(i->best, 1) ? i->unimproved + 1 : 0;
    if (i->worst < i->best) {
        i->best = i->worst;
        memcpy(i->kept, i->x, (size_t)i->unknowns * sizeof *i->x);
    }
    if (i->unimproved > PATIENCE && i->best * i->setup->constraint_tolerance <= i->setup->noise && rest(i, i->setup->noise)) {
        memcpy(i->x, i->kept, (size_t)i->unknowns * sizeof *i->x); /* constraints hold as well as the instances' own errors let them */
        result = kernel_implicit_repeat(k, i->x);
        return result ? result : settled(i, end, ended);
    }
    if (i->unimproved > PATIENCE && i->repetition < i->setup->most_repetitions - 1) {
        fixed_point_forget(&i->fixed_point);
        i->unimproved = 0;
        if (i->setup->responses) {
            end->ending = STUCK;
            i->held_up = *ended = true;
        }
    }
    return KERNEL_DONE;
}

/* The size of each unknown: the greatest that it has had, but no less than a share of the greatest of all of its kind. */
static void set_scale(Implicit *i)
{
    const int m = i->constraints;
    double most_force = 0, most_input = 0;
    for (int j = 0; j < m; j++) {
        i->force[j] = fmax(i->force[j], fmax(fabs(i->value[j]), fabs(i->value[m + j])));
        most_force = fmax(most_force, i->force[j]);
    }
    for (int j = 0; j < i->inputs; j++)
        most_input = fmax(most_input, i->greatest[j]);
    for (int j = 0; j < i->unknowns; j++) {
        const bool input = j >= 2 * m;
        const double size = fmax(input ? i->greatest[j - 2 * m] : i->force[j % m], least_size * (input ? most_input : most_force));
        i->scale[j] = size > 0 ? size : 1;
    }
}

/* The gain of the coupling on itself makes the scheme unstable, even if its equations can be solved. */
static bool diverges(const Implicit *i, ImplicitEnd *end)
{
    const FixedPoint *f = &i->fixed_point;
    if (!i->setup->watches_gain || !f->gains)
        return false;
    if (!(f->gain[0] > most_single_gain || (f->gains > 1 && fmin(f->gain[0], f->gain[1]) > most_gain)))
        return false;
    *end = (ImplicitEnd){.ending = DIVERGING, .gain = f->gain[0]};
    const int first = 2 * i->constraints;
    double most = -1;
    for (int j = 0; j < i->inputs; j++) {
        const double move = fabs(i->value[first + j] - i->x[first + j]) / fmax(i->size[j], i->setup->rounding * i->setup->input_size[j]);
        if (move > most) {
            most = move;
            end->input = j;
        }
    }
    return true;
}

int kernel_implicit_go_on(Kernel *k, ImplicitEnd *end)
{
    Implicit *i = k->implicit;
    *end = (ImplicitEnd){.ending = UNSETTLED};
    for (; i->repetition < i->setup->most_repetitions; i->repetition++) {
        bool ended = false;
        const int result = i->held_up ? KERNEL_DONE : attempt(k, end, &ended);
        if (result || ended)
            return result;
        i->held_up = false;
        set_scale(i);
        fixed_point_next(&i->fixed_point, i->x, i->value, i->scale, i->worst > 1 ? 0 : 2 * i->constraints, i->x);
        if (diverges(i, end))
            return kernel_restore(k, 0);
    }
    return kernel_restore(k, 0);
}
