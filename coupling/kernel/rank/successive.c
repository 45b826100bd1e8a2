#include "rank/successive.h"

#include "rank/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REFINEMENTS = 3 };
static const double DOUBTFUL = 1e-6;     /* of what is left of a mobility, from S alone: below, V and G decide */
static const double NOISE = 1e-12;       /* of a share in what is repeated */
static const double BLIND = 1e-7;        /* a sine that S alone cannot distinguish from 0 */

/* The factor L of the active rows of S, row by row, and y with L y = -residual. */
typedef struct {
    const Succession *s;
    int active, *row;
    double *factor, *y, *multiplier; /* multiplier: by constraint */
    double *forward, *c, *moved, *gained, *terms, *length;
    bool *counts; /* by group: whether its terms are more than rounding */
    double delta, sine, eta;
} Taken;

static double entry(const Succession *s, int i, int j)
{
    return s->equations[(size_t)i * (size_t)s->count + (size_t)j];
}

/* L x = b, of active rows. */
static void solve_forward(const Taken *t, double *x)
{
    for (int i = 0; i < t->active; i++) {
        const double *row = t->factor + (size_t)i * (size_t)t->s->count;
        for (int j = 0; j < i; j++)
            x[i] -= row[j] * x[j];
        x[i] /= row[i];
    }
}

static void solve_backward(const Taken *t, double *x)
{
    for (int i = t->active - 1; i >= 0; i--) {
        for (int j = i + 1; j < t->active; j++)
            x[i] -= t->factor[(size_t)j * (size_t)t->s->count + (size_t)i] * x[j];
        x[i] /= t->factor[(size_t)i * (size_t)t->s->count + (size_t)i];
    }
}

/* A row of G or V without the part of the active rows. */
static void leave_active(const Taken *t, const double *rows, int candidate, double *left)
{
    const Succession *s = t->s;
    const size_t m = (size_t)s->coordinates;
    memcpy(left, rows + (size_t)candidate * m, m * sizeof *left);
    for (int i = 0; i < t->active; i++)
        for (size_t k = 0; k < m; k++)
            left[k] -= t->c[i] * rows[(size_t)t->row[i] * m + k];
}

/* Returns the remainder of V, group by group, against the terms of its sum. */
static double eta(const Taken *t, int candidate)
{
    const Succession *s = t->s;
    const size_t m = (size_t)s->coordinates;
    double greatest = 0;
    memset(t->terms, 0, (size_t)s->groups * sizeof *t->terms);
    memset(t->counts, 0, (size_t)s->groups * sizeof *t->counts);
    for (int i = -1; i < t->active; i++) {
        const double *row = s->mobility + (size_t)(i < 0 ? candidate : t->row[i]) * m;
        memset(t->length, 0, (size_t)s->groups * sizeof *t->length);
        for (size_t k = 0; k < m; k++)
            t->length[s->group[k]] += row[k] * row[k];
        const double share = i < 0 ? 1 : fabs(t->c[i]);
        const bool counts = i < 0 || share * sqrt(entry(s, t->row[i], t->row[i])) > NOISE * sqrt(entry(s, candidate, candidate));
        for (int g = 0; g < s->groups; g++) {
            t->terms[g] += share * sqrt(t->length[g]);
            t->counts[g] = t->counts[g] || (counts && t->length[g] > 0);
        }
    }
    memset(t->length, 0, (size_t)s->groups * sizeof *t->length);
    for (size_t k = 0; k < m; k++)
        t->length[s->group[k]] += t->moved[k] * t->moved[k];
    for (int g = 0; g < s->groups; g++)
        if (t->counts[g])
            greatest = fmax(greatest, sqrt(t->length[g]) / t->terms[g]);
    return greatest;
}

/* Computes c and the remaining mobility of a candidate after the active rows. If little remains, c is refined, and both factors of the
 * remainder are small by themselves: nothing cancels. */
