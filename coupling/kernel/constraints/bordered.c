#include "constraints/bordered.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double penalty = 1e-10; /* of D; singular values below are not believed (linear.h) */

/* -- building ------------------------------------------------------------------------------------------------------------ */

static void free_matrix(Matrix *m)
{
    free(m->row_start); /* with all integers */
    free(m->value);
    linear_free(m->linear);
}

void bordered_free(Bordered *b)
{
    if (!b)
        return;
    free_matrix(&b->step);
    free_matrix(&b->projection);
    free(b->derivatives);
    free(b->velocity_row); /* with the starts of pairs */
    free(b->pair);
    free(b->term); /* with all numbers */
    free(b);
}

/* A row with what the Jacobian has in one of its own, and a diagonal. Returns how many entries there are now. */
static int add_row(const Bordered *b, Matrix *m, int row, int from, int count)
{
    const int *const start = b->number + b->row->row_start, *const column = b->number + b->row->column;
    const int first = from == NONE ? 0 : start[from], end = from == NONE ? 0 : start[from + 1];
    m->row_start[row] = count;
    m->diagonal[row] = NONE;
    for (int e = first; e < end || m->diagonal[row] == NONE; count++) {
        const bool diagonal = m->diagonal[row] == NONE && (e == end || column[e] >= row);
        const bool there = e < end && (!diagonal || column[e] == row);
        m->column[count] = diagonal ? row : column[e];
        m->source[count] = there ? e : NONE;
        if (diagonal)
            m->diagonal[row] = count;
        e += there;
    }
    return count;
}

static bool build_matrix(const Bordered *b, Matrix *m, bool projection)
{
    const int *const start = b->number + b->row->row_start;
    const int n = b->states, size = n + b->unknowns;
    const size_t rows = (size_t)size + 1, most = (size_t)start[size + b->velocities] + rows;
    m->row_start = malloc((3 * rows + 2 * most) * sizeof *m->row_start);
    m->value = malloc(most * sizeof *m->value);
    if (!m->row_start || !m->value)
        return false;
    m->diagonal = m->row_start + rows;
    m->column = m->diagonal + 2 * rows;
    m->source = m->column + most;
    int *const order = m->diagonal + rows, count = 0;
    for (int i = 0; i < size; i++) {
        const bool replaced = projection && i >= n && b->level[i - n] != OF_RESIDUAL;
        count = add_row(b, m, i, replaced ? b->velocity_row[i - n] : i, count);
    }
    m->row_start[size] = count;
    if (linear_order(size, m->row_start, m->column, order))
        return false;
    m->linear = linear_new(size, m->row_start, m->column, order);
    return m->linear != NULL;
}

/* The entry of the Jacobian in a row and a column; NONE if none exists. */
static int entry_at(const Bordered *b, int row, int column)
{
    const int *const start = b->number + b->row->row_start, *const columns = b->number + b->row->column;
    for (int e = start[row]; e < start[row + 1]; e++)
        if (columns[e] == column)
            return e;
    return NONE;
}

/* Finds the pairs whose products make up D. */
static bool find_pairs(Bordered *b)
{
    const int *const start = b->number + b->row->row_start, *const column = b->number + b->row->column;
    b->pair = malloc((2 * (size_t)start[b->states + b->unknowns + b->velocities] + 1) * sizeof *b->pair);
    int count = 0;
    for (int u = 0; u < b->unknowns && b->pair; u++) {
        const int row = b->velocity_row[u];
        b->pair_start[u] = count;
        for (int e = row == NONE ? 0 : start[row]; row != NONE && e < start[row + 1]; e++) {
            const int other = column[e] < b->states ? entry_at(b, column[e], b->states + u) : NONE;
            if (other == NONE)
                continue;
            b->pair[2 * count] = e;
            b->pair[2 * count++ + 1] = other;
        }
    }
    b->pair_start[b->unknowns] = count;
    return b->pair != NULL;
}

Bordered *bordered_new(const Kernel *k, const Rows *rows)
{
    Bordered *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    const BorderedRow *row = b->row = rows->bordered;
    b->number = rows->number;
    b->real = rows->real;
    b->get = rows->level;
    b->gets = rows->levels;
    b->states = k->states;
    b->unknowns = row->unknowns;
    b->velocities = row->velocities;
    b->stale = true;
    b->off = kernel_off(k);
    b->level = b->number + row->level;
    b->moving = b->number + row->moving;
    const size_t n = (size_t)b->states, u = (size_t)b->unknowns, all = n + u + (size_t)b->velocities;
    const size_t values = (size_t)(b->number + row->row_start)[all];
    const size_t numbers[] = {(size_t)row->terms, (size_t)row->entries, values, u, all - n, all - n, n + u};
    double **const arrays[] = {&b->term, &b->entry, &b->jacobian, &b->diagonal, &b->violation, &b->got, &b->right};
    size_t room = 1;
    for (int i = 0; i < 7; i++)
        room += numbers[i];
    double *at = calloc(room, sizeof *at);
    b->velocity_row = malloc((2 * u + 2) * sizeof *b->velocity_row);
    for (int i = 0; i < 7 && at; at += numbers[i++])
        *arrays[i] = at;
    bool complete = at && b->velocity_row && build_derivatives(rows, WHOLE, &b->derivatives, &b->derivative_count);
    if (complete) {
        b->term[0] = b->entry[0] = 1;
        b->pair_start = b->velocity_row + u;
        for (int i = 0; i < b->unknowns; i++)
            b->velocity_row[i] = b->level[i] == OF_VELOCITY ? b->states + i : NONE;
        for (int i = 0; i < b->velocities; i++)
            b->velocity_row[b->number[row->velocity_of + i]] = b->states + b->unknowns + i;
        complete = find_pairs(b) && build_matrix(b, &b->step, false) && build_matrix(b, &b->projection, true);
    }
    if (complete)
        return b;
    bordered_free(b);
    return NULL;
}

