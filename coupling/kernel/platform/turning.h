/* Attitudes as quaternions, about absolute axes. */
#ifndef KERNEL_TURNING_H
#define KERNEL_TURNING_H

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

void add_product(double c, double s, const double *d, const double *q, double *to); /* adds (c, s d) o q */
void turn_by(const double *d, double *q); /* turns by a rotation vector of any length, which keeps the length of the quaternion */

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
