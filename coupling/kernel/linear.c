/* Elimination row by row, with the sequence of pivots of the time before.
 *
 * All of it sees the equilibrated matrix R A C, whose rows and columns have greatest entries of 1, so that a pivot is small or
 * not by itself, whatever the units. The sequence of pivots, the pattern of the factors and the place of every operand are found
 * once and serve until a pivot becomes too small or the factors grow; then they are found anew.
 *
 * A semidefinite matrix takes its diagonal in the given order, always. There, and in any other matrix where no greater pivot is
 * left, a small pivot is called weak and has 1 added. So factorised is B = A + E F', where E and F are the unit vectors of the weak
 * rows and columns. V = inv(B) E and W = inv(B)' F have A V = E S and W' A = S F' with the small block S = I - F' V.
 * Where S is nothing, V is a base of the null space and W of the left one. b is freed of its part along W; then x = inv(B) b
 * solves the equations, and is freed of its part along V. Where S is regular, x = inv(B) b + V z with S z = W' b is exact. S is
 * factorised too, and as each of its pivots grows the one passes smoothly into the other: a mechanism may go through a singular
 * pose. */
#include "linear.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A pivot is 1 where its row owes nothing to those before. Below WEAK it is weak; where there are a few such, all that are not
 * SOUND join them, which keeps V and W small; where there are many, those that are not FAINT leave them, which keeps S small.
 * The measure of a pivot of S is w' |A| v, with its vectors of W and V: rounding leaves 1e-16 to 1e-15 of that where A truly lacks
 * a rank. At DEFICIENT half of what the pivot determines is believed, at twice that all but 1/4096, at half that 1/4096. The measure
 * never counts as so much that a pivot is not believed when it first becomes weak, but at least as 1/DOUBT of itself, so that
 * rounding is not. A pivot that once was greater and has lost all but the share that the user of the matrix names is not believed
 * either. */
static const double SOUND = 1e-3, WEAK = 1e-7, FAINT = 1e-10, DEFICIENT = 1e-11, DOUBT = 100;
static const double FADED = 2e-6;     /* of the greatest that a pivot has been: it is weak then, however great */
static const double NOTHING = 1e-14;   /* of S */
static const double STABLE = 0.1;      /* the least share of a pivot in the greatest entry of its row */
static const double WORN = 1e-3;       /* the share of its first size below which a pivot is chosen anew */
static const double STALE = 1e-2;      /* an entry in the diagonal that has become so small needs a new scale before it is called weak */
static const double MOST_GROWTH = 1e8; /* of the sum of squares of the factors */
static const double ASYMMETRY = 1e-8;  /* that counts as rounding */
static const double TINY = 1e-290;     /* smaller numbers are not brought to 1 */
enum { FEW = 32, MOST_SWEEPS = 20, MOST_STORED = 1 << 29 };

typedef enum { UNKNOWNS, EQUATIONS } Side;
typedef enum { CHOSEN, UNSUITED, NO_MEMORY } Choice;

struct Linear {
    int count;
    int *row_start, *column, *order;
    int *diagonal, *mirror; /* a row's entry in the diagonal, or -1; the entry across the diagonal */
    bool symmetric_pattern, chosen, factorised;
    double *row_scale, *column_scale, *scale; /* scale: of an entry */

    /* The sequence of pivots. position: of a column, -1 before it has one. least: below which size a pivot is not accepted. */
    bool definite;
    int *row_at, *column_at, *position;
    double *inverse, *least;

    /* The factors. A row has its part before the pivot, then from `upper` on the pivot and its part behind. Neither is divided by
     * pivots. at: the positions of their columns; place: where the entries of A go; target: where the products go, in the order in
     * which they are computed. */
    int *start, *upper, *at, *place, *target;
    double *factor;
    size_t at_room, factor_room, target_room;

    /* weak_at: the positions of the weak pivots, those below the floor. S has the order `size` and is kept as L D U with `live`
     * pivots; row and column say which of the weak ones belong to each. belief: in what a pivot determines, from 0 to infinity.
     * length: of its base vectors on either side, or nearly. */
    double floor;
    int weak, size, live, shortfall, passing;
    int *weak_at, *weak_row, *weak_column;
    double *block, *belief, *length[2];
    double *peak; /* the greatest that each pivot of a definite matrix has been */
    double lost_share;
    size_t block_room;

    int *mark, *list, *heap, *waiting;
    double *y, *image, *other;                                                  /* by position; by unknown or equation */
    double *along, *lost, *rest, *slope, *search, *part, *metric, *hold, *goal; /* by weak pivot */
};

