/* The seven-body mechanism (Andrews' squeezing mechanism) as one function, written by hand for this mechanism and no other: the
 * yardstick for coupled components. Absolute coordinates of the mass centres, so that M is diagonal; the multipliers solve
 * G M^-1 G^T lambda = r, which has 20 rows. Data: Multibody Systems Handbook (Schiehlen, ed., 1990). */
#define _POSIX_C_SOURCE 199309L
#include "runs/runge_kutta.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BODIES = 7, JOINTS = 10, CONSTRAINTS = 2 * JOINTS, STATES = 6 * BODIES, MOST_JOINTS = 4 };
enum { LINK1, LINK2, LINK3, LINK4, LINK5, LINK6, LINK7, GROUND };

typedef struct {
    double x, y;
} Vector;
typedef struct {
    int body;
    Vector at; /* from the mass centre, in the body's frame; of the ground: absolute */
} Point;
typedef struct {
    double x, y, theta, vx, vy, omega;
} Motion;

#define XA -0.06934
#define YA -0.00227
#define XB -0.03635
#define YB 0.03273
#define D 0.028
#define DA 0.0115
#define E 0.02
#define EA 0.01421
#define RR 0.007
#define RA 0.00092
#define SS 0.035
#define SA 0.01874
#define SB 0.01043
#define SC 0.018
#define SD 0.02
#define TA 0.02308
#define TB 0.00916
#define U 0.04
#define UA 0.01228
#define UB 0.00449
#define ZF 0.02
#define ZT 0.04
#define FA 0.01421

static const double mass[BODIES] = {0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498};
static const double inertia[BODIES] = {2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5};
static const double torque = 0.033, stiffness = 4530, rest_length = 0.07785, alpha = 5, beta = 5;
static const Vector spring_on_ground = {0.014, 0.072}, spring_on_link3 = {SD - SB, SA - SC};

static const Point joint[JOINTS][2] = {
    {{GROUND, {0, 0}}, {LINK1, {-RA, 0}}},
    {{LINK1, {RR - RA, 0}}, {LINK2, {DA, 0}}},
    {{GROUND, {XB, YB}}, {LINK3, {-SB, SA}}},
    {{LINK2, {DA - D, 0}}, {LINK3, {-SB, SA - SS}}},
    {{GROUND, {XA, YA}}, {LINK5, {-TA, -TB}}},
    {{LINK5, {ZT - TA, -TB}}, {LINK4, {0, E - EA}}},
    {{LINK2, {DA - D, 0}}, {LINK4, {0, -EA}}},
    {{GROUND, {XA, YA}}, {LINK7, {UB, UA}}},
    {{LINK7, {UB, UA - U}}, {LINK6, {FA - ZF, 0}}},
    {{LINK2, {DA - D, 0}}, {LINK6, {FA, 0}}},
};

/* A = L D L^T in the lower triangle; b becomes the solution of A x = b. Joints that share no body leave zeros in A, and in this
 * order of the joints elimination fills none of them; compiled with DENSE, the zeros are calculated with like all else. */
static int solve(double A[CONSTRAINTS][CONSTRAINTS], double *b)
{
    for (int j = 0; j < CONSTRAINTS; j++) {
        if (!(A[j][j] > 0))
            return 1;
        double over_pivot = 1 / A[j][j];
        for (int i = CONSTRAINTS - 1; i > j; i--) {
#ifndef DENSE
            if (A[i][j] == 0)
                continue;
#endif
            double factor = A[i][j] * over_pivot;
            for (int k = j + 1; k <= i; k++)
                A[i][k] -= factor * A[k][j];
            A[i][j] = factor;
            b[i] -= factor * b[j];
        }
        A[j][j] = over_pivot;
    }
    for (int i = CONSTRAINTS - 1; i >= 0; i--) {
        b[i] *= A[i][i];
        for (int k = i + 1; k < CONSTRAINTS; k++)
            b[i] -= A[k][i] * b[k];
    }
    return 0;
}

