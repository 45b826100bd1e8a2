/* Elimination row by row, with the sequence of pivots of the time before.
 *
 * All of it sees the equilibrated matrix R A C, whose rows and columns have greatest entries of 1, so that a pivot is small or
 * not by itself, whatever the units. The sequence of pivots, the pattern of the factors and the place of every operand are found
 * once and serve until a pivot becomes small or the factors grow; then they are found anew.
 *
 * Rows and columns without a pivot are weak. They come last, and all that is left of A between them is a block S of small
 * numbers: the factors give bases V and W with A V = E S and W' A = S F', where E and F are unit vectors of the weak rows and
 * columns. While S counts as nothing V spans the null space and W the left one, and least squares free b of its part along W and
 * x of its part along V. As S returns, these parts fade in again. */
#include "linear.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Of pivots, which are 1 where a row owes nothing to those before it. Rounding leaves 1e-16 to 1e-14 of a row that depends on
 * others. At DEFICIENT half of what a pivot determines is believed, at WEAK all but 1e-12 of it, at NOTHING no more than that. */
static const double WEAK = 1e-6, DEFICIENT = 1e-11, NOTHING = 1e-14;
static const double MOST_LENGTH = 1e4;
static const double SAFE = 1e-6;
static const double STABLE = 0.1;      /* the least share that a pivot has of the greatest entry in its row */
static const double WORN = 1e-3;       /* the share of its value when chosen below which a pivot is chosen anew */
static const double MOST_GROWTH = 1e8; /* of the sum of squares of the factors */
static const double ROUNDING = 1e-8;   /* the most asymmetry that still counts as symmetric */
static const double TINY = 1e-290;
enum { MOST_SWEEPS = 20, MOST_VECTORS = 32, MOST_FACTORS = 1 << 29 };

typedef enum { UNKNOWNS, EQUATIONS } Side;
typedef enum { CHOSEN, UNSUITED, NO_MEMORY } Choice;

struct Linear {
    int count;
    int *row_start, *column, *order;
    int *diagonal, *mirror; /* a row's entry in the diagonal, or -1; the entry across the diagonal */
    bool symmetric_pattern, chosen, factorised;
    double *row_scale, *column_scale, *scale; /* scale: of an entry */

    /* The sequence: rows and columns with pivots, then the weak ones. */
    int pivots, weak;
    int *row_at, *column_at, *position; /* position: of a column, -1 while it has no pivot */
    double *inverse, *least;            /* of a pivot: its inverse, and the size below which it is chosen anew */

    /* The factors. A row has its part before the pivot, then from `upper` on the pivot and its part behind. Neither is divided by
     * pivots. at: the positions of their columns; place: where the entries of A go; target: where the products go, in the order in
     * which they are computed. */
    int *start, *upper, *at, *place, *target;
    double *factor;
    size_t at_room, factor_room, target_room;

    /* S, as far as it is more than nothing: a dense block L D U, the weak rows and columns in the order of its pivots.
     * belief: in what the pivot determines, from 0 to infinity. */
    int block_rows, block_columns, live, shortfall;
    int *weak_row, *weak_column;
    double *block, *belief;
    size_t block_room;

    int *mark, *list, *heap, *waiting;
    double *y, *given, *image;                                          /* by position, by equation, by either side */
    double *along, *goal, *rest, *slope, *search, *motion, *metric, *hold; /* by weak direction */
};

static int *take(int **from, size_t count)
{
    int *taken = *from;
    *from += count;
    return taken;
}

static double *take_doubles(double **from, size_t count)
{
    double *taken = *from;
    *from += count;
    return taken;
}

