/* Finds the rows that a redundant row repeats. */
#include "rank/rank_internal.h"

#include <math.h>

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
    rank_forget_terms(d);
    for (int i = 0; i < d->rows; i++)
        add_terms_as_given(d, i, share[i] / rank_root_of_row(d, i), fabs(share[i]) > RANK_NOISE * greatest);
    relation->row = row;
    relation->member = arena_take(&owned->memory, (size_t)d->rows, sizeof *relation->member);
    relation->factor = arena_take(&owned->memory, (size_t)d->rows, sizeof *relation->factor);
    for (int i = 0; i < d->rows && !owned->memory.lacking; i++) {
        const double factor = share[i] / rank_root_of_row(d, i);
        if (i == row || part_of_terms(d, i, factor) > RANK_NAMED) {
            relation->member[relation->count] = i;
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

/* Chooses the row of the joint that a relation is about: the equilibrated row that it came from, if that is nearly as good as any. */
static int choose_redundant(const Decision *d, const bool *taken, int row, const double *share)
{
    const Joint *joint = &d->joint[d->given->joint[row]];
    int chosen = -1;
    double greatest = -1;
    for (int i = 0; i < joint->count; i++) {
        const int other = joint->row[i];
        const double size = fabs(share[other]) / (other == row ? RANK_NEAR : 1);
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
bool rank_relate(Decision *d, Owned *owned, const bool *repeats)
{
    Rank *rank = &owned->rank;
    int count = 0, *row = arena_take(&d->memory, (size_t)d->rows, sizeof *row);
    double **share = arena_take(&d->memory, (size_t)d->rows, sizeof *share);
    bool *taken = arena_take(&d->memory, (size_t)d->rows, sizeof *taken);
    for (int i = 0; i < d->rows && !d->memory.lacking; i++) {
        if (!repeats[i])
            continue;
        double *own = arena_take(&d->memory, (size_t)d->rows, sizeof *own);
        if (!own)
            return false;
        rank_judge(d, i);
        rank->eta[i] = d->eta;
        rank->pivot[i] = fmax(d->own, 0);
        for (int k = 0; k < d->rows; k++)
            own[k] = (k == i) - d->c[k];
        rank_to_given_rows(d, own);
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