/* -- a point --------------------------------------------------------------------------------------------------------------- */

static bool evaluate_fused(Kernel *k, Bordered *b, double t, const double *x, const double *unknowns, double *dx)
{
    if (!k->fused || !k->fused->open)
        return false;
    k->t = t;
    memcpy(k->v, x, (size_t)k->states * sizeof *x);
    set_unknowns(k, unknowns);
    return k->fused->open(k, dx, b->violation);
}

int bordered_evaluate(Kernel *k, Bordered *b, double t, const double *x, const double *unknowns, double *dx)
{
    b->fused = evaluate_fused(k, b, t, x, unknowns, dx);
    if (b->fused)
        return KERNEL_DONE;
    int result = kernel_residuals(k, t, x, unknowns, dx, b->violation);
    for (int i = 0; i < b->gets && result == KERNEL_DONE; i++) {
        const LevelRow *get = &b->get[i];
        const Reference *references = (const Reference *)(b->number + get->references);
        const Status status = instance_get_reals(k->parts[get->part].instance, references, (size_t)get->count, b->got);
        if (status > WARNING) {
            result = failed(k, KERNEL_FMU_FAILED, "getting", get->part, status);
            k->failure.references = references;
            k->failure.count = get->count;
        }
        for (int j = 0; j < get->count; j++)
            b->violation[b->number[get->places + j]] = b->got[j];
    }
    return result;
}

/* Sums the response of the velocities of constraints to their unknowns. */
static void sum_pairs(Bordered *b)
{
    for (int u = 0; u < b->unknowns; u++) {
        double sum = 0;
        for (int p = b->pair_start[u]; p < b->pair_start[u + 1]; p++)
            sum += b->jacobian[b->pair[2 * p]] * b->jacobian[b->pair[2 * p + 1]];
        b->diagonal[u] = sum;
    }
}

static int differentiate_instances(Kernel *k, Bordered *b)
{
    const BorderedRow *const row = b->row;
    for (int i = 0; i < b->derivative_count; i++) {
        const LocalDerivative *d = &b->derivatives[i];
        if (d->at_events && !b->stale)
            continue;
        const int result = differentiate(k, d, b->term + d->first);
        if (result)
            return result;
    }
    b->stale = false;
    const int *const start = b->number + row->product_start, *const term = b->number + row->term, *const entry = b->number + row->entry;
    const double *const factor = b->real + row->factor;
    for (int i = 1; i < row->entries; i++) {
        double sum = 0;
        for (int p = start[i - 1]; p < start[i]; p++)
            sum += factor[p] * b->term[term[p]] * b->entry[entry[p]];
        b->entry[i] = sum;
    }
    const int *const chosen = b->number + row->chosen, values = (b->number + row->row_start)[b->states + b->unknowns + b->velocities];
    for (int e = 0; e < values; e++)
        b->jacobian[e] = b->entry[chosen[e]];
    return KERNEL_DONE;
}

int bordered_differentiate(Kernel *k, Bordered *b)
{
    int result = KERNEL_DONE;
    if (b->fused)
        k->fused->differentiate_open(k, b->jacobian);
    else
        result = differentiate_instances(k, b);
    if (result == KERNEL_DONE)
        sum_pairs(b);
    return result;
}

/* -- equations ------------------------------------------------------------------------------------------------------------- */

static int factorise(Kernel *k, const Bordered *b, const Matrix *m)
{
    k->statistics.factorisations++;
    if (linear_factorise(m->linear, m->value) >= 0)
        return KERNEL_DONE;
    const int result = failed(k, KERNEL_NOT_FINITE, "differentiating", -1, OK);
    k->failure.slot = b->unknowns ? k->loops[0].first : 0;
    return result;
}

/* A row as a multiple of what the Jacobian has: of states, and of unknowns. */
static void fill_row(const Bordered *b, const Matrix *m, int row, double of_states, double of_unknowns)
{
    for (int e = m->row_start[row]; e < m->row_start[row + 1]; e++) {
        const int source = m->source[e];
        m->value[e] = source == NONE ? 0 : (m->column[e] < b->states ? of_states : of_unknowns) * b->jacobian[source];
    }
}

