/* The collocation method at Radau's points with three stages, of order 5, for stiff models (Hairer and Wanner, Solving Ordinary
 * Differential Equations II, chapters IV.5 and IV.8).
 *
 * The increments z of the states at the stages solve (1/h) A^-1 z = f(x + z) with the step size h and the method's coefficients A.
 * T^-1 A^-1 T has the real number a0 and the pair a1 +- i b1 in blocks on its diagonal. So for w = T^-1 z each iteration of Newton's
 * method, with the Jacobian J of one place for all stages, solves one real system with a0/h I - J and one complex one with
 * (a1 + i b1)/h I - J. */
#include "lu.h"
#include "method.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { STAGES = 3, MOST_ITERATIONS = 10 };

#define ROOT6 2.44948974278317809820
static const double c[STAGES] = {(4 - ROOT6) / 10, (4 + ROOT6) / 10, 1};
static const double a0 = 3.6378342527444957322, a1 = 2.6810828736277521339, b1 = 3.0504301992474105694;
static const double T[STAGES][STAGES] = {
    {0.094438762488975241487, -0.14125529502095420843, -0.030029194105147424492},
    {0.25021312296533331138, 0.204129352293799932, 0.3829421127572619378},
    {1, 1, 0},
};
static const double T_inverse[STAGES][STAGES] = {
    {4.1787185915519047273, 0.32768282076106238708, 0.52337644549944954804},
    {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
    {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497},
};
/* The error is estimated by comparison with a formula of order 3 that uses the slope at the start as well. */
static const double error_weight[STAGES] = {-(13 + 7 * ROOT6) / 3, -(13 - 7 * ROOT6) / 3, -1. / 3};

/* A Jacobian serves on while Newton's method converges as fast as this with it, and its factors while the size may stay. */
static const double fast = 1e-3, worth_changing = 1.2;

struct Implicit {
    unsigned states;
    bool linearised, factored, followed; /* there is a Jacobian, there are factors, there is a polynomial */
    bool settled;                        /* the last trial was accepted */
    double linearised_at, factored_size;
    double contraction;                   /* the error after Newton's last correction, in its units */
    double accepted_size, accepted_error; /* of the last accepted step; the size is 0 if none exists */
    double from, size;                    /* of the step that the polynomial was made in */
    double *jacobian, *real;              /* n x n: and the factors of the real system */
    Complex *complex, *pair;              /* n x n and n: factors and right-hand side of the complex one */
    double *slope, *scale, *side, *at;    /* n each: at the start; of errors; of the real system; where derivatives are taken */
    double *z[STAGES], *w[STAGES], *f[STAGES];
    double *origin, *difference[STAGES]; /* of the polynomial */
    unsigned *real_pivot, *complex_pivot;
    double numbers[];
};

static Implicit *memory(unsigned states)
{
    const size_t n = states, doubles = 4 * n * n + 19 * n;
    Implicit *m = calloc(1, sizeof *m + doubles * sizeof(double) + 2 * n * sizeof(unsigned));
    if (!m)
        return NULL;
    m->states = states;
    double *next = m->numbers;
    double **const vectors[] = {
        &m->slope, &m->scale, &m->side, &m->at,     &m->z[0],          &m->z[1],          &m->z[2],          &m->w[0], &m->w[1], &m->w[2],
        &m->f[0],  &m->f[1],  &m->f[2], &m->origin, &m->difference[0], &m->difference[1], &m->difference[2],
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++, next += n)
        *vectors[i] = next;
    m->pair = (Complex *)next;
    m->complex = (Complex *)(next += 2 * n);
    m->jacobian = next += 2 * n * n;
    m->real = next += n * n;
    m->real_pivot = (unsigned *)(next += n * n);
    m->complex_pivot = m->real_pivot + n;
    return m;
}

static void restart(Instance *instance, bool event)
{
    (void)event;
    Implicit *m = instance->implicit;
    m->linearised = m->factored = m->followed = m->settled = false;
    m->contraction = 1;
    m->accepted_size = 0;
}

/* Newton's method has to come well below the tolerance. Much closer than this it meets the rounding of stiff forces: with the tolerance
 * 1e-13 a row of masses at 50 m, joined by springs up to 1e12 N/m, takes twice as many steps and three times as many evaluations as with
 * 1e-12, and wins no digit by them. */
static const double least_tolerance = 1e-12;

/* The estimate is of order 3 and the result of order 5: held to this, steps come near the tolerance and are not far too short. */
static double tolerance_of_estimate(const Instance *instance)
{
    return 0.1 * pow(fmax(least_tolerance, instance->progress.tolerance), 2. / 3);
}

/* The greater of two sizes, of which one may be no number: then that. */
static double greater(double a, double b)
{
    return a >= b || isnan(a) ? a : b;
}

static double norm(const Implicit *m, const double *vector)
{
    double worst = 0;
    for (unsigned i = 0; i < m->states; i++)
        worst = greater(worst, fabs(vector[i]) / m->scale[i]);
    return worst;
}

static bool factorise(Implicit *m, double h)
{
    const size_t n = m->states;
    if (m->factored && m->factored_size == h)
        return true;
    m->factored = false;
    for (size_t i = 0; i < n * n; i++) {
        m->real[i] = -m->jacobian[i];
        m->complex[i] = (Complex){-m->jacobian[i], 0};
    }
    for (size_t i = 0; i < n; i++) {
        m->real[i * n + i] += a0 / h;
        m->complex[i * n + i].re += a1 / h;
        m->complex[i * n + i].im += b1 / h;
    }
    m->factored_size = h;
    return m->factored = lu_factor(m->real, m->real_pivot, n) && lu_factor_complex(m->complex, m->complex_pivot, n);
}

static double polynomial(const Implicit *m, size_t i, double f)
{
    return m->origin[i] + f * (m->difference[0][i] + (f - c[0]) * (m->difference[1][i] + (f - c[1]) * m->difference[2][i]));
}

/* Through the start and the stages, in Newton's form. */
static void follow(Implicit *m, const double *x, Span span)
{
    for (unsigned i = 0; i < m->states; i++) {
        double first = m->z[0][i] / c[0], second = (m->z[1][i] - m->z[0][i]) / (c[1] - c[0]);
        double third = (m->z[2][i] - m->z[1][i]) / (1 - c[1]);
        double bend = (second - first) / c[1], next_bend = (third - second) / (1 - c[0]);
        m->origin[i] = x[i];
        m->difference[0][i] = first;
        m->difference[1][i] = bend;
        m->difference[2][i] = next_bend - bend;
    }
    m->from = span.time;
    m->size = span.size;
    m->followed = true;
}

static void between(const Instance *instance, double f, double *x)
{
    for (unsigned i = 0; i < model.states; i++)
        x[i] = polynomial(instance->implicit, i, f);
}

/* The stages lie on the last polynomial, as far as is known before. */
static void predict(Implicit *m, const double *x, Span span)
{
    for (unsigned i = 0; i < m->states; i++) {
        double guess[STAGES] = {0};
        for (int s = 0; s < STAGES && m->followed; s++)
            guess[s] = polynomial(m, i, (span.time + c[s] * span.size - m->from) / m->size) - x[i];
        for (int s = 0; s < STAGES; s++) {
            m->z[s][i] = guess[s];
            m->w[s][i] = T_inverse[s][0] * guess[0] + T_inverse[s][1] * guess[1] + T_inverse[s][2] * guess[2];
        }
    }
}

/* Newton's correction of all stages; its greatest part. */
static double correct(Implicit *m, double h)
{
    const unsigned n = m->states;
    for (unsigned i = 0; i < n; i++) {
        double g[STAGES];
        for (int s = 0; s < STAGES; s++)
            g[s] = T_inverse[s][0] * m->f[0][i] + T_inverse[s][1] * m->f[1][i] + T_inverse[s][2] * m->f[2][i];
        m->side[i] = g[0] - a0 / h * m->w[0][i];
        m->pair[i].re = g[1] - (a1 / h * m->w[1][i] - b1 / h * m->w[2][i]);
        m->pair[i].im = g[2] - (b1 / h * m->w[1][i] + a1 / h * m->w[2][i]);
    }
    lu_solve(m->real, m->real_pivot, n, m->side);
    lu_solve_complex(m->complex, m->complex_pivot, n, m->pair);
    double worst = 0;
    for (unsigned i = 0; i < n; i++) {
        const double change[STAGES] = {m->side[i], m->pair[i].re, m->pair[i].im};
        for (int s = 0; s < STAGES; s++) {
            worst = greater(worst, fabs(change[s]) / m->scale[i]);
            m->w[s][i] += change[s];
        }
        for (int s = 0; s < STAGES; s++)
            m->z[s][i] = T[s][0] * m->w[0][i] + T[s][1] * m->w[1][i] + T[s][2] * m->w[2][i];
    }
    return worst;
}

static bool slopes_at(Instance *instance, const Step *step, double time, const double *increment, double *f)
{
    Implicit *m = instance->implicit;
    for (unsigned i = 0; i < model.states; i++)
        m->at[i] = instance->x[i] + increment[i];
    place(instance, step, time, m->at);
    return slopes(instance, f);
}

typedef struct {
    bool converged;
    int count;
    double rate;   /* by which the corrections shrink; 0 where a single one was enough */
    double factor; /* of the size with which it would converge, where it does not */
} Iteration;

/* The simplified Newton method for the stages. */
static Iteration iterate(Instance *instance, const Step *step, Span span)
{
    Implicit *m = instance->implicit;
    const double tolerance = tolerance_of_estimate(instance), enough = fmax(10 * DBL_EPSILON / tolerance, fmin(0.03, sqrt(tolerance)));
    Iteration result = {.factor = 0.2};
    double before = 0, ratio_before = 0;
    m->contraction = pow(fmax(m->contraction, DBL_EPSILON), 0.8);
    for (result.count = 1; result.count <= MOST_ITERATIONS; result.count++) {
        for (int s = 0; s < STAGES; s++)
            if (!slopes_at(instance, step, c[s] == 1 ? span.end : span.time + c[s] * span.size, m->z[s], m->f[s]))
                return result;
        double correction = correct(m, span.size);
        if (!isfinite(correction))
            return result;
        if (result.count > 1) {
            double ratio = correction / before;
            result.rate = result.count == 2 ? ratio : sqrt(ratio * ratio_before);
            ratio_before = ratio;
            result.factor = 0.5;
            if (!(result.rate < 0.99))
                return result;
            m->contraction = result.rate / (1 - result.rate);
            int left = MOST_ITERATIONS - result.count;
            double remaining = m->contraction * correction * pow(result.rate, left) / enough;
            if (remaining > 1) {
                result.factor = 0.8 * pow(fmin(20, remaining), -1. / (4 + left));
                return result;
            }
        }
        before = correction;
        if (m->contraction * correction <= enough) {
            result.converged = true;
            return result;
        }
    }
    return result;
}

/* Returns the error in units of its tolerance. It is filtered, since in stiff directions the raw estimate would be far too great. */
static double error_of_step(Instance *instance, const Step *step, Span span)
{
    Implicit *m = instance->implicit;
    const unsigned n = model.states;
    for (unsigned i = 0; i < n; i++) {
        double sum = 0;
        for (int s = 0; s < STAGES; s++)
            sum += error_weight[s] * m->z[s][i];
        m->w[0][i] = sum / span.size;
        m->side[i] = m->slope[i] + m->w[0][i];
        m->scale[i] = tolerance_of_estimate(instance) * (model.nominal[i] + fmax(fabs(instance->x[i]), fabs(instance->x_next[i])));
    }
    lu_solve(m->real, m->real_pivot, n, m->side);
    double error = norm(m, m->side);
    if (error < 1 || m->settled || !isfinite(error) || !slopes_at(instance, step, span.time, m->side, m->f[0]))
        return error;
    for (unsigned i = 0; i < n; i++)
        m->side[i] = m->f[0][i] + m->w[0][i];
    lu_solve(m->real, m->real_pivot, n, m->side);
    return norm(m, m->side);
}

static Trial refuse(Implicit *m, double factor)
{
    m->settled = false;
    return (Trial){.factor = factor};
}

/* Increments of the stages; accepted where they have been found. */
static Trial solve(Instance *instance, const Step *step, Span span, Iteration *iteration)
{
    Implicit *m = instance->implicit;
    for (;;) {
        place(instance, step, span.time, instance->x);
        if (!slopes(instance, m->slope))
            return refuse(m, 0.2);
        bool fresh = m->linearised && m->linearised_at == span.time;
        if (!m->linearised) {
            Status status = state_jacobian(instance, m->jacobian);
            if (status != OK)
                return (Trial){.status = status};
            m->linearised = fresh = true;
            m->linearised_at = span.time;
            m->factored = false;
        }
        *iteration = (Iteration){.factor = 0.5};
        if (factorise(m, span.size)) {
            predict(m, instance->x, span);
            *iteration = iterate(instance, step, span);
        }
        if (iteration->converged)
            return (Trial){.accepted = true};
        m->contraction = 1;
        if (fresh)
            return refuse(m, iteration->factor);
        m->linearised = false;
    }
}

static Trial attempt(Instance *instance, const Step *step, Span span)
{
    Implicit *m = instance->implicit;
    const double tolerance = tolerance_of_estimate(instance);
    for (unsigned i = 0; i < model.states; i++)
        m->scale[i] = tolerance * (model.nominal[i] + fabs(instance->x[i]));
    Iteration iteration = {0};
    Trial solved = solve(instance, step, span, &iteration);
    if (solved.status != OK || !solved.accepted)
        return solved;
    for (unsigned i = 0; i < model.states; i++)
        instance->x_next[i] = instance->x[i] + m->z[STAGES - 1][i];
    follow(m, instance->x, span);
    double error = error_of_step(instance, step, span);
    if (!isfinite(error))
        return refuse(m, 0.2);
    /* Many iterations ask for a shorter step as well. */
    double safety = 0.9 * (2 * MOST_ITERATIONS + 1) / (2 * MOST_ITERATIONS + iteration.count);
    double factor = fmin(8, fmax(0.2, safety * pow(error, -0.25)));
    if (error >= 1)
        return refuse(m, factor);
    /* The error may grow on as it has grown from the last step to this one. */
    if (m->accepted_size > 0)
        factor = fmin(factor, fmax(0.2, safety * span.size / m->accepted_size * pow(m->accepted_error / error / error, 0.25)));
    m->accepted_size = span.size;
    m->accepted_error = fmax(1e-2, error);
    m->settled = true;
    if (iteration.rate > fast)
        m->linearised = false;
    else if (factor >= 1 && factor <= worth_changing)
        factor = 1;
    return (Trial){.accepted = true, .factor = factor};
}

const Method implicit_method = {.memory = memory, .attempt = attempt, .between = between, .restart = restart};
