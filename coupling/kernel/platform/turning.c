#include "platform/turning.h"

#include "platform/rarely.h"

#include <math.h>

RARELY void add_product(double c, double s, const double *d, const double *q, double *to)
{
    const double q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3];
    to[0] += c * q0 - s * (d[0] * q1 + d[1] * q2 + d[2] * q3);
    to[1] += c * q1 + s * (d[0] * q0 + d[1] * q3 - d[2] * q2);
    to[2] += c * q2 + s * (d[1] * q0 + d[2] * q1 - d[0] * q3);
    to[3] += c * q3 + s * (d[2] * q0 + d[0] * q2 - d[1] * q1);
}

RARELY void turn_by(const double *d, double *q)
{
    const double angle = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (angle > 0)
        add_product(cos(angle / 2) - 1, sin(angle / 2) / angle, d, q, q);
}
