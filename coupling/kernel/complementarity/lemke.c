#include "complementarity/modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ATTEMPTS = 4, PIVOTS = 50 };
static const double tiny = 1e-11;

/* Rows n of unilaterals, R and L of friction: lambda = R - limit[0] with limits that follow the unilateral, a = a_R - a_L, and limit[0] +
 * limit[1] - R is complementary to a_L. All in units in which the diagonal of S is 1. */
typedef struct {
    int count, size, width;
    const double *S, *b, *least;
    const Switched *item;
    double *unit, *table, *cover;
    int *first, *basis; /* first: of each item, its unknown */
} Lemke;

static double *row_of(const Lemke *l, int row)
{
    return l->table + (size_t)row * (size_t)l->width;
}

/* Adds to a row the multiplier of a unilateral times a factor. */
static void add_unilateral(const Lemke *l, int row, int item, double factor)
{
    double *const r = row_of(l, row);
    r[l->size + l->first[item]] -= factor;
    r[l->width - 1] += factor * (l->least ? l->least[item] / l->unit[item] : 0);
}

/* The same of what presses friction. */
static void add_pressing(const Lemke *l, int row, int item, double factor)
{
    const int by[] = {l->item[item].normal, l->item[item].second};
    for (int i = 0; i < 2; i++)
        if (by[i] >= 0)
            add_unilateral(l, row, by[i], factor * l->unit[by[i]]);
}

/* Adds to row `row` the multiplier of an item times a factor: its unknowns, and what is given. */
static void add_multiplier(const Lemke *l, int row, int item, double factor)
{
    const Switched *s = &l->item[item];
    if (s->kind == UNILATERAL) {
        add_unilateral(l, row, item, factor);
        return;
    }
    double *const r = row_of(l, row);
    r[l->size + l->first[item]] -= factor;
    r[l->width - 1] -= factor * s->limit[0] / l->unit[item];
    add_pressing(l, row, item, -factor * s->mu[0] / l->unit[item]);
}

static void fill(Lemke *l)
{
    memset(l->table, 0, (size_t)l->size * (size_t)l->width * sizeof *l->table);
    for (int i = 0; i < l->count; i++) {
        const int row = l->first[i], n = l->count;
        double *const given = &row_of(l, row)[l->width - 1];
        *given = l->unit[i] * l->b[i];
        for (int j = 0; j < n; j++)
            add_multiplier(l, row, j, l->unit[i] * l->unit[j] * l->S[i * n + j]);
        if (l->item[i].kind == UNILATERAL)
            continue;
        row_of(l, row)[l->size + row + 1] -= 1; /* a_L */
        const Switched *s = &l->item[i];
        row_of(l, row + 1)[l->width - 1] = (s->limit[0] + s->limit[1]) / l->unit[i];
        add_pressing(l, row + 1, i, (s->mu[0] + s->mu[1]) / l->unit[i]);
        row_of(l, row + 1)[l->size + row] += 1;
    }
    for (int i = 0; i < l->size; i++) {
        row_of(l, i)[i] = 1;
        row_of(l, i)[2 * l->size] = -l->cover[i];
        l->basis[i] = i;
    }
}

static void eliminate(Lemke *l, int pivot, int entering)
{
    double *const p = row_of(l, pivot);
    const double by = p[entering];
    for (int j = 0; j < l->width; j++)
        p[j] /= by;
    p[entering] = 1;
    for (int i = 0; i < l->size; i++) {
        double *const r = row_of(l, i);
        const double factor = r[entering];
        for (int j = 0; j < l->width && i != pivot && factor != 0; j++)
            r[j] -= factor * p[j];
        if (i != pivot)
            r[entering] = 0;
    }
}

/* The row that leaves: the least ratio; of equal ones the artificial unknown, else the first by the columns that the basis began with, which is
 * the lexicographic rule against cycles. */