/* Derivatives of x y theta vx vy omega of each body. */
int andrews(void *context, double t, const double *x, double *dx)
{
    (void)context, (void)t;
    const Motion *q = (const Motion *)x;
    Motion *dq = (Motion *)dx;
    Vector axis[BODIES];
    for (int i = 0; i < BODIES; i++) {
        axis[i] = (Vector){cos(q[i].theta), sin(q[i].theta)};
        dq[i] = (Motion){.x = q[i].vx, .y = q[i].vy, .theta = q[i].omega};
    }

    /* What the applied forces alone would accelerate. */
    Vector arm = {axis[LINK3].x * spring_on_link3.x - axis[LINK3].y * spring_on_link3.y,
                  axis[LINK3].y * spring_on_link3.x + axis[LINK3].x * spring_on_link3.y};
    Vector spring = {spring_on_ground.x - q[LINK3].x - arm.x, spring_on_ground.y - q[LINK3].y - arm.y};
    double length = sqrt(spring.x * spring.x + spring.y * spring.y), pull = stiffness * (1 - rest_length / length);
    dq[LINK1].omega = torque / inertia[LINK1];
    dq[LINK3].vx = pull * spring.x / mass[LINK3];
    dq[LINK3].vy = pull * spring.y / mass[LINK3];
    dq[LINK3].omega = pull * (arm.x * spring.y - arm.y * spring.x) / inertia[LINK3];

    /* The joints: the acceleration of N against M that is left for the multipliers to cancel, and G M^-1 G^T, body by body. */
    double A[CONSTRAINTS][CONSTRAINTS] = {{0}}, lambda[CONSTRAINTS];
    struct {
        int row;
        double sign;
        Vector r;
    } attached[BODIES][MOST_JOINTS], *last;
    int attachments[BODIES] = {0};
    for (int j = 0; j < JOINTS; j++) {
        Vector sum = {0, 0};
        for (int side = 0; side < 2; side++) {
            double sign = side ? 1 : -1;
            Vector at = joint[j][side].at;
            int i = joint[j][side].body;
            if (i == GROUND) {
                sum.x += sign * beta * beta * at.x;
                sum.y += sign * beta * beta * at.y;
                continue;
            }
            Vector r = {axis[i].x * at.x - axis[i].y * at.y, axis[i].y * at.x + axis[i].x * at.y};
            double w = q[i].omega, a = dq[i].omega;
            sum.x += sign * (dq[i].vx - a * r.y - w * w * r.x + 2 * alpha * (q[i].vx - w * r.y) + beta * beta * (q[i].x + r.x));
            sum.y += sign * (dq[i].vy + a * r.x - w * w * r.y + 2 * alpha * (q[i].vy + w * r.x) + beta * beta * (q[i].y + r.y));
            last = &attached[i][attachments[i]++];
            last->row = 2 * j;
            last->sign = sign;
            last->r = r;
            for (int k = 0; k < attachments[i]; k++) {
                double s = sign * attached[i][k].sign, over_mass = s / mass[i], over_inertia = s / inertia[i];
                Vector p = attached[i][k].r;
                double(*block)[CONSTRAINTS] = (double(*)[CONSTRAINTS])&A[2 * j][attached[i][k].row];
                block[0][0] += over_mass + over_inertia * r.y * p.y;
                block[0][1] -= over_inertia * r.y * p.x;
                block[1][0] -= over_inertia * r.x * p.y;
                block[1][1] += over_mass + over_inertia * r.x * p.x;
            }
        }
        lambda[2 * j] = -sum.x;
        lambda[2 * j + 1] = -sum.y;
    }
    if (solve(A, lambda))
        return RK_RETRY;

    for (int i = 0; i < BODIES; i++)
        for (int k = 0; k < attachments[i]; k++) {
            double fx = attached[i][k].sign * lambda[attached[i][k].row], fy = attached[i][k].sign * lambda[attached[i][k].row + 1];
            Vector r = attached[i][k].r;
            dq[i].vx += fx / mass[i];
            dq[i].vy += fy / mass[i];
            dq[i].omega += (r.x * fy - r.y * fx) / inertia[i];
        }
    return 0;
}

