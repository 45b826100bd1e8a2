/* Steps of an implicit method. In each the constraints hold at their own level by Newton's method, with their multipliers as
 * unknowns; then velocities are projected, and an ordinary evaluation gives the derivatives and multipliers that belong to the states
 * (Gonzalez, Dopico, Cuadrado, Kovecses, Reaction efforts associated with non-holonomic and rheonomic constraints in index-3 augmented
 * Lagrangian formulations). In states, the trapezoidal rule is Newmark's method with beta = 1/4 and gamma = 1/2. */
#include "runs/index3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double rounding = 1e4;      /* times the tolerance: what a change may be that falls no longer */
static const double falling = 0.5;
static const double contradiction = 1e-5; /* in the units of constraints: ten times what a start may violate them */
enum { SETTLING = 3 };

static int solve_stage(Kernel *, Index3 *, double t, double c, int *iterations);
static int project(Kernel *, Index3 *, double t, double h);
static const Iteration bordered_iteration = {solve_stage, project};

void index3_free(Index3 *own)
{
    if (!own)
        return;
    bordered_free(own->b);
    free(own->x); /* with all numbers */
    free(own->alternations);
    free(own);
}

Index3 *index3_new(const Kernel *k, const Rows *rows, const Index3Options *options)
{
    Index3 *own = calloc(1, sizeof *own);
    if (!own)
        return NULL;
    const size_t n = (size_t)k->states, unknowns = (size_t)rows->bordered->unknowns;
    own->o = *options;
    own->report.ringing = own->report.worst = -1;
    double **const arrays[] = {&own->x,     &own->dx,   &own->x_before, &own->dx_before, &own->memory,
                               &own->trial, &own->base, &own->slope,    &own->change};
    const size_t count = sizeof arrays / sizeof *arrays;
    double **const by_unknown[] = {&own->unknowns,        &own->lambda, &own->reaction, NULL,
                                   &own->reaction_before, NULL,         &own->sigma,    &own->kappa};
    const size_t more = sizeof by_unknown / sizeof *by_unknown;
    double *const block = calloc(count * n + more * unknowns + 1, sizeof *block);
    for (size_t i = 0; i < count; i++)
        *arrays[i] = block + (block ? i * n : 0);
    for (size_t i = 0; i < more; i++)
        if (by_unknown[i])
            *by_unknown[i] = block + (block ? count * n + i * unknowns : 0);
    own->iteration = &bordered_iteration;
    own->alternations = calloc(n + 1, sizeof *own->alternations);
    own->b = bordered_new(k, rows);
    if (block && own->alternations && own->b)
        return own;
    index3_free(own);
    return NULL;
}

static void place(const Index3 *own, double t, const double *x)
{
    if (own->place)
        own->place(own->context, t, x);
}

int index3_evaluate(Kernel *k, Index3 *own, double t)
{
    place(own, t, own->x);
    const int result = kernel_derivatives(k, t, own->x, own->dx);
    double *unknown = own->unknowns;
    for (int i = 0; i < k->loop_count; unknown += k->loops[i++].count)
        memcpy(unknown, k->v + k->loops[i].first, (size_t)k->loops[i].count * sizeof *unknown);
    return result;
}

int index3_start(Kernel *k, Index3 *own, double t, const double *x)
{
    const size_t size = (size_t)k->states * sizeof *x;
    memcpy(own->x, x, size);
    own->b->stale = true;
    const int result = index3_evaluate(k, own, t);
    memcpy(own->memory, own->dx, size);
    return result;
}

double index3_size_of_change(Index3 *own, const double *x, const double *change, const int *left_out)
{
    double greatest = 0;
    for (int i = 0; i < own->b->states; i++) {
        if (left_out && left_out[i])
            continue;
        const double size = fabs(change[i]) / (own->o.tolerance * (own->o.nominal[i] + fabs(x[i])));
        if (!(size <= greatest)) {
            greatest = size;
            own->report.worst = i;
            own->report.change = change[i];
        }
    }
    return greatest;
}

int index3_not_finite(Kernel *k, int state)
{
    const int result = failed(k, KERNEL_NOT_FINITE, "integrating", -1, OK);
    k->failure.slot = state;
    return result;
}

static int solve_stage(Kernel *k, Index3 *own, double t, double c, int *iterations)
{
    Bordered *b = own->b;
    double *const x = own->trial, before = INFINITY;
    const int n = b->states;
    place(own, t, x);
    for (int u = 0; u < b->unknowns && !own->o.stepped; u++)
        own->unknowns[u] *= b->level[u] != OF_VELOCITY;
    for (int i = 1; i <= own->o.limit; i++) {
        int result = bordered_evaluate(k, b, t, x, own->unknowns, own->slope);
        if (result == KERNEL_DONE)
            result = bordered_differentiate(k, b);
        if (result == KERNEL_DONE)
            result = bordered_factorise_step(k, b, c, own->o.stepped);
        if (result)
            return result;
        for (int j = 0; j < n; j++)
            b->right[j] = own->base[j] + c * own->slope[j] - x[j];
        bordered_solve_step(b, c, own->o.stepped);
        for (int j = 0; j < n; j++)
            x[j] += b->right[j];
        for (int u = 0; u < b->unknowns; u++)
            own->unknowns[u] += b->right[n + u];
        ++*iterations;
        const double now = index3_size_of_change(own, x, b->right, NULL);
        if (!isfinite(now))
            return index3_not_finite(k, own->report.worst);
        if (now <= 1 || (i >= SETTLING && now > falling * before && now <= rounding))
            return KERNEL_DONE;
        before = now;
    }
    k->failure = (Failure){.kind = KERNEL_STEP_NOT_SOLVED, .instance = -1, .index = -1, .slot = own->report.worst, .time = t};
    return KERNEL_STEP_NOT_SOLVED;
}

