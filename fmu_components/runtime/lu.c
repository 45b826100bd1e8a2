/* Dense linear systems, real and complex: LU factors with partial pivoting. Matrices lie row by row and are overwritten. */
#include "lu.h"

#include <math.h>

static void exchange(double *a, double *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

bool lu_factor(double *a, unsigned *pivot, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k]))
                best = i;
        pivot[k] = (unsigned)best;
        if (best != k)
            exchange(a + k * n, a + best * n, n);
        const double *above = a + k * n;
        if (!(fabs(above[k]) > 0 && isfinite(above[k])))
            return false;
        for (size_t i = k + 1; i < n; i++) {
            double *row = a + i * n, factor = row[k] / above[k];
            row[k] = factor;
            for (size_t j = k + 1; factor != 0 && j < n; j++)
                row[j] -= factor * above[j];
        }
    }
    return true;
}

void lu_solve(const double *a, const unsigned *pivot, size_t n, double *b)
{
    for (size_t k = 0; k < n; k++)
        exchange(b + k, b + pivot[k], pivot[k] != k);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            b[i] -= a[i * n + j] * b[j];
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++)
            b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
    }
}

/* a - b c; C11 makes its own complex numbers optional, and some compilers have none. */
static Complex less(Complex a, Complex b, Complex c)
{
    return (Complex){a.re - (b.re * c.re - b.im * c.im), a.im - (b.re * c.im + b.im * c.re)};
}

static Complex quotient(Complex a, Complex b)
{
    double size = fmax(fabs(b.re), fabs(b.im)), re = b.re / size, im = b.im / size, square = size * (re * re + im * im);
    return (Complex){(a.re * re + a.im * im) / square, (a.im * re - a.re * im) / square};
}

static double magnitude(Complex a)
{
    return fabs(a.re) + fabs(a.im);
}

bool lu_factor_complex(Complex *a, unsigned *pivot, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (magnitude(a[i * n + k]) > magnitude(a[best * n + k]))
                best = i;
        pivot[k] = (unsigned)best;
        if (best != k)
            exchange(&a[k * n].re, &a[best * n].re, 2 * n);
        const Complex *above = a + k * n;
        if (!(magnitude(above[k]) > 0 && isfinite(magnitude(above[k]))))
            return false;
        for (size_t i = k + 1; i < n; i++) {
            Complex *row = a + i * n, factor = quotient(row[k], above[k]);
            row[k] = factor;
            for (size_t j = k + 1; magnitude(factor) != 0 && j < n; j++)
                row[j] = less(row[j], factor, above[j]);
        }
    }
    return true;
}

void lu_solve_complex(const Complex *a, const unsigned *pivot, size_t n, Complex *b)
{
    for (size_t k = 0; k < n; k++)
        if (pivot[k] != k)
            exchange(&b[k].re, &b[pivot[k]].re, 2);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            b[i] = less(b[i], a[i * n + j], b[j]);
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++)
            b[i] = less(b[i], a[i * n + j], b[j]);
        b[i] = quotient(b[i], a[i * n + i]);
    }
}
