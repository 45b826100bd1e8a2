/* After Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, sections II.4 to II.6, and their codes. */
#include "runs/runge_kutta.h"

#include "platform/lanes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double safety = 0.9, least_factor = 0.2, greatest_factor = 10, least_error = 1e-4, stretch = 1.01;

/* Points that lie nearer to each other, in units of the tolerance, differ by rounding. */
static const double least_distance = 1e-3;

enum { CACHE_LINE = 64 };

static size_t aligned(size_t bytes)
{
    return (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

static int slopes_of(const Tableau *tableau)
{
    return tableau->stages + 1 + tableau->extra;
}

static size_t sums_of(const Tableau *tableau)
{
    return (size_t)(slopes_of(tableau) + (tableau->e3 ? 2 : 1) + tableau->dense);
}

/* The next sum over stages, of those that have a weight; its terms stand after those of the sum before. */
static void add_sum(RungeKutta *rk, Sum **next, Term **term, const double *weights, int stages)
{
    Sum *const sum = (*next)++;
    *sum = (Sum){.term = *term};
    for (int s = 0; s < stages; s++)
        if (weights[s] != 0)
            *(*term)++ = (Term){weights[s], rk->k + (size_t)s * rk->width};
    sum->terms = (int)(*term - sum->term);
}

static void arrange_sums(RungeKutta *rk, Sum *next, Term *term)
{
    const Tableau *tableau = rk->tableau;
    const int slopes = slopes_of(tableau), stages = tableau->stages;
    rk->place = next;
    for (int s = 0; s < slopes; s++)
        add_sum(rk, &next, &term, tableau->a + s * (stages + tableau->extra), s);
    rk->error = next;
    add_sum(rk, &next, &term, tableau->e, stages + 1);
    if (tableau->e3)
        add_sum(rk, &next, &term, tableau->e3, stages + 1);
    rk->interpolant = next;
    for (int j = 0; j < tableau->dense; j++)
        add_sum(rk, &next, &term, tableau->d + j * slopes, slopes);
}

/* Rows of states end where a whole number of lanes does, in zeros and in tolerances that are infinite. */
RungeKutta *rk_new(const Tableau *tableau, int count, Derivative derivative, void *context, double rtol, const double *atol)
{
    const size_t n = lanes_width(count), slopes = (size_t)slopes_of(tableau), dense = 3 + (size_t)tableau->dense, sums = sums_of(tableau);
    const size_t numbers = aligned((5 + slopes + dense) * n * sizeof(double)), head = aligned(sums * sizeof(Sum));
    char *const room = calloc(1, aligned(sizeof(RungeKutta)) + numbers + head + sums * slopes * sizeof(Term) + CACHE_LINE);
    if (!room)
        return NULL;
    RungeKutta *const rk = (RungeKutta *)room;
    double *const block = (double *)aligned((size_t)(room + sizeof *rk));
    *rk = (RungeKutta){
        .tableau = tableau,
        .count = count,
        .derivative = derivative,
        .context = context,
        .rtol = rtol,
        .largest = INFINITY,
        .worst = -1,
        .atol = block,
        .x = block + n,
        .x_before = block + 2 * n,
        .trial = block + 3 * n,
        .k = block + 4 * n,
        .dx = block + (4 + (size_t)tableau->stages) * n,
        .dense = block + (4 + slopes) * n,
        .corrected = block + (4 + slopes + dense) * n,
        .width = n,
        .lanes = lanes_of_processor(),
    };
    for (size_t i = 0; i < n; i++)
        rk->atol[i] = i < (size_t)count ? atol[i] : INFINITY;
    char *const behind = (char *)block + numbers;
    arrange_sums(rk, (Sum *)behind, (Term *)(behind + head));
    return rk;
}

void rk_free(RungeKutta *rk)
{
    free(rk);
}

static void copy(const RungeKutta *rk, double *to, const double *from)
{
    memcpy(to, from, (size_t)rk->count * sizeof *to);
}

static double *row(const RungeKutta *rk, double *rows, int index)
{
    return rows + (size_t)index * rk->width;
}

static int evaluate(RungeKutta *rk, double t, const double *x, double *dx)
{
    rk->evaluations++;
    return rk->derivative(rk->context, t, x, dx);
}

/* to = from + h sum. */
static void combine(const RungeKutta *rk, const Sum *sum, const double *from, double h, double *to)
{
    rk->lanes->combine(sum, rk->width, from, h, to);
}

/* The root mean square of v in units of the tolerance at the present and the trial state, and where it is greatest; what may err at will,
 * by an infinite tolerance, does not count. */
static double norm(const RungeKutta *rk, const double *v, int *worst)
{
    return rk->lanes->norm(&(Scaled){v, rk->atol, rk->x, rk->trial, rk->rtol}, rk->width, worst);
}

/* The error estimate of the step to the trial state, in units of the tolerance. */
static double local_error(RungeKutta *rk, double h)
{
    const Tableau *tableau = rk->tableau;
    double *difference = rk->dense, other = 0;
    if (tableau->e3) {
        combine(rk, &rk->error[1], NULL, 1, difference);
        other = norm(rk, difference, &rk->worst) / 10;
    }
    combine(rk, &rk->error[0], NULL, 1, difference);
    double error = norm(rk, difference, &rk->worst);
    return !(error > 0) ? error : tableau->e3 ? h * error * error / hypot(error, other) : h * error;
}

/* Checks differences, each of which is 0 or no number. */
static bool are_finite(const double *values, size_t width)
{
    enum { SUMS = 8 };
    double left[SUMS] = {0}, sum = 0;
    for (size_t i = 0; i < width; i += SUMS)
        for (int j = 0; j < SUMS; j++)
            left[j] += values[i + (size_t)j] - values[i + (size_t)j];
    for (int j = 0; j < SUMS; j++)
        sum += left[j];
    return sum == 0;
}

/* Tries a step. Where the error estimate does without the derivative at the end, that is found only after a good step. */
static int attempt(RungeKutta *rk, double end, double *error)
{
    const Tableau *tableau = rk->tableau;
    double h = end - rk->t;
    bool early = tableau->e[tableau->stages] == 0;
    *error = INFINITY;
    rk->worst = -1;
    for (int s = 1; s <= tableau->stages; s++) {
        combine(rk, &rk->place[s], rk->x, h, rk->trial); /* where the stage is evaluated */
        if (s == tableau->stages && early) {
            *error = local_error(rk, h);
            if (!(*error <= 1))
                return RK_DONE;
        }
        if (s == tableau->stages && rk->correct) {
            copy(rk, rk->corrected, rk->trial);
            const int status = rk->correct(rk->context, end, rk->trial);
            if (status != RK_DONE)
                return status;
            for (int i = 0; i < rk->count; i++)
                rk->corrected[i] = rk->trial[i] - rk->corrected[i];
        }
        int status = evaluate(rk, tableau->c[s] == 1 ? end : rk->t + tableau->c[s] * h, rk->trial, row(rk, rk->k, s));
        if (status != RK_DONE)
            return status;
    }
    if (!early)
        *error = local_error(rk, h);
    if (isfinite(*error) && !are_finite(rk->dx, rk->width))
        for (int i = 0; i < rk->count && isfinite(*error); i++)
            if (!isfinite(rk->dx[i])) {
                *error = INFINITY;
                rk->worst = i;
            }
    return RK_DONE;
}

/* A first size for which an explicit Euler step would err by a hundredth of the tolerance. */
static int choose_size(RungeKutta *rk, double limit)
{
    double *next = row(rk, rk->k, 1), room = fmin(limit - rk->t, rk->largest);
    int ignored;
    if (rk->count == 0) {
        rk->h = room;
        return RK_DONE;
    }
    copy(rk, rk->trial, rk->x);
    double level = norm(rk, rk->x, &ignored), steepness = norm(rk, rk->dx, &ignored);
    const double least = 1000 * DBL_EPSILON * fmax(fabs(rk->t), 1e-12); /* where states are rounding of 0 they are no measure */
    double h = fmin(fmax(level > 1e-5 && steepness > 1e-5 ? 0.01 * level / steepness : 1e-6, least), room);
    for (int i = 0; i < rk->count; i++)
        rk->trial[i] += h * rk->dx[i];
    int status = evaluate(rk, rk->t + h, rk->trial, next);
    if (status == RK_RETRY) {
        rk->refused++;
        rk->h = h / 4;
        return RK_DONE;
    }
    for (int i = 0; i < rk->count; i++)
        next[i] -= rk->dx[i];
    double greatest = fmax(steepness, norm(rk, next, &ignored) / h);
    double guess = greatest > 1e-15 ? pow(0.01 / greatest, 1. / rk->tableau->order) : fmax(1e-6, 1e-3 * h);
    rk->h = fmin(100 * h, guess);
    return status;
}

int rk_start(RungeKutta *rk, double t, const double *x)
{
    copy(rk, rk->x, x);
    copy(rk, rk->x_before, x);
    rk->t = rk->t_before = t;
    rk->h = 0;
    rk->error_before = least_error;
    int status = evaluate(rk, t, rk->x, rk->dx);
    if (status != RK_DONE || !rk->correct)
        return status;
    status = rk->correct(rk->context, t, rk->x);
    if (status != RK_DONE || memcmp(rk->x, rk->x_before, (size_t)rk->count * sizeof *rk->x) == 0)
        return status;
    copy(rk, rk->x_before, rk->x);
    return evaluate(rk, t, rk->x, rk->dx);
}

/* Attempts until one is accepted. A size that the limit cut says little, so it corrects the one to try next only downwards. */
static int find_step(RungeKutta *rk, double limit, double *end)
{
    double damping = rk->tableau->damping, exponent = 1. / rk->tableau->order - 0.75 * damping, most = greatest_factor;
    for (;; most = 1) {
        double left = limit - rk->t, error;
        rk->h = fmin(rk->h, rk->largest);
        if (!(rk->h > 10 * DBL_EPSILON * fmax(fabs(rk->t), 1e-12)))
            return RK_TOO_SMALL;
        double h = left <= fmin(stretch * rk->h, rk->largest) ? left : fmin(rk->h, left / 2);
        *end = h == left ? limit : rk->t + h;
        int status = attempt(rk, *end, &error);
        if (status == RK_RETRY) {
            rk->refused++;
            rk->h = h / 4;
        } else if (status != RK_DONE) {
            return status;
        } else if (!(error <= 1)) {
            rk->rejected++;
            rk->h = h * fmax(least_factor, safety * pow(error, -exponent));
        } else {
            double factor = safety * pow(error, -exponent) * pow(rk->error_before, damping);
            factor = fmin(most, fmax(least_factor, factor));
            bool cut = h < rk->h && factor >= 1;
            rk->h = cut ? fmax(rk->h, factor * h) : factor * h;
            rk->error_before = cut ? rk->error_before : fmax(error, least_error);
            return RK_DONE;
        }
    }
}

int rk_step(RungeKutta *rk, double limit)
{
    double end, *first = rk->k;
    copy(rk, rk->x_before, rk->x);
    copy(rk, first, rk->dx);
    rk->t_before = rk->t;
    rk->dense_ready = false;
    if (!(limit > rk->t))
        return RK_DONE;
    int status = rk->h > 0 ? RK_DONE : choose_size(rk, limit);
    if (status == RK_DONE)
        status = find_step(rk, limit, &end);
    if (status != RK_DONE) {
        copy(rk, rk->dx, first);
        return status;
    }
    copy(rk, rk->x, rk->trial);
    rk->t = end;
    rk->steps++;
    return RK_DONE;
}

static int prepare_dense(RungeKutta *rk)
{
    const Tableau *tableau = rk->tableau;
    double h = rk->t - rk->t_before;
    for (int s = tableau->stages + 1; s < slopes_of(tableau); s++) {
        combine(rk, &rk->place[s], rk->x_before, h, rk->trial);
        int status = evaluate(rk, rk->t_before + tableau->c[s] * h, rk->trial, row(rk, rk->k, s));
        if (status != RK_DONE)
            return status;
    }
    double *f0 = rk->dense, *f1 = row(rk, rk->dense, 1), *f2 = row(rk, rk->dense, 2);
    for (int i = 0; i < rk->count; i++) {
        f0[i] = rk->x[i] - rk->x_before[i];
        f1[i] = h * rk->k[i] - f0[i];
        f2[i] = f0[i] - h * rk->dx[i] - f1[i];
    }
    for (int j = 0; j < tableau->dense; j++)
        combine(rk, &rk->interpolant[j], NULL, h, row(rk, rk->dense, 3 + j));
    rk->dense_ready = true;
    return RK_DONE;
}

/* The last stage and the new point are states at the same time, which differ along what changes fastest; so do their derivatives
 * (Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.2). */
double rk_stiffness(RungeKutta *rk, int *state)
{
    const Tableau *tableau = rk->tableau;
    const int last = tableau->stages - 1;
    const double h = rk->t - rk->t_before, *k = row(rk, rk->k, last);
    double *apart = rk->dense, *other = row(rk, rk->dense, 1);
    int ignored;
    *state = -1;
    if (rk->dense_ready || !(h > 0))
        return 0;
    combine(rk, &rk->place[last + 1], NULL, 1, apart);
    combine(rk, &rk->place[last], NULL, 1, other);
    for (int i = 0; i < rk->count; i++)
        apart[i] = h * (apart[i] - other[i]) + rk->corrected[i];
    const double distance = norm(rk, apart, &ignored);
    for (int i = 0; i < rk->count; i++)
        other[i] = h * (rk->dx[i] - k[i]);
    const double change = norm(rk, other, state);
    return distance > least_distance ? change / distance / tableau->stable : 0;
}

static double interpolated(const RungeKutta *rk, int i, double s)
{
    double x = 0;
    for (int j = 2 + rk->tableau->dense; j >= 0; j--)
        x = (j % 2 ? 1 - s : s) * (x + row(rk, rk->dense, j)[i]);
    return x + rk->x_before[i];
}

int rk_interpolate_some(RungeKutta *rk, double t, const int *place, int count, double *x)
{
    const double *const end = t == rk->t ? rk->x : t == rk->t_before ? rk->x_before : NULL;
    const int status = end || rk->dense_ready ? RK_DONE : prepare_dense(rk);
    const double s = (t - rk->t_before) / (rk->t - rk->t_before);
    for (int i = 0; i < count && status == RK_DONE; i++)
        x[place[i]] = end ? end[place[i]] : interpolated(rk, place[i], s);
    return status;
}

int rk_interpolate(RungeKutta *rk, double t, double *x)
{
    if (t == rk->t || t == rk->t_before) {
        copy(rk, x, t == rk->t ? rk->x : rk->x_before);
        return RK_DONE;
    }
    int status = rk->dense_ready ? RK_DONE : prepare_dense(rk);
    if (status != RK_DONE)
        return status;
    double s = (t - rk->t_before) / (rk->t - rk->t_before);
    memset(x, 0, (size_t)rk->count * sizeof *x);
    for (int j = 2 + rk->tableau->dense; j >= 0; j--) {
        const double *f = row(rk, rk->dense, j), factor = j % 2 ? 1 - s : s;
        for (int i = 0; i < rk->count; i++)
            x[i] = factor * (x[i] + f[i]);
    }
    for (int i = 0; i < rk->count; i++)
        x[i] += rk->x_before[i];
    return RK_DONE;
}
