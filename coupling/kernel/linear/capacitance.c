/* The capacitance matrix S of the weak pivots (Woodbury), and the bases of both null spaces that it comes with. */
#include "linear/linear_internal.h"

#include <math.h>
#include <string.h>

/* The measure of a pivot of S is w' |A| v, with its vectors of W and V: rounding leaves 1e-16 to 1e-15 of that where A truly lacks a rank.
 * At DEFICIENT the filter factor of what the pivot determines is 1/2, at twice that all but 1/4096 of 1, at half that 1/4096. The measure
 * never counts as so much that the factor is small when a pivot first becomes weak, but at least as 1/DOUBT of itself, so that it is for
 * rounding. */
static const double DEFICIENT = 1e-11, DOUBT = 100;
static const double NOTHING = 1e-14; /* of S */

/* An entry of U in the product S = L D U, of L on the side of the equations. */
static double triangle(const Linear *a, Side side, int k, int j)
{
    return side == UNKNOWNS ? a->block[k * a->size + j] : a->block[j * a->size + k];
}

/* The sum of the base vectors of one side, V inv(U) or W inv(L)', times `along`. */
void linear_combine(Linear *a, Side side, const double *along, double *vector)
{
    const int *weak = side == UNKNOWNS ? a->weak_column : a->weak_row;
    double *part = a->weights;
    memcpy(part, along, (size_t)a->weak * sizeof *part);
    for (int k = a->rank - 1; k >= 0; k--)
        for (int j = k + 1; j < a->size; j++)
            part[k] -= triangle(a, side, k, j) * part[j];
    memset(a->y, 0, (size_t)a->count * sizeof *a->y);
    for (int j = 0; j < a->weak; j++)
        a->y[a->weak_at[weak[j]]] = part[j];
    if (side == UNKNOWNS)
        linear_apply(a, a->y);
    else
        linear_apply_transposed(a, a->y);
    linear_store(a, side, vector);
}

/* The products of a vector with these base vectors. */
void linear_project(Linear *a, Side side, const double *vector, double *along)
{
    const int *weak = side == UNKNOWNS ? a->weak_column : a->weak_row;
    linear_load(a, side, vector);
    if (side == UNKNOWNS)
        linear_apply_transposed(a, a->y);
    else
        linear_apply(a, a->y);
    for (int j = 0; j < a->weak; j++)
        along[j] = a->y[a->weak_at[weak[j]]];
    for (int k = 0; k < a->rank; k++)
        for (int j = k + 1; j < a->size; j++)
            along[j] -= triangle(a, side, k, j) * along[k];
}

/* Computes S. Where there are many weak pivots, those that vanish have no part in it. False where memory lacks. */
static bool form_block(Linear *a)
{
    int dead = a->weak;
    a->size = a->rank = 0;
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
        linear_apply(a, a->y);
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
    linear_combine(a, UNKNOWNS, a->along, v);
    linear_combine(a, EQUATIONS, a->along, w);
    for (int i = 0; i < a->count; i++)
        for (int e = a->row_start[i]; e < a->row_start[i + 1]; e++)
            sum += fabs(w[i] * values[e] * v[a->column[e]]);
    a->length[UNKNOWNS][k] = sqrt(linear_square(v, a->count));
    a->length[EQUATIONS][k] = sqrt(linear_square(w, a->count));
    return sum;
}

/* Factorises S, and finds what each of its pivots is worth. False where memory lacks. */
bool linear_factorise_block(Linear *a, const double *values)
{
    if (!form_block(a))
        return false;
    const int size = a->size;
    for (; a->rank < size && bring_greatest(a, a->rank) > NOTHING; a->rank++) {
        const int k = a->rank;
        const double pivot = a->block[k * size + k];
        for (int c = k + 1; c < size; c++)
            a->block[k * size + c] /= pivot;
        for (int r = k + 1; r < size; r++) {
            for (int c = k + 1; c < size; c++)
                a->block[r * size + c] -= a->block[r * size + k] * a->block[k * size + c];
            a->block[r * size + k] /= pivot;
        }
    }
    for (int k = a->rank; k < a->weak; k++) {
        a->filter[k] = 0;
        a->length[UNKNOWNS][k] = a->column_scale[a->column_at[a->weak_at[a->weak_column[k]]]];
        a->length[EQUATIONS][k] = a->row_scale[a->row_at[a->weak_at[a->weak_row[k]]]];
    }
    a->deficiency = a->weak;
    for (int k = 0; k < a->rank; k++) {
        const double natural = natural_size(a, values, k);
        const double measure = fmax(fmin(natural, a->floor / (10 * DEFICIENT)), natural / DOUBT);
        const double ratio = fabs(a->block[k * size + k]) / (DEFICIENT * measure);
        a->filter[k] = pow(ratio, 12);
        a->deficiency -= ratio >= 1;
    }
    return true;
}
