/* Values and derivatives of tables: curves y(x) and surfaces z(x, y), piecewise linear or monotone cubic.
 *
 * The arguments begin with the orders of the derivatives. Nodes increase, and there are at least two. Beyond the nodes the value of the end
 * is held, and its derivatives are 0; a node belongs to the piece above it, and the last node to the last piece. Monotone cubics have the
 * slopes of Fritsch and Butland (SIAM Journal on Scientific and Statistical Computing 5, 1984) at nodes and three-point slopes, limited, at
 * both ends. They need the four nodes around x at most. A periodic curve is repeated, and its last value is the first one. A smooth one
 * has pieces of the fifth degree with continuous second derivatives, which polynomials through five nodes give. This file needs nothing but the language, fabs and floor. */
#ifndef LOOKUP_H
#define LOOKUP_H

#include <math.h>

enum { LINEAR_PIECES, MONOTONE_CUBICS, PERIODIC, PERIODIC_SMOOTH = 4 }; /* the third is added to one of the first two */
#define TAYLOR 4 /* terms, for derivatives of up to the third order */

typedef struct {
    double c[TAYLOR];
} Taylor; /* series in a second variable */

/* Returns the least difference of neighbours, which is positive if the numbers increase. */
static inline double least_step(unsigned n, const double *X)
{
    double least = X[1] - X[0];
    for (unsigned i = 2; i < n; i++)
        least = X[i] - X[i - 1] < least ? X[i] - X[i - 1] : least;
    return least;
}

/* Returns the piece, by the number of its lower node, in which x lies. On a uniform grid its first guess is right. */
static inline unsigned piece_of(double x, unsigned n, const double *X)
{
    const double share = (x - X[0]) / (X[n - 1] - X[0]) * (n - 1);
    const unsigned guess = share >= 0 && share < n - 1 ? (unsigned)share : n - 2;
    if (X[guess] <= x && x < X[guess + 1])
        return guess;
    unsigned low = x < X[guess] ? 0 : guess, high = x < X[guess] ? guess : n - 1;
    while (high - low > 1) {
        const unsigned middle = low + (high - low) / 2;
        if (x < X[middle])
            high = middle;
        else
            low = middle;
    }
    return low < n - 1 ? low : n - 2;
}

/* Returns the first node beyond x, or x where none is. Nodes may be equal here. */
static inline double next_node(double x, unsigned n, const double *X)
{
    if (x < X[0])
        return X[0];
    return x < X[n - 1] ? X[piece_of(x, n, X) + 1] : x;
}

static inline double quotient_term(const Taylor *q, double numerator, const Taylor *divisor, unsigned k)
{
    for (unsigned j = 0; j < k; j++)
        numerator -= q->c[j] * divisor->c[k - j];
    return numerator / divisor->c[0];
}

static inline int sign_of(double x)
{
    return (x > 0) - (x < 0);
}

/* Sets the slope at a node between two pieces with the widths h and the slopes m: their weighted harmonic mean, 0 at an extremum. */
static inline void inner_slope(unsigned top, double h0, double h1, const Taylor *m0, const Taylor *m1, Taylor *slope)
{
    const double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
    const int extremum = sign_of(m0->c[0]) * sign_of(m1->c[0]) <= 0;
    Taylor sum;
    for (unsigned k = 0; k <= top; k++) {
        double product = 0;
        for (unsigned j = 0; j <= k; j++)
            product += m0->c[j] * m1->c[k - j];
        sum.c[k] = (w0 * m1->c[k] + w1 * m0->c[k]) / (w0 + w1);
        slope->c[k] = extremum ? 0 : k == 0 ? m0->c[0] / sum.c[0] * m1->c[0] : quotient_term(slope, product, &sum, k);
    }
}

/* Sets the slope at the end of a table, beside the piece 0 and next to the piece 1: that of a parabola, limited to keep the shape. */
static inline void end_slope(unsigned top, double h0, double h1, const Taylor *m0, const Taylor *m1, Taylor *slope)
{
    const double a = (2 * h0 + h1) / (h0 + h1), b = h0 / (h0 + h1), free = a * m0->c[0] - b * m1->c[0];
    const int turned = sign_of(free) != sign_of(m0->c[0]);
    const int steep = sign_of(m0->c[0]) != sign_of(m1->c[0]) && fabs(free) > 3 * fabs(m0->c[0]);
    for (unsigned k = 0; k <= top; k++)
        slope->c[k] = turned ? 0 : steep ? 3 * m0->c[k] : a * m0->c[k] - b * m1->c[k];
}