/* The states at rest for the seven angles beta, Theta, gamma, Phi, delta, Omega, eps. */
void andrews_states(const double *angle, double *x)
{
    double first = angle[0], second = angle[0] + angle[1], gamma = angle[2], delta = angle[4], eps = angle[6];
    double fourth = angle[3] + delta, sixth = angle[5] + eps;
    const Motion start[BODIES] = {
        {RA * cos(first), RA * sin(first), first, 0, 0, 0},
        {RR * cos(first) - DA * cos(second), RR * sin(first) - DA * sin(second), second, 0, 0, 0},
        {XB + SA * sin(gamma) + SB * cos(gamma), YB - SA * cos(gamma) + SB * sin(gamma), gamma, 0, 0, 0},
        {XA + ZT * cos(delta) + (E - EA) * sin(fourth), YA + ZT * sin(delta) - (E - EA) * cos(fourth), fourth, 0, 0, 0},
        {XA + TA * cos(delta) - TB * sin(delta), YA + TA * sin(delta) + TB * cos(delta), delta, 0, 0, 0},
        {XA + U * sin(eps) + (ZF - FA) * cos(sixth), YA - U * cos(eps) + (ZF - FA) * sin(sixth), sixth, 0, 0, 0},
        {XA + UA * sin(eps) - UB * cos(eps), YA - UA * cos(eps) - UB * sin(eps), eps, 0, 0, 0},
    };
    memcpy(x, start, sizeof start);
}

void andrews_angles(const double *x, double *angle)
{
    const Motion *q = (const Motion *)x;
    angle[0] = q[LINK1].theta;
    angle[1] = q[LINK2].theta - q[LINK1].theta;
    angle[2] = q[LINK3].theta;
    angle[3] = q[LINK4].theta - q[LINK5].theta;
    angle[4] = q[LINK5].theta;
    angle[5] = q[LINK6].theta - q[LINK7].theta;
    angle[6] = q[LINK7].theta;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double difference = *(const double *)a - *(const double *)b;
    return (difference > 0) - (difference < 0);
}

/* Integrates from rest to 0.03 s as often as asked; the median of the times in seconds, or -1 where a run fails. The angles
 * at the end and the evaluations of one run are stored. */
double andrews_run(const Tableau *method, double tolerance, int repeats, double *angles, long *evaluations)
{
    static const double start[] = {-0.0617138900142764496358948458001,  0, 0.455279819163070380255912382449,
                                   0.222668390165885884674473185609,    0.487364979543842550225598953530,
                                   -0.222668390165885884674473185609,   1.23054744454982119249735015568};
    double x[STATES], atol[STATES], *seconds = malloc((size_t)repeats * sizeof *seconds), median = -1;
    andrews_states(start, x);
    for (int i = 0; i < STATES; i++)
        atol[i] = tolerance;
    RungeKutta *rk = rk_new(method, STATES, andrews, NULL, tolerance, atol);
    int status = seconds && rk ? RK_DONE : -1;
    for (int run = 0; run < repeats && status == RK_DONE; run++) {
        double began = now();
        rk->evaluations = 0;
        status = rk_start(rk, 0, x);
        while (status == RK_DONE && rk->t < 0.03)
            status = rk_step(rk, 0.03);
        seconds[run] = now() - began;
    }
    if (status == RK_DONE) {
        qsort(seconds, (size_t)repeats, sizeof *seconds, ascending);
        median = seconds[repeats / 2];
        andrews_angles(rk->x, angles);
        *evaluations = rk->evaluations;
    }
    rk_free(rk);
    free(seconds);
    return median;
}
