/* States moved onto the constraints at starts and events, with V and S anew in each round, damped as far as that helps (Levenberg, A Method
 * for the Solution of Certain Non-Linear Problems in Least Squares, 1944). */
#include "constraints/project.h"

#include <string.h>

enum { MOST_ROUNDS = 40 };
static const double least_damping = 1e-8;
static const double negligible = 1e3; /* as a violation, where it falls no longer */
static const double falling = 0.5;

int linearise_constraints(Kernel *k, double t, const double *x)
{
    const long factorisations = k->statistics.factorisations; /* those of evaluations are counted */
    k->t = t;
    memcpy(k->v, x, (size_t)k->states * sizeof *x);
    place_instances(&k->phase, ASTRAY);
    int result = pass_once(k);
    for (int i = 0; i < k->loop_count && result == KERNEL_DONE; i++) {
        if (rests(k, i))
            continue;
        result = loop_linearise(k, i, false);
        loop_mobility(&k->loops[i]);
    }
    k->statistics.factorisations = factorisations;
    return result;
}

static void damp_all(Kernel *k, double sigma2)
{
    for (int i = 0; i < k->loop_count; i++)
        linear_damp_all(k->loops[i].linear, sigma2);
}

/* Brings one level down as far as it goes. */
static int lower(Kernel *k, double t, double *x, bool positions, double *left)
{
    Projection *p = k->projection;
    const size_t size = (size_t)k->states * sizeof *x;
    double sigma2 = 0;
    int result = read_constraints(k, x);
    for (int round = 0; result == KERNEL_DONE; round++) {
        *left = violation(k, x, positions);
        if (!(*left > 1) || round == MOST_ROUNDS || sigma2 > 1)
            break;
        damp_all(k, sigma2);
        result = linearise_constraints(k, t, x);
        if (result == KERNEL_DONE)
            result = read_constraints(k, x);
        if (result)
            break;
        memcpy(p->trial, x, size);
        for (int i = 0; i < k->loop_count; i++)
            correct(k, i, k->v, positions, p->trial);
        const int tried = read_constraints(k, p->trial);
        const double next = violation(k, p->trial, positions);
        if (tried == KERNEL_DONE && next < *left) {
            memcpy(x, p->trial, size);
            sigma2 = sigma2 > least_damping ? sigma2 / 100 : 0;
            if (next > falling * *left && next < negligible)
                round = MOST_ROUNDS - 1; /* what is left is rounding */
        } else {
            sigma2 = sigma2 > 0 ? 10 * sigma2 : least_damping;
            if (*left < negligible)
                break;
            result = read_constraints(k, x);
        }
    }
    damp_all(k, 0);
    return result;
}

int project_positions(Kernel *k, double t, double *x, bool *holds)
{
    double left = 0;
    const int result = lower(k, t, x, true, &left);
    *holds = left <= 1;
    return result;
}

int project_fully(Kernel *k, double t, double *x)
{
    double position = 0, velocity = 0;
    if (!k->projection)
        return KERNEL_DONE;
    int result = lower(k, t, x, true, &position);
    if (result == KERNEL_DONE)
        result = linearise_constraints(k, t, x);
    if (result == KERNEL_DONE)
        result = lower(k, t, x, false, &velocity);
    return result;
}
