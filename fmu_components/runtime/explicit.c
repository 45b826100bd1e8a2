/* Dormand and Prince's pair of orders 5 and 4, with its dense output of order 4. */
#include "method.h"

#include <math.h>

enum { STAGES = 7 };

static const double c[STAGES] = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
static const double a[STAGES][STAGES - 1] = {
    {0},
    {1. / 5},
    {3. / 40, 9. / 40},
    {44. / 45, -56. / 15, 32. / 9},
    {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
    {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
    {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84},
};
static const double error_weight[STAGES] = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40};
static const double dense_weight[STAGES] = {-12715105075. / 11282082432, 0, 87487479700. / 32700410799, -10690763975. / 1880347072,
                                            701980252875. / 199316789632, -1453857185. / 822651844, 69997945. / 29380423};

/* The error in units of the tolerance, or infinity where it cannot be computed. */
static double error_of_step(Instance *instance, const Step *step, Span span)
{
    /* The last stage of a step is the first of the next, unless the importer may have set inputs in between. */
    const bool first_known = instance->known_slope != NOWHERE && !step->observe;
    if (instance->known_slope == AT_END) {
        double *last = instance->k[STAGES - 1];
        instance->k[STAGES - 1] = instance->k[0];
        instance->k[0] = last;
    }
    instance->known_slope = NOWHERE;
    for (int s = first_known ? 1 : 0; s < STAGES; s++) {
        double *at = s == STAGES - 1 ? instance->x_next : instance->stage;
        for (unsigned i = 0; i < model.states; i++) {
            double sum = 0;
            for (int r = 0; r < s; r++)
                sum += a[s][r] * instance->k[r][i];
            at[i] = instance->x[i] + span.size * sum;
        }
        if (s == STAGES - 1 && model.composition && model.composition->project(instance->own, at, false) == UNPROJECTABLE)
            return INFINITY;
        place(instance, step, c[s] == 1 ? span.end : span.time + c[s] * span.size, at);
        if (!slopes(instance, instance->k[s]))
            return INFINITY;
    }
    double worst = 0;
    for (unsigned i = 0; i < model.states; i++) {
        double error = 0;
        for (int s = 0; s < STAGES; s++)
            error += error_weight[s] * instance->k[s][i];
        if (!isfinite(instance->x_next[i]) || !isfinite(error))
            return INFINITY;
        double scale = model.nominal[i] + fmax(fabs(instance->x[i]), fabs(instance->x_next[i]));
        worst = fmax(worst, fabs(span.size * error) / (instance->progress.tolerance * scale));
    }
    return worst;
}

static void prepare_dense(Instance *instance, double h)
{
    for (unsigned i = 0; i < model.states; i++) {
        double *q = instance->dense + 4 * (size_t)i, sum = 0;
        for (int s = 0; s < STAGES; s++)
            sum += dense_weight[s] * instance->k[s][i];
        q[0] = instance->x_next[i] - instance->x[i];
        q[1] = h * instance->k[0][i] - q[0];
        q[2] = q[0] - h * instance->k[STAGES - 1][i] - q[1];
        q[3] = h * sum;
    }
}

static Trial attempt(Instance *instance, const Step *step, Span span)
{
    double error = error_of_step(instance, step, span);
    bool accepted = error <= 1;
    instance->known_slope = accepted ? AT_END : isfinite(error) ? AT_START : NOWHERE;
    if (accepted && model.relations)
        prepare_dense(instance, span.size);
    return (Trial){.accepted = accepted, .factor = error > 0 ? fmin(5, fmax(0.2, 0.9 * pow(error, -0.2))) : 5};
}

static void between(const Instance *instance, double f, double *x)
{
    for (unsigned i = 0; i < model.states; i++) {
        const double *q = instance->dense + 4 * (size_t)i;
        x[i] = instance->x[i] + f * (q[0] + (1 - f) * (q[1] + f * (q[2] + (1 - f) * q[3])));
    }
}

static void restart(Instance *instance, bool event)
{
    (void)event;
    instance->known_slope = NOWHERE;
}

const Method explicit_method = {.attempt = attempt, .between = between, .restart = restart, .exact_between = true};