/* Finds what lies across the diagonal; rows in ascending order visit each column's entries in ascending order too. */
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
    size_t n = (size_t)count, entries = (size_t)row_start[count];
    Linear *a = calloc(1, sizeof *a);
    int *integers = calloc(14 * (n + 1) + 3 * entries, sizeof *integers);
    double *doubles = calloc(16 * n + entries + 1, sizeof *doubles);
    if (!a || !integers || !doubles) {
        free(a);
        free(integers);
        free(doubles);
        return NULL;
    }
    a->count = count;
    int **by_row[] = {&a->row_start,  &a->start,       &a->upper, &a->order, &a->diagonal, &a->row_at,  &a->column_at, &a->position,
                      &a->weak_row, &a->weak_column, &a->mark,  &a->list,  &a->heap,     &a->waiting};
    for (size_t i = 0; i < sizeof by_row / sizeof *by_row; i++)
        *by_row[i] = take(&integers, n + 1);
    a->column = take(&integers, entries);
    a->mirror = take(&integers, entries);
    a->place = take(&integers, entries);
    double **by_unknown[] = {&a->row_scale, &a->column_scale, &a->inverse, &a->least, &a->belief, &a->y,      &a->given,  &a->image,
                             &a->along,     &a->goal,         &a->rest,    &a->slope, &a->search, &a->motion, &a->metric, &a->hold};
    for (size_t i = 0; i < sizeof by_unknown / sizeof *by_unknown; i++)
        *by_unknown[i] = take_doubles(&doubles, n);
    a->scale = take_doubles(&doubles, entries);
    memcpy(a->row_start, row_start, (n + 1) * sizeof *row_start);
    memcpy(a->column, column, entries * sizeof *column);
    memcpy(a->order, order, n * sizeof *order);
    mirror_pattern(a);
    return a;
}

void linear_free(Linear *a)
{
    if (!a)
        return;
    free(a->row_start);
    free(a->row_scale);
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

static bool reserve(void **array, size_t *room, size_t needed, size_t size)
{
    if (needed <= *room)
        return true;
    void *larger = realloc(*array, 2 * needed * size);
    if (!larger)
        return false;
    *array = larger;
    *room = 2 * needed;
    return true;
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
        if (fabs(scaled) > 1 + ROUNDING || fabs(scaled - values[a->mirror[e]] * a->scale[e]) > ROUNDING)
            return false;
    }
    return true;
}

/* Equilibrates any matrix, by what Ruiz proposes: dividing rows and columns by the roots of their greatest entries. */
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
            even = even && !(fabs(row[i] - 1) > 0.1 && row[i] > 0) && !(fabs(column[i] - 1) > 0.1 && column[i] > 0);
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

/* Places a row of A at position i of the factors, less its multiples of the rows with pivots. Columns without pivots go by their
 * own numbers until the sequence is complete. False where memory lacks. */
static bool reduce(Linear *a, const double *values, int row, int i)
{
    int end = a->start[i], before = 0, behind = 0;
    size_t needed = (size_t)end + (size_t)a->count;
    if (needed > MOST_FACTORS || !reserve((void **)&a->at, &a->at_room, needed, sizeof *a->at) ||
        !reserve((void **)&a->factor, &a->factor_room, needed, sizeof *a->factor))
        return false;
    double *sum = a->y;
    for (int e = a->row_start[row]; e < a->row_start[row + 1]; e++) {
        int j = a->column[e];
        a->mark[j] = true;
        sum[j] = values[e] * a->scale[e];
        if (a->position[j] < 0)
            a->list[behind++] = j;
        else
            push(a->heap, &before, a->position[j]);
    }
    while (before > 0) {
        int k = pop(a->heap, &before), eliminated = a->column_at[k];
        double multiple = sum[eliminated] * a->inverse[k];
        a->at[end] = k;
        a->factor[end++] = sum[eliminated];
        a->mark[eliminated] = false;
        for (int q = a->upper[k] + 1; q < a->start[k + 1]; q++) {
            int j = a->at[q];
            if (!a->mark[j]) {
                a->mark[j] = true;
                sum[j] = 0;
                if (a->position[j] < 0)
                    a->list[behind++] = j;
                else
                    push(a->heap, &before, a->position[j]);
            }
            sum[j] -= multiple * a->factor[q];
        }
    }
    a->upper[i] = end;
    for (int m = 0; m < behind; m++) {
        int j = a->list[m];
        a->mark[j] = false;
        a->at[end] = j;
        a->factor[end++] = sum[j];
    }
    a->start[i + 1] = end;
    a->row_at[i] = row;
    return true;
}

