/* The rows with pivots, eliminated sparsely: L D L' = S. */
#include "rank/rank_internal.h"

#include <math.h>
#include <string.h>

static const double TAKES_PART = 0.1; /* a row's share of the weakest direction that makes it a candidate whatever its pivot */
enum { INVERSE_ITERATIONS = 2 };

/* Entries by row as entries by column. */
static Entries *transposed(Arena *memory, const Entries *rows, int count, int columns)
{
    Entries *result = arena_take(memory, (size_t)columns, sizeof *result);
    for (int i = 0; i < count && !memory->lacking; i++)
        for (int e = 0; e < rows[i].count; e++)
            if (!entries_append(memory, &result[rows[i].at[e]], i, rows[i].value[e]))
                return result;
    return result;
}

/* Remainder of S during elimination, without its diagonal. */
typedef struct {
    Arena memory;
    Entries *row;
    double *diagonal, *dense;
    int *place; /* of a column in the row under work, -1 where it has none */
    bool *done;
} Remaining;

static void form(const Decision *d, Remaining *left)
{
    Arena *memory = &left->memory;
    const int rows = d->rows;
    const size_t n = (size_t)rows;
    left->row = arena_take(memory, n, sizeof *left->row);
    left->diagonal = arena_take(memory, n, sizeof *left->diagonal);
    left->dense = arena_take(memory, n, sizeof *left->dense);
    left->place = arena_take(memory, n, sizeof *left->place);
    left->done = arena_take(memory, n, sizeof *left->done);
    const Entries *gradient = transposed(memory, d->gradient, rows, d->given->coordinates);
    const Entries *mobility = transposed(memory, d->mobility, rows, d->given->coordinates);
    for (int i = 0; i < rows && !memory->lacking; i++)
        left->place[i] = -1;
    for (int i = 0; i < rows && !memory->lacking; i++) {
        if ((left->done[i] = d->excluded[i]))
            continue;
        double *dense = left->dense;
        for (int e = 0; e < d->gradient[i].count; e++)
            entries_add(&mobility[d->gradient[i].at[e]], d->gradient[i].value[e] / 2, dense);
        for (int e = 0; e < d->mobility[i].count; e++)
            entries_add(&gradient[d->mobility[i].at[e]], d->mobility[i].value[e] / 2, dense);
        left->diagonal[i] = dense[i];
        dense[i] = 0;
        for (int both = 0; both < 2; both++) {
            const Entries *from = both ? &d->mobility[i] : &d->gradient[i], *to = both ? gradient : mobility;
            for (int e = 0; e < from->count; e++)
                for (int f = 0; f < to[from->at[e]].count; f++) {
                    const int j = to[from->at[e]].at[f];
                    if (j < i && dense[j] != 0 && !d->excluded[j] &&
                        !(entries_append(memory, &left->row[i], j, dense[j]) && entries_append(memory, &left->row[j], i, dense[j])))
                        return;
                    dense[j] = 0;
                }
        }
    }
}

/* The sparsest of the rows whose diagonal is near the greatest; -1 where no diagonal is great enough. */
static int choose(const Decision *d, const Remaining *left)
{
    double greatest = RANK_CANDIDATE;
    int chosen = -1;
    for (int i = 0; i < d->rows; i++)
        if (!left->done[i] && left->diagonal[i] > greatest)
            greatest = left->diagonal[i];
    for (int i = 0; i < d->rows; i++)
        if (!left->done[i] && left->diagonal[i] >= fmax(RANK_NEAR * greatest, RANK_CANDIDATE) &&
            (chosen < 0 || left->row[i].count < left->row[chosen].count))
            chosen = i;
    return chosen;
}

