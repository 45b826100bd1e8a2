/* Modes where prescribed motions part, such as an arm that leaves its rest while a pawl turns a wheel that a brake holds: at that
 * instant all of them may be in force, and a moment later they contradict each other; or such motions touch a bound, by rounding on its
 * wrong side. The motion a moment later decides which of them hold. */
#include "events/switching.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double soonest = 1e-10, latest = 1e-4; /* of the span of the run */

/* Goes back to the modes that were, and says whether others have been chosen. */
static bool differ(Switching *s, const Problem *p, const int *first)
{
    bool found = false;
    for (int c = 0; c < p->count; c++)
        found = found || p->given[c].mode != (first[p->item[c]] > 0) - (first[p->item[c]] < 0);
    for (int i = 0; i < s->count && !found; i++)
        s->item[i].before = first[i];
    return found;
}

/* The motion that no force prevents is within the tolerance of the run until then. */
static bool bearable(const Switching *s, const Problem *p)
{
    double least = 0;
    for (int c = 0; c < p->count; c++)
        least = fmin(least, p->b[c]);
    return -least * s->ahead <= 10 * s->options.allowed;
}

void note_parting(Kernel *k)
{
    k->switching->parts = true;
}

void note_span(Kernel *k, double span)
{
    k->switching->span = span;
}

int choose_ahead(Kernel *k, double t, double *x, const int *first, Problem *p)
{
    Switching *s = k->switching;
    const size_t n = (size_t)k->states;
    const double span = s->span > 0 ? s->span : 1;
    double *const dx = calloc(2 * n + 1, sizeof *dx);
    if (!dx)
        return KERNEL_NO_MEMORY;
    if (!s->parts || kernel_derivatives(k, t, x, dx))
        memset(dx, 0, n * sizeof *dx);
    s->later = dx + n;
    int result = KERNEL_PRESCRIBED;
    bool found = false;
    for (double share = soonest; !found && share <= latest; share *= 10) {
        s->ahead = share * span;
        for (size_t i = 0; i < n; i++)
            s->later[i] = x[i] + s->ahead * dx[i];
        result = find_modes(k, t, x, p);
        if (result == KERNEL_PRESCRIBED ? !bearable(s, p) : result)
            break;
        found = result == KERNEL_DONE && (!s->parts || differ(s, p, first));
    }
    s->slack = found ? 10 * s->options.allowed / s->ahead : 0;
    s->ahead = 0;
    free(dx);
    return result;
}