/* Finds what lies across the diagonal: rows in ascending order come upon the entries of a column in ascending order. */
static void mirror_pattern(Linear *a)
{
    int *next = a->list;
    memcpy(next, a->row_start, (size_t)a->count * sizeof *next);
    a->symmetric_pattern = true;
    for (int i = 0; i < a->count; i++) {
        a->diagonal[i] = -1;
        for (int e = a->row_start[i]; e < a->row_start[i + 1]; e++) {
            int j = a->column[e], across = next[j];
            if (j == i)
                a->diagonal[i] = e;
            if (across < a->row_start[j + 1] && a->column[across] == i)
                a->mirror[e] = next[j]++;
            else
                a->symmetric_pattern = false;
        }
    }
}

Linear *linear_new(int count, const int *row_start, const int *column, const int *order)
{
    Linear *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    int **by_row[] = {&a->row_start, &a->order,   &a->diagonal,   &a->row_at,      &a->column_at, &a->position, &a->start,  &a->upper,
                      &a->weak_at,   &a->weak_row, &a->weak_column, &a->mark, &a->list,      &a->heap,     &a->waiting};
    int **by_entry[] = {&a->column, &a->mirror, &a->place};
    double **by_unknown[] = {&a->row_scale, &a->column_scale, &a->inverse, &a->least, &a->y,      &a->image, &a->other,
                             &a->belief,    &a->peak, &a->length[0],    &a->length[1], &a->along, &a->lost, &a->rest,  &a->slope,
                             &a->search,    &a->part,         &a->metric,  &a->hold,  &a->goal};
    const size_t n = (size_t)count + 1, entries = (size_t)row_start[count], rows = sizeof by_row / sizeof *by_row,
                 unknowns = sizeof by_unknown / sizeof *by_unknown;
    int *integers = calloc(rows * n + 3 * entries, sizeof *integers);
    double *doubles = calloc(unknowns * n + entries, sizeof *doubles);
    if (!integers || !doubles) {
        free(integers);
        free(doubles);
        free(a);
        return NULL;
    }
    for (size_t i = 0; i < rows; i++)
        *by_row[i] = integers + i * n;
    for (size_t i = 0; i < 3; i++)
        *by_entry[i] = integers + rows * n + i * entries;
    for (size_t i = 0; i < unknowns; i++)
        *by_unknown[i] = doubles + i * n;
    a->scale = doubles + unknowns * n;
    a->count = count;
    memcpy(a->row_start, row_start, n * sizeof *row_start);
    memcpy(a->column, column, entries * sizeof *column);
    memcpy(a->order, order, (n - 1) * sizeof *order);
    mirror_pattern(a);
    return a;
}

void linear_free(Linear *a)
{
    if (!a)
        return;
    free(a->row_start); /* with all integers by row and entry */
    free(a->row_scale); /* with all numbers by unknown and entry */
    free(a->at);
    free(a->factor);
    free(a->target);
    free(a->block);
    free(a);
}

int linear_stored(const Linear *a)
{
    return a->chosen ? a->start[a->count] : 0;
}

/* The array, in a new place where it had no room for so many; without memory it stays as it is. */
static void *grown(void *array, size_t *room, size_t needed, size_t size)
{
    void *larger = needed > *room ? realloc(array, 2 * needed * size) : NULL;
    if (!larger)
        return array;
    *room = 2 * needed;
    return larger;
}

static void scale_entries(Linear *a)
{
    for (int i = 0; i < a->count; i++)
        for (int e = a->row_start[i]; e < a->row_start[i + 1]; e++)
            a->scale[e] = a->row_scale[i] * a->column_scale[a->column[e]];
}

/* Equilibrates a matrix that is symmetric and may be semidefinite; false where it cannot be. */
static bool scale_by_diagonal(Linear *a, const double *values)
{
    if (!a->symmetric_pattern)
        return false;
    for (int i = 0; i < a->count; i++) {
        double d = a->diagonal[i] < 0 ? 0 : values[a->diagonal[i]];
        if (d < 0)
            return false;
        a->row_scale[i] = a->column_scale[i] = d > 0 ? 1 / sqrt(fmax(d, TINY)) : 1;
    }
    scale_entries(a);
    for (int e = 0; e < a->row_start[a->count]; e++) {
        double scaled = values[e] * a->scale[e];
        if (fabs(scaled) > 1 + ASYMMETRY || fabs(scaled - values[a->mirror[e]] * a->scale[e]) > ASYMMETRY)
            return false;
    }
    return true;
}

