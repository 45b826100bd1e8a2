/* The candidates, one after another.
 *
 * The rows with pivots, the base, are eliminated sparsely, L D L' = S. The candidates are judged one by one. Each that turns out to be
 * independent joins with its coefficients c and its own pivot p, the product of what is left of G and of V: both are refined to
 * rounding, so that p has digits where S has none any more. With T = [1; -c' 1] for every row that joined, T S T' is the base beside
 * the diagonal of p, and solving is a product with T before and after. */
#include "rank_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double INSIGNIFICANT = 1e-20; /* coefficients that are left out, which keeps far rows out */
static const double FULFILLED = 1e-4;      /* of the greatest violation where a projection stalls: rows below have no part in it */
static const double LEAST_DAMPING = 1e-8;
static const double PASSING = 100, FALLEN = 1e-3; /* of sigma^2, of the peak */
enum { REFINEMENTS = 3, MOST_ELIMINATIONS = 4 };

/* What is left of a row's G and V after its c times the active rows. */
static void subtract(Decision *d, int row)
{
    memset(d->left_gradient, 0, (size_t)d->given->coordinates * sizeof *d->left_gradient);
    memset(d->left_mobility, 0, (size_t)d->given->coordinates * sizeof *d->left_mobility);
    entries_add(&d->gradient[row], 1, d->left_gradient);
    entries_add(&d->mobility[row], 1, d->left_mobility);
    for (int i = 0; i < d->rows; i++)
        if (d->c[i] != 0) {
            entries_add(&d->gradient[i], -d->c[i], d->left_gradient);
            entries_add(&d->mobility[i], -d->c[i], d->left_mobility);
        }
}

/* The products of the active rows of G with what is left of V. */
static void test_active(Decision *d)
{
    memset(d->work, 0, (size_t)d->rows * sizeof *d->work);
    for (int k = 0; k < d->base; k++)
        d->work[d->pivot_row[k]] = entries_product(&d->gradient[d->pivot_row[k]], d->left_mobility);
    for (int j = 0; j < d->joined; j++)
        d->work[d->joined_row[j]] = entries_product(&d->gradient[d->joined_row[j]], d->left_mobility);
}

/* Adds a row's terms in each group; whether they are more than rounding. */
static void add_terms(Decision *d, int row, double factor, bool counts)
{
    const Entries *size = &d->size[row];
    for (int e = 0; e < size->count; e++) {
        d->terms[size->at[e]] += fabs(factor) * size->value[e];
        d->counts[size->at[e]] |= counts;
    }
}

void rank_forget_terms(Decision *d)
{
    memset(d->terms, 0, (size_t)d->given->groups * sizeof *d->terms);
    memset(d->counts, 0, (size_t)d->given->groups * sizeof *d->counts);
}

/* eta of what is left of V, with the terms that have been added up. */
static double against_terms(Decision *d)
{
    double eta = 0;
    for (int k = 0; k < d->given->coordinates; k++)
        d->length[d->given->group[k]] += d->left_mobility[k] * d->left_mobility[k];
    for (int g = 0; g < d->given->groups; g++) {
        if (d->counts[g] && d->terms[g] > 0)
            eta = fmax(eta, sqrt(d->length[g]) / d->terms[g]);
        d->length[g] = 0;
    }
    return eta;
}

/* Finds c, eta and the pivot of a row that is not active. */
void rank_judge(Decision *d, int row)
{
    memset(d->c, 0, (size_t)d->rows * sizeof *d->c);
    for (int refinement = 0; refinement <= REFINEMENTS; refinement++) {
        subtract(d, row);
        test_active(d);
        rank_solve(d, d->work);
        for (int i = 0; i < d->rows; i++)
            d->c[i] += d->work[i];
    }
    for (int i = 0; i < d->rows; i++)
        d->c[i] = fabs(d->c[i]) < INSIGNIFICANT ? 0 : d->c[i];
    subtract(d, row);
    d->own = 0;
    for (int k = 0; k < d->given->coordinates; k++)
        d->own += d->left_gradient[k] * d->left_mobility[k];
    rank_forget_terms(d);
    add_terms(d, row, 1, true);
    for (int i = 0; i < d->rows; i++)
        if (d->c[i] != 0)
            add_terms(d, i, d->c[i], fabs(d->c[i]) > RANK_NOISE);
    d->eta = against_terms(d);
}