/* The place of the pivot in the row that stands next, or -1 where it has none of this size. The diagonal is preferred. */
static int pivot_place(const Linear *a, double size)
{
    int k = a->pivots, greatest = -1, diagonal = -1;
    for (int q = a->upper[k]; q < a->start[k + 1]; q++) {
        if (greatest < 0 || fabs(a->factor[q]) > fabs(a->factor[greatest]))
            greatest = q;
        if (a->at[q] == a->row_at[k])
            diagonal = q;
    }
    if (greatest < 0 || fabs(a->factor[greatest]) < size)
        return -1;
    return diagonal >= 0 && fabs(a->factor[diagonal]) >= STABLE * fabs(a->factor[greatest]) ? diagonal : greatest;
}

static void make_pivot(Linear *a, int place, double least)
{
    int k = a->pivots++, first = a->upper[k], column = a->at[place];
    double pivot = a->factor[place];
    a->at[place] = a->at[first];
    a->factor[place] = a->factor[first];
    a->at[first] = column;
    a->factor[first] = pivot;
    a->inverse[k] = 1 / pivot;
    a->least[k] = least;
    a->column_at[k] = column;
    a->position[column] = k;
}

static void begin_sequence(Linear *a)
{
    a->pivots = 0;
    for (int j = 0; j < a->count; j++)
        a->position[j] = -1;
}

/* Factorises with pivots from the diagonal in the given order, as suits a definite matrix. */
static Choice choose_diagonal(Linear *a, const double *values)
{
    begin_sequence(a);
    for (int i = 0; i < a->count; i++) {
        if (!reduce(a, values, a->order[i], i))
            return NO_MEMORY;
        int q = a->upper[i];
        while (q < a->start[i + 1] && a->at[q] != a->order[i])
            q++;
        if (q == a->start[i + 1] || a->factor[q] < SAFE)
            return UNSUITED;
        make_pivot(a, q, SAFE);
    }
    a->weak = 0;
    return CHOSEN;
}

/* Factorises with pivots of falling size: a row whose greatest entry has become small waits for all that have greater ones. This
 * shows a lack of rank almost as well as a search of the whole matrix for each pivot, and leaves W and V small. */
static Choice choose_graded(Linear *a, const double *values)
{
    int waiting = a->count;
    memcpy(a->waiting, a->order, (size_t)waiting * sizeof *a->order);
    begin_sequence(a);
    for (double size = STABLE; waiting > 0; size = fmax(STABLE * size, WEAK)) {
        int visited = waiting;
        waiting = 0;
        for (int w = 0; w < visited; w++) {
            if (!reduce(a, values, a->waiting[w], a->pivots))
                return NO_MEMORY;
            int place = pivot_place(a, size);
            if (place < 0)
                a->waiting[waiting++] = a->waiting[w];
            else
                make_pivot(a, place, fmax(WORN * fabs(a->factor[place]), WEAK));
        }
        if (size <= WEAK)
            break;
    }
    a->weak = waiting;
    for (int w = 0; w < waiting; w++)
        if (!reduce(a, values, a->waiting[w], a->pivots + w))
            return NO_MEMORY;
    for (int j = 0, k = a->pivots; j < a->count; j++)
        if (a->position[j] < 0) {
            a->column_at[k] = j;
            a->position[j] = k++;
        }
    return CHOSEN;
}

