#include "equations/slopes.h"

#include "constraints/project.h"
#include "platform/turning.h"

#include <stdlib.h>
#include <string.h>

struct Slopes {
    const SlopeRows *rows;
    double *w, *value; /* one block */
    /* Parts of the derivatives through the unknowns, by column: the inverse of a loop's equations, f by errors of the equations, the
     * motion of states by constraints, and the part of f that follows from it. */
    double *dense, *inverse, *moved, *position, *velocity, *by_position, *by_velocity;
};

static void slopes_free(Slopes *s)
{
    if (!s)
        return;
    free(s->w);
    free(s->dense);
    free(s);
}

int kernel_set_slopes(Kernel *k, const SlopeRows *rows)
{
    slopes_free(k->fused->slopes);
    Slopes *s = k->fused->slopes = calloc(1, sizeof *s);
    if (!s)
        return -1;
    s->rows = rows;
    k->fused->end_slopes = slopes_free;
    s->w = malloc(((size_t)rows->size + (size_t)rows->count + 1) * sizeof *s->w);
    if (!s->w)
        return -1;
    memcpy(s->w, rows->initial, (size_t)rows->size * sizeof *s->w);
    s->value = s->w + rows->size;
    return 0;
}

static bool find(Kernel *k, double *values)
{
    const Slopes *s = k->fused->slopes;
    const SlopeRows *rows = s->rows;
    if (!k->fused->give(k, s->w, rows->given))
        return false;
    rows->run(rows->code, s->w);
    double finite = 0;
    for (int e = 0; e < rows->count; e++) {
        const int slot = rows->slot[e];
        values[e] = slot >= 0 ? s->w[slot] : -s->w[NEGATIVE(slot)];
        finite += values[e] - values[e];
    }
    return finite == 0;
}

int kernel_slopes(Kernel *k, double *values)
{
    return find(k, values) ? KERNEL_DONE : KERNEL_RETRY;
}

/* -- through the unknowns ---------------------------------------------------------------------------------------------------- */

static bool allocate(const Kernel *k, Slopes *s)
{
    if (s->dense)
        return true;
    const size_t n = (size_t)k->states, c = k->projection ? (size_t)k->projection->count : 0;
    size_t most = 0;
    for (int i = 0; i < k->loop_count; i++)
        most = (size_t)k->loops[i].count > most ? (size_t)k->loops[i].count : most;
    double **const arrays[] = {&s->inverse, &s->moved, &s->position, &s->velocity, &s->by_position, &s->by_velocity};
    const size_t sizes[] = {most * most, n * (size_t)s->rows->unknowns, n * c, n * c, n * c, n * c};
    size_t room = 1;
    for (int i = 0; i < 6; i++)
        room += sizes[i];
    double *at = s->dense = malloc(room * sizeof *at);
    for (int i = 0; i < 6 && at; at += sizes[i++])
        *arrays[i] = at;
    return s->dense;
}

static void add_multiple(double *restrict to, double factor, const double *restrict from, int count)
{
    for (int i = 0; i < count; i++)
        to[i] += factor * from[i];
}

/* The loops' equations at this point, as the general ones are solved: where they are singular, by what moves least. */
static bool factorise(Kernel *k, const Slopes *s)
{
    const SlopeRows *rows = s->rows;
    const int n = k->states;
    int e = 0;
    for (int i = 0; i < k->loop_count; i++) {
        const Loop *l = &k->loops[i];
        double *const entry = l->term + l->first_entry;
        for (int j = 0; j < l->row_start[l->count]; e++)
            if (rows->row[e] >= n && rows->row[e] < n + rows->unknowns && rows->column[e] >= n)
                entry[j++] = s->value[e];
        if (linear_factorise(l->linear, entry) < 0)
            return false;
    }
    return true;
}

/* Fills one column for each unknown of all loops: the change of derivatives if its equation is off by 1. */
static void move_by_equations(Kernel *k, Slopes *s)
{
    const SlopeRows *rows = s->rows;
    const int n = k->states;
    for (int i = 0, first = 0; i < k->loop_count; first += k->loops[i++].count) {
        const Loop *l = &k->loops[i];
        for (int j = 0; j < l->count; j++) {
            double *const column = s->inverse + (size_t)j * (size_t)l->count;
            memset(column, 0, (size_t)l->count * sizeof *column);
            column[j] = 1;
            linear_solve(l->linear, column);
        }
        memset(s->moved + (size_t)first * (size_t)n, 0, (size_t)l->count * (size_t)n * sizeof *s->moved);
        for (int e = 0; e < rows->count; e++) {
            const int unknown = rows->column[e] - n - first;
            if (rows->row[e] >= n || unknown < 0 || unknown >= l->count)
                continue;
            for (int j = 0; j < l->count; j++)
                s->moved[(size_t)(first + j) * (size_t)n + (size_t)rows->row[e]] += s->value[e] * s->inverse[(size_t)j * (size_t)l->count + (size_t)unknown];
        }
    }
}