static bool join(Decision *d, int row)
{
    for (int i = 0; i < d->rows; i++)
        if (d->c[i] != 0 && !entries_append(&d->memory, &d->coefficient[d->joined], i, d->c[i]))
            return false;
    d->joined_pivot[d->joined] = d->own;
    d->joined_row[d->joined++] = row;
    return true;
}

/* The group that gives the most of the product of what is left of G and V, and by how much it is moved. */
static int greatest_group(Decision *d, double *mobility)
{
    const int *group = d->given->group;
    int greatest = 0;
    double gradient = 0, moved = 0;
    for (int k = 0; k < d->given->coordinates; k++)
        d->length[group[k]] += d->left_gradient[k] * d->left_mobility[k];
    for (int g = 1; g < d->given->groups; g++)
        if (d->length[g] > d->length[greatest])
            greatest = g;
    memset(d->length, 0, (size_t)d->given->groups * sizeof *d->length);
    for (int k = 0; k < d->given->coordinates; k++)
        if (group[k] == greatest) {
            gradient += d->left_gradient[k] * d->left_gradient[k];
            moved += d->left_mobility[k] * d->left_mobility[k];
        }
    *mobility = gradient > 0 ? sqrt(moved / gradient) : 0;
    return greatest;
}

static Owned *owned_new(int rows)
{
    Owned *owned = calloc(1, sizeof *owned);
    if (!owned)
        return NULL;
    Rank *r = &owned->rank;
    const size_t n = (size_t)rows;
    r->rows = rows;
    r->status = arena_take(&owned->memory, n, sizeof *r->status);
    r->pivot = arena_take(&owned->memory, n, sizeof *r->pivot);
    r->eta = arena_take(&owned->memory, n, sizeof *r->eta);
    r->light = arena_take(&owned->memory, n, sizeof *r->light);
    r->heavy = arena_take(&owned->memory, n, sizeof *r->heavy);
    r->light_mobility = arena_take(&owned->memory, n, sizeof *r->light_mobility);
    r->heavy_mobility = arena_take(&owned->memory, n, sizeof *r->heavy_mobility);
    r->relation = arena_take(&owned->memory, n, sizeof *r->relation);
    return owned;
}

void rank_free(Rank *rank)
{
    if (rank)
        arena_give_back(&((Owned *)rank)->memory);
    free(rank);
}

/* The row that has been judged last is independent. Without any pivot left it cannot join: that is beyond what double precision carries. */
static bool settle_independent(Decision *d, Rank *rank, int row)
{
    rank->status[row] = d->own < RANK_CANDIDATE ? RANK_BADLY_SCALED : RANK_ACTIVE;
    rank->pivot[row] = fmax(d->own, 0);
    if (d->own > 0 && !join(d, row))
        return false;
    if (rank->status[row] == RANK_BADLY_SCALED) {
        rank->badly_scaled++;
        rank->heavy[row] = greatest_group(d, &rank->heavy_mobility[row]);
        memset(d->c, 0, (size_t)d->rows * sizeof *d->c);
        subtract(d, row);
        rank->light[row] = greatest_group(d, &rank->light_mobility[row]);
    }
    return true;
}

/* Judges the candidates: that of the greatest eta joins the active rows, if it is independent, then again. An eta of before something
 * joined serves until it is the greatest. False where memory lacks. */
