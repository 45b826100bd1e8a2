/* Vectors of the linear equations. */
#include "linear/linear_internal.h"

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