/* Writes down where the entries of A go, and every product of the elimination, for the sequence just chosen. */
static bool arrange(Linear *a)
{
    size_t products = 0;
    for (int i = 0; i < a->count; i++) {
        for (int q = a->upper[i]; q < a->start[i + 1]; q++)
            a->at[q] = a->position[a->at[q]];
        for (int p = a->start[i]; p < a->upper[i]; p++)
            products += (size_t)(a->start[a->at[p] + 1] - a->upper[a->at[p]] - 1);
    }
    if (!reserve((void **)&a->target, &a->target_room, products, sizeof *a->target))
        return false;
    int *target = a->target, *place = a->list;
    for (int i = 0; i < a->count; i++) {
        for (int p = a->start[i]; p < a->start[i + 1]; p++)
            place[a->at[p]] = p;
        for (int e = a->row_start[a->row_at[i]]; e < a->row_start[a->row_at[i] + 1]; e++)
            a->place[e] = place[a->position[a->column[e]]];
        for (int p = a->start[i]; p < a->upper[i]; p++)
            for (int k = a->at[p], q = a->upper[k] + 1; q < a->start[k + 1]; q++)
                *target++ = place[a->at[q]];
    }
    return true;
}

/* False where the factors have grown, or are not finite. */
static bool moderate(const Linear *a)
{
    int stored = a->start[a->count], p = 0;
    double sum[4] = {0};
    for (; p + 4 <= stored; p += 4)
        for (int lane = 0; lane < 4; lane++)
            sum[lane] += a->factor[p + lane] * a->factor[p + lane];
    for (; p < stored; p++)
        sum[0] += a->factor[p] * a->factor[p];
    return sum[0] + sum[1] + sum[2] + sum[3] <= MOST_GROWTH + stored;
}

/* Factorises with the sequence that there is; false where it does not suit these values. */
static bool refactorise(Linear *a, const double *values)
{
    const int *start = a->start, *upper = a->upper, *at = a->at, *target = a->target;
    double *restrict factor = a->factor, *restrict inverse = a->inverse;
    bool suits = true;
    memset(factor, 0, (size_t)start[a->count] * sizeof *factor);
    for (int e = 0; e < a->row_start[a->count]; e++)
        factor[a->place[e]] = values[e] * a->scale[e];
    for (int i = 0; i < a->count; i++) {
        for (int p = start[i]; p < upper[i]; p++) {
            int k = at[p];
            double multiple = factor[p] * inverse[k];
            for (int q = upper[k] + 1; q < start[k + 1]; q++)
                factor[*target++] -= multiple * factor[q];
        }
        if (i < a->pivots) {
            double pivot = factor[upper[i]];
            suits = suits && fabs(pivot) >= a->least[i];
            inverse[i] = 1 / pivot;
        }
    }
    return suits && moderate(a);
}

/* Collects what is more than nothing of S into the block. False where memory lacks. */
static bool gather_block(Linear *a)
{
    int *row_lives = a->list, *column_lives = a->heap, rows = 0, columns = 0;
    memset(row_lives, 0, (size_t)a->weak * sizeof *row_lives);
    memset(column_lives, 0, (size_t)a->weak * sizeof *column_lives);
    for (int w = 0; w < a->weak; w++)
        for (int q = a->upper[a->pivots + w]; q < a->start[a->pivots + w + 1]; q++)
            if (fabs(a->factor[q]) > NOTHING)
                row_lives[w] = column_lives[a->at[q] - a->pivots] = true;
    for (int lives = 1; lives >= 0; lives--) {
        for (int w = 0, r = rows, c = columns; w < a->weak; w++) {
            if (row_lives[w] == lives)
                a->weak_row[lives ? rows++ : r++] = w;
            if (column_lives[w] == lives)
                a->weak_column[lives ? columns++ : c++] = w;
        }
    }
    if (!reserve((void **)&a->block, &a->block_room, (size_t)rows * (size_t)columns, sizeof *a->block))
        return false;
    memset(a->block, 0, (size_t)rows * (size_t)columns * sizeof *a->block);
    int *column_at = a->heap;
    for (int c = 0; c < a->weak; c++)
        column_at[a->weak_column[c]] = c;
    for (int r = 0; r < rows; r++) {
        int i = a->pivots + a->weak_row[r];
        for (int q = a->upper[i]; q < a->start[i + 1]; q++) {
            int c = column_at[a->at[q] - a->pivots];
            if (c < columns)
                a->block[r * columns + c] = a->factor[q];
        }
    }
    a->block_rows = rows;
    a->block_columns = columns;
    return true;
}

