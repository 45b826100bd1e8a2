/* Elimination with sparse rows, then one row after another.
 *
 * The rows with pivots, the base, are eliminated sparsely, L D L' = S. The candidates are judged one by one. Each that turns out to be
 * independent joins with its coefficients c and its own pivot p, the product of what is left of G and of V: both are refined to
 * rounding, so that p has digits where S has none any more. With T = [1; -c' 1] for every row that joined, T S T' is the base beside
 * the diagonal of p, and solving is a product with T before and after. */
#include "rank.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const double NEAR = 0.1;        /* of the greatest diagonal: such pivots count as equally great, and the sparsest is taken */
static const double DEPENDENT = 1e-13; /* a joint's own rows: below, their S is singular and scaled by its diagonal only */
static const double TAKES_PART = 0.1;  /* a row's share of the weakest direction that makes it a candidate whatever its pivot */
static const double NOISE = 1e-13;     /* coefficients below are rounding: groups that only such rows move tell nothing */
static const double INSIGNIFICANT = 1e-20; /* coefficients that are left out, which keeps those of far rows out */
static const double FULFILLED = 1e-4;  /* of the greatest violation where a projection stalls: rows below have no part in it */
static const double LEAST_DAMPING = 1e-8;
static const double PASSING = 100, FALLEN = 1e-3; /* of sigma^2, of the peak */
enum { REFINEMENTS = 3, INVERSE_ITERATIONS = 2, MOST_ELIMINATIONS = 4 };

#ifndef RANK_PIECE /* tests take small ones, so that many allocations may fail */
#define RANK_PIECE 16384
#endif

/* Memory that is given back at once. */
typedef struct Piece {
    struct Piece *before;
    size_t used, size;
    max_align_t content[];
} Piece;

typedef struct {
    Piece *last;
    bool lacking;
} Memory;

/* Zeros; where memory lacks, null, and noted. */
static void *take(Memory *memory, size_t count, size_t size)
{
    const size_t align = sizeof(max_align_t), bytes = (count * size + align - 1) / align * align + align;
    if (memory->lacking)
        return NULL;
    if (!memory->last || memory->last->size - memory->last->used < bytes) {
        const size_t room = bytes > RANK_PIECE ? bytes : RANK_PIECE;
        Piece *piece = calloc(1, sizeof *piece + room);
        if (!piece) {
            memory->lacking = true;
            return NULL;
        }
        piece->before = memory->last;
        piece->size = room;
        memory->last = piece;
    }
    void *result = (char *)memory->last->content + memory->last->used;
    memory->last->used += bytes;
    return result;
}

static void give_back(Memory *memory)
{
    for (Piece *piece = memory->last, *before; piece; piece = before) {
        before = piece->before;
        free(piece);
    }
    memory->last = NULL;
}

/* Entries of a sparse row or column. */
typedef struct {
    int count, room;
    int *at;
    double *value;
} Entries;

static bool append(Memory *memory, Entries *entries, int at, double value)
{
    if (entries->count == entries->room) {
        const int room = 2 * entries->room + 4;
        int *places = take(memory, (size_t)room, sizeof *places);
        double *values = take(memory, (size_t)room, sizeof *values);
        if (!places || !values)
            return false;
        if (entries->count) {
            memcpy(places, entries->at, (size_t)entries->count * sizeof *places);
            memcpy(values, entries->value, (size_t)entries->count * sizeof *values);
        }
        entries->at = places;
        entries->value = values;
        entries->room = room;
    }
    entries->at[entries->count] = at;
    entries->value[entries->count++] = value;
    return true;
}

static double product(const Entries *entries, const double *dense)
{
    double sum = 0;
    for (int e = 0; e < entries->count; e++)
        sum += entries->value[e] * dense[entries->at[e]];
    return sum;
}

static void add(const Entries *entries, double factor, double *dense)
{
    for (int e = 0; e < entries->count; e++)
        dense[entries->at[e]] += factor * entries->value[e];
}