/* Velocities that a constraint moves, or the positions that go with these. */
static void add_moved(const Kernel *k, const Loop *l, const double *moved, bool positions, double *to)
{
    Projection *const p = k->projection;
    memset(to, 0, (size_t)k->states * sizeof *to);
    for (int i = 0; i < l->mobile; i++) {
        const int state = l->mobile_state[i];
        if (!positions)
            to[state] = moved[state];
        else
            move_position(p, state, moved[state], to);
    }
    for (int i = 0; i < p->turns && positions; i++) {
        double *const d = p->turned + 3 * i;
        add_product(0, 0.5, d, k->v + p->turn[i].q, to + p->turn[i].q);
        d[0] = d[1] = d[2] = 0;
    }
}

static void multiply(const double *a, const double *vector, int n, double *product)
{
    memset(product, 0, (size_t)n * sizeof *product);
    for (int j = 0; j < n; j++)
        if (vector[j] != 0)
            add_multiple(product, vector[j], a + (size_t)j * (size_t)n, n);
}

/* A T - decay (1 - T) = (A + decay) T - decay, where T = (1 - V Cv) (1 - P Cp): states are moved by P onto positions, then by V onto velocities. */
static void follow_projection(const Kernel *k, Slopes *s, double *a)
{
    const SlopeRows *rows = s->rows;
    const Projection *p = k->projection;
    const int n = k->states, c = p->count;
    const double decay = kernel_decay();
    for (int i = 0; i < n; i++)
        a[(size_t)i * (size_t)n + (size_t)i] += decay;
    for (int i = 0; i < c; i++) {
        const ConstraintRow *row = &p->constraint[i];
        const Loop *l = &k->loops[row->loop];
        int first = 0;
        for (int j = 0; j < row->loop; j++)
            first += k->loops[j].count;
        const double *const moved = s->moved + (size_t)(first + row->unknown) * (size_t)n;
        const size_t at = (size_t)i * (size_t)n;
        const bool holds = in_force(k, row);
        memset(s->position + at, 0, (size_t)n * sizeof *s->position);
        memset(s->velocity + at, 0, (size_t)n * sizeof *s->velocity);
        if (holds && row->position != NONE)
            add_moved(k, l, moved, true, s->position + at);
        if (holds && row->velocity != NONE)
            add_moved(k, l, moved, false, s->velocity + at);
        multiply(a, s->position + at, n, s->by_position + at);
        multiply(a, s->velocity + at, n, s->by_velocity + at);
    }
    const int positions = n + rows->unknowns, velocities = positions + c;
    for (int e = 0; e < rows->count; e++) {
        const int row = rows->row[e] - velocities;
        for (int i = 0; i < c && row >= 0; i++) {
            const double share = s->value[e] * s->position[(size_t)i * (size_t)n + (size_t)rows->column[e]];
            if (share != 0)
                add_multiple(s->by_position + (size_t)i * (size_t)n, -share, s->by_velocity + (size_t)row * (size_t)n, n);
        }
    }
    for (int e = 0; e < rows->count; e++) {
        const int row = rows->row[e];
        if (row >= positions)
            add_multiple(a + (size_t)rows->column[e] * (size_t)n, -s->value[e],
                         row >= velocities ? s->by_velocity + (size_t)(row - velocities) * (size_t)n : s->by_position + (size_t)(row - positions) * (size_t)n, n);
    }
    for (int i = 0; i < n; i++)
        a[(size_t)i * (size_t)n + (size_t)i] -= decay;
}

int kernel_state_jacobian(Kernel *k, double *columns)
{
    Slopes *s = k->fused->slopes;
    const SlopeRows *rows = s->rows;
    const int n = k->states;
    if (!allocate(k, s))
        return KERNEL_NO_MEMORY;
    if (!find(k, s->value) || !factorise(k, s))
        return KERNEL_RETRY;
    move_by_equations(k, s);
    memset(columns, 0, (size_t)n * (size_t)n * sizeof *columns);
    for (int e = 0; e < rows->count; e++) {
        const int row = rows->row[e], column = rows->column[e];
        double *const to = columns + (size_t)column * (size_t)n;
        if (column >= n)
            continue;
        if (row < n)
            to[row] += s->value[e];
        else if (row < n + rows->unknowns)
            add_multiple(to, -s->value[e], s->moved + (size_t)(row - n) * (size_t)n, n);
    }
    if (k->projection)
        follow_projection(k, s, columns);
    return KERNEL_DONE;
}