static void swap_integers(int *a, int *b)
{
    int c = *a;
    *a = *b;
    *b = c;
}

static void swap_doubles(double *a, double *b)
{
    double c = *a;
    *a = *b;
    *b = c;
}

/* Brings the greatest of what the block has left to the pivot's place; returns its size. */
static double bring_greatest(Linear *a, int k)
{
    int rows = a->block_rows, columns = a->block_columns, row = k, column = k;
    double greatest = 0;
    for (int r = k; r < rows; r++)
        for (int c = k; c < columns; c++)
            if (fabs(a->block[r * columns + c]) > greatest) {
                greatest = fabs(a->block[r * columns + c]);
                row = r;
                column = c;
            }
    for (int c = 0; c < columns && row != k; c++)
        swap_doubles(&a->block[k * columns + c], &a->block[row * columns + c]);
    for (int r = 0; r < rows && column != k; r++)
        swap_doubles(&a->block[r * columns + k], &a->block[r * columns + column]);
    swap_integers(&a->weak_row[k], &a->weak_row[row]);
    swap_integers(&a->weak_column[k], &a->weak_column[column]);
    return greatest;
}

/* y becomes inv(L) y, divided by the pivots; by position, as in the following three. */
static void forward(const Linear *a, double *restrict y)
{
    for (int i = 0; i < a->count; i++) {
        double sum = y[i];
        for (int p = a->start[i]; p < a->upper[i]; p++)
            sum -= a->factor[p] * y[a->at[p]];
        y[i] = i < a->pivots ? sum * a->inverse[i] : sum;
    }
}

/* The unknowns with pivots, from what `forward` left there and the weak unknowns. */
static void backward(const Linear *a, double *restrict y)
{
    for (int i = a->pivots - 1; i >= 0; i--) {
        double sum = 0;
        for (int q = a->upper[i] + 1; q < a->start[i + 1]; q++)
            sum += a->factor[q] * y[a->at[q]];
        y[i] -= a->inverse[i] * sum;
    }
}

static void forward_transposed(const Linear *a, double *restrict y)
{
    for (int i = a->count - 1; i >= 0; i--) {
        if (i < a->pivots)
            y[i] *= a->inverse[i];
        for (int p = a->start[i]; p < a->upper[i]; p++)
            y[a->at[p]] -= a->factor[p] * y[i];
    }
}

static void backward_transposed(const Linear *a, double *restrict y)
{
    for (int i = 0; i < a->pivots; i++) {
        double share = a->inverse[i] * y[i];
        for (int q = a->upper[i] + 1; q < a->start[i + 1]; q++)
            y[a->at[q]] -= a->factor[q] * share;
    }
}

static void load(const Linear *a, const double *vector, const int *index, const double *scale)
{
    for (int i = 0; i < a->count; i++)
        a->y[i] = vector[index[i]] * scale[index[i]];
}

static void store(const Linear *a, double *vector, const int *index, const double *scale)
{
    for (int i = 0; i < a->count; i++)
        vector[index[i]] = a->y[i] * scale[index[i]];
}

/* The sum of the base vectors of one side, V or W, times `along`, left in y. */
static void expand(Linear *a, Side side, const double *along)
{
    const int *weak = side == UNKNOWNS ? a->weak_column : a->weak_row;
    double *y = a->y, *sum = a->y + a->pivots;
    memset(y, 0, (size_t)a->count * sizeof *y);
    for (int j = 0; j < a->weak; j++)
        sum[weak[j]] = along[j];
    for (int k = a->live - 1; k >= 0; k--) {
        if (side == UNKNOWNS)
            for (int c = k + 1; c < a->block_columns; c++)
                sum[weak[k]] -= a->block[k * a->block_columns + c] * sum[weak[c]];
        else
            for (int r = k + 1; r < a->block_rows; r++)
                sum[weak[k]] -= a->block[r * a->block_columns + k] * sum[weak[r]];
    }
    if (side == UNKNOWNS)
        backward(a, y);
    else
        forward_transposed(a, y);
}

