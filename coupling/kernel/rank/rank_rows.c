/* The rows of constraints, equilibrated joint by joint: S has unit matrices on its diagonal then. */
#include "rank/rank_internal.h"

#include <math.h>
#include <stdlib.h>

static const double DEPENDENT = 1e-13; /* a joint's own rows: below, their S is singular and scaled by its diagonal only */

static double root_of(double square)
{
    return square > 0 ? sqrt(square) : 0;
}

static void load_row(const int *start, const int *column, const double *value, int row, double factor, double *dense)
{
    for (int e = start[row]; e < start[row + 1]; e++)
        dense[column[e]] += factor * value[e];
}

static double row_product(const int *start, const int *column, const double *value, int row, const double *dense)
{
    double sum = 0;
    for (int e = start[row]; e < start[row + 1]; e++)
        sum += value[e] * dense[column[e]];
    return sum;
}

/* The S of a joint's own rows. */
static void joint_matrix(Decision *d, const Joint *joint, double *matrix)
{
    const Constraints *given = d->given;
    for (int i = 0; i < joint->count; i++) {
        const int row = joint->row[i];
        load_row(given->gradient_start, given->gradient_column, given->gradient, row, 1, d->left_gradient);
        load_row(given->mobility_start, given->mobility_column, given->mobility, row, 1, d->left_mobility);
        for (int j = 0; j <= i; j++) {
            const int other = joint->row[j];
            matrix[i * joint->count + j] =
                (row_product(given->mobility_start, given->mobility_column, given->mobility, other, d->left_gradient) +
                 row_product(given->gradient_start, given->gradient_column, given->gradient, other, d->left_mobility)) /
                2;
        }
        for (int e = given->gradient_start[row]; e < given->gradient_start[row + 1]; e++)
            d->left_gradient[given->gradient_column[e]] = 0;
        for (int e = given->mobility_start[row]; e < given->mobility_start[row + 1]; e++)
            d->left_mobility[given->mobility_column[e]] = 0;
    }
}

/* Cholesky in place, of the matrix scaled by its diagonal; the unit matrix where it is singular. */
static void factorise_joint(Joint *joint)
{
    const int n = joint->count;
    double *a = joint->lower;
    for (int i = 0; i < n; i++)
        joint->root[i] = a[i * n + i] > 0 ? sqrt(a[i * n + i]) : 1;
    bool regular = true;
    for (int i = 0; i < n && regular; i++) {
        regular = a[i * n + i] > 0;
        for (int j = 0; j <= i; j++)
            a[i * n + j] /= joint->root[i] * joint->root[j];
    }
    for (int i = 0; i < n && regular; i++)
        for (int j = 0; j <= i && regular; j++) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; k++)
                sum -= a[i * n + k] * a[j * n + k];
            regular = i > j || sum > DEPENDENT;
            a[i * n + j] = i > j ? sum / a[j * n + j] : root_of(sum);
        }
    for (int i = 0; i < n && !regular; i++)
        for (int j = 0; j <= i; j++)
            a[i * n + j] = i == j;
}

/* One row of a joint, equilibrated by those before it. */
static bool equilibrate_row(Decision *d, const Joint *joint, int i, const int *start, const int *column, const double *value, double *dense,
                            Entries *result)
{
    const int row = joint->row[i], n = joint->count;
    Entries *entries = &result[row];
    load_row(start, column, value, row, 1 / joint->root[i], dense);
    for (int j = 0; j < i; j++)
        entries_add(&result[joint->row[j]], -joint->lower[i * n + j], dense);
    for (int j = 0; j <= i; j++)
        for (int e = start[joint->row[j]]; e < start[joint->row[j] + 1]; e++) {
            const int at = column[e];
            if (dense[at] != 0 && !entries_append(&d->memory, entries, at, dense[at] / joint->lower[i * n + i]))
                return false;
            dense[at] = 0;
        }
    return true;
}

static bool equilibrate(Decision *d)
{
    const Constraints *given = d->given;
    for (int j = 0; j < given->joints; j++) {
        Joint *joint = &d->joint[j];
        const size_t n = (size_t)joint->count;
        joint->root = arena_take(&d->memory, n, sizeof *joint->root);
        joint->lower = arena_take(&d->memory, n * n, sizeof *joint->lower);
        if (!joint->root || !joint->lower)
            return false;
        joint_matrix(d, joint, joint->lower);
        factorise_joint(joint);
        for (int i = 0; i < joint->count; i++)
            if (!equilibrate_row(d, joint, i, given->gradient_start, given->gradient_column, given->gradient, d->left_gradient,
                                 d->gradient) ||
                !equilibrate_row(d, joint, i, given->mobility_start, given->mobility_column, given->mobility, d->left_mobility,
                                 d->mobility))
                return false;
    }
    return true;
}