/* A joint's own S is D L L' D; its rows are multiplied by inv(L) inv(D). */
typedef struct {
    int count, *row;
    double *root, *lower; /* the diagonal of D; L by rows */
} Joint;

typedef struct {
    Memory memory;
    const Constraints *given;
    int rows;
    Joint *joint;
    int *place;                   /* of a row in its joint */
    Entries *gradient, *mobility; /* equilibrated, by rows */
    Entries *size;                /* the lengths of V by rows and groups */

    /* The base. lower: by pivot, what it takes from others, by row. */
    bool *excluded;
    int base, *pivot_row;
    double *pivot;
    Entries *lower;

    /* What joined, with its coefficients by row. */
    int joined, *joined_row;
    Entries *coefficient;
    double *joined_pivot;

    /* Of the row being judged: c by row, what is left of G and V by coordinate; by group. */
    double *c, *left_gradient, *left_mobility, *solution, *terms, *length, *work, eta, own;
    bool *counts; /* whether a group is moved by more than rounding */
} Decision;

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
        add(&result[joint->row[j]], -joint->lower[i * n + j], dense);
    for (int j = 0; j <= i; j++)
        for (int e = start[joint->row[j]]; e < start[joint->row[j] + 1]; e++) {
            const int at = column[e];
            if (dense[at] != 0 && !append(&d->memory, entries, at, dense[at] / joint->lower[i * n + i]))
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
        joint->root = take(&d->memory, n, sizeof *joint->root);
        joint->lower = take(&d->memory, n * n, sizeof *joint->lower);
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
    for (int i = 0; i < d->rows; i++) {
        const Entries *row = &d->mobility[i];
        for (int e = 0; e < row->count; e++)
            d->length[group[row->at[e]]] += row->value[e] * row->value[e];
        for (int e = 0; e < row->count; e++) {
            double *square = &d->length[group[row->at[e]]];
            if (*square > 0 && !append(&d->memory, &d->size[i], group[row->at[e]], sqrt(*square)))
                return false;
            *square = 0;
        }
    }
    return true;
}

