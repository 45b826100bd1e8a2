/* The candidates of switched joints as a small dense problem: all other unknowns are eliminated by the sparse factors of a loop's Jacobian, in which
 * candidates do not take part. */
#include "events/switching.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double prescribed = 1e-12; /* of the terms of a mobility: where both sides are prescribed, what is left of them is rounding */

bool new_problem(const Kernel *k, Problem *p)
{
    const size_t n = (size_t)k->switching->count;
    *p = (Problem){.loops = k->loop_count};
    p->item = malloc((n + 1) * sizeof *p->item);
    p->given = malloc((n + 1) * sizeof *p->given);
    p->S = malloc((n * n + 4 * n + 1) * sizeof *p->S);
    p->response = calloc(2 * (size_t)k->loop_count + 1, sizeof *p->response);
    p->own = p->response ? p->response + k->loop_count : NULL;
    p->b = p->S ? p->S + n * n : NULL;
    p->lambda = p->S ? p->b + n : NULL;
    p->a = p->S ? p->lambda + n : NULL;
    p->terms = p->S ? p->a + n : NULL;
    bool complete = p->item && p->given && p->S && p->response;
    for (int i = 0; i < k->loop_count && complete; i++) {
        const size_t rows = (size_t)k->loops[i].count;
        p->response[i] = malloc((rows * n + 1) * sizeof(double));
        p->own[i] = malloc((rows + 1) * sizeof(double));
        complete = p->response[i] && p->own[i];
    }
    return complete;
}

void free_problem(Problem *p)
{
    for (int i = 0; p->response && i < p->loops; i++) {
        free(p->response[i]);
        free(p->own[i]);
    }
    free(p->item);
    free(p->given);
    free(p->S);
    free(p->response);
}

/* Number of each unknown of a loop among the candidates, or -1; -2 if impulses do not change it, which is friction with a force as its
 * limit. */
static void find_candidates(const Kernel *k, int loop, bool of_velocities, const Problem *p, int *number)
{
    const Switching *s = k->switching;
    for (int i = 0; i < k->loops[loop].count; i++)
        number[i] = -1;
    for (int i = 0; i < s->count; i++)
        if (s->item[i].row->loop == loop && s->item[i].row->kind == FRICTION && of_velocities)
            number[s->item[i].row->unknown] = -2;
    for (int i = 0; i < p->count; i++)
        if (s->item[p->item[i]].row->loop == loop)
            number[s->item[p->item[i]].row->unknown] = i;
}

/* Finds the right sides: residuals without the unknowns, or velocities of the constraints in force. */
static void find_right(const Kernel *k, int loop, bool of_velocities, double *right)
{
    const Loop *l = &k->loops[loop];
    const Projection *p = k->projection;
    if (!of_velocities) {
        loop_residual(l, k->v, right);
        for (int i = 0; i < l->count; i++)
            for (int e = l->row_start[i]; e < l->row_start[i + 1]; e++)
                right[i] -= l->term[l->first_entry + e] * k->v[l->first + l->column[e]];
        return;
    }
    for (int i = 0; i < l->count; i++)
        right[i] = 0;
    for (int i = 0; i < p->count; i++) {
        const ConstraintRow *c = &p->constraint[i];
        if (c->loop == loop && c->velocity != NONE && in_force(k, c))
            right[c->unknown] = k->v[c->velocity];
    }
}

static void add_term(double *sum, double *terms, double value)
{
    *sum += value;
    *terms += fabs(value);
}