static bool judge_candidates(Decision *d, Owned *owned)
{
    Rank *rank = &owned->rank;
    const size_t rows = (size_t)d->rows;
    bool *open = arena_take(&d->memory, rows, sizeof *open);
    int *judged = arena_take(&d->memory, rows, sizeof *judged); /* how many had joined then */
    if (!open || !judged)
        return false;
    for (int i = 0; i < d->rows; i++) {
        rank->eta[i] = INFINITY;
        rank->light[i] = rank->heavy[i] = judged[i] = -1;
        open[i] = true;
    }
    for (int k = 0; k < d->base; k++) {
        open[d->pivot_row[k]] = false;
        rank->pivot[d->pivot_row[k]] = d->pivot[k];
        rank->eta[d->pivot_row[k]] = 1;
    }
    for (int last = -1;;) {
        int best = -1;
        for (int i = 0; i < d->rows; i++)
            if (open[i] && (best < 0 || rank->eta[i] > rank->eta[best]))
                best = i;
        if (best < 0 || (judged[best] == d->joined && rank->eta[best] <= RANK_REPEATS))
            break;
        const bool judged_before = judged[best] == d->joined;
        if (!judged_before || last != best) {
            rank_judge(d, best);
            rank->eta[best] = d->eta;
            judged[best] = d->joined;
            last = best;
        }
        if (judged_before) {
            open[best] = false;
            if (!settle_independent(d, rank, best))
                return false;
        }
    }
    return rank_relate(d, owned, open);
}

RankOutcome rank_decide(const Constraints *given, Rank **result)
{
    RankOutcome outcome;
    *result = NULL;
    Decision *d = rank_prepare(given, &outcome);
    Owned *owned = d ? owned_new(given->rows) : NULL;
    if (!owned) {
        rank_release(d);
        return outcome;
    }
    bool complete = !owned->memory.lacking && rank_eliminate(d);
    for (int again = 1; complete && again < MOST_ELIMINATIONS && rank_uncover(d) > 0; again++)
        complete = rank_eliminate(d);
    complete = complete && judge_candidates(d, owned);
    rank_release(d);
    if (!complete) {
        rank_free(&owned->rank);
        return RANK_NO_MEMORY;
    }
    *result = &owned->rank;
    return RANK_DECIDED;
}

RankOutcome rank_stalled(const Constraints *given, const double *violation, double *factor, double *eta)
{
    RankOutcome outcome;
    Decision *d = rank_prepare(given, &outcome);
    if (!d)
        return outcome;
    double *share = d->c, greatest = 0;
    for (int j = 0; j < given->joints; j++) {
        const Joint *joint = &d->joint[j];
        for (int i = 0; i < joint->count; i++) {
            double sum = violation[joint->row[i]] / joint->root[i];
            for (int k = 0; k < i; k++)
                sum -= joint->lower[i * joint->count + k] * share[joint->row[k]];
            share[joint->row[i]] = sum / joint->lower[i * joint->count + i];
            greatest = fmax(greatest, fabs(share[joint->row[i]]));
        }
    }
    for (int i = 0; i < d->rows; i++) {
        share[i] /= greatest > 0 ? greatest : 1;
        entries_add(&d->mobility[i], share[i], d->left_mobility);
        add_terms(d, i, share[i], fabs(share[i]) > FULFILLED);
    }
    *eta = against_terms(d);
    memcpy(factor, share, (size_t)d->rows * sizeof *factor);
    rank_to_given_rows(d, factor);
    for (int i = 0; i < d->rows; i++)
        factor[i] /= rank_root_of_row(d, i);
    rank_release(d);
    return RANK_DECIDED;
}

double rank_misfit(const Relation *relation, const double *right, const double *size)
{
    double sum = 0, terms = 0, rounding = 0;
    for (int m = 0; m < relation->count; m++) {
        const double term = relation->factor[m] * right[relation->member[m]];
        sum += term;
        terms += fabs(term);
        rounding += size ? fabs(relation->factor[m]) * size[relation->member[m]] : 0;
    }
    return fabs(sum) > RANK_ROUNDING * rounding ? fabs(sum) / terms : 0;
}

bool rank_contradictory(double misfit)
{
    return misfit > RANK_CONTRADICTION;
}

double rank_damping(double rtol)
{
    return fmax(rtol, LEAST_DAMPING);
}

bool rank_passing(double pivot, double peak, double damping)
{
    return pivot < PASSING * damping && pivot < FALLEN * peak;
}
