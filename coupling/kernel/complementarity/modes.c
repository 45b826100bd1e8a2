/* Modes by block pivoting: all that are wrong change at once; where their number has not fallen for some rounds, the last alone, which is the
 * least-index rule (Murty, Note on a Bard-type Scheme for Solving the Complementarity Problem, 1974), finite for every P-matrix. */
#include "complementarity/modes.h"

#include "linear/linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 10, MOST_ROUNDS = 1000, MOST_CASES = 6561 };
static const double certain = 1e-9; /* of the terms of an acceleration: less is no violation */
static const double inconsistent = 1e3; /* times that: what is in force cannot be */

typedef struct {
    int count;
    const double *S, *b;
    Switched *item;
    double slack, *lambda, *a, *values;
    int *pattern;
    Linear *linear;
} Pivoting;

static bool is_known(const Switched *s)
{
    return s->kind == UNILATERAL ? !s->mode : s->mode != 0;
}

/* Returns the limit that acts in slipping: 0 against a positive slip, 1 against a negative one. */
static int way_of(int mode)
{
    return mode < 0;
}

/* Returns the part of a friction limit that normal forces add. */
static double pressed_by(const Switched *s, int way, const double *lambda)
{
    return s->mu[way] * ((s->normal < 0 ? 0 : lambda[s->normal]) + (s->second < 0 ? 0 : lambda[s->second]));
}

/* The limit of friction at rest. */
static double limit_of(const Pivoting *p, const Switched *s, int way)
{
    double limit = s->limit[way] + pressed_by(s, way, p->lambda);
    for (int i = 0; s->rests[way] && i < p->count; i++)
        limit += s->rests[way][i] * p->lambda[i];
    return limit;
}

static bool begin(Pivoting *p)
{
    const size_t n = (size_t)p->count;
    p->values = malloc((n * n + 1) * sizeof *p->values);
    p->pattern = malloc((2 * n + 1 + n * n) * sizeof *p->pattern);
    if (!p->values || !p->pattern)
        return false;
    int *const start = p->pattern, *const order = start + n + 1, *const column = order + n;
    for (size_t i = 0; i <= n; i++)
        start[i] = (int)(i * n);
    for (size_t i = 0; i < n * n; i++)
        column[i] = (int)(i % n);
    for (size_t i = 0; i < n; i++)
        order[i] = (int)i;
    p->linear = linear_new(p->count, start, column, order);
    return p->linear;
}

static void end(Pivoting *p)
{
    linear_free(p->linear);
    free(p->pattern);
    free(p->values);
}

/* Solves for the multipliers of the present modes. Friction that slips in a contact has the column of its normal multiplier; an open contact has none.
 * Where a limit follows multipliers, slipping is an equation. */
static bool solve(Pivoting *p)
{
    const int n = p->count;
    for (int i = 0; i < n; i++) {
        const bool known = is_known(&p->item[i]);
        for (int j = 0; j < n; j++)
            p->values[i * n + j] = known ? i == j : is_known(&p->item[j]) ? 0 : p->S[i * n + j];
        p->lambda[i] = known ? 0 : -p->b[i];
    }
    for (int j = 0; j < n; j++) {
        const Switched *s = &p->item[j];
        const int way = way_of(s->mode);
        if (s->kind != FRICTION || !s->mode)
            continue;
        p->lambda[j] = -s->mode * s->sliding[way];
        for (int i = 0; i < n && s->follows[way]; i++) {
            p->values[j * n + i] += s->mode * s->follows[way][i];
            p->values[i * n + j] = is_known(&p->item[i]) ? p->values[i * n + j] : p->S[i * n + j];
        }
        for (int i = 0; i < n && !s->follows[way]; i++) {
            if (is_known(&p->item[i]))
                continue;
            p->lambda[i] += p->S[i * n + j] * s->mode * s->sliding[way];
            if (s->normal >= 0 && p->item[s->normal].mode)
                p->values[i * n + s->normal] -= p->S[i * n + j] * s->mode * s->mu[way];
            if (s->second >= 0 && p->item[s->second].mode)
                p->values[i * n + s->second] -= p->S[i * n + j] * s->mode * s->mu[way];
        }
    }
    if (linear_factorise(p->linear, p->values) < 0)
        return false;
    linear_solve(p->linear, p->lambda);
    for (int j = 0; j < n; j++) {
        const Switched *s = &p->item[j];
        const int way = way_of(s->mode);
        if (s->kind == FRICTION && s->mode && !s->follows[way])
            p->lambda[j] = -s->mode * (s->sliding[way] + pressed_by(s, way, p->lambda));
    }
    for (int i = 0; i < n; i++) {
        p->a[i] = p->b[i];
        for (int j = 0; j < n; j++)
            p->a[i] += p->S[i * n + j] * p->lambda[j];
    }
    return true;
}