/* Takes from a row what the pivot's row has in it. */
static bool reduce(Remaining *left, int pivot, int row, double factor)
{
    const Entries *source = &left->row[pivot];
    Entries *target = &left->row[row];
    for (int e = 0; e < target->count; e++)
        left->place[target->at[e]] = e;
    bool complete = true;
    for (int e = 0; e < source->count && complete; e++) {
        const int j = source->at[e];
        if (j == row)
            left->diagonal[row] -= factor * source->value[e];
        else if (left->place[j] >= 0)
            target->value[left->place[j]] -= factor * source->value[e];
        else
            complete = entries_append(&left->memory, target, j, -factor * source->value[e]);
    }
    const int gone = left->place[pivot];
    for (int e = 0; e < target->count; e++)
        left->place[target->at[e]] = -1;
    if (gone >= 0) {
        target->at[gone] = target->at[--target->count];
        target->value[gone] = target->value[target->count];
    }
    return complete;
}

/* Finds the base. False where memory lacks. */
bool rank_eliminate(Decision *d)
{
    Remaining left = {0};
    form(d, &left);
    d->base = 0;
    for (int p; !left.memory.lacking && (p = choose(d, &left)) >= 0;) {
        const Entries *row = &left.row[p];
        Entries *lower = &d->lower[d->base];
        left.done[p] = true;
        lower->count = 0;
        for (int e = 0; e < row->count; e++) {
            const double factor = row->value[e] / left.diagonal[p];
            if (!entries_append(&d->memory, lower, row->at[e], factor) || !reduce(&left, p, row->at[e], factor)) {
                arena_give_back(&left.memory);
                return false;
            }
        }
        d->pivot[d->base] = left.diagonal[p];
        d->pivot_row[d->base++] = p;
    }
    arena_give_back(&left.memory);
    return !left.memory.lacking;
}

/* Replaces y by inv(S) y in the active rows, and by zero in all others. */
void rank_solve(const Decision *d, double *y)
{
    for (int j = d->joined - 1; j >= 0; j--) {
        const int row = d->joined_row[j];
        y[row] -= entries_product(&d->coefficient[j], y);
    }
    double *solution = d->solution;
    memset(solution, 0, (size_t)d->rows * sizeof *solution);
    for (int k = 0; k < d->base; k++) {
        const int row = d->pivot_row[k];
        solution[row] += y[row];
        entries_add(&d->lower[k], -solution[row], solution);
    }
    for (int j = 0; j < d->joined; j++)
        y[d->joined_row[j]] /= d->joined_pivot[j];
    for (int k = 0; k < d->base; k++)
        y[d->pivot_row[k]] = solution[d->pivot_row[k]];
    memset(solution, 0, (size_t)d->rows * sizeof *solution);
    for (int k = d->base - 1; k >= 0; k--) {
        const int row = d->pivot_row[k];
        solution[row] = y[row] / d->pivot[k] - entries_product(&d->lower[k], solution);
    }
    for (int k = 0; k < d->base; k++)
        y[d->pivot_row[k]] = solution[d->pivot_row[k]];
    for (int j = 0; j < d->joined; j++)
        entries_add(&d->coefficient[j], -y[d->joined_row[j]], y);
}

/* A small singular value may hide from pivots (Kahan's matrix): one step of inverse iteration finds its direction, and the rows with a
 * great share become candidates too. Returns how many. */
int rank_uncover(Decision *d)
{
    double *w = d->work, before = 0, after = 0;
    unsigned long long random = 1;
    memset(w, 0, (size_t)d->rows * sizeof *w);
    for (int k = 0; k < d->base; k++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        w[d->pivot_row[k]] = random >> 63 ? 1 : -1;
    }
    for (int i = 0; i < INVERSE_ITERATIONS; i++) {
        before = after = 0;
        for (int k = 0; k < d->rows; k++)
            before += w[k] * w[k];
        rank_solve(d, w);
        for (int k = 0; k < d->rows; k++)
            after += w[k] * w[k];
        const double length = sqrt(after);
        for (int k = 0; k < d->rows && length > 0; k++)
            w[k] /= length;
        before = sqrt(before) / length;
    }
    int found = 0;
    for (int k = 0; k < d->rows && before < RANK_CANDIDATE; k++)
        if (fabs(w[k]) > TAKES_PART) {
            d->excluded[k] = true;
            found++;
        }
    return found;
}
