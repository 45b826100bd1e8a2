/* The iteration of an augmented Lagrangian with projections of velocities and accelerations (Gonzalez, Dopico, Cuadrado, Kovecses, see
 * index3.c). Numbers of equations are those of the paper, with the corrections that the page on misprints names.
 *
 * Each equation of the paper is solved with its multipliers as unknowns beside the states. With J the constraints' Jacobian,
 *
 *     (P + c J'alpha J) moved = -c J'alpha rest - J'sigma,   sigma += c alpha (J moved + rest)
 *
 * is the same as P moved + J'sigma_new = 0 and J moved - (sigma_new - sigma) / (c alpha) = -rest. In states P moved = -J'sigma is
 * moved = F_lambda mu, where mu = -sigma has the sign of a joint's multiplier: no mass matrix is needed. Rounding grows with the penalty in
 * (9) alone. The paper's stiffness K and damping C are derivatives of the applied forces alone, so derivatives are those without multipliers. */
#include "runs/index3.h"
#include "runs/run.h"

#include <math.h>
#include <string.h>

static const double rounding = 1e4; /* times the tolerance: what may be left of a violation that falls no longer */

/* Violations and derivatives at the trial states, with the multipliers of constraints at zero; `kappa` serves for the unknowns. */
static int derive(Kernel *k, Index3 *own, double t)
{
    Bordered *b = own->b;
    for (int u = 0; u < b->unknowns; u++)
        own->kappa[u] = b->level[u] == OF_RESIDUAL ? own->unknowns[u] : 0;
    const int result = bordered_evaluate(k, b, t, own->trial, own->kappa, own->slope);
    return result ? result : bordered_differentiate(k, b);
}

/* Equations (8) to (19). Velocities alone, where the step holds them, have multipliers of the same kind. */
static int stage(Kernel *k, Index3 *own, double t, double c, int *iterations)
{
    Bordered *b = own->b;
    double *const x = own->trial;
    const int n = b->states;
    const bool stepped = own->o.stepped;
    if (own->place)
        own->place(own->context, t, x);
    for (int u = 0; u < b->unknowns; u++)
        if (b->level[u] != OF_RESIDUAL)
            own->unknowns[u] = own->lambda[u];
    int result = bordered_evaluate(k, b, t, x, own->unknowns, own->slope);
    for (int j = 0; j < n; j++) /* positions that fit the velocities, as the rule has them */
        if (!b->moving[j])
            x[j] = own->base[j] + c * own->slope[j];
    if (result == KERNEL_DONE)
        result = derive(k, own, t);
    for (int i = 0; i < own->o.limit && result == KERNEL_DONE; i++) {
        b->share = 1 / own->o.penalty;
        result = bordered_evaluate(k, b, t, x, own->unknowns, own->slope);
        if (result == KERNEL_DONE)
            result = bordered_factorise_step(k, b, c, stepped);
        if (result)
            return result;
        for (int j = 0; j < n; j++)
            b->right[j] = own->base[j] + c * own->slope[j] - x[j];
        bordered_solve_step(b, c, stepped);
        for (int j = 0; j < n; j++)
            x[j] += b->right[j];
        for (int u = 0; u < b->unknowns; u++)
            own->unknowns[u] += b->level[u] == OF_RESIDUAL ? b->right[n + u] : 0;
        ++*iterations;
        const double now = index3_size_of_change(own, x, b->right, b->moving);
        if (!isfinite(now))
            return index3_not_finite(k, own->report.worst);
        result = derive(k, own, t);
        for (int u = 0; u < b->unknowns && result == KERNEL_DONE; u++)
            if (b->level[u] != OF_RESIDUAL && !bordered_left_out(b, u, stepped))
                own->unknowns[u] -= own->o.penalty * b->violation[u]; /* (9) */
        own->finished = now <= 1;
        if (own->finished)
            break;
    }
    for (int u = 0; u < b->unknowns; u++)
        own->lambda[u] = own->unknowns[u];
    return result;
}

/* Passes of a projection, whose equations are factorised, by what is left of the constraints without it. Leaves what moves in `right`. */
static void iterate(Index3 *own, const double *rest, double *mu, double tolerance)
{
    Bordered *b = own->b;
    const int n = b->states;
    double left = INFINITY, before = INFINITY;
    bool done = false;
    memset(mu, 0, (size_t)b->unknowns * sizeof *mu);
    for (int i = 0; i < own->o.limit && !done; i++) {
        memset(b->right, 0, (size_t)n * sizeof *b->right);
        for (int u = 0; u < b->unknowns; u++)
            b->right[n + u] = bordered_holds(b, u) ? b->share * mu[u] - rest[u] : 0;
        linear_solve(b->projection.linear, b->right);
        before = left;
        left = 0;
        for (int u = 0; u < b->unknowns; u++)
            if (bordered_holds(b, u)) {
                left = fmax(left, b->share * fabs(b->right[n + u] - mu[u]));
                mu[u] = b->right[n + u];
            }
        done = left <= tolerance || (left >= before && left <= rounding * tolerance);
    }
    own->finished = own->finished && done;
}

