/* Computes the part of a row that the active rows do not have. A row that is independent joins these with its coefficients c and its own
 * pivot p, the product of the remainders of G and of V. Both are refined to rounding; therefore p has digits where S has none any more.
 * With T = [1; -c' 1] for every row that joined, T S T' is the base beside the diagonal of p, and solving is a product with T before and
 * after. */
#include "rank/rank_internal.h"

#include <math.h>
#include <string.h>

static const double INSIGNIFICANT = 1e-20; /* coefficients that are left out, which keeps far rows out */
enum { REFINEMENTS = 3 };

/* Subtracts c times the active rows from a row's G and V. */
void rank_subtract(Decision *d, int row)
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
        const double left = sqrt(d->length[g]);
        if (d->counts[g] && d->terms[g] > 0 && left > RANK_REPEATS * d->most[g])
            eta = fmax(eta, left / d->terms[g]);
        d->length[g] = 0;
    }
    return eta;
}

/* Finds c, eta and the pivot of a row that is not active. */
void rank_judge(Decision *d, int row)
{
    memset(d->c, 0, (size_t)d->rows * sizeof *d->c);
    for (int refinement = 0; refinement <= REFINEMENTS; refinement++) {
        rank_subtract(d, row);
        test_active(d);
        rank_solve(d, d->work);
        for (int i = 0; i < d->rows; i++)
            d->c[i] += d->work[i];
    }
    for (int i = 0; i < d->rows; i++)
        d->c[i] = fabs(d->c[i]) < INSIGNIFICANT ? 0 : d->c[i];
    rank_subtract(d, row);
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

bool rank_join(Decision *d, int row)
{
    for (int i = 0; i < d->rows; i++)
        if (d->c[i] != 0 && !entries_append(&d->memory, &d->coefficient[d->joined], i, d->c[i]))
            return false;
    d->joined_pivot[d->joined] = d->own;
    d->joined_row[d->joined++] = row;
    return true;
}

/* The group that gives the most of the product of what is left of G and V, and by how much it is moved. */
int rank_greatest_group(Decision *d, double *mobility)
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