/* The rounding error of an acceleration, and of the multiplier that would change it by as much. */
static double uncertainty(const Pivoting *p, int i, double *of_lambda)
{
    const double *row = p->S + i * p->count;
    double terms = fabs(p->b[i]);
    for (int j = 0; j < p->count; j++)
        terms += fabs(row[j] * p->lambda[j]);
    *of_lambda = row[i] > 0 ? certain * terms / row[i] : 0;
    return certain * terms + p->slack;
}

/* The mode that something takes which is wrong in its own. */
static int better(const Pivoting *p, int i)
{
    const Switched *s = &p->item[i];
    double unsure_lambda;
    const double lambda = p->lambda[i], a = p->a[i], unsure = uncertainty(p, i, &unsure_lambda);
    if (s->kind == UNILATERAL)
        return s->mode ? !(lambda < -unsure_lambda) : a < -unsure;
    if (s->mode)
        return s->mode * a < -unsure ? 0 : s->mode;
    if (lambda > limit_of(p, s, 1) + unsure_lambda)
        return -1;
    return -lambda > limit_of(p, s, 0) + unsure_lambda;
}

static void change_due(Pivoting *p)
{
    for (int i = 0; i < p->count; i++) {
        Switched *s = &p->item[i];
        if (s->due && s->kind == FRICTION && !s->mode)
            s->mode = s->due;
        else if (s->due)
            s->mode = s->kind == UNILATERAL && !s->mode;
    }
}

static int pivot(Pivoting *p, int *rounds)
{
    int fewest = p->count + 1, left = PATIENCE;
    for (*rounds = 0; *rounds < MOST_ROUNDS; ++*rounds) {
        int wrong = 0, last = -1;
        if (!solve(p))
            return MODES_NO_MEMORY;
        for (int i = 0; i < p->count; i++)
            if (better(p, i) != p->item[i].mode) {
                wrong++;
                last = i;
            }
        if (!wrong)
            return MODES_FOUND;
        const bool all = wrong < fewest || left > 0;
        left = wrong < fewest ? PATIENCE : left - 1;
        fewest = wrong < fewest ? wrong : fewest;
        for (int i = all ? 0 : last; i <= last; i++)
            p->item[i].mode = better(p, i);
    }
    return MODES_UNSETTLED;
}

/* Reads the mode of an item from its multiplier and acceleration if they are beyond rounding. An item on its bound without motion keeps
 * its mode. */
static int mode_read(const Pivoting *p, int i)
{
    const Switched *s = &p->item[i];
    double unsure_lambda;
    const double lambda = p->lambda[i], unsure = uncertainty(p, i, &unsure_lambda);
    if (s->kind == UNILATERAL)
        return lambda > unsure_lambda ? 1 : p->a[i] > unsure ? 0 : s->mode;
    if (fabs(lambda) < (1 - certain) * limit_of(p, s, lambda > 0) - unsure_lambda)
        return 0;
    if (fabs(p->a[i]) > unsure)
        return p->a[i] > 0 ? 1 : -1;
    const bool open = s->normal >= 0 && !p->item[s->normal].mode && (s->second < 0 || !p->item[s->second].mode);
    return s->mode || !open ? s->mode : 1;
}

/* Unilaterals come first, since friction asks for theirs. */
static void name_modes(Pivoting *p)
{
    for (int i = 0; i < p->count; i++) {
        p->a[i] = p->b[i];
        for (int j = 0; j < p->count; j++)
            p->a[i] += p->S[i * p->count + j] * p->lambda[j];
    }
    change_due(p);
    for (int kind = UNILATERAL; kind <= FRICTION; kind++)
        for (int i = 0; i < p->count; i++)
            if (p->item[i].kind == kind)
                p->item[i].mode = mode_read(p, i);
}

static bool has_contact(int count, const Switched *item)
{
    for (int i = 0; i < count; i++)
        if (item[i].kind == FRICTION && item[i].normal >= 0)
            return true;
    return false;
}

/* Checks that constraints in force have no acceleration. If they repeat prescribed motions, no multipliers can ensure that. */
static bool holds(const Pivoting *p)
{
    double unsure_lambda;
    for (int i = 0; i < p->count; i++)
        if (!is_known(&p->item[i]) && fabs(p->a[i]) > inconsistent * (uncertainty(p, i, &unsure_lambda) - p->slack) + p->slack)
            return false;
    return true;
}

static bool follows(const Switched *s)
{
    return s->kind == FRICTION && (s->follows[0] || s->follows[1]);
}