/* Equations (20) to (25), at the trial states; keeps the accelerations that belong to the unprojected ones, (11). */
static int project(Kernel *k, Index3 *own, double t, double h)
{
    Bordered *b = own->b;
    const double c = own->o.tangent ? h / 2 : 0;
    double *const rest = b->got; /* which the next evaluation fills again */
    (void)t;
    for (int i = 0; i < b->states; i++)
        own->slope[i] = (own->trial[i] - own->base[i]) / (h / 2);
    b->share = 1 / (own->o.penalty * (own->o.tangent ? c * c : 1));
    const int result = bordered_factorise_projection(k, b, c);
    if (result)
        return result;
    for (int u = 0; u < b->unknowns; u++)
        rest[u] = bordered_holds(b, u) ? b->violation[b->velocity_row[u] - b->states] : 0;
    iterate(own, rest, own->sigma, own->o.tolerance * h / 2);
    for (int i = 0; i < b->states; i++)
        own->trial[i] += b->moving[i] ? b->right[i] : 0;
    own->report.velocity = fmax(own->report.velocity, bordered_velocity(b));
    own->report.energy += bordered_energy(b, own->sigma);
    return KERNEL_DONE;
}

/* The rate at which the velocity of an unknown answers to derivatives of states that are velocities. */
static double rate_of(const Bordered *b, int unknown, const double *dx, const double *without)
{
    const int *const start = b->number + b->row->row_start, *const column = b->number + b->row->column;
    const int row = b->velocity_row[unknown];
    double sum = 0;
    for (int e = start[row]; e < start[row + 1]; e++)
        if (column[e] < b->states && b->moving[column[e]])
            sum += b->jacobian[e] * (dx[column[e]] - without[column[e]]);
    return sum;
}

/* Equations (26) to (31), and the reactions (36), (42) and (43). The evaluation's accelerations satisfy the constraints. The violation of
 * the others follows from their distance to these. */
void augmented_accelerations(Index3 *own, double t, double h)
{
    Bordered *b = own->b;
    double *const rest = b->got;
    for (int u = 0; u < b->unknowns; u++)
        rest[u] = bordered_holds(b, u) ? rate_of(b, u, own->slope, own->dx) : 0;
    iterate(own, rest, own->kappa, own->o.tolerance);
    for (int i = 0; i < b->states; i++)
        if (b->moving[i])
            own->dx[i] = own->slope[i] + b->right[i];
    memcpy(own->reaction_before, own->reaction, 2 * (size_t)b->unknowns * sizeof *own->reaction);
    for (int u = 0; u < b->unknowns; u++) {
        const double by_accelerations = own->lambda[u] + own->kappa[u], by_velocities = own->lambda[u] + 2 / h * own->sigma[u];
        own->reaction[u] = by_accelerations;
        own->reaction[b->unknowns + u] = by_velocities;
        own->report.difference = fmax(own->report.difference, fabs(by_accelerations - by_velocities));
        if (b->level[u] == OF_VELOCITY && own->o.stepped)
            own->lambda[u] = by_accelerations;
    }
    own->report.unfinished += !own->finished;
    own->began = t - h;
    own->ended = t;
}

void augmented_begin(Index3 *own, double t)
{
    const Bordered *b = own->b;
    for (int u = 0; u < b->unknowns; u++) {
        own->lambda[u] = b->level[u] == OF_VELOCITY && !own->o.stepped ? 0 : own->unknowns[u];
        own->reaction[u] = own->reaction[b->unknowns + u] = own->unknowns[u];
    }
    own->began = own->ended = t;
}

/* Linear, since multipliers are of the second order. */
void augmented_show(Kernel *k, double t)
{
    const Index3 *own = k->run->index3;
    if (!(own->o.penalty > 0))
        return;
    const double share = t < own->ended ? (t - own->began) / (own->ended - own->began) : 1;
    for (int i = 0; i < 2 * own->b->unknowns; i++)
        k->v[own->o.reactions + i] = share < 1 ? (1 - share) * own->reaction_before[i] + share * own->reaction[i] : own->reaction[i];
}

const Iteration augmented_iteration = {stage, project};