/* An unknown is left out if it has no equation in a step and keeps its value. */
bool bordered_left_out(const Bordered *b, int unknown, bool stepped)
{
    return b->off[unknown] || (b->level[unknown] == OF_VELOCITY && !stepped);
}

/* A projection holds the velocity of this unknown. */
bool bordered_holds(const Bordered *b, int unknown)
{
    return b->velocity_row[unknown] != NONE && !b->off[unknown];
}

double bordered_velocity(const Bordered *b)
{
    double greatest = 0;
    for (int u = 0; u < b->unknowns; u++)
        if (bordered_holds(b, u))
            greatest = fmax(greatest, fabs(b->violation[b->velocity_row[u] - b->states]));
    return greatest;
}

/* Returns the factor of the equations of a level, which gives them the size of accelerations. */
static double scale_of(const Bordered *b, int unknown, double c)
{
    return b->level[unknown] == OF_POSITION ? 1 / (c * c) : b->level[unknown] == OF_VELOCITY ? 1 / c : 1;
}

/* Returns the share of a multiplier in its own equation, whose scale is given. */
static double share_of(const Bordered *b, int unknown, double scale)
{
    return b->share > 0 && b->level[unknown] != OF_RESIDUAL ? scale * b->share : penalty * b->diagonal[unknown];
}

int bordered_factorise_step(Kernel *k, Bordered *b, double c, bool stepped)
{
    Matrix *const m = &b->step;
    const int n = b->states;
    for (int i = 0; i < n; i++) {
        fill_row(b, m, i, -c, -c);
        m->value[m->diagonal[i]] += 1;
    }
    for (int u = 0; u < b->unknowns; u++) {
        const bool out = bordered_left_out(b, u, stepped);
        const double scale = out ? 0 : scale_of(b, u, c);
        fill_row(b, m, n + u, scale, scale);
        m->value[m->diagonal[n + u]] += out ? 1 : share_of(b, u, scale);
    }
    return factorise(k, b, m);
}

void bordered_solve_step(Bordered *b, double c, bool stepped)
{
    for (int u = 0; u < b->unknowns; u++)
        b->right[b->states + u] = bordered_left_out(b, u, stepped) ? 0 : -scale_of(b, u, c) * b->violation[u];
    linear_solve(b->step.linear, b->right);
}

/* In the metric of the masses all states except velocities stay. They follow by a tangent, which is taken into account and not carried
 * out. */
int bordered_factorise_projection(Kernel *k, const Bordered *b, double c)
{
    const Matrix *const m = &b->projection;
    const int n = b->states;
    for (int i = 0; i < n; i++) {
        fill_row(b, m, i, -c, c > 0 || b->moving[i] ? -1 : 0);
        m->value[m->diagonal[i]] += 1;
    }
    for (int u = 0; u < b->unknowns; u++) {
        const bool residual = b->level[u] == OF_RESIDUAL && !b->off[u], holds = bordered_holds(b, u);
        fill_row(b, m, n + u, holds, residual);
        for (int e = m->row_start[n + u]; holds && e < m->row_start[n + u + 1]; e++)
            m->value[e] *= m->column[e] < n && b->moving[m->column[e]];
        m->value[m->diagonal[n + u]] += holds ? share_of(b, u, 1) : !residual;
    }
    return factorise(k, b, m);
}

/* Returns the energy that velocities lose: half of mu' (w_x F_lambda) mu. */
double bordered_energy(const Bordered *b, const double *mu)
{
    const int *const start = b->number + b->row->row_start, *const column = b->number + b->row->column;
    double energy = 0;
    for (int u = 0; u < b->unknowns; u++)
        for (int w = b->velocity_row[u], e = w == NONE ? 0 : start[w]; w != NONE && e < start[w + 1]; e++) {
            const int state = column[e];
            if (state >= b->states || !b->moving[state])
                continue;
            double moved = 0;
            for (int f = start[state]; f < start[state + 1]; f++)
                moved += column[f] < b->states ? 0 : b->jacobian[f] * mu[column[f] - b->states];
            energy += mu[u] * b->jacobian[e] * moved / 2;
        }
    return energy;
}

int bordered_project(Kernel *k, Bordered *b, double c, double *x, double *energy)
{
    const int result = bordered_factorise_projection(k, b, c);
    if (result)
        return result;
    memset(b->right, 0, (size_t)b->states * sizeof *b->right);
    for (int u = 0; u < b->unknowns; u++)
        b->right[b->states + u] = !bordered_holds(b, u) ? 0 : -b->violation[b->velocity_row[u] - b->states];
    linear_solve(b->projection.linear, b->right);
    *energy = bordered_energy(b, b->right + b->states);
    for (int i = 0; i < b->states; i++)
        x[i] += b->moving[i] ? b->right[i] : 0;
    return KERNEL_DONE;
}