/* Equilibrates any matrix, as Ruiz does: rows and columns are divided by the roots of their greatest entries, again and again. */
static void scale_by_sweeps(Linear *a, const double *values)
{
    double *row = a->y, *column = a->image;
    for (int i = 0; i < a->count; i++)
        a->row_scale[i] = a->column_scale[i] = 1;
    bool even = false;
    for (int sweep = 0; sweep < MOST_SWEEPS && !even; sweep++) {
        memset(row, 0, (size_t)a->count * sizeof *row);
        memset(column, 0, (size_t)a->count * sizeof *column);
        for (int i = 0; i < a->count; i++)
            for (int e = a->row_start[i]; e < a->row_start[i + 1]; e++) {
                int j = a->column[e];
                double size = fabs(values[e]) * a->row_scale[i] * a->column_scale[j];
                row[i] = fmax(row[i], size);
                column[j] = fmax(column[j], size);
            }
        even = true;
        for (int i = 0; i < a->count; i++) {
            even = even && !(row[i] > 0 && fabs(row[i] - 1) > 0.1) && !(column[i] > 0 && fabs(column[i] - 1) > 0.1);
            if (row[i] > 0)
                a->row_scale[i] = fmin(a->row_scale[i] / sqrt(row[i]), 1 / sqrt(TINY));
            if (column[i] > 0)
                a->column_scale[i] = fmin(a->column_scale[i] / sqrt(column[i]), 1 / sqrt(TINY));
        }
    }
    scale_entries(a);
}