static int step_trapezoidal(Kernel *k, Index3 *own, double t, double h, double end, int *iterations)
{
    (void)t;
    for (int i = 0; i < k->states; i++) {
        own->trial[i] = own->x[i] + h * own->dx[i];
        own->base[i] = own->x[i] + h / 2 * own->dx[i];
    }
    return own->iteration->stage(k, own, end, h / 2, iterations);
}

/* In first-order form (Jansen, Whiting, Hulbert, A generalized-alpha method for integrating the filtered Navier-Stokes equations, 2000), whose
 * memory of derivatives is that of the steps before they were projected: otherwise its order would be 1. */
static int step_alpha(Kernel *k, Index3 *own, double t, double h, double end, int *iterations)
{
    const double radius = own->o.radius, of_memory = (3 - radius) / (2 * (1 + radius)), of_slope = 1 / (1 + radius);
    const double gamma = 0.5 + of_memory - of_slope, c = h * gamma * of_slope / of_memory;
    (void)t;
    for (int i = 0; i < k->states; i++) {
        const double rest = ((1 - of_slope) * own->dx[i] - (1 - of_memory) * own->memory[i]) / of_memory;
        own->trial[i] = own->x[i] + h * own->dx[i];
        own->base[i] = own->x[i] + h * (1 - gamma) * own->memory[i] + h * gamma * rest;
    }
    const int result = own->iteration->stage(k, own, end, c, iterations);
    for (int i = 0; i < k->states && result == KERNEL_DONE; i++)
        own->memory[i] = (own->trial[i] - own->x[i] - h * (1 - gamma) * own->memory[i]) / (h * gamma);
    return result;
}

/* The trapezoidal rule and the second backward differentiation formula, both with the same coefficient (Bank and others, Transient
 * simulation of silicon devices and circuits, 1985). */
static int step_trbdf2(Kernel *k, Index3 *own, double t, double h, double end, int *iterations)
{
    const double share = 2 - sqrt(2), c = share * h / 2;
    for (int i = 0; i < k->states; i++) {
        own->trial[i] = own->x[i] + share * h * own->dx[i];
        own->base[i] = own->x[i] + c * own->dx[i];
    }
    const int result = own->iteration->stage(k, own, t + share * h, c, iterations);
    if (result)
        return result;
    for (int i = 0; i < k->states; i++) {
        const double middle = own->trial[i];
        own->trial[i] = own->x[i] + (middle - own->x[i]) / share;
        own->base[i] = (middle - own->x[i] * (1 - share) * (1 - share)) / (share * (2 - share));
    }
    return own->iteration->stage(k, own, end, h * (1 - share) / (2 - share), iterations);
}

/* Velocities onto the constraints; refuses positions that satisfy none of their constraints, as contradictory ones leave them. */
static int project(Kernel *k, Index3 *own, double t, double h)
{
    Bordered *b = own->b;
    int result = bordered_evaluate(k, b, t, own->trial, own->unknowns, own->slope);
    if (result)
        return result;
    for (int u = 0; u < b->unknowns; u++)
        if (b->level[u] == OF_POSITION && !b->off[u] && fabs(b->violation[u]) > contradiction) {
            k->failure = (Failure){.kind = KERNEL_STEP_CONTRADICTORY, .instance = -1, .index = u, .slot = -1, .time = t};
            return KERNEL_STEP_CONTRADICTORY;
        }
    const double violation = bordered_velocity(b);
    double energy = 0;
    if (violation > 0)
        result = bordered_project(k, b, own->o.tangent ? h / 2 : 0, own->trial, &energy);
    own->report.velocity = fmax(own->report.velocity, violation);
    own->report.energy += energy;
    return result;
}

int index3_step(Kernel *k, Index3 *own, double t, double h, double end)
{
    static int (*const methods[])(Kernel *, Index3 *, double, double, double, int *) = {step_trapezoidal, step_alpha, step_trbdf2};
    const size_t size = (size_t)k->states * sizeof(double);
    const long factorisations = k->statistics.factorisations;
    int iterations = 0, result = methods[own->o.method](k, own, t, h, end, &iterations);
    if (result == KERNEL_DONE)
        result = own->iteration->project(k, own, end, h);
    own->report.iterations += iterations;
    own->report.factorisations += k->statistics.factorisations - factorisations;
    if (result)
        return result;
    own->report.most_iterations = iterations > own->report.most_iterations ? iterations : own->report.most_iterations;
    memcpy(own->x_before, own->x, size);
    memcpy(own->dx_before, own->dx, size);
    memcpy(own->x, own->trial, size);
    return KERNEL_DONE;
}

void index3_between(const Index3 *own, int states, double f, double h, double *x)
{
    const double rest = 1 - f;
    for (int i = 0; i < states; i++)
        x[i] = rest * rest * ((1 + 2 * f) * own->x_before[i] + h * f * own->dx_before[i]) +
               f * f * ((1 + 2 * rest) * own->x[i] - h * rest * own->dx[i]);
}