static void look_at(Taken *t, int candidate)
{
    const Succession *s = t->s;
    const double all = entry(s, candidate, candidate);
    for (int i = 0; i < t->active; i++)
        t->forward[i] = entry(s, t->row[i], candidate);
    solve_forward(t, t->forward);
    t->delta = all;
    for (int i = 0; i < t->active; i++)
        t->delta -= t->forward[i] * t->forward[i];
    memcpy(t->c, t->forward, (size_t)t->active * sizeof *t->c);
    solve_backward(t, t->c);
    t->eta = 1;
    if (!(t->delta < DOUBTFUL * all) || !s->mobility) {
        t->sine = all > 0 ? sqrt(fmax(t->delta, 0) / all) : 0;
        t->eta = s->mobility || t->sine > BLIND ? 1 : 0;
        return;
    }
    for (int pass = 0;; pass++) {
        leave_active(t, s->mobility, candidate, t->moved);
        if (pass == REFINEMENTS)
            break;
        double *correction = t->terms + s->groups;
        for (int i = 0; i < t->active; i++) {
            correction[i] = 0;
            for (int k = 0; k < s->coordinates; k++)
                correction[i] += s->gradient[(size_t)t->row[i] * (size_t)s->coordinates + (size_t)k] * t->moved[k];
        }
        solve_forward(t, correction);
        solve_backward(t, correction);
        for (int i = 0; i < t->active; i++)
            t->c[i] += correction[i];
    }
    leave_active(t, s->gradient, candidate, t->gained);
    t->delta = 0;
    for (int k = 0; k < s->coordinates; k++)
        t->delta += t->gained[k] * t->moved[k];
    t->delta = fmax(t->delta, 0);
    t->sine = all > 0 ? sqrt(t->delta / all) : 0;
    t->eta = all > 0 ? eta(t, candidate) : 0;
}

static void add(Taken *t, int candidate)
{
    const Succession *s = t->s;
    double *row = t->factor + (size_t)t->active * (size_t)s->count, right = -s->residual[candidate];
    memcpy(row, t->forward, (size_t)t->active * sizeof *row);
    const double pivot = row[t->active] = sqrt(t->delta);
    for (int i = 0; i < t->active; i++)
        right -= row[i] * t->y[i];
    const double own = t->y[t->active] = right / pivot;
    s->own[candidate] = own / pivot;
    for (int i = 0; i < t->active; i++)
        t->multiplier[t->row[i]] -= t->c[i] * s->own[candidate];
    t->multiplier[candidate] = s->own[candidate];
    t->row[t->active++] = candidate;
}

static void leave_out(const Taken *t, int candidate)
{
    const Succession *s = t->s;
    s->redundant[candidate] = true;
    s->misfit[candidate] = s->residual[candidate];
    for (int i = 0; i < t->active; i++) {
        s->repeats[(size_t)candidate * (size_t)s->count + (size_t)t->row[i]] = t->c[i];
        s->misfit[candidate] -= t->c[i] * s->residual[t->row[i]];
    }
}

static int most_independent(Taken *t)
{
    int best = -1;
    double greatest = -1;
    for (int i = 0; i < t->s->count; i++) {
        if (t->s->place[i] >= 0)
            continue;
        look_at(t, i);
        if (t->sine > greatest) {
            greatest = t->sine;
            best = i;
        }
    }
    return best;
}

int successive_take(Succession *s)
{
    const size_t n = (size_t)s->count + 1, m = (size_t)s->coordinates + 1, groups = (size_t)s->groups + 1;
    Taken t = {.s = s, .row = malloc(n * sizeof(int)), .factor = calloc(n * n + 5 * n + 2 * m + 2 * groups, sizeof(double)), .counts = malloc(groups * sizeof(bool))};
    if (!t.row || !t.factor || !t.counts) {
        free(t.row);
        free(t.factor);
        free(t.counts);
        return -1;
    }
    t.y = t.factor + n * n;
    t.multiplier = t.y + n;
    t.forward = t.multiplier + n;
    t.c = t.forward + n;
    t.moved = t.c + n;
    t.gained = t.moved + m;
    t.length = t.gained + m;
    t.terms = t.length + groups; /* and a correction after these */
    for (int i = 0; i < s->count; i++)
        s->place[i] = -1;
    for (int k = 0; k < s->count; k++) {
        const int candidate = s->order ? s->order[k] : most_independent(&t);
        look_at(&t, candidate);
        s->place[candidate] = k;
        s->delta[candidate] = t.delta;
        s->sine[candidate] = t.sine;
        if (t.eta > RANK_REPEATS)
            add(&t, candidate);
        else
            leave_out(&t, candidate);
        memcpy(s->stage + (size_t)k * (size_t)s->count, t.multiplier, (size_t)s->count * sizeof *s->stage);
    }
    free(t.row);
    free(t.factor);
    free(t.counts);
    return 0;
}