/* Returns the derivative of an order by x, and the coefficient number `top` of its series, of the cubic in piece i of at most 4 nodes. */
static inline double cubic(unsigned order, unsigned top, double x, unsigned i, unsigned n, const double *X, const Taylor *y)
{
    double h[3];
    Taylor m[3], slope[2];
    for (unsigned j = 0; j + 1 < n; j++) {
        h[j] = X[j + 1] - X[j];
        for (unsigned k = 0; k <= top; k++)
            m[j].c[k] = (y[j + 1].c[k] - y[j].c[k]) / h[j];
    }
    if (n == 2) {
        slope[0] = slope[1] = m[0];
    } else {
        if (i == 0)
            end_slope(top, h[0], h[1], &m[0], &m[1], &slope[0]);
        else
            inner_slope(top, h[i - 1], h[i], &m[i - 1], &m[i], &slope[0]);
        if (i == n - 2)
            end_slope(top, h[i], h[i - 1], &m[i], &m[i - 1], &slope[1]);
        else
            inner_slope(top, h[i], h[i + 1], &m[i], &m[i + 1], &slope[1]);
    }
    const double t = x - X[i], c1 = slope[0].c[top], d1 = slope[1].c[top], mean = m[i].c[top];
    const double c2 = (3 * mean - 2 * c1 - d1) / h[i], c3 = (c1 + d1 - 2 * mean) / (h[i] * h[i]);
    return order == 0   ? y[i].c[top] + t * (c1 + t * (c2 + t * c3))
           : order == 1 ? c1 + t * (2 * c2 + 3 * t * c3)
           : order == 2 ? 2 * c2 + 6 * t * c3
           : order == 3 ? 6 * c3
                        : 0;
}

/* Sets place and value of a node of a periodic curve, by its number, which may be less than 0 or beyond the last one. */
static inline void node_of(int number, unsigned n, const double *X, const double *Y, double *x, double *y)
{
    const int count = (int)n - 1, turns = (number >= 0 ? number : number - count + 1) / count, place = number - turns * count;
    *x = X[place] + turns * (X[count] - X[0]);
    *y = Y[place];
}

/* Sets slope and second derivative, at the middle one of five nodes, of the polynomial through them: rows of differentiation matrices from
 * barycentric weights (Berrut and Trefethen, SIAM Review 46, 2004). */
static inline void bend_of(const double *x, const double *y, double *slope, double *bend)
{
    double weight[5], row[5], sum = 0;
    for (unsigned j = 0; j < 5; j++) {
        weight[j] = 1;
        for (unsigned k = 0; k < 5; k++)
            weight[j] *= k == j ? 1 : x[j] - x[k];
    }
    for (unsigned j = 0; j < 5; j++) {
        row[j] = j == 2 ? 0 : weight[2] / weight[j] / (x[2] - x[j]);
        sum += row[j];
    }
    *slope = *bend = 0;
    for (unsigned j = 0; j < 5; j++) {
        *slope += row[j] * (y[j] - y[2]);
        *bend += j == 2 ? 0 : -2 * row[j] * (sum + 1 / (x[2] - x[j])) * (y[j] - y[2]);
    }
}

/* Returns a derivative of the curve of fifth degree in piece i that has the slopes and second derivatives of both nodes. */
static inline double smooth(unsigned order, double x, unsigned i, unsigned n, const double *X, const double *Y)
{
    double nodes[6], y[6], slope[2], bend[2];
    for (unsigned k = 0; k < 6; k++)
        node_of((int)(i + k) - 2, n, X, Y, &nodes[k], &y[k]);
    bend_of(nodes, y, &slope[0], &bend[0]);
    bend_of(nodes + 1, y + 1, &slope[1], &bend[1]);
    const double h = nodes[3] - nodes[2], t = x - nodes[2];
    const double a = (y[3] - y[2] - h * (slope[0] + h * bend[0] / 2)) / (h * h * h);
    const double b = (slope[1] - slope[0] - h * bend[0]) / (h * h), d = (bend[1] - bend[0]) / h;
    const double c[6] = {y[2], slope[0], bend[0] / 2, 10 * a - 4 * b + d / 2, (7 * b - 15 * a - d) / h, (6 * a - 3 * b + d / 2) / (h * h)};
    double sum = 0;
    for (unsigned k = 6; k-- > order;) {
        double factor = 1;
        for (unsigned j = 0; j < order; j++)
            factor *= k - j;
        sum = sum * t + factor * c[k];
    }
    return sum;
}