static int leaving(const Lemke *l, int entering)
{
    int best = -1;
    for (int i = 0; i < l->size; i++) {
        const double *r = row_of(l, i), pivot = r[entering];
        if (!(pivot > tiny))
            continue;
        if (best < 0) {
            best = i;
            continue;
        }
        const double *b = row_of(l, best), by = b[entering];
        const double mine = r[l->width - 1] / pivot, its = b[l->width - 1] / by;
        double difference = mine - its;
        if (fabs(difference) <= 1e-12 * (1 + fabs(its))) {
            if (l->basis[best] == 2 * l->size)
                continue;
            difference = l->basis[i] == 2 * l->size ? -1 : 0;
            for (int j = 0; j < l->size && difference == 0; j++) {
                const double d = r[j] / pivot - b[j] / by;
                difference = fabs(d) > tiny ? d : 0;
            }
        }
        best = difference < 0 ? i : best;
    }
    return best;
}

static int follow(Lemke *l, int *pivots)
{
    int row = -1, entering = 2 * l->size;
    double least = 0;
    fill(l);
    for (int i = 0; i < l->size; i++) {
        const double ratio = row_of(l, i)[l->width - 1] / l->cover[i];
        if (ratio < least) {
            least = ratio;
            row = i;
        }
    }
    for (int count = 0; row >= 0 && count < PIVOTS * (l->size + 1); count++, ++*pivots) {
        eliminate(l, row, entering);
        const int out = l->basis[row];
        l->basis[row] = entering;
        if (out == 2 * l->size)
            return MODES_FOUND;
        entering = out < l->size ? out + l->size : out - l->size;
        row = leaving(l, entering);
        if (row < 0)
            return MODES_NONE;
    }
    return row < 0 ? MODES_FOUND : MODES_UNSETTLED;
}

static void read_multipliers(const Lemke *l, double *lambda)
{
    memset(lambda, 0, (size_t)l->count * sizeof *lambda);
    for (int i = 0; i < l->size; i++)
        for (int j = 0; j < l->count; j++)
            if (l->basis[i] == l->size + l->first[j])
                lambda[j] = l->unit[j] * row_of(l, i)[l->width - 1];
    for (int j = 0; j < l->count; j++)
        if (l->item[j].kind == UNILATERAL)
            lambda[j] += l->least ? l->least[j] : 0;
    for (int j = 0; j < l->count; j++) {
        const Switched *s = &l->item[j];
        if (s->kind == FRICTION)
            lambda[j] -= s->limit[0] + s->mu[0] * ((s->normal < 0 ? 0 : lambda[s->normal]) + (s->second < 0 ? 0 : lambda[s->second]));
    }
}

int modes_lemke(int count, const double *S, const double *b, const Switched *item, const double *least, double *lambda, int *pivots)
{
    Lemke l = {.count = count, .S = S, .b = b, .least = least, .item = item};
    l.first = malloc((size_t)(3 * count + 1) * sizeof *l.first);
    if (!l.first)
        return MODES_NO_MEMORY;
    for (int i = 0; i < count; i++) {
        l.first[i] = l.size;
        l.size += item[i].kind == FRICTION ? 2 : 1;
    }
    l.width = 2 * l.size + 2;
    l.basis = l.first + count;
    l.unit = malloc(((size_t)count + (size_t)l.size + (size_t)l.size * (size_t)l.width + 1) * sizeof *l.unit);
    l.cover = l.unit ? l.unit + count : NULL;
    l.table = l.unit ? l.cover + l.size : NULL;
    int result = l.unit ? MODES_UNSETTLED : MODES_NO_MEMORY;
    for (int i = 0; i < count && l.unit; i++)
        l.unit[i] = S[i * count + i] > 0 ? 1 / sqrt(S[i * count + i]) : 1;
    *pivots = 0;
    for (int attempt = 0; attempt < ATTEMPTS && result == MODES_UNSETTLED; attempt++) {
        for (int i = 0; i < l.size; i++)
            l.cover[i] = 1 + attempt * fmod(0.618 * (i + 1), 1);
        result = follow(&l, pivots);
    }
    if (result == MODES_FOUND)
        read_multipliers(&l, lambda);
    free(l.unit);
    free(l.first);
    return result;
}
