/* Sines and cosines of many angles, four at once, with less than 1 ulp of error; the text is part of compiled systems too. Products and sums are
 * never joined, and so all processors give the same digits. Angles far from zero, of which too many digits cancel, are left to the library. */
#ifndef KERNEL_ANGLES_H
#define KERNEL_ANGLES_H

#include <math.h>

enum { ANGLES = 4 };

typedef double Angles __attribute__((vector_size(8 * ANGLES), aligned(8), may_alias));
typedef long long AngleBits __attribute__((vector_size(8 * ANGLES), aligned(8), may_alias));

/* All arrays have room for a whole number of ANGLES. */
static __attribute__((noinline)) void angles(int count, const double *x, double *sine, double *cosine)
{
    const double to_integer = 0x1.8p52, farthest = 1e5;
    const AngleBits sign = (AngleBits)(Angles){-0.0, -0.0, -0.0, -0.0};
    AngleBits odd = {0};
    for (int i = 0; i < count; i += ANGLES) {
        const Angles a = *(const Angles *)(x + i);

        /* The quadrant, and what is left, as the sum of rest and tail: of pi/2 the 33 first bits and 33 more, whose products are exact, and others. */
        const Angles shifted = a * 0.6366197723675814 + to_integer, n = shifted - to_integer;
        const Angles most = a - n * 0x1.921fb544p+0, more = n * 0x1.0b4611a6p-34, near = most - more;
        const Angles least = n * 0x1.3198a2e037073p-69 - ((most - near) - more), rest = near - least, tail = (near - rest) - least;
        const AngleBits quadrant = (AngleBits)shifted;
        const Angles size = (Angles)((AngleBits)a & ~sign);
        odd |= ~(size <= farthest);

        /* Polynomials that are nearest to both functions up to pi/4, beyond their first terms. */
        const Angles z = rest * rest, z2 = z * z;
        const Angles s = (0.008333333333330946 + z * -0.0001984126983675497) + z2 * ((2.755731610068303e-06 + z * -2.5051131455427943e-08) + z2 * 1.5918101230273893e-10);
        const Angles c = (0.041666666666666664 + z * -0.0013888888888887395) + z2 * ((2.4801587298763433e-05 + z * -2.7557317270560326e-07) + z2 * (2.0876146024689743e-09 + z * -1.1382614868556182e-11));
        const Angles cube = z * rest, half = 0.5 * z, one = 1.0 - half;
        const Angles of_sine = rest - ((z * (0.5 * tail - cube * s) - tail) - cube * -0.16666666666666666);
        const Angles of_cosine = one + (((1.0 - one) - half) + (z * (z * c) - rest * tail));

        const AngleBits swap = (AngleBits)(of_sine) ^ (AngleBits)of_cosine, swapped = swap & -(quadrant & 1);
        *(AngleBits *)(sine + i) = (AngleBits)of_sine ^ swapped ^ ((quadrant & 2) << 62);
        *(AngleBits *)(cosine + i) = (AngleBits)of_cosine ^ swapped ^ (((quadrant + 1) & 2) << 62);
    }
    if (!(odd[0] | odd[1] | odd[2] | odd[3]))
        return;
    for (int i = 0; i < count; i++)
        if (!(fabs(x[i]) <= farthest)) {
            sine[i] = sin(x[i]);
            cosine[i] = cos(x[i]);
        }
}

#endif
