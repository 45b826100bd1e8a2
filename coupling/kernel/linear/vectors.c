/* Vectors of the linear equations, and arrays that grow. */
#include "linear/linear_internal.h"

#include <stdlib.h>

/* The array, in a new place where it had no room for so many; without memory it stays as it is. */
void *linear_grown(void *array, size_t *room, size_t needed, size_t size)
{
    void *larger = needed > *room ? realloc(array, 2 * needed * size) : NULL;
    if (!larger)
        return array;
    *room = 2 * needed;
    return larger;
}

void linear_load(const Linear *a, Side side, const double *vector)
{
    const int *index = side == UNKNOWNS ? a->column_at : a->row_at;
    const double *scale = side == UNKNOWNS ? a->column_scale : a->row_scale;
    for (int k = 0; k < a->count; k++)
        a->y[k] = vector[index[k]] * scale[index[k]];
}

void linear_store(const Linear *a, Side side, double *vector)
{
    const int *index = side == UNKNOWNS ? a->column_at : a->row_at;
    const double *scale = side == UNKNOWNS ? a->column_scale : a->row_scale;
    for (int k = 0; k < a->count; k++)
        vector[index[k]] = a->y[k] * scale[index[k]];
}

double linear_square(const double *x, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sum;
}
