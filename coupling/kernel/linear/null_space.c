/* Finds the rows that take part in a null space. */
#include "linear/linear_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The base of one null space, made orthonormal. */
static void orthonormal_base(Linear *a, Side side, double *base)
{
    double *v = base;
    for (int k = 0; k < a->weak; k++) {
        if (a->filter[k] >= 1)
            continue;
        memset(a->along, 0, (size_t)a->weak * sizeof *a->along);
        a->along[k] = 1;
        linear_combine(a, side, a->along, v);
        for (int twice = 0; twice < 2; twice++) {
            for (const double *u = base; u < v; u += a->count) {
                double product = 0;
                for (int i = 0; i < a->count; i++)
                    product += u[i] * v[i];
                for (int i = 0; i < a->count; i++)
                    v[i] -= product * u[i];
            }
            const double length = sqrt(linear_square(v, a->count));
            for (int i = 0; i < a->count; i++)
                v[i] /= length;
        }
        v += a->count;
    }
}

/* Projections of vectors of random signs onto a null space: the mean squares of their entries are those of projected axes (Bekas,
 * Kokiopoulou and Saad, An Estimator for the Diagonal of a Matrix, 2007). */
static void probe(Linear *a, Side side, double *projection)
{
    unsigned long long random = 1;
    memset(a->prior, 0, (size_t)a->weak * sizeof *a->prior);
    for (int m = 0; m < FEW; m++, projection += a->count) {
        for (int i = 0; i < a->count; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            a->other[i] = projection[i] = random >> 63 ? 1 : -1;
        }
        linear_least_squares(a, side, projection, a->prior);
        for (int i = 0; i < a->count; i++)
            projection[i] = (a->other[i] - projection[i]) / sqrt(FEW);
    }
}

int linear_undetermined(Linear *a, double *unknowns, double *equations)
{
    memset(unknowns, 0, (size_t)a->count * sizeof *unknowns);
    memset(equations, 0, (size_t)a->count * sizeof *equations);
    if (!a->factorised)
        return 0;
    if (linear_damped(a))
        linear_damped_extent(a, unknowns, equations);
    if (a->weak == 0 || a->deficiency == 0)
        return 0;
    const size_t vectors = (size_t)(a->deficiency < FEW ? a->deficiency : FEW), count = (size_t)a->count;
    double *vector = malloc(vectors * count * sizeof *vector);
    if (!vector)
        return -1;
    for (Side side = UNKNOWNS; side <= EQUATIONS; side++) {
        double *extent = side == UNKNOWNS ? unknowns : equations;
        (a->deficiency <= FEW ? orthonormal_base : probe)(a, side, vector);
        for (size_t i = 0; i < count; i++) {
            double sum = extent[i] * extent[i];
            for (size_t m = i; m < vectors * count; m += count)
                sum += vector[m] * vector[m];
            extent[i] = sqrt(fmin(sum, 1));
        }
    }
    free(vector);
    return 0;
}