static void spread(Linear *a, Side side, const double *along, double *vector)
{
    expand(a, side, along);
    if (side == UNKNOWNS)
        store(a, vector, a->column_at, a->column_scale);
    else
        store(a, vector, a->row_at, a->row_scale);
}

/* The products of a vector with the base vectors: the transpose of `spread`. */
static void gather(Linear *a, Side side, const double *vector, double *along)
{
    int columns = a->block_columns;
    const int *weak = (side == UNKNOWNS ? a->weak_column : a->weak_row);
    if (side == UNKNOWNS) {
        load(a, vector, a->column_at, a->column_scale);
        backward_transposed(a, a->y);
    } else {
        load(a, vector, a->row_at, a->row_scale);
        forward(a, a->y);
    }
    for (int j = 0; j < a->weak; j++)
        along[j] = a->y[a->pivots + weak[j]];
    for (int k = 0; k < a->live; k++) {
        if (side == UNKNOWNS)
            for (int c = k + 1; c < columns; c++)
                along[c] -= a->block[k * columns + c] * along[k];
        else
            for (int r = k + 1; r < a->block_rows; r++)
                along[r] -= a->block[r * columns + k] * along[k];
    }
}

static double square(const double *x, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sum;
}

/* Factorises S, and finds what each of its pivots is worth: rounding in it grows with the lengths of its base vectors. False
 * where memory lacks. */
static bool weigh(Linear *a)
{
    if (!gather_block(a))
        return false;
    int rows = a->block_rows, columns = a->block_columns, most = rows < columns ? rows : columns;
    for (a->live = 0; a->live < most && bring_greatest(a, a->live) > NOTHING; a->live++) {
        int k = a->live;
        double pivot = a->block[k * columns + k];
        for (int c = k + 1; c < columns; c++)
            a->block[k * columns + c] /= pivot;
        for (int r = k + 1; r < rows; r++) {
            double multiple = a->block[r * columns + k];
            for (int c = k + 1; c < columns; c++)
                a->block[r * columns + c] -= multiple * a->block[k * columns + c];
            a->block[r * columns + k] /= pivot;
        }
    }
    a->shortfall = a->weak;
    memset(a->belief, 0, (size_t)a->weak * sizeof *a->belief);
    memset(a->along, 0, (size_t)a->weak * sizeof *a->along);
    for (int k = 0; k < a->live; k++) {
        double length[2];
        a->along[k] = 1;
        for (Side side = UNKNOWNS; side <= EQUATIONS; side++) {
            expand(a, side, a->along);
            length[side] = sqrt(square(a->y, a->count));
        }
        a->along[k] = 0;
        double ratio = fabs(a->block[k * columns + k]) / (DEFICIENT * fmin(length[0] * length[1], MOST_LENGTH));
        a->belief[k] = pow(ratio, 8);
        a->shortfall -= a->belief[k] >= 1;
    }
    return true;
}

int linear_factorise(Linear *a, const double *values)
{
    a->factorised = false;
    bool serves = a->chosen && refactorise(a, values);
    if (serves && a->weak > 0) {
        if (!weigh(a))
            return -1;
        serves = a->live == 0 || fabs(a->block[0]) < 10 * WEAK;
    }
    if (!serves) {
        a->chosen = false;
        for (int e = 0; e < a->row_start[a->count]; e++)
            if (!isfinite(values[e]))
                return -1;
        bool definite = scale_by_diagonal(a, values);
        if (!definite)
            scale_by_sweeps(a, values);
        Choice choice = definite ? choose_diagonal(a, values) : UNSUITED;
        if (choice == UNSUITED)
            choice = choose_graded(a, values);
        if (choice == NO_MEMORY || !arrange(a) || (a->weak > 0 && !weigh(a)))
            return -1;
        a->chosen = true;
    }
    a->factorised = true;
    return a->weak > 0 ? a->shortfall : 0;
}

static double believed(double belief)
{
    return belief / (1 + belief);
}