/* Schur's complement of a loop's Jacobian, on its candidates. */
static int eliminate(Kernel *k, int loop, bool of_velocities, Problem *p)
{
    Loop *l = &k->loops[loop];
    const int n = l->count, entries = l->row_start[n];
    const double *const entry = l->term + l->first_entry;
    int *number = malloc(((size_t)n + 1) * sizeof *number), result = KERNEL_NO_MEMORY;
    double *values = malloc(((size_t)entries + (size_t)n + 1) * sizeof *values), *right = values ? values + entries : NULL;
    Linear *rest = linear_new(n, l->row_start, l->column, l->order);
    if (!number || !values || !rest)
        goto end;
    find_candidates(k, loop, of_velocities, p, number);
    find_right(k, loop, of_velocities, right);
    for (int i = 0; i < n; i++)
        for (int e = l->row_start[i]; e < l->row_start[i + 1]; e++) {
            const int j = l->column[e];
            values[e] = number[i] != -1 || number[j] != -1 ? i == j : entry[e];
        }
    if (linear_factorise(rest, values) < 0) {
        result = failed(k, KERNEL_NOT_FINITE, "differentiating", -1, OK);
        k->failure.slot = l->first;
        goto end;
    }
    double *const y = p->own[loop];
    for (int i = 0; i < n; i++)
        y[i] = number[i] == -1 ? right[i] : 0;
    linear_solve(rest, y);
    for (int c = 0; c < p->count; c++) {
        double *const x = p->response[loop] + (size_t)c * (size_t)n;
        memset(x, 0, (size_t)n * sizeof *x);
        for (int i = 0; i < n; i++)
            for (int e = l->row_start[i]; e < l->row_start[i + 1] && number[i] == -1; e++)
                if (number[l->column[e]] == c)
                    x[i] = entry[e];
        linear_solve(rest, x);
    }
    for (int i = 0; i < n; i++) {
        if (number[i] < 0)
            continue;
        double *const S = p->S + number[i] * p->count;
        p->b[number[i]] = right[i];
        memset(p->terms, 0, (size_t)p->count * sizeof *p->terms);
        for (int e = l->row_start[i]; e < l->row_start[i + 1]; e++) {
            const int j = l->column[e];
            if (number[j] >= 0)
                add_term(&S[number[j]], &p->terms[number[j]], entry[e]);
            for (int c = 0; c < p->count && number[j] == -1; c++)
                add_term(&S[c], &p->terms[c], -entry[e] * p->response[loop][(size_t)c * (size_t)n + (size_t)j]);
            p->b[number[i]] -= number[j] == -1 ? entry[e] * y[j] : 0;
        }
        for (int c = 0; c < p->count; c++)
            S[c] = fabs(S[c]) > prescribed * p->terms[c] ? S[c] : 0;
    }
    result = KERNEL_DONE;
end:
    linear_free(rest);
    free(values);
    free(number);
    return result;
}

void give_limits(const Item *item, Switched *given)
{
    for (int way = 0; way < 2; way++) {
        given->mu[way] = item->mu[way];
        given->limit[way] = item->limit[way];
        given->sliding[way] = item->sliding[way];
    }
}

/* Clears the responses of a loop in which no candidate takes part. */
static int leave_alone(const Kernel *k, int loop, const Problem *p)
{
    const size_t n = (size_t)k->loops[loop].count;
    memset(p->own[loop], 0, n * sizeof(double));
    memset(p->response[loop], 0, n * (size_t)p->count * sizeof(double));
    return KERNEL_DONE;
}

static void give(const Switching *s, Problem *p)
{
    for (int i = 0; i < p->count; i++) {
        const Item *item = &s->item[p->item[i]];
        p->given[i] = (Switched){
            .kind = item->row->kind, .normal = -1, .second = -1, .restitution = item->restitution, .mode = (item->before > 0) - (item->before < 0), .due = item->due};
        give_limits(item, &p->given[i]);
        for (int j = 0; j < p->count && item->row->normal != NONE; j++)
            if (p->item[j] == item->row->normal || p->item[j] == item->row->second)
                *(p->given[i].normal < 0 ? &p->given[i].normal : &p->given[i].second) = j;
    }
}

int find_problem(Kernel *k, double t, const double *x, bool of_velocities, Problem *p)
{
    const Switching *s = k->switching;
    int result = linearise_constraints(k, t, x);
    for (int i = 0; i < k->loop_count && result == KERNEL_DONE; i++) {
        if (rests(k, i))
            continue;
        result = loop_linearise(k, i, true);
        loop_mobility(&k->loops[i]);
    }
    if (result == KERNEL_DONE && of_velocities)
        result = read_constraints(k, x);
    p->count = 0;
    for (int i = 0; i < s->count; i++) {
        const SwitchedRow *row = s->item[i].row;
        const bool struck = row->kind == UNILATERAL || row->normal != NONE || row->followed;
        if (s->item[i].candidate && (struck || !of_velocities))
            p->item[p->count++] = i;
    }
    memset(p->S, 0, (size_t)p->count * (size_t)p->count * sizeof *p->S);
    memset(p->b, 0, (size_t)p->count * sizeof *p->b);
    for (int i = 0; i < k->loop_count && result == KERNEL_DONE; i++)
        result = rests(k, i) ? leave_alone(k, i, p) : eliminate(k, i, of_velocities, p);
    give(s, p);
    return result;
}

void spread(const Kernel *k, const Problem *p, double *z)
{
    for (int i = 0; i < k->loop_count; i++) {
        const Loop *l = &k->loops[i];
        double *const own = z + (l->off - k->off);
        for (int j = 0; j < l->count; j++) {
            own[j] = -p->own[i][j];
            for (int c = 0; c < p->count; c++)
                own[j] -= p->response[i][(size_t)c * (size_t)l->count + (size_t)j] * p->lambda[c];
        }
    }
    for (int c = 0; c < p->count; c++)
        z[k->switching->item[p->item[c]].place] = p->lambda[c];
}
