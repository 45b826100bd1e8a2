/* Damped least squares over the base of a null space, by preconditioned conjugate gradients. */
#include "linear/linear_internal.h"

#include <math.h>
#include <string.h>

static double linear_filter_factor(const Linear *a, int k)
{
    return a->filter[k] / (1 + a->filter[k]);
}

/* Takes from a vector the sum of base vectors of one side that leaves its smallest rest, where a filter factor is nothing, and that with
 * the coefficients given before, where it is 1; in between, the least squares of both. The coefficients are found by CGLS (Bjorck,
 * Numerical Methods for Least Squares Problems, 1996, section 7.4), preconditioned by the lengths of the base vectors: the base is not
 * orthogonal, and nowhere formed. `vector` is the residual of the one part, `damping_residual` that of the other. */
void linear_least_squares(Linear *a, Side side, double *vector, const double *prior)
{
    const double rounding = 1e-29;
    double *coefficient = a->coefficient, *damping_residual = a->damping_residual, *damping = a->damping;
    double *gradient = a->gradient, *direction = a->direction;
    for (int j = 0; j < a->weak; j++) {
        const double length = a->length[side][j] * sqrt(1 + a->filter[j]);
        damping[j] = sqrt(linear_filter_factor(a, j));
        a->preconditioner[j] = 1 / length;
        coefficient[j] = linear_filter_factor(a, j) * prior[j];
        damping_residual[j] = damping[j] * (1 - linear_filter_factor(a, j)) * prior[j] * length;
    }
    if (linear_square(coefficient, a->weak) > 0) {
        linear_combine(a, side, coefficient, a->image);
        for (int i = 0; i < a->count; i++)
            vector[i] -= a->image[i];
    }
    double before = 1, steepness = 1;
    for (int round = 0; round < 3 * a->weak + 10; round++) {
        linear_project(a, side, vector, gradient);
        for (int j = 0; j < a->weak; j++)
            gradient[j] = a->preconditioner[j] * gradient[j] + damping[j] * damping_residual[j];
        const double now = linear_square(gradient, a->weak);
        if (!(now > rounding * steepness * linear_square(vector, a->count)))
            break;
        double descent = 0;
        for (int j = 0; j < a->weak; j++) {
            direction[j] = gradient[j] + (round > 0 ? now / before * direction[j] : 0);
            descent += direction[j] * gradient[j];
        }
        if (descent < 0.5 * now) { /* rounding has spoilt the direction */
            memcpy(direction, gradient, (size_t)a->weak * sizeof *direction);
            descent = now;
        }
        double *scaled = gradient;
        for (int j = 0; j < a->weak; j++)
            scaled[j] = a->preconditioner[j] * direction[j];
        linear_combine(a, side, scaled, a->image);
        double length = linear_square(a->image, a->count);
        for (int j = 0; j < a->weak; j++)
            length += damping[j] * damping[j] * direction[j] * direction[j];
        const double step = descent / length;
        for (int i = 0; i < a->count; i++)
            vector[i] -= step * a->image[i];
        for (int j = 0; j < a->weak; j++) {
            coefficient[j] += step * scaled[j];
            damping_residual[j] -= step * damping[j] * direction[j];
        }
        steepness = fmax(steepness, length / linear_square(direction, a->weak));
        before = now;
    }
}
