/* The choice of pivots, the pattern of the factors that follows, and the place of every operand. */
#include "linear/linear_internal.h"

#include <math.h>
#include <string.h>

static const double STABLE = 0.1; /* the least share of a pivot in the greatest entry of its row */
static const double WORN = 1e-3;  /* the share of its first size below which a pivot is chosen anew */

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

/* A column comes into the row under work: to wait for its turn, or after the pivot. */
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

/* The place of a column after row k, or -1. */
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

Choice linear_choose_pivots(Linear *a, const double *values, bool definite)
{
    a->definite = definite;
    for (int j = 0; j < a->count; j++) {
        a->position[j] = -1;
        a->mark[j] = false;
    }
    return definite ? choose_diagonal(a, values) : choose_graded(a, values);
}

/* Writes down where the entries of A go and every product of the elimination. */
bool linear_trace(Linear *a)
{
    size_t products = 0;
    for (int k = 0; k < a->count; k++)
        for (int p = a->start[k]; p < a->upper[k]; p++)
            products += (size_t)(a->start[a->at[p] + 1] - a->upper[a->at[p]] - 1);
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

/* For the sequence just chosen: columns become their positions. */
bool linear_arrange(Linear *a)
{
    for (int k = 0; k < a->count; k++)
        for (int q = a->upper[k]; q < a->start[k + 1]; q++)
            a->at[q] = a->position[a->at[q]];
    return linear_trace(a);
}