/* Frees a vector of its part along the base of one side; `along` becomes that part. Where `goal` is given, in the measure in
 * which a direction is believed its part becomes the goal instead of all there is. By conjugate gradients, since the base is not
 * orthogonal and, with many directions, best never formed. */
static void project(Linear *a, Side side, double *vector, const double *goal)
{
    double *along = a->along, *rest = a->rest, *slope = a->slope, *search = a->search, *motion = a->motion, *hold = a->hold;
    for (int j = 0; j < a->weak; j++) {
        double size = side == UNKNOWNS ? a->column_scale[a->column_at[a->pivots + a->weak_column[j]]]
                                       : a->row_scale[a->row_at[a->pivots + a->weak_row[j]]];
        double belief = goal ? a->belief[j] : 0;
        hold[j] = sqrt(belief / (1 + belief));
        a->metric[j] = 1 / (size * sqrt(1 + belief));
        along[j] = goal ? goal[j] * hold[j] * hold[j] : 0;
        rest[j] = goal ? goal[j] * size * hold[j] / sqrt(1 + belief) : 0;
    }
    if (goal) {
        spread(a, side, along, a->image);
        for (int i = 0; i < a->count; i++)
            vector[i] -= a->image[i];
    }
    double before = 0, steepness = 0;
    for (int round = 0; round <= 10 * a->weak + 10; round++) {
        gather(a, side, vector, slope);
        for (int j = 0; j < a->weak; j++)
            slope[j] = a->metric[j] * slope[j] + hold[j] * rest[j];
        double now = square(slope, a->weak);
        if (!(now > 1e-30 * steepness * square(vector, a->count)) || !(now > 0))
            break;
        double descent = 0;
        for (int j = 0; j < a->weak; j++) {
            search[j] = slope[j] + (round > 0 ? now / before * search[j] : 0);
            descent += search[j] * slope[j];
        }
        if (descent < 0.5 * now) { /* rounding has got the better of the gradients being conjugate */
            memcpy(search, slope, (size_t)a->weak * sizeof *search);
            descent = now;
        }
        for (int j = 0; j < a->weak; j++)
            motion[j] = a->metric[j] * search[j];
        spread(a, side, motion, a->image);
        double length = square(a->image, a->count);
        for (int j = 0; j < a->weak; j++)
            length += hold[j] * hold[j] * search[j] * search[j];
        double step = descent / length;
        for (int i = 0; i < a->count; i++)
            vector[i] -= step * a->image[i];
        for (int j = 0; j < a->weak; j++) {
            along[j] += step * motion[j];
            rest[j] -= step * hold[j] * search[j];
        }
        steepness = fmax(steepness, length / square(search, a->weak));
        before = now;
    }
}

/* Least squares along the weak directions, as far as S is not to be believed. */
static void solve_weak(Linear *a, double *b)
{
    int columns = a->block_columns;
    double *y = a->y, *goal = a->goal;
    memcpy(a->given, b, (size_t)a->count * sizeof *b);
    gather(a, EQUATIONS, b, goal);
    for (int j = 0; j < a->weak; j++)
        goal[j] = j < a->live ? -goal[j] / a->block[j * columns + j] : 0;
    project(a, EQUATIONS, b, NULL);
    load(a, b, a->row_at, a->row_scale);
    forward(a, y);
    memset(y + a->pivots, 0, (size_t)a->weak * sizeof *y);
    backward(a, y);
    store(a, b, a->column_at, a->column_scale);
    project(a, UNKNOWNS, b, goal);
    if (a->live == 0)
        return;
    /* S contributes: what it takes of b is not to be freed of W. */
    double *taken = a->rest, *unknown = a->goal;
    for (int r = 0; r < a->block_rows; r++) {
        taken[r] = 0;
        for (int k = 0; k <= r && k < a->live; k++)
            taken[r] -= (k < r ? a->block[r * columns + k] : 1) * a->block[k * columns + k] * a->along[k] * believed(a->belief[k]);
    }
    for (int k = a->weak - 1; k >= 0; k--) {
        unknown[k] = -a->along[k];
        for (int c = k + 1; k < a->live && c < columns; c++)
            unknown[k] -= a->block[k * columns + c] * unknown[c];
    }
    memcpy(b, a->given, (size_t)a->count * sizeof *b);
    memset(a->given, 0, (size_t)a->count * sizeof *b);
    for (int r = 0; r < a->block_rows; r++) {
        int row = a->row_at[a->pivots + a->weak_row[r]];
        a->given[row] = taken[r] / a->row_scale[row];
        b[row] -= a->given[row];
    }
    project(a, EQUATIONS, b, NULL);
    for (int i = 0; i < a->count; i++)
        b[i] += a->given[i];
    load(a, b, a->row_at, a->row_scale);
    forward(a, y);
    for (int c = 0; c < a->weak; c++)
        y[a->pivots + a->weak_column[c]] = unknown[c];
    backward(a, y);
    store(a, b, a->column_at, a->column_scale);
}