static Decision *decision_new(const Constraints *given)
{
    Decision *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    Memory *memory = &d->memory;
    const size_t rows = (size_t)given->rows, coordinates = (size_t)given->coordinates, groups = (size_t)given->groups;
    d->given = given;
    d->rows = given->rows;
    d->joint = take(memory, (size_t)given->joints, sizeof *d->joint);
    d->place = take(memory, rows, sizeof *d->place);
    d->gradient = take(memory, rows, sizeof *d->gradient);
    d->mobility = take(memory, rows, sizeof *d->mobility);
    d->size = take(memory, rows, sizeof *d->size);
    d->excluded = take(memory, rows, sizeof *d->excluded);
    d->pivot_row = take(memory, rows, sizeof *d->pivot_row);
    d->pivot = take(memory, rows, sizeof *d->pivot);
    d->lower = take(memory, rows, sizeof *d->lower);
    d->joined_row = take(memory, rows, sizeof *d->joined_row);
    d->coefficient = take(memory, rows, sizeof *d->coefficient);
    d->joined_pivot = take(memory, rows, sizeof *d->joined_pivot);
    d->c = take(memory, rows, sizeof *d->c);
    d->solution = take(memory, rows, sizeof *d->solution);
    d->work = take(memory, rows, sizeof *d->work);
    d->left_gradient = take(memory, coordinates, sizeof *d->left_gradient);
    d->left_mobility = take(memory, coordinates, sizeof *d->left_mobility);
    d->terms = take(memory, groups, sizeof *d->terms);
    d->length = take(memory, groups, sizeof *d->length);
    d->counts = take(memory, groups, sizeof *d->counts);
    int *members = take(memory, rows, sizeof *members);
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

static void decision_free(Decision *d)
{
    if (d)
        give_back(&d->memory);
    free(d);
}

/* Entries by row as entries by column. */
static Entries *transposed(Memory *memory, const Entries *rows, int count, int columns)
{
    Entries *result = take(memory, (size_t)columns, sizeof *result);
    for (int i = 0; i < count && !memory->lacking; i++)
        for (int e = 0; e < rows[i].count; e++)
            if (!append(memory, &result[rows[i].at[e]], i, rows[i].value[e]))
                return result;
    return result;
}

/* What is left of S while it is eliminated, without its diagonal. */
typedef struct {
    Memory memory;
    Entries *row;
    double *diagonal, *dense;
    int *place; /* of a column in the row under work, -1 where it has none */
    bool *done;
} Remaining;

static void form(const Decision *d, Remaining *left)
{
    Memory *memory = &left->memory;
    const int rows = d->rows;
    const size_t n = (size_t)rows;
    left->row = take(memory, n, sizeof *left->row);
    left->diagonal = take(memory, n, sizeof *left->diagonal);
    left->dense = take(memory, n, sizeof *left->dense);
    left->place = take(memory, n, sizeof *left->place);
    left->done = take(memory, n, sizeof *left->done);
    const Entries *gradient = transposed(memory, d->gradient, rows, d->given->coordinates);
    const Entries *mobility = transposed(memory, d->mobility, rows, d->given->coordinates);
    for (int i = 0; i < rows && !memory->lacking; i++)
        left->place[i] = -1;
    for (int i = 0; i < rows && !memory->lacking; i++) {
        if ((left->done[i] = d->excluded[i]))
            continue;
        double *dense = left->dense;
        for (int e = 0; e < d->gradient[i].count; e++)
            add(&mobility[d->gradient[i].at[e]], d->gradient[i].value[e] / 2, dense);
        for (int e = 0; e < d->mobility[i].count; e++)
            add(&gradient[d->mobility[i].at[e]], d->mobility[i].value[e] / 2, dense);
        left->diagonal[i] = dense[i];
        dense[i] = 0;
        for (int both = 0; both < 2; both++) {
            const Entries *from = both ? &d->mobility[i] : &d->gradient[i], *to = both ? gradient : mobility;
            for (int e = 0; e < from->count; e++)
                for (int f = 0; f < to[from->at[e]].count; f++) {
                    const int j = to[from->at[e]].at[f];
                    if (j < i && dense[j] != 0 && !d->excluded[j] &&
                        !(append(memory, &left->row[i], j, dense[j]) && append(memory, &left->row[j], i, dense[j])))
                        return;
                    dense[j] = 0;
                }
        }
    }
}

/* The sparsest of the rows whose diagonal is near the greatest; -1 where no diagonal is great enough. */
static int choose(const Decision *d, const Remaining *left)
{
    double greatest = RANK_CANDIDATE;
    int chosen = -1;
    for (int i = 0; i < d->rows; i++)
        if (!left->done[i] && left->diagonal[i] > greatest)
            greatest = left->diagonal[i];
    for (int i = 0; i < d->rows; i++)
        if (!left->done[i] && left->diagonal[i] >= fmax(NEAR * greatest, RANK_CANDIDATE) &&
            (chosen < 0 || left->row[i].count < left->row[chosen].count))
            chosen = i;
    return chosen;
}

/* Takes from a row what the pivot's row has in it. */
static bool reduce(Remaining *left, int pivot, int row, double factor)
{
    const Entries *source = &left->row[pivot];
    Entries *target = &left->row[row];
    for (int e = 0; e < target->count; e++)
        left->place[target->at[e]] = e;
    bool complete = true;
    for (int e = 0; e < source->count && complete; e++) {
        const int j = source->at[e];
        if (j == row)
            left->diagonal[row] -= factor * source->value[e];
        else if (left->place[j] >= 0)
            target->value[left->place[j]] -= factor * source->value[e];
        else
            complete = append(&left->memory, target, j, -factor * source->value[e]);
    }
    const int gone = left->place[pivot];
    for (int e = 0; e < target->count; e++)
        left->place[target->at[e]] = -1;
    if (gone >= 0) {
        target->at[gone] = target->at[--target->count];
        target->value[gone] = target->value[target->count];
    }
    return complete;
}

/* Finds the base. False where memory lacks. */
static bool eliminate(Decision *d)
{
    Remaining left = {0};
    form(d, &left);
    d->base = 0;
    for (int p; !left.memory.lacking && (p = choose(d, &left)) >= 0;) {
        const Entries *row = &left.row[p];
        Entries *lower = &d->lower[d->base];
        left.done[p] = true;
        lower->count = 0;
        for (int e = 0; e < row->count; e++) {
            const double factor = row->value[e] / left.diagonal[p];
            if (!append(&d->memory, lower, row->at[e], factor) || !reduce(&left, p, row->at[e], factor)) {
                give_back(&left.memory);
                return false;
            }
        }
        d->pivot[d->base] = left.diagonal[p];
        d->pivot_row[d->base++] = p;
    }
    give_back(&left.memory);
    return !left.memory.lacking;
}

/* With the active rows: y becomes inv(S) y, and is zero in all other rows. */
static void solve(const Decision *d, double *y)
{
    for (int j = d->joined - 1; j >= 0; j--) {
        const int row = d->joined_row[j];
        y[row] -= product(&d->coefficient[j], y);
    }
    double *solution = d->solution;
    memset(solution, 0, (size_t)d->rows * sizeof *solution);
    for (int k = 0; k < d->base; k++) {
        const int row = d->pivot_row[k];
        solution[row] += y[row];
        add(&d->lower[k], -solution[row], solution);
    }
    for (int j = 0; j < d->joined; j++)
        y[d->joined_row[j]] /= d->joined_pivot[j];
    for (int k = 0; k < d->base; k++)
        y[d->pivot_row[k]] = solution[d->pivot_row[k]];
    memset(solution, 0, (size_t)d->rows * sizeof *solution);
    for (int k = d->base - 1; k >= 0; k--) {
        const int row = d->pivot_row[k];
        solution[row] = y[row] / d->pivot[k] - product(&d->lower[k], solution);
    }
    for (int k = 0; k < d->base; k++)
        y[d->pivot_row[k]] = solution[d->pivot_row[k]];
    for (int j = 0; j < d->joined; j++)
        add(&d->coefficient[j], -y[d->joined_row[j]], y);
}

/* A small singular value may hide from pivots (Kahan's matrix): one step of inverse iteration finds its direction, and the rows with a
 * great share of it become candidates too. Returns how many. */
static int uncover(Decision *d)
{
    double *w = d->work, before = 0, after = 0;
    unsigned long long random = 1;
    memset(w, 0, (size_t)d->rows * sizeof *w);
    for (int k = 0; k < d->base; k++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        w[d->pivot_row[k]] = random >> 63 ? 1 : -1;
    }
    for (int i = 0; i < INVERSE_ITERATIONS; i++) {
        before = after = 0;
        for (int k = 0; k < d->rows; k++)
            before += w[k] * w[k];
        solve(d, w);
        for (int k = 0; k < d->rows; k++)
            after += w[k] * w[k];
        const double length = sqrt(after);
        for (int k = 0; k < d->rows && length > 0; k++)
            w[k] /= length;
        before = sqrt(before) / length;
    }
    int found = 0;
    for (int k = 0; k < d->rows && before < RANK_CANDIDATE; k++)
        if (fabs(w[k]) > TAKES_PART) {
            d->excluded[k] = true;
            found++;
        }
    return found;
}

/* What is left of a row's G and V after its c times the active rows. */
static void subtract(Decision *d, int row)
{
    memset(d->left_gradient, 0, (size_t)d->given->coordinates * sizeof *d->left_gradient);
    memset(d->left_mobility, 0, (size_t)d->given->coordinates * sizeof *d->left_mobility);
    add(&d->gradient[row], 1, d->left_gradient);
    add(&d->mobility[row], 1, d->left_mobility);
    for (int i = 0; i < d->rows; i++)
        if (d->c[i] != 0) {
            add(&d->gradient[i], -d->c[i], d->left_gradient);
            add(&d->mobility[i], -d->c[i], d->left_mobility);
        }
}

/* The products of the active rows of G with what is left of V. */
static void test_active(Decision *d)
{
    memset(d->work, 0, (size_t)d->rows * sizeof *d->work);
    for (int k = 0; k < d->base; k++)
        d->work[d->pivot_row[k]] = product(&d->gradient[d->pivot_row[k]], d->left_mobility);
    for (int j = 0; j < d->joined; j++)
        d->work[d->joined_row[j]] = product(&d->gradient[d->joined_row[j]], d->left_mobility);
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

static void forget_terms(Decision *d)
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
static void judge(Decision *d, int row)
{
    memset(d->c, 0, (size_t)d->rows * sizeof *d->c);
    for (int refinement = 0; refinement <= REFINEMENTS; refinement++) {
        subtract(d, row);
        test_active(d);
        solve(d, d->work);
        for (int i = 0; i < d->rows; i++)
            d->c[i] += d->work[i];
    }
    for (int i = 0; i < d->rows; i++)
        d->c[i] = fabs(d->c[i]) < INSIGNIFICANT ? 0 : d->c[i];
    subtract(d, row);
    d->own = 0;
    for (int k = 0; k < d->given->coordinates; k++)
        d->own += d->left_gradient[k] * d->left_mobility[k];
    forget_terms(d);
    add_terms(d, row, 1, true);
    for (int i = 0; i < d->rows; i++)
        if (d->c[i] != 0)
            add_terms(d, i, d->c[i], fabs(d->c[i]) > NOISE);
    d->eta = against_terms(d);
}

static bool join(Decision *d, int row)
{
    for (int i = 0; i < d->rows; i++)
        if (d->c[i] != 0 && !append(&d->memory, &d->coefficient[d->joined], i, d->c[i]))
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

/* From equilibrated rows to the rows as given: shares, where factors are these over the roots of S. */
static void to_given_rows(const Decision *d, double *share)
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

static double root_of_row(const Decision *d, int row)
{
    return d->joint[d->given->joint[row]].root[d->place[row]];
}

/* What is decided, with its memory. */
typedef struct {
    Rank rank;
    Memory memory;
} Owned;

static Owned *owned_new(int rows)
{
    Owned *owned = calloc(1, sizeof *owned);
    if (!owned)
        return NULL;
    Rank *r = &owned->rank;
    const size_t n = (size_t)rows;
    r->rows = rows;
    r->status = take(&owned->memory, n, sizeof *r->status);
    r->pivot = take(&owned->memory, n, sizeof *r->pivot);
    r->eta = take(&owned->memory, n, sizeof *r->eta);
    r->light = take(&owned->memory, n, sizeof *r->light);
    r->heavy = take(&owned->memory, n, sizeof *r->heavy);
    r->light_mobility = take(&owned->memory, n, sizeof *r->light_mobility);
    r->heavy_mobility = take(&owned->memory, n, sizeof *r->heavy_mobility);
    r->relation = take(&owned->memory, n, sizeof *r->relation);
    return owned;
}

void rank_free(Rank *rank)
{
    if (rank)
        give_back(&((Owned *)rank)->memory);
    free(rank);
}

/* The length of a row as given, times a factor, in each of its groups: goes to the terms. */
static void add_terms_as_given(Decision *d, int row, double factor, bool counts)
{
    const Constraints *given = d->given;
    const int start = given->mobility_start[row], end = given->mobility_start[row + 1];
    for (int e = start; e < end; e++)
        d->length[given->group[given->mobility_column[e]]] += given->mobility[e] * given->mobility[e];
    for (int e = start; e < end; e++) {
        const int g = given->group[given->mobility_column[e]];
        d->terms[g] += fabs(factor) * sqrt(d->length[g]);
        d->counts[g] |= counts;
        d->length[g] = 0;
    }
}

/* The greatest part that it has in the terms of a group. Groups are compared with themselves, so that masses and units do not matter. */
static double part_of_terms(Decision *d, int row, double factor)
{
    const Constraints *given = d->given;
    const int start = given->mobility_start[row], end = given->mobility_start[row + 1];
    double part = 0;
    for (int e = start; e < end; e++)
        d->length[given->group[given->mobility_column[e]]] += given->mobility[e] * given->mobility[e];
    for (int e = start; e < end; e++) {
        const int g = given->group[given->mobility_column[e]];
        if (d->counts[g] && d->length[g] > 0)
            part = fmax(part, fabs(factor) * sqrt(d->length[g]) / d->terms[g]);
        d->length[g] = 0;
    }
    return part;
}

static bool write_relation(Decision *d, Owned *owned, int row, const double *share)
{
    Relation *relation = &owned->rank.relation[owned->rank.redundant++];
    double greatest = 0;
    for (int i = 0; i < d->rows; i++)
        greatest = fmax(greatest, fabs(share[i]));
    forget_terms(d);
    for (int i = 0; i < d->rows; i++)
        add_terms_as_given(d, i, share[i] / root_of_row(d, i), fabs(share[i]) > NOISE * greatest);
    relation->row = row;
    relation->member = take(&owned->memory, (size_t)d->rows, sizeof *relation->member);
    relation->factor = take(&owned->memory, (size_t)d->rows, sizeof *relation->factor);
    relation->share = take(&owned->memory, (size_t)d->rows, sizeof *relation->share);
    for (int i = 0; i < d->rows && !owned->memory.lacking; i++) {
        const double factor = share[i] / root_of_row(d, i);
        if (i == row || part_of_terms(d, i, factor) > RANK_NAMED) {
            relation->member[relation->count] = i;
            relation->share[relation->count] = share[i] / greatest;
            relation->factor[relation->count++] = factor / greatest;
        }
    }
    return !owned->memory.lacking;
}

static void swap(double *a, double *b)
{
    const double c = *a;
    *a = *b;
    *b = c;
}

/* Which of its joint's rows a relation is to be about, the equilibrated row that it came from if that is nearly as good as any. */
static int choose_redundant(const Decision *d, const bool *taken, int row, const double *share)
{
    const Joint *joint = &d->joint[d->given->joint[row]];
    int chosen = -1;
    double greatest = -1;
    for (int i = 0; i < joint->count; i++) {
        const int other = joint->row[i];
        const double size = fabs(share[other]) / (other == row ? NEAR : 1);
        if (!taken[other] && size > greatest) {
            chosen = other;
            greatest = size;
        }
    }
    return chosen;
}

/* A row that is redundant instead of another one gives it what it was. */
static void exchange(Rank *rank, int active, int redundant)
{
    rank->status[active] = rank->status[redundant];
    rank->light[active] = rank->light[redundant];
    rank->heavy[active] = rank->heavy[redundant];
    rank->light[redundant] = rank->heavy[redundant] = -1;
    swap(&rank->light_mobility[active], &rank->light_mobility[redundant]);
    swap(&rank->heavy_mobility[active], &rank->heavy_mobility[redundant]);
    swap(&rank->pivot[active], &rank->pivot[redundant]);
    swap(&rank->eta[active], &rank->eta[redundant]);
}

/* Gauss-Jordan elimination: each relation is about one redundant row, which no other has. */
static void separate(const Decision *d, int count, int *row, double **share, bool *taken)
{
    for (int n = 0; n < count; n++) {
        const int chosen = choose_redundant(d, taken, row[n], share[n]);
        taken[row[n] = chosen] = true;
        for (int m = 0; m < count; m++) {
            const double factor = share[n][chosen] != 0 ? share[m][chosen] / share[n][chosen] : 0;
            for (int k = 0; k < d->rows && m != n && factor != 0; k++)
                share[m][k] -= factor * share[n][k];
            if (m != n)
                share[m][chosen] = 0;
        }
    }
}

/* Writes the relations of the equilibrated rows that repeat others, as relations of the rows as given. An equilibrated row contains those
 * of its joint before it, so that another row of that joint may be the redundant one. */
static bool relate(Decision *d, Owned *owned, const bool *repeats)
{
    Rank *rank = &owned->rank;
    int count = 0, *row = take(&d->memory, (size_t)d->rows, sizeof *row);
    double **share = take(&d->memory, (size_t)d->rows, sizeof *share);
    bool *taken = take(&d->memory, (size_t)d->rows, sizeof *taken);
    for (int i = 0; i < d->rows && !d->memory.lacking; i++) {
        if (!repeats[i])
            continue;
        double *own = take(&d->memory, (size_t)d->rows, sizeof *own);
        if (!own)
            return false;
        judge(d, i);
        rank->eta[i] = d->eta;
        rank->pivot[i] = fmax(d->own, 0);
        for (int k = 0; k < d->rows; k++)
            own[k] = (k == i) - d->c[k];
        to_given_rows(d, own);
        row[count] = i;
        share[count++] = own;
    }
    if (d->memory.lacking)
        return false;
    separate(d, count, row, share, taken);
    for (int n = 0; n < count; n++) {
        const Joint *joint = &d->joint[d->given->joint[row[n]]];
        for (int i = 0; i < joint->count && !repeats[row[n]]; i++) {
            const int other = joint->row[i];
            if (repeats[other] && !taken[other]) {
                exchange(rank, other, row[n]);
                taken[other] = true;
                break;
            }
        }
        rank->status[row[n]] = RANK_REDUNDANT;
        if (!write_relation(d, owned, row[n], share[n]))
            return false;
    }
    return true;
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
    bool *open = take(&d->memory, rows, sizeof *open);
    int *judged = take(&d->memory, rows, sizeof *judged); /* how many had joined then */
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
            judge(d, best);
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
    return relate(d, owned, open);
}

static bool finite(const int *start, const double *value, int rows)
{
    for (int e = 0; e < start[rows]; e++)
        if (!isfinite(value[e]))
            return false;
    return true;
}

/* The equilibrated rows, or null with the reason. */
static Decision *prepare(const Constraints *given, RankOutcome *outcome)
{
    *outcome = RANK_NOT_FINITE;
    if (!finite(given->gradient_start, given->gradient, given->rows) || !finite(given->mobility_start, given->mobility, given->rows))
        return NULL;
    *outcome = RANK_NO_MEMORY;
    Decision *d = decision_new(given);
    if (d && d->memory.lacking) {
        decision_free(d);
        return NULL;
    }
    return d;
}

RankOutcome rank_decide(const Constraints *given, Rank **result)
{
    RankOutcome outcome;
    *result = NULL;
    Decision *d = prepare(given, &outcome);
    Owned *owned = d ? owned_new(given->rows) : NULL;
    if (!owned) {
        decision_free(d);
        return outcome;
    }
    bool complete = !owned->memory.lacking && eliminate(d);
    for (int again = 1; complete && again < MOST_ELIMINATIONS && uncover(d) > 0; again++)
        complete = eliminate(d);
    complete = complete && judge_candidates(d, owned);
    decision_free(d);
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
    Decision *d = prepare(given, &outcome);
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
        add(&d->mobility[i], share[i], d->left_mobility);
        add_terms(d, i, share[i], fabs(share[i]) > FULFILLED);
    }
    *eta = against_terms(d);
    memcpy(factor, share, (size_t)d->rows * sizeof *factor);
    to_given_rows(d, factor);
    for (int i = 0; i < d->rows; i++)
        factor[i] /= root_of_row(d, i);
    decision_free(d);
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

bool rank_contradicts(const Relation *relation, const double *right, const double *size)
{
    return rank_misfit(relation, right, size) > RANK_CONTRADICTION;
}

double rank_damping(double rtol)
{
    return fmax(rtol, LEAST_DAMPING);
}

bool rank_passing(double pivot, double peak, double damping)
{
    return pivot < PASSING * damping && pivot < FALLEN * peak;
}
