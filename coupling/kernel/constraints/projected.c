/* The projected right-hand side, for methods that do not end their steps on the constraints: derivatives are those at the nearest states that
 * satisfy these, less a rate times how far they are. The deviation decays at this rate, and does not move the projected states. */
#include "system/kernel_internal.h"

#include <string.h>

static const double decay = 5; /* 1/s */

/* One pass with the unknowns as they are gives the response of states to them: the point alone decides where it is moved. */
static int linearise(Kernel *k, double t, const double *x)
{
    k->t = t;
    memcpy(k->v, x, (size_t)k->states * sizeof *x);
    if (k->fused && k->fused->linearise(k))
        return KERNEL_DONE;
    int result = pass_once(k);
    for (int i = 0; i < k->loop_count && result == KERNEL_DONE; i++)
        if (k->loops[i].mobile)
            result = loop_factorise(k, i);
    return result;
}

int kernel_project(Kernel *k, double t, double *x)
{
    const int result = linearise(k, t, x);
    return result ? result : project_smoothly(k, t, x);
}

int kernel_return(Kernel *k, double t, double *x)
{
    const int result = linearise(k, t, x);
    return result ? result : project_step(k, t, x);
}

static int displaced(Kernel *k, double t, const double *x)
{
    memcpy(k->displaced, x, (size_t)k->states * sizeof *x);
    return kernel_project(k, t, k->displaced);
}

void draw_after(const Kernel *k, const double *x, double *dx)
{
    for (int i = 0; i < k->states; i++)
        dx[i] -= decay * (x[i] - k->displaced[i]);
}

double kernel_decay(void)
{
    return decay;
}

int kernel_projected_derivatives(Kernel *k, double t, const double *x, double *dx)
{
    int result = displaced(k, t, x);
    if (result == KERNEL_DONE)
        result = kernel_derivatives(k, t, k->displaced, dx);
    if (result == KERNEL_DONE)
        draw_after(k, x, dx);
    return result;
}

int kernel_projected_residuals(Kernel *k, double t, const double *x, const double *z, double *dx, double *r)
{
    set_unknowns(k, z);
    int result = displaced(k, t, x);
    if (result == KERNEL_DONE)
        result = kernel_residuals(k, t, k->displaced, z, dx, r);
    if (result == KERNEL_DONE)
        draw_after(k, x, dx);
    return result;
}