void linear_solve(Linear *a, double *b)
{
    if (!a->factorised) {
        for (int i = 0; i < a->count; i++)
            b[i] = NAN;
    } else if (a->weak > 0) {
        solve_weak(a, b);
    } else {
        load(a, b, a->row_at, a->row_scale);
        forward(a, a->y);
        backward(a, a->y);
        store(a, b, a->column_at, a->column_scale);
    }
}

/* Base vectors of one null space, made orthonormal; their number is the shortfall. */
static void orthonormal_base(Linear *a, Side side, double *base)
{
    double *v = base;
    for (int j = 0; j < a->weak; j++) {
        if (a->belief[j] >= 1)
            continue;
        memset(a->along, 0, (size_t)a->weak * sizeof *a->along);
        a->along[j] = 1;
        spread(a, side, a->along, v);
        for (int twice = 0; twice < 2; twice++) {
            for (double *u = base; u < v; u += a->count) {
                double product = 0;
                for (int i = 0; i < a->count; i++)
                    product += u[i] * v[i];
                for (int i = 0; i < a->count; i++)
                    v[i] -= product * u[i];
            }
            double length = sqrt(square(v, a->count));
            for (int i = 0; i < a->count; i++)
                v[i] /= length;
        }
        v += a->count;
    }
}

/* Projections of vectors of random signs onto a null space; the mean squares are those of the projected axes. */
static void probes(Linear *a, Side side, double *probe)
{
    unsigned long long random = 1;
    memset(a->goal, 0, (size_t)a->weak * sizeof *a->goal);
    for (int m = 0; m < MOST_VECTORS; m++, probe += a->count) {
        for (int i = 0; i < a->count; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            a->given[i] = probe[i] = random >> 63 ? 1 : -1;
        }
        project(a, side, probe, a->goal);
        for (int i = 0; i < a->count; i++)
            probe[i] = (a->given[i] - probe[i]) / sqrt(MOST_VECTORS);
    }
}

int linear_undetermined(Linear *a, double *unknowns, double *equations)
{
    memset(unknowns, 0, (size_t)a->count * sizeof *unknowns);
    memset(equations, 0, (size_t)a->count * sizeof *equations);
    if (!a->factorised || a->shortfall == 0)
        return 0;
    int vectors = a->shortfall < MOST_VECTORS ? a->shortfall : MOST_VECTORS;
    double *vector = malloc((size_t)vectors * (size_t)a->count * sizeof *vector);
    if (!vector)
        return -1;
    for (Side side = UNKNOWNS; side <= EQUATIONS; side++) {
        double *extent = side == UNKNOWNS ? unknowns : equations;
        (a->shortfall <= MOST_VECTORS ? orthonormal_base : probes)(a, side, vector);
        for (int m = 0; m < vectors; m++)
            for (int i = 0; i < a->count; i++)
                extent[i] += vector[(size_t)m * (size_t)a->count + i] * vector[(size_t)m * (size_t)a->count + i];
        for (int i = 0; i < a->count; i++)
            extent[i] = sqrt(fmin(extent[i], 1));
    }
    free(vector);
    return 0;
}
