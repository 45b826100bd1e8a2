/* Dense linear systems. */
#ifndef LU_H
#define LU_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__ELF__)
#pragma GCC visibility push(hidden)
#endif

typedef struct {
    double re, im;
} Complex;

/* Overwrite a matrix, row by row, with its factors; false where it is singular. */
bool lu_factor(double *matrix, unsigned *pivot, size_t n);
bool lu_factor_complex(Complex *matrix, unsigned *pivot, size_t n);

/* Overwrite the right-hand side with the solution. */
void lu_solve(const double *factors, const unsigned *pivot, size_t n, double *side);
void lu_solve_complex(const Complex *factors, const unsigned *pivot, size_t n, Complex *side);

#if defined(__ELF__)
#pragma GCC visibility pop
#endif

#endif