/* Tries all modes one after another. Pivoting may miss solutions where limits follow multipliers. */
static int find_by_cases(Pivoting *p, int *rounds)
{
    long cases = 1;
    for (int i = 0; i < p->count && cases <= MOST_CASES; i++)
        cases *= p->item[i].kind == UNILATERAL ? 2 : 3;
    for (long number = 0; number < cases && cases <= MOST_CASES; number++, ++*rounds) {
        long left = number;
        for (int i = 0; i < p->count; i++) {
            const int choices = p->item[i].kind == UNILATERAL ? 2 : 3, choice = (int)(left % choices);
            p->item[i].mode = choices == 2 ? !choice : choice == 2 ? -1 : choice;
            left /= choices;
        }
        if (!solve(p))
            return MODES_NO_MEMORY;
        bool right = holds(p);
        for (int i = 0; i < p->count && right; i++)
            right = better(p, i) == p->item[i].mode;
        if (right)
            return MODES_FOUND;
    }
    return cases <= MOST_CASES ? MODES_NONE : MODES_UNSETTLED;
}

static int find_by_lemke(Pivoting *p, int *rounds)
{
    const int result = modes_lemke(p->count, p->S, p->b, p->item, NULL, p->lambda, rounds);
    if (result == MODES_FOUND)
        name_modes(p);
    return result;
}

int modes_find(int count, const double *S, const double *b, Switched *item, double slack, double *lambda, double *a, int *rounds)
{
    Pivoting p = {.count = count, .S = S, .b = b, .item = item, .slack = slack, .lambda = lambda, .a = a};
    bool by_cases = false;
    for (int i = 0; i < count; i++)
        by_cases = by_cases || follows(&item[i]);
    *rounds = 0;
    if (has_contact(count, item) && !by_cases)
        return find_by_lemke(&p, rounds);
    Switched *const given = malloc(((size_t)count + 1) * sizeof *given);
    int result = MODES_NO_MEMORY;
    if (given && begin(&p)) {
        memcpy(given, item, (size_t)count * sizeof *given);
        change_due(&p);
        result = pivot(&p, rounds);
        if (result == MODES_UNSETTLED || (result == MODES_FOUND && !holds(&p))) {
            memcpy(item, given, (size_t)count * sizeof *item);
            result = by_cases ? find_by_cases(&p, rounds) : find_by_lemke(&p, rounds);
        }
    }
    end(&p);
    free(given);
    return result;
}

/* Eliminates the held items, greatest pivots first, from the last row and column. */
static double left_of_last(double *A, int n)
{
    for (int step = 0; step < n - 1; step++) {
        int row = step, column = step;
        for (int i = step; i < n - 1; i++)
            for (int j = step; j < n - 1; j++)
                if (fabs(A[i * n + j]) > fabs(A[row * n + column]))
                    row = i, column = j;
        if (!(fabs(A[row * n + column]) > certain))
            break;
        for (int j = 0; j < n; j++) {
            const double moved = A[step * n + j];
            A[step * n + j] = A[row * n + j];
            A[row * n + j] = moved;
        }
        for (int i = 0; i < n; i++) {
            const double moved = A[i * n + step];
            A[i * n + step] = A[i * n + column];
            A[i * n + column] = moved;
        }
        for (int i = step + 1; i < n; i++) {
            const double factor = A[i * n + step] / A[step * n + step];
            for (int j = step; j < n; j++)
                A[i * n + j] -= factor * A[step * n + j];
        }
    }
    return A[n * n - 1];
}

bool modes_held(int count, const double *S, const Switched *item, int which)
{
    double *const A = malloc((size_t)count * (size_t)count * sizeof *A);
    int *const member = malloc((size_t)count * sizeof *member), n = 0;
    for (int i = 0; i < count && A && member; i++)
        if (i != which && !is_known(&item[i]))
            member[n++] = i;
    bool held = false;
    if (A && member) {
        member[n++] = which;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                const int row = member[i], column = member[j];
                double entry = S[row * count + column];
                for (int f = 0; f < count; f++) {
                    if (f == which || item[f].kind != FRICTION || !item[f].mode)
                        continue;
                    const int way = way_of(item[f].mode);
                    if (item[f].normal == column || item[f].second == column)
                        entry -= S[row * count + f] * item[f].mode * item[f].mu[way];
                    if (item[f].follows[way])
                        entry -= S[row * count + f] * item[f].mode * item[f].follows[way][column] / (1 + item[f].mode * item[f].follows[way][f]);
                }
                const double size = sqrt(fabs(S[row * count + row] * S[column * count + column]));
                A[i * n + j] = size > 0 ? entry / size : 0;
            }
        held = fabs(left_of_last(A, n)) <= certain;
    }
    free(member);
    free(A);
    return held;
}

int modes_solve(int count, const double *S, const double *b, const Switched *item, double *lambda, double *a)
{
    Pivoting p = {.count = count, .S = S, .b = b, .item = (Switched *)item, .lambda = lambda, .a = a};
    const bool done = begin(&p) && solve(&p);
    end(&p);
    return done ? MODES_FOUND : MODES_NO_MEMORY;
}