static void push(int *heap, int *size, int key)
{
    int i = (*size)++;
    for (; i > 0 && heap[(i - 1) / 2] > key; i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = key;
}

static int pop(int *heap, int *size)
{
    int least = heap[0], last = heap[--*size], i = 0;
    for (int child = 1; child < *size; i = child, child = 2 * i + 1) {
        child += child + 1 < *size && heap[child + 1] < heap[child];
        if (heap[child] >= last)
            break;
        heap[i] = heap[child];
    }
    heap[i] = last;
    return least;
}

/* A column comes into the row under work: to wait for its turn, or behind the pivot. */
static void enter(Linear *a, int column, double value, int *before, int *behind)
{
    a->mark[column] = true;
    a->y[column] = value;
    if (a->position[column] < 0)
        a->list[(*behind)++] = column;
    else
        push(a->heap, before, a->position[column]);
}

/* Appends to the factors a row of A less its multiples of the k rows before. It has an entry at `wanted`, unless that is -1.
 * Columns without pivots go by their own numbers until the sequence is complete. False where memory lacks. */
static bool reduce(Linear *a, const double *values, int row, int k, int wanted)
{
    int end = a->start[k], before = 0, behind = 0;
    const size_t needed = (size_t)end + (size_t)a->count;
    a->at = grown(a->at, &a->at_room, needed, sizeof *a->at);
    a->factor = grown(a->factor, &a->factor_room, needed, sizeof *a->factor);
    if (a->at_room < needed || a->factor_room < needed || needed > MOST_STORED)
        return false;
    for (int e = a->row_start[row]; e < a->row_start[row + 1]; e++)
        enter(a, a->column[e], values[e] * a->scale[e], &before, &behind);
    if (wanted >= 0 && !a->mark[wanted])
        enter(a, wanted, 0, &before, &behind);
    while (before > 0) {
        const int p = pop(a->heap, &before), eliminated = a->column_at[p];
        const double left = a->y[eliminated], multiple = left * a->inverse[p];
        a->mark[eliminated] = false;
        a->at[end] = p;
        a->factor[end++] = left;
        for (int q = a->upper[p] + 1; q < a->start[p + 1]; q++) {
            if (!a->mark[a->at[q]])
                enter(a, a->at[q], 0, &before, &behind);
            a->y[a->at[q]] -= multiple * a->factor[q];
        }
    }
    a->upper[k] = end;
    for (int m = 0; m < behind; m++) {
        a->mark[a->list[m]] = false;
        a->at[end] = a->list[m];
        a->factor[end++] = a->y[a->list[m]];
    }
    a->start[k + 1] = end;
    a->row_at[k] = row;
    return true;
}

/* The place of a column behind row k, or -1. */
static int place_of(const Linear *a, int k, int column)
{
    for (int q = a->upper[k]; q < a->start[k + 1]; q++)
        if (a->at[q] == column)
            return q;
    return -1;
}

static int greatest_place(const Linear *a, int k)
{
    int greatest = -1;
    for (int q = a->upper[k]; q < a->start[k + 1]; q++)
        if (greatest < 0 || fabs(a->factor[q]) > fabs(a->factor[greatest]))
            greatest = q;
    return greatest;
}

static void make_pivot(Linear *a, int k, int place, double pivot, double least)
{
    const int first = a->upper[k], column = a->at[place];
    a->at[place] = a->at[first];
    a->factor[place] = a->factor[first];
    a->at[first] = column;
    a->factor[first] = pivot;
    a->inverse[k] = 1 / pivot;
    a->least[k] = least;
    a->column_at[k] = column;
    a->position[column] = k;
}

/* Takes the diagonal in the given order. */
static Choice choose_diagonal(Linear *a, const double *values)
{
    for (int k = 0; k < a->count; k++) {
        if (!reduce(a, values, a->order[k], k, a->order[k]))
            return NO_MEMORY;
        const int place = place_of(a, k, a->order[k]);
        const double pivot = a->factor[place];
        if (pivot < -WEAK)
            return UNSUITED;
        make_pivot(a, k, place, pivot < WEAK ? pivot + 1 : pivot, WEAK);
    }
    return CHOSEN;
}

/* Takes pivots of falling size: a row whose greatest entry has become small waits for all that have greater ones, which shows a
 * lack of rank almost as well as searching the whole matrix for each pivot. In its row the diagonal is preferred. */
static Choice choose_graded(Linear *a, const double *values)
{
    int k = 0, waiting = a->count;
    memcpy(a->waiting, a->order, (size_t)waiting * sizeof *a->order);
    for (double size = STABLE; waiting > 0 && size > STABLE * WEAK; size *= STABLE) {
        const int visited = waiting;
        waiting = 0;
        for (int w = 0; w < visited; w++) {
            const int row = a->waiting[w];
            if (!reduce(a, values, row, k, -1))
                return NO_MEMORY;
            const int greatest = greatest_place(a, k), diagonal = place_of(a, k, row);
            const double most = greatest < 0 ? 0 : fabs(a->factor[greatest]);
            if (most < fmax(size, WEAK)) {
                a->waiting[waiting++] = row;
                continue;
            }
            const int place = diagonal >= 0 && fabs(a->factor[diagonal]) >= STABLE * most ? diagonal : greatest;
            make_pivot(a, k++, place, a->factor[place], fmax(WORN * fabs(a->factor[place]), WEAK));
        }
    }
    for (int w = 0, column = 0; w < waiting; w++, k++) {
        while (a->position[column] >= 0)
            column++;
        if (!reduce(a, values, a->waiting[w], k, column))
            return NO_MEMORY;
        const int place = place_of(a, k, column);
        make_pivot(a, k, place, a->factor[place] + 1, INFINITY);
    }
    return CHOSEN;
}

static Choice choose(Linear *a, const double *values, bool definite)
{
    a->definite = definite;
    for (int j = 0; j < a->count; j++) {
        a->position[j] = -1;
        a->mark[j] = false;
    }
    return definite ? choose_diagonal(a, values) : choose_graded(a, values);
}

/* Writes down, for the sequence just chosen, where the entries of A go and every product of the elimination. */
static bool arrange(Linear *a)
{
    size_t products = 0;
    for (int k = 0; k < a->count; k++) {
        for (int q = a->upper[k]; q < a->start[k + 1]; q++)
            a->at[q] = a->position[a->at[q]];
        for (int p = a->start[k]; p < a->upper[k]; p++)
            products += (size_t)(a->start[a->at[p] + 1] - a->upper[a->at[p]] - 1);
    }
    a->target = grown(a->target, &a->target_room, products, sizeof *a->target);
    if (a->target_room < products)
        return false;
    int *target = a->target, *place = a->list;
    for (int k = 0; k < a->count; k++) {
        const int row = a->row_at[k];
        for (int p = a->start[k]; p < a->start[k + 1]; p++)
            place[a->at[p]] = p;
        for (int e = a->row_start[row]; e < a->row_start[row + 1]; e++)
            a->place[e] = place[a->position[a->column[e]]];
        for (int p = a->start[k]; p < a->upper[k]; p++)
            for (int q = a->upper[a->at[p]] + 1; q < a->start[a->at[p] + 1]; q++)
                *target++ = place[a->at[q]];
    }
    return true;
}

/* False where the factors have grown, or are not finite. */
static bool moderate(const Linear *a)
{
    const int stored = a->start[a->count];
    double sum[4] = {0};
    int p = 0;
    for (; p + 4 <= stored; p += 4)
        for (int lane = 0; lane < 4; lane++)
            sum[lane] += a->factor[p + lane] * a->factor[p + lane];
    for (; p < stored; p++)
        sum[0] += a->factor[p] * a->factor[p];
    return sum[0] + sum[1] + sum[2] + sum[3] <= MOST_GROWTH + stored;
}

/* Factorises B with the sequence that there is; false where this does not suit the values. In a definite matrix pivots below the
 * floor are weak. */
static bool eliminate(Linear *a, const double *values, double floor)
{
    const int *start = a->start, *upper = a->upper, *at = a->at, *target = a->target;
    double *restrict factor = a->factor, *restrict inverse = a->inverse;
    bool suits = true;
    for (int p = 0; p < start[a->count]; p++)
        factor[p] = 0;
    for (int e = 0; e < a->row_start[a->count]; e++)
        factor[a->place[e]] = values[e] * a->scale[e];
    a->weak = 0;
    for (int k = 0; k < a->count; k++) {
        const double natural = factor[upper[k]];
        for (int p = start[k]; p < upper[k]; p++) {
            const double multiple = factor[p] * inverse[at[p]];
            for (int q = upper[at[p]] + 1; q < start[at[p] + 1]; q++)
                factor[*target++] -= multiple * factor[q];
        }
        if (factor[upper[k]] > a->peak[k])
            a->peak[k] = factor[upper[k]];
        if (!(fabs(factor[upper[k]]) >= (a->definite ? fmax(floor, FADED * a->peak[k]) : a->least[k]))) {
            if (a->definite)
                suits = suits && !(natural < STALE && natural > 0);
            else
                suits = suits && isinf(a->least[k]);
            factor[upper[k]] += 1;
            a->weak_at[a->weak++] = k;
        }
        inverse[k] = 1 / factor[upper[k]];
    }
    return suits && moderate(a);
}

/* By position: y becomes inv(B) y. */
static void solve(const Linear *a, double *restrict y)
{
    const double *restrict factor = a->factor, *restrict inverse = a->inverse;
    for (int k = 0; k < a->count; k++) {
        double sum = y[k];
        for (int p = a->start[k]; p < a->upper[k]; p++)
            sum -= factor[p] * y[a->at[p]];
        y[k] = sum * inverse[k];
    }
    for (int k = a->count - 1; k >= 0; k--) {
        double sum = 0;
        for (int q = a->upper[k] + 1; q < a->start[k + 1]; q++)
            sum += factor[q] * y[a->at[q]];
        y[k] -= inverse[k] * sum;
    }
}

/* By position: y becomes inv(B)' y. */
static void solve_transposed(const Linear *a, double *restrict y)
{
    for (int k = 0; k < a->count; k++) {
        y[k] *= a->inverse[k];
        for (int q = a->upper[k] + 1; q < a->start[k + 1]; q++)
            y[a->at[q]] -= a->factor[q] * y[k];
    }
    for (int k = a->count - 1; k >= 0; k--)
        for (int p = a->start[k]; p < a->upper[k]; p++)
            y[a->at[p]] -= a->inverse[a->at[p]] * a->factor[p] * y[k];
}

static void load(const Linear *a, Side side, const double *vector)
{
    const int *index = side == UNKNOWNS ? a->column_at : a->row_at;
    const double *scale = side == UNKNOWNS ? a->column_scale : a->row_scale;
    for (int k = 0; k < a->count; k++)
        a->y[k] = vector[index[k]] * scale[index[k]];
}

static void store(const Linear *a, Side side, double *vector)
{
    const int *index = side == UNKNOWNS ? a->column_at : a->row_at;
    const double *scale = side == UNKNOWNS ? a->column_scale : a->row_scale;
    for (int k = 0; k < a->count; k++)
        vector[index[k]] = a->y[k] * scale[index[k]];
}

/* An entry of U in the product S = L D U, of L on the side of the equations. */
static double triangle(const Linear *a, Side side, int k, int j)
{
    return side == UNKNOWNS ? a->block[k * a->size + j] : a->block[j * a->size + k];
}

/* The sum of the base vectors of one side, V inv(U) or W inv(L)', times `along`. */
static void spread(Linear *a, Side side, const double *along, double *vector)
{
    const int *weak = side == UNKNOWNS ? a->weak_column : a->weak_row;
    double *part = a->part;
    memcpy(part, along, (size_t)a->weak * sizeof *part);
    for (int k = a->live - 1; k >= 0; k--)
        for (int j = k + 1; j < a->size; j++)
            part[k] -= triangle(a, side, k, j) * part[j];
    memset(a->y, 0, (size_t)a->count * sizeof *a->y);
    for (int j = 0; j < a->weak; j++)
        a->y[a->weak_at[weak[j]]] = part[j];
    if (side == UNKNOWNS)
        solve(a, a->y);
    else
        solve_transposed(a, a->y);
    store(a, side, vector);
}

/* The products of a vector with these base vectors. */
static void gather(Linear *a, Side side, const double *vector, double *along)
{
    const int *weak = side == UNKNOWNS ? a->weak_column : a->weak_row;
    load(a, side, vector);
    if (side == UNKNOWNS)
        solve_transposed(a, a->y);
    else
        solve(a, a->y);
    for (int j = 0; j < a->weak; j++)
        along[j] = a->y[a->weak_at[weak[j]]];
    for (int k = 0; k < a->live; k++)
        for (int j = k + 1; j < a->size; j++)
            along[j] -= triangle(a, side, k, j) * along[k];
}

static double square(const double *x, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sum;
}

/* Computes S. Where there are many weak pivots, those that vanish have no part in it. False where memory lacks. */
static bool form_block(Linear *a)
{
    int dead = a->weak;
    a->size = a->live = 0;
    for (int w = 0; w < a->weak; w++) {
        const bool vanishes = a->definite && a->weak > FEW && fabs(a->factor[a->upper[a->weak_at[w]]] - 1) < NOTHING;
        a->weak_row[vanishes ? --dead : a->size++] = w;
    }
    memcpy(a->weak_column, a->weak_row, (size_t)a->weak * sizeof *a->weak_row);
    const size_t needed = (size_t)a->size * (size_t)a->size;
    a->block = grown(a->block, &a->block_room, needed, sizeof *a->block);
    if (a->block_room < needed || needed > MOST_STORED)
        return false;
    for (int c = 0; c < a->size; c++) {
        memset(a->y, 0, (size_t)a->count * sizeof *a->y);
        a->y[a->weak_at[a->weak_column[c]]] = 1;
        solve(a, a->y);
        for (int r = 0; r < a->size; r++)
            a->block[r * a->size + c] = (r == c) - a->y[a->weak_at[a->weak_row[r]]];
    }
    return true;
}

static void swap(double *a, double *b)
{
    const double c = *a;
    *a = *b;
    *b = c;
}

static void swap_integers(int *a, int *b)
{
    const int c = *a;
    *a = *b;
    *b = c;
}

/* Brings the greatest of what S has left to the place of the pivot; returns its size. */
static double bring_greatest(Linear *a, int k)
{
    const int size = a->size;
    int row = k, column = k;
    for (int r = k; r < size; r++)
        for (int c = k; c < size; c++)
            if (fabs(a->block[r * size + c]) > fabs(a->block[row * size + column])) {
                row = r;
                column = c;
            }
    for (int c = 0; c < size; c++)
        swap(&a->block[k * size + c], &a->block[row * size + c]);
    for (int r = 0; r < size; r++)
        swap(&a->block[r * size + k], &a->block[r * size + column]);
    swap_integers(&a->weak_row[k], &a->weak_row[row]);
    swap_integers(&a->weak_column[k], &a->weak_column[column]);
    return fabs(a->block[k * size + k]);
}

/* w' |A| v, of the base vectors of one pivot of S; notes their lengths. */
static double natural_size(Linear *a, const double *values, int k)
{
    double *v = a->image, *w = a->other, sum = 0;
    memset(a->along, 0, (size_t)a->weak * sizeof *a->along);
    a->along[k] = 1;
    spread(a, UNKNOWNS, a->along, v);
    spread(a, EQUATIONS, a->along, w);
    for (int i = 0; i < a->count; i++)
        for (int e = a->row_start[i]; e < a->row_start[i + 1]; e++)
            sum += fabs(w[i] * values[e] * v[a->column[e]]);
    a->length[UNKNOWNS][k] = sqrt(square(v, a->count));
    a->length[EQUATIONS][k] = sqrt(square(w, a->count));
    return sum;
}

/* What the pivot behind a weak direction has been at most. */
static double peak_of(const Linear *a, int k)
{
    return a->definite ? a->peak[a->weak_at[a->weak_row[k]]] : 0;
}

/* Factorises S, and finds what each of its pivots is worth. False where memory lacks. */
static bool weigh(Linear *a, const double *values)
{
    if (!form_block(a))
        return false;
    const int size = a->size;
    for (; a->live < size && bring_greatest(a, a->live) > NOTHING; a->live++) {
        const int k = a->live;
        const double pivot = a->block[k * size + k];
        for (int c = k + 1; c < size; c++)
            a->block[k * size + c] /= pivot;
        for (int r = k + 1; r < size; r++) {
            for (int c = k + 1; c < size; c++)
                a->block[r * size + c] -= a->block[r * size + k] * a->block[k * size + c];
            a->block[r * size + k] /= pivot;
        }
    }
    for (int k = a->live; k < a->weak; k++) {
        a->belief[k] = 0;
        a->length[UNKNOWNS][k] = a->column_scale[a->column_at[a->weak_at[a->weak_column[k]]]];
        a->length[EQUATIONS][k] = a->row_scale[a->row_at[a->weak_at[a->weak_row[k]]]];
    }
    a->shortfall = a->weak;
    a->passing = 0;
    for (int k = a->live; k < a->weak; k++)
        a->passing += peak_of(a, k) > SOUND;
    for (int k = 0; k < a->live; k++) {
        const double natural = natural_size(a, values, k);
        const double peak = peak_of(a, k), deficient = fmax(DEFICIENT, a->lost_share * fmin(peak, 1));
        const double measure = fmax(fmin(natural, fmax(a->floor, FADED * peak) / (10 * deficient)), natural / DOUBT);
        const double ratio = fabs(a->block[k * size + k]) / (deficient * measure);
        a->belief[k] = pow(ratio, 12);
        a->shortfall -= ratio >= 1;
        a->passing += ratio < 1 && peak > SOUND;
    }
    return true;
}

/* Factorises B with such weak pivots as suit their number. */
static bool factorise(Linear *a, const double *values)
{
    const bool suits = eliminate(a, values, a->floor = WEAK);
    if (!suits || !a->definite || a->weak == 0)
        return suits;
    if (a->weak > FEW)
        return eliminate(a, values, a->floor = FAINT);
    return eliminate(a, values, SOUND) && (a->weak <= FEW || eliminate(a, values, WEAK));
}

int linear_factorise(Linear *a, const double *values)
{
    a->factorised = false;
    bool serves = a->chosen && factorise(a, values);
    a->chosen = false;
    if (serves && a->weak > 0) {
        if (!weigh(a, values))
            return -1;
        serves = a->definite || a->live == 0 || fabs(a->block[0]) < 10 * WEAK;
    }
    if (!serves) {
        for (int e = 0; e < a->row_start[a->count]; e++)
            if (!isfinite(values[e]))
                return -1;
        Choice choice = scale_by_diagonal(a, values) ? choose(a, values, true) : UNSUITED;
        if (choice == UNSUITED) {
            scale_by_sweeps(a, values);
            choice = choose(a, values, false);
        }
        if (choice == NO_MEMORY || !arrange(a))
            return -1;
        factorise(a, values);
        if (a->weak > 0 && !weigh(a, values))
            return -1;
    }
    a->chosen = a->factorised = true;
    return a->weak > 0 ? a->shortfall : 0;
}

static double believed(const Linear *a, int k)
{
    return a->belief[k] / (1 + a->belief[k]);
}

/* Takes from a vector the sum of base vectors of one side that leaves least of it; but as far as a direction is believed, the goal
 * of it. `lost` is how much of each. By conjugate gradients, since the base is not orthogonal; it is nowhere formed. */
static void project(Linear *a, Side side, double *vector, const double *goal)
{
    const double rounding = 1e-29;
    double *lost = a->lost, *rest = a->rest, *slope = a->slope, *search = a->search, *hold = a->hold;
    for (int j = 0; j < a->weak; j++) {
        const double length = a->length[side][j] * sqrt(1 + a->belief[j]);
        hold[j] = sqrt(believed(a, j));
        a->metric[j] = 1 / length;
        lost[j] = believed(a, j) * goal[j];
        rest[j] = hold[j] * (1 - believed(a, j)) * goal[j] * length;
    }
    if (square(lost, a->weak) > 0) {
        spread(a, side, lost, a->image);
        for (int i = 0; i < a->count; i++)
            vector[i] -= a->image[i];
    }
    double before = 1, steepness = 1;
    for (int round = 0; round < 3 * a->weak + 10; round++) {
        gather(a, side, vector, slope);
        for (int j = 0; j < a->weak; j++)
            slope[j] = a->metric[j] * slope[j] + hold[j] * rest[j];
        const double now = square(slope, a->weak);
        if (!(now > rounding * steepness * square(vector, a->count)))
            break;
        double descent = 0;
        for (int j = 0; j < a->weak; j++) {
            search[j] = slope[j] + (round > 0 ? now / before * search[j] : 0);
            descent += search[j] * slope[j];
        }
        if (descent < 0.5 * now) { /* rounding has spoilt the direction */
            memcpy(search, slope, (size_t)a->weak * sizeof *search);
            descent = now;
        }
        double *motion = slope;
        for (int j = 0; j < a->weak; j++)
            motion[j] = a->metric[j] * search[j];
        spread(a, side, motion, a->image);
        double length = square(a->image, a->count);
        for (int j = 0; j < a->weak; j++)
            length += hold[j] * hold[j] * search[j] * search[j];
        const double step = descent / length;
        for (int i = 0; i < a->count; i++)
            vector[i] -= step * a->image[i];
        for (int j = 0; j < a->weak; j++) {
            lost[j] += step * motion[j];
            rest[j] -= step * hold[j] * search[j];
        }
        steepness = fmax(steepness, length / square(search, a->weak));
        before = now;
    }
}

/* Least squares, as far as S is not to be believed. */
static void solve_weak(Linear *a, double *b)
{
    double *goal = a->goal;
    memset(goal, 0, (size_t)a->weak * sizeof *goal);
    project(a, EQUATIONS, b, goal);
    gather(a, EQUATIONS, b, goal);
    for (int k = 0; k < a->weak; k++) {
        const double unlost = goal[k] + a->length[EQUATIONS][k] * a->length[EQUATIONS][k] * a->lost[k];
        goal[k] = k < a->live ? -unlost / a->block[k * a->size + k] : 0;
    }
    load(a, EQUATIONS, b);
    solve(a, a->y);
    store(a, UNKNOWNS, b);
    project(a, UNKNOWNS, b, goal);
}

void linear_set_lost_share(Linear *a, double share)
{
    a->lost_share = share;
}

int linear_weak(const Linear *a)
{
    return a->weak;
}

bool linear_passing(const Linear *a)
{
    return a->weak > 0 && a->passing == a->shortfall;
}

void linear_solve(Linear *a, double *b)
{
    if (!a->factorised) {
        for (int i = 0; i < a->count; i++)
            b[i] = NAN;
    } else if (a->weak > 0) {
        solve_weak(a, b);
    } else {
        load(a, EQUATIONS, b);
        solve(a, a->y);
        store(a, UNKNOWNS, b);
    }
}

/* The base of one null space, made orthonormal. */
static void orthonormal_base(Linear *a, Side side, double *base)
{
    double *v = base;
    for (int k = 0; k < a->weak; k++) {
        if (a->belief[k] >= 1)
            continue;
        memset(a->along, 0, (size_t)a->weak * sizeof *a->along);
        a->along[k] = 1;
        spread(a, side, a->along, v);
        for (int twice = 0; twice < 2; twice++) {
            for (const double *u = base; u < v; u += a->count) {
                double product = 0;
                for (int i = 0; i < a->count; i++)
                    product += u[i] * v[i];
                for (int i = 0; i < a->count; i++)
                    v[i] -= product * u[i];
            }
            const double length = sqrt(square(v, a->count));
            for (int i = 0; i < a->count; i++)
                v[i] /= length;
        }
        v += a->count;
    }
}

/* Projections of vectors of random signs onto a null space: the mean squares of their entries are those of projected axes. */
static void probe(Linear *a, Side side, double *projection)
{
    unsigned long long random = 1;
    memset(a->goal, 0, (size_t)a->weak * sizeof *a->goal);
    for (int m = 0; m < FEW; m++, projection += a->count) {
        for (int i = 0; i < a->count; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            a->other[i] = projection[i] = random >> 63 ? 1 : -1;
        }
        project(a, side, projection, a->goal);
        for (int i = 0; i < a->count; i++)
            projection[i] = (a->other[i] - projection[i]) / sqrt(FEW);
    }
}

int linear_undetermined(Linear *a, double *unknowns, double *equations)
{
    memset(unknowns, 0, (size_t)a->count * sizeof *unknowns);
    memset(equations, 0, (size_t)a->count * sizeof *equations);
    if (!a->factorised || a->weak == 0 || a->shortfall == 0)
        return 0;
    const size_t vectors = (size_t)(a->shortfall < FEW ? a->shortfall : FEW), count = (size_t)a->count;
    double *vector = malloc(vectors * count * sizeof *vector);
    if (!vector)
        return -1;
    for (Side side = UNKNOWNS; side <= EQUATIONS; side++) {
        double *extent = side == UNKNOWNS ? unknowns : equations;
        (a->shortfall <= FEW ? orthonormal_base : probe)(a, side, vector);
        for (size_t m = 0; m < vectors * count; m++)
            extent[m % count] += vector[m] * vector[m];
        for (size_t i = 0; i < count; i++)
            extent[i] = sqrt(fmin(extent[i], 1));
    }
    free(vector);
    return 0;
}