/* Returns a derivative of the curve in piece i. */
static inline double in_piece(unsigned order, unsigned kind, double x, unsigned i, unsigned n, const double *X, const double *Y)
{
    if (kind == PERIODIC_SMOOTH)
        return smooth(order, x, i, n, X, Y);
    if (kind % PERIODIC == LINEAR_PIECES) {
        const double slope = (Y[i + 1] - Y[i]) / (X[i + 1] - X[i]);
        return order == 0 ? Y[i] + (x - X[i]) * slope : order == 1 ? slope : 0;
    }
    const unsigned first = i > 0 ? i - 1 : 0, last = i + 2 < n ? i + 2 : n - 1;
    Taylor y[4];
    if (kind >= PERIODIC) { /* the first and the last piece have neighbours as well */
        const double period = X[n - 1] - X[0];
        const double nodes[4] = {i > 0 ? X[i - 1] : X[n - 2] - period, X[i], X[i + 1], i + 2 < n ? X[i + 2] : X[1] + period};
        y[0].c[0] = Y[i > 0 ? i - 1 : n - 2];
        y[1].c[0] = Y[i];
        y[2].c[0] = Y[i + 1];
        y[3].c[0] = Y[i + 2 < n ? i + 2 : 1];
        return cubic(order, 0, x, 1, 4, nodes, y);
    }
    for (unsigned k = first; k <= last; k++)
        y[k - first].c[0] = Y[k];
    return cubic(order, 0, x, i - first, last - first + 1, X + first, y);
}

/* Returns y or its derivative of an order by x. */
static inline double curve(unsigned order, unsigned kind, double x, unsigned n, const double *X, const double *Y)
{
    if (kind >= PERIODIC) {
        x -= (X[n - 1] - X[0]) * floor((x - X[0]) / (X[n - 1] - X[0]));
        x = x > X[n - 1] ? X[n - 1] : x < X[0] ? X[0] : x; /* rounding may lead beyond */
    }
    if (x < X[0])
        return order == 0 ? Y[0] : 0;
    if (x > X[n - 1])
        return order == 0 ? Y[n - 1] : 0;
    return in_piece(order, kind, x, piece_of(x, n, X), n, X, Y);
}

/* Returns z or its derivative of two orders, the second at most 3; Z has a row of n_y numbers for each x. Monotone cubics along y, at the
 * four rows around x at most, give the values of a monotone cubic along x. */
static inline double surface(unsigned order_x, unsigned order_y, unsigned kind, double x, double y, unsigned n_x, unsigned n_y,
                             const double *X, const double *Y, const double *Z)
{
    if (x < X[0])
        return order_x == 0 ? curve(order_y, kind, y, n_y, Y, Z) : 0;
    if (x > X[n_x - 1])
        return order_x == 0 ? curve(order_y, kind, y, n_y, Y, Z + (n_x - 1) * n_y) : 0;
    const unsigned i = piece_of(x, n_x, X), first = i > 0 && kind != LINEAR_PIECES ? i - 1 : i;
    const unsigned last = i + 2 < n_x && kind != LINEAR_PIECES ? i + 2 : i + 1;
    const int beyond = y < Y[0] || y > Y[n_y - 1];
    const unsigned j = y > Y[n_y - 1] ? n_y - 1 : beyond ? 0 : piece_of(y, n_y, Y);
    static const double factorial[TAYLOR] = {1, 1, 2, 6};
    Taylor z[4];
    for (unsigned k = first; k <= last; k++)
        for (unsigned order = 0; order <= order_y; order++)
            z[k - first].c[order] = (!beyond       ? in_piece(order, kind, y, j, n_y, Y, Z + k * n_y)
                                     : order == 0 ? Z[k * n_y + j]
                                                  : 0) / factorial[order];
    if (kind != LINEAR_PIECES)
        return factorial[order_y] * cubic(order_x, order_y, x, i - first, last - first + 1, X + first, z);
    const double values[2] = {z[0].c[order_y] * factorial[order_y], z[1].c[order_y] * factorial[order_y]};
    return in_piece(order_x, LINEAR_PIECES, x, 0, 2, X + i, values);
}

#endif