/* The length of a row of V in each group that it moves. */
static bool measure_rows(Decision *d)
{
    const int *group = d->given->group;
    const size_t groups = (size_t)d->given->groups;
    double *product = arena_take(&d->memory, groups, sizeof *product), *energy = arena_take(&d->memory, groups, sizeof *energy);
    if (!product || !energy)
        return false;
    for (int i = 0; i < d->rows; i++) {
        const Entries *row = &d->mobility[i];
        entries_add(&d->gradient[i], 1, d->left_gradient);
        for (int e = 0; e < row->count; e++)
            product[group[row->at[e]]] += row->value[e] * d->left_gradient[row->at[e]];
        for (int e = 0; e < d->gradient[i].count; e++)
            d->left_gradient[d->gradient[i].at[e]] = 0;
        for (int e = 0; e < row->count; e++)
            d->length[group[row->at[e]]] += row->value[e] * row->value[e];
        for (int e = 0; e < row->count; e++) {
            double *square = &d->length[group[row->at[e]]];
            if (*square > 0 && !entries_append(&d->memory, &d->size[i], group[row->at[e]], sqrt(*square)))
                return false;
            d->most[group[row->at[e]]] = fmax(d->most[group[row->at[e]]], sqrt(*square));
            const double part = fabs(product[group[row->at[e]]]);
            energy[group[row->at[e]]] = fmax(energy[group[row->at[e]]], part);
            product[group[row->at[e]]] = 0;
            *square = 0;
        }
    }
    for (size_t g = 0; g < groups; g++)
        if (!(energy[g] > RANK_STILL))
            d->most[g] = INFINITY; /* all that moves it is rounding */
    return true;
}

static Decision *decision_new(const Constraints *given)
{
    Decision *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    Arena *memory = &d->memory;
    const size_t rows = (size_t)given->rows, coordinates = (size_t)given->coordinates, groups = (size_t)given->groups;
    d->given = given;
    d->rows = given->rows;
    d->joint = arena_take(memory, (size_t)given->joints, sizeof *d->joint);
    d->place = arena_take(memory, rows, sizeof *d->place);
    d->gradient = arena_take(memory, rows, sizeof *d->gradient);
    d->mobility = arena_take(memory, rows, sizeof *d->mobility);
    d->size = arena_take(memory, rows, sizeof *d->size);
    d->most = arena_take(memory, groups, sizeof *d->most);
    d->excluded = arena_take(memory, rows, sizeof *d->excluded);
    d->pivot_row = arena_take(memory, rows, sizeof *d->pivot_row);
    d->pivot = arena_take(memory, rows, sizeof *d->pivot);
    d->lower = arena_take(memory, rows, sizeof *d->lower);
    d->joined_row = arena_take(memory, rows, sizeof *d->joined_row);
    d->coefficient = arena_take(memory, rows, sizeof *d->coefficient);
    d->joined_pivot = arena_take(memory, rows, sizeof *d->joined_pivot);
    d->c = arena_take(memory, rows, sizeof *d->c);
    d->solution = arena_take(memory, rows, sizeof *d->solution);
    d->work = arena_take(memory, rows, sizeof *d->work);
    d->left_gradient = arena_take(memory, coordinates, sizeof *d->left_gradient);
    d->left_mobility = arena_take(memory, coordinates, sizeof *d->left_mobility);
    d->terms = arena_take(memory, groups, sizeof *d->terms);
    d->length = arena_take(memory, groups, sizeof *d->length);
    d->counts = arena_take(memory, groups, sizeof *d->counts);
    int *members = arena_take(memory, rows, sizeof *members);
    if (memory->lacking)
        return d;
    for (int i = 0; i < d->rows; i++)
        d->place[i] = d->joint[given->joint[i]].count++;
    for (int j = 0; j < given->joints; j++) {
        d->joint[j].row = members;
        members += d->joint[j].count;
    }
    for (int i = 0; i < d->rows; i++)
        d->joint[given->joint[i]].row[d->place[i]] = i;
    if (equilibrate(d))
        measure_rows(d);
    return d;
}

void rank_release(Decision *d)
{
    if (d)
        arena_give_back(&d->memory);
    free(d);
}

static bool finite(const int *start, const double *value, int rows)
{
    for (int e = 0; e < start[rows]; e++)
        if (!isfinite(value[e]))
            return false;
    return true;
}

/* The equilibrated rows, or null with the reason. */
Decision *rank_prepare(const Constraints *given, RankOutcome *outcome)
{
    *outcome = RANK_NOT_FINITE;
    if (!finite(given->gradient_start, given->gradient, given->rows) || !finite(given->mobility_start, given->mobility, given->rows))
        return NULL;
    *outcome = RANK_NO_MEMORY;
    Decision *d = decision_new(given);
    if (d && d->memory.lacking) {
        rank_release(d);
        return NULL;
    }
    return d;
}

/* Converts shares from equilibrated rows to the given rows, for factors that are shares over the roots of S. */
void rank_to_given_rows(const Decision *d, double *share)
{
    for (int j = 0; j < d->given->joints; j++) {
        const Joint *joint = &d->joint[j];
        for (int i = joint->count - 1; i >= 0; i--) {
            double sum = share[joint->row[i]];
            for (int k = i + 1; k < joint->count; k++)
                sum -= joint->lower[k * joint->count + i] * share[joint->row[k]];
            share[joint->row[i]] = sum / joint->lower[i * joint->count + i];
        }
    }
}

double rank_root_of_row(const Decision *d, int row)
{
    return d->joint[d->given->joint[row]].root[d->place[row]];
}
