/* Damping of the constraints in cycles that have become weak or are redundant. */
#include "linear/linear_internal.h"
#include "rows/slots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pivot is weak below these shares of sigma^2 and of its peak. From there on the damping grows with it smoothly to sigma^2. */
static const double NEAR = 100, FALLEN = 1e-3;
/* The damping of a cycle whose rows repeat others, in units of sigma^2. It stands in every pose. Near a pose that loses one rank more it has to be
 * small beside the pivot that vanishes there, since it takes the reaction of this row away. */
static const double REPEATED = 0.1;
static const double LEAST = 1e-8;      /* sigma^2: from there on it is the drift of a run that damping has to be greater than */
static const double NOTHING = 1e-9;    /* as a peak: of a row that has always been redundant */
static const double DEPENDENT = 1e-13; /* rows of one joint; these are taken as they are */
static const double MARGIN = 10;       /* by which pivots that were found elsewhere have to be greater */
static const double INDEPENDENT = 1e-2; /* a pivot, beside others that have been left out: near a singular pose these do not follow them */
static const double ROUNDED = 1.01;    /* more than rounding adds to products of pivots */

void linear_free_damping(Linear *a)
{
    if (a->cycles) {
        free(a->cycles->first);
        free(a->cycles->share);
        free(a->cycles->redundant);
        free(a->cycles->base);
    }
    free(a->cycles);
    a->cycles = NULL;
}

static int entry_at(const Linear *a, int row, int column)
{
    for (int e = a->row_start[row]; e < a->row_start[row + 1]; e++)
        if (a->column[e] == column)
            return e;
    return -1;
}

/* The joints' rows and blocks. */
static void arrange_joints(const Linear *a, Cycles *d)
{
    int members = 0, entries = 0;
    for (int j = 0; j < d->joints; j++) {
        d->first[j] = members;
        d->first_entry[j] = entries;
        for (int k = 0; k < a->count; k++)
            if (d->joint[a->order[k]] == j) {
                d->member[members++] = a->order[k];
                for (int m = d->first[j]; m < members; m++)
                    d->entry[entries++] = entry_at(a, a->order[k], d->member[m]);
            }
    }
    d->first[d->joints] = members;
    d->first_entry[d->joints] = entries;
}

bool linear_set_constraints(Linear *a, const int *joint, const int *cycle)
{
    const size_t n = (size_t)a->count + 1;
    Cycles *d = a->cycles = calloc(1, sizeof *d);
    if (!d)
        return false;
    d->joint = joint;
    d->cycle = cycle;
    for (int i = 0; i < a->count; i++) {
        d->joints = joint[i] >= d->joints ? joint[i] + 1 : d->joints;
        d->cycles = cycle[i] >= d->cycles ? cycle[i] + 1 : d->cycles;
    }
    const size_t joints = (size_t)d->joints + 1, cycles = (size_t)d->cycles + 1;
    size_t entries = 0, largest = 0;
    for (int j = 0; j < d->joints; j++) {
        size_t size = 0;
        for (int i = 0; i < a->count; i++)
            size += joint[i] == j;
        entries += size * (size + 1) / 2;
        largest = size > largest ? size : largest;
    }
    d->first = malloc((2 * joints + n + entries) * sizeof *d->first);
    d->share = calloc(5 * n + cycles + largest * largest, sizeof *d->share);
    d->redundant = calloc(2 * n + cycles, sizeof *d->redundant);
    if (!d->first || !d->share || !d->redundant) {
        linear_free_damping(a);
        return false;
    }
    d->first_entry = d->first + joints;
    d->member = d->first_entry + joints;
    d->entry = d->member + n;
    d->peak = d->share + n;
    d->sum = d->peak + n;
    d->left = d->sum + n;
    d->ample = d->left + n;
    d->added = d->ample + n;
    d->block = d->added + cycles;
    d->weak = d->redundant + n;
    d->damps = d->weak + n;
    arrange_joints(a, d);
    return true;
}

static bool in_cycle(const Cycles *d, int joint)
{
    return d->first[joint] < d->first[joint + 1] && d->cycle[d->member[d->first[joint]]] >= 0;
}

/* Shares of their diagonals above which pivots found elsewhere are trusted: each by itself, and the product of those of a joint in a cycle. */
static double ample_alone(void)
{
    return MARGIN * WEAK;
}

static double ample_together(const Cycles *d)
{
    return ROUNDED * MARGIN * NEAR * d->sigma2;
}

void linear_set_damping(Linear *a, double rtol)
{
    Cycles *d = a->cycles;
    int most = 1;
    for (int j = 0; d && j < d->joints; j++)
        most = d->first[j + 1] - d->first[j] > most ? d->first[j + 1] - d->first[j] : most;
    if (!d)
        return;
    d->sigma2 = fmax(rtol, LEAST);
    const double together = ample_together(d), each = together < 1 ? fmax(ample_alone(), pow(together, 1. / most)) : INFINITY;
    for (int i = 0; i < a->count; i++)
        d->ample[i] = d->joint[i] >= 0 && in_cycle(d, d->joint[i]) ? each : ample_alone();
}

void linear_damp_all(Linear *a, double sigma2)
{
    if (a->cycles)
        a->cycles->all = sigma2;
}

void linear_expose(Linear *a, bool on)
{
    if (a->cycles)
        a->cycles->exposed = on;
}

bool linear_decide(Linear *a, const bool *redundant)
{
    Cycles *d = a->cycles;
    if (!d)
        return false;
    const bool before = d->decided || d->reconsidered;
    d->reconsidered = false;
    d->decided = redundant != NULL;
    d->redundancies = 0;
    for (int i = 0; i < a->count; i++) {
        d->redundant[i] = redundant && redundant[i] && d->cycle[i] >= 0;
        d->redundancies += d->redundant[i];
    }
    return !before;
}

void linear_reconsider(Linear *a)
{
    const bool before = !linear_decide(a, NULL);
    if (a->cycles)
        a->cycles->reconsidered = before;
}

double *linear_peaks(Linear *a)
{
    return a->cycles ? a->cycles->peak : NULL;
}

bool linear_damped(const Linear *a)
{
    return a->cycles && a->cycles->damped > 0;
}

bool linear_counts(const Linear *a, int row)
{
    const Cycles *d = a->cycles;
    return d && d->joint[row] >= 0 && (d->exposed || d->decided || d->cycle[row] < 0 || d->added[d->cycle[row]] > 0);
}

void linear_begin_damping(Linear *a)
{
    Cycles *d = a->cycles;
    if (!d)
        return;
    memset(d->added, 0, (size_t)d->cycles * sizeof *d->added);
    memset(d->weak, 0, (size_t)a->count * sizeof *d->weak);
    memset(d->damps, 0, (size_t)d->cycles * sizeof *d->damps);
    d->damped = d->passing = 0;
    d->base_count = -1;
    for (int i = 0; i < a->count && a->definite && (d->redundancies || d->all > 0); i++)
        if (d->cycle[i] >= 0 && ((d->redundant[i] && !d->exposed) || d->all > 0)) {
            double *added = &d->added[d->cycle[i]];
            *added = fmax(*added, d->redundant[i] && !d->exposed ? fmax(REPEATED * d->sigma2, d->all) : d->all);
            d->damps[d->cycle[i]] = true;
            d->damped++;
        }
}

/* Parts of a factorisation: the places of its pivots by unknown, and the values with their scales, or by slots if it has none. */
typedef struct {
    const double *values, *scale, *pivot;
    const int *position, *slot;
} Eliminated;

static Eliminated eliminated_here(const Linear *a, const double *values)
{
    return (Eliminated){values, a->scale, a->pivot, a->position, NULL};
}

static inline double entry_of(const Eliminated *e, int entry)
{
    if (entry < 0)
        return 0;
    return e->slot ? slot_value(e->values, e->slot[entry]) : e->values[entry] * e->scale[entry];
}

static inline double pivot_of(const Eliminated *e, int row)
{
    return e->pivot[e->position[row]];
}

/* Finds the share of a joint's own block that its pivots keep: the pivots over those of the block alone. If every
 * block is scaled to the unit matrix, the pivots are this share, for all shapes and units of bodies. */
static void find_shares(const Linear *a, const Eliminated *e, int joint)
{
    Cycles *d = a->cycles;
    const int n = d->first[joint + 1] - d->first[joint], *entry = d->entry + d->first_entry[joint];
    double *block = d->block;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = entry_of(e, *entry++);
            for (int k = 0; k < j; k++)
                sum -= block[i * n + k] * block[j * n + k] * block[k * n + k];
            if (j < i) {
                block[i * n + j] = block[j * n + j] > 0 ? sum / block[j * n + j] : 0;
                continue;
            }
            const int row = d->member[d->first[joint] + i];
            const bool own = sum > DEPENDENT * entry_of(e, a->diagonal[row]);
            block[i * n + i] = own ? sum : 0;
            d->share[row] = own ? pivot_of(e, row) / sum : 1;
        }
}

/* Returns the share of all rows of a joint together; the weak row changes as the bodies turn. */
static double joint_share(const Cycles *d, int joint)
{
    double product = 1;
    for (int m = d->first[joint]; m < d->first[joint + 1]; m++)
        product *= d->share[d->member[m]] > 0 ? d->share[d->member[m]] : 0;
    return product;
}

static int weakest_row(const Cycles *d, int joint)
{
    int weakest = d->member[d->first[joint]];
    for (int m = d->first[joint]; m < d->first[joint + 1]; m++)
        weakest = d->share[d->member[m]] < d->share[weakest] ? d->member[m] : weakest;
    return weakest;
}

/* Returns the limit of a joint, given by one of its rows. */
static double limit(const Cycles *d, int row)
{
    const double near = NEAR * d->sigma2, fallen = FALLEN * d->peak[row];
    return d->decided || d->peak[row] > SOUND ? (near < fallen ? near : fallen) : 0;
}

/* In a cycle with redundant rows the pivot that vanishes may be now that of one row, now that of another: those that are small are counted,
 * and more than there are redundant rows mean that more rank is missing. */
static void count_weak(Linear *a, int joint, int *small)
{
    Cycles *d = a->cycles;
    for (int m = d->first[joint]; m < d->first[joint + 1]; m++) {
        const int row = d->member[m];
        small[d->cycle[row]] += d->share[row] < (d->peak[row] > NOTHING ? limit(d, row) : fmin(NEAR * d->sigma2, FALLEN));
        small[d->cycle[row]] -= d->redundant[row];
    }
}

bool linear_find_weak(Linear *a, const double *values)
{
    Cycles *d = a->cycles;
    if (!d || !a->definite || !(d->sigma2 > 0) || d->exposed)
        return false;
    const Eliminated e = eliminated_here(a, values);
    int *small = a->list; /* free for the moment, as there are no more cycles than rows */
    bool more = false;
    memset(small, 0, (size_t)d->cycles * sizeof *small);
    for (int j = 0; j < d->joints; j++) {
        if (!in_cycle(d, j))
            continue;
        const int first = d->member[d->first[j]];
        double left = 1, whole = 1;
        for (int m = d->first[j]; m < d->first[j + 1]; m++) {
            left *= a->pivot[a->position[d->member[m]]];
            whole *= entry_of(&e, a->diagonal[d->member[m]]);
        }
        if (d->redundancies && d->damps[d->cycle[first]]) {
            find_shares(a, &e, j);
            count_weak(a, j, small);
        } else if (left < limit(d, first) * whole) { /* the own block has at most the product of its diagonal */
            find_shares(a, &e, j);
            const double share = joint_share(d, j) / limit(d, first);
            if (!(share < 1))
                continue;
            double *added = &d->added[d->cycle[first]];
            const double wanted = d->sigma2 * (1 - share) * (1 - share);
            d->weak[weakest_row(d, j)] = true;
            d->passing++;
            more = more || wanted > *added;
            *added = fmax(*added, wanted);
        }
    }
    for (int c = 0; c < d->cycles; c++)
        d->passing += small[c] > 0 ? small[c] : 0;
    d->damped += d->passing;
    return more;
}

void linear_add_damping(const Linear *a, const double *values)
{
    const Cycles *d = a->cycles;
    if (!linear_damped(a))
        return;
    for (int j = 0; j < d->joints; j++) {
        if (!in_cycle(d, j))
            continue;
        const double added = d->added[d->cycle[d->member[d->first[j]]]];
        for (int e = d->first_entry[j]; e < d->first_entry[j + 1] && added > 0; e++) {
            const int entry = d->entry[e];
            if (entry < 0)
                continue;
            a->factor[a->place[entry]] += added * values[entry] * a->scale[entry];
            if (a->mirror[entry] != entry)
                a->factor[a->place[a->mirror[entry]]] += added * values[entry] * a->scale[entry];
        }
    }
}

/* A joint of one or two rows is surely below its peak. The check needs no division and nearly always succeeds. */
static bool is_below_peak(const Linear *a, const Eliminated *e, int joint)
{
    const Cycles *d = a->cycles;
    const int *member = d->member + d->first[joint], *entry = d->entry + d->first_entry[joint], n = d->first[joint + 1] - d->first[joint];
    const double first = entry_of(e, entry[0]), certain = 1 - 1e-6;
    if (n == 1)
        return first > 0 && pivot_of(e, member[0]) < certain * d->peak[member[0]] * first;
    if (n != 2)
        return false;
    const double across = entry_of(e, entry[1]), all = first * entry_of(e, entry[2]), block = all - across * across;
    return first > 0 && block > 1e-6 * all && pivot_of(e, member[0]) * pivot_of(e, member[1]) < certain * d->peak[member[0]] * block;
}

static void note_peaks(const Linear *a, const Eliminated *e, bool damped)
{
    Cycles *d = a->cycles;
    for (int j = 0; j < d->joints; j++) {
        if (!in_cycle(d, j) || d->peak[d->member[d->first[j]]] >= 1 || (damped && d->added[d->cycle[d->member[d->first[j]]]] > 0))
            continue;
        if (is_below_peak(a, e, j))
            continue;
        find_shares(a, e, j);
        const double share = joint_share(d, j);
        for (int m = d->first[j]; m < d->first[j + 1]; m++)
            d->peak[d->member[m]] = share > d->peak[d->member[m]] ? share : d->peak[d->member[m]];
    }
}

void linear_accept(Linear *a)
{
    if (!a->cycles || !a->factorised || !a->definite)
        return;
    const Eliminated e = eliminated_here(a, a->cycles->values);
    note_peaks(a, &e, true);
}

void linear_accept_elsewhere(Linear *a, const double *w, const int *entry, const int *pivot)
{
    const Eliminated e = {w, NULL, w, pivot, entry};
    if (a->cycles && a->definite)
        note_peaks(a, &e, a->cycles->redundancies > 0);
}

int linear_redundant(const Linear *a, bool *redundant)
{
    const Cycles *d = a->cycles;
    for (int i = 0; i < a->count; i++)
        redundant[i] = d && d->redundant[i];
    return d ? d->redundancies : 0;
}

static bool is_plain(const Linear *a, int left_out)
{
    const Cycles *d = a->cycles;
    return a->factorised && a->definite && (d ? d->redundancies == left_out && !(d->all > 0) && !d->exposed : !left_out);
}

/* Says whether the remaining rows are certainly independent. Then the rows that were left out repeat them, as there are as many as are redundant. */
static bool is_sound(const Linear *a, const double *w, const int *diagonal, const int *pivot)
{
    bool sound = true;
    for (int i = 0; i < a->count && sound; i++)
        sound = w[pivot[i]] > INDEPENDENT * w[diagonal[i]];
    return sound;
}

/* If the pivots of a joint have `excess` times an ample pivot together, shares the excess out in proportion to their sizes. */
static void share_out(Cycles *d, int joint, const double *w, const int *diagonal, const int *pivot, double excess)
{
    const int first = d->first[joint], after = d->first[joint + 1];
    const double by = pow(excess, -1. / (after - first));
    for (int m = first; m < after; m++) {
        const int row = d->member[m];
        d->ample[row] = fmax(ample_alone(), by * fabs(w[pivot[row]] / w[diagonal[row]]));
    }
}

/* Decides on a row whose pivot is not ample, and on its joint. */
static bool trusts_row(Cycles *d, int row, const double *w, const int *diagonal, const int *pivot)
{
    const int joint = d ? d->joint[row] : -1;
    const bool counts = joint >= 0 && (d->decided || d->cycle[row] < 0);
    if (!(w[pivot[row]] > MARGIN * (counts ? ROUNDING : WEAK) * w[diagonal[row]]))
        return false;
    if (joint < 0 || !(d->sigma2 > 0) || !in_cycle(d, joint))
        return true;
    double left = 1, whole = 1;
    for (int m = d->first[joint]; m < d->first[joint + 1]; m++) {
        left *= w[pivot[d->member[m]]];
        whole *= w[diagonal[d->member[m]]];
    }
    const double excess = left / (ample_together(d) * whole);
    if (excess > 1 && excess < INFINITY)
        share_out(d, joint, w, diagonal, pivot, excess);
    return left >= MARGIN * limit(d, row) * whole;
}

/* Returns the first row from `from` on whose pivot is not ample, or the count. */
static int first_scant(const double *ample, int from, int count, const double *w, const int *diagonal, const int *pivot)
{
    enum { AT_ONCE = 4 };
    int i = from;
    for (; i + AT_ONCE <= count; i += AT_ONCE)
        for (int j = 0; j < AT_ONCE; j++)
            if (!(w[pivot[i + j]] > ample[i + j] * fabs(w[diagonal[i + j]])))
                return i + j;
    while (i < count && w[pivot[i]] > ample[i] * fabs(w[diagonal[i]]))
        i++;
    return i;
}

bool linear_trusts(const Linear *a, const double *w, const int *diagonal, const int *pivot, int left_out)
{
    Cycles *d = a->cycles;
    if (!is_plain(a, left_out))
        return false;
    if (left_out)
        return is_sound(a, w, diagonal, pivot);
    const double *const ample = d && d->sigma2 > 0 ? d->ample : NULL;
    for (int i = 0; (ample ? i = first_scant(ample, i, a->count, w, diagonal, pivot) : i) < a->count; i++)
        if (!trusts_row(d, i, w, diagonal, pivot))
            return false;
    return true;
}

bool linear_trusts_terms(const Linear *a, const double *w, const int *terms, const int *pivot)
{
    bool sound = a->factorised && !a->definite && !a->weak;
    for (int i = 0; i < a->count && sound; i++)
        sound = fabs(w[pivot[i]]) > MARGIN * WEAK * w[terms[i]];
    return sound;
}

const double *linear_shares(Linear *a)
{
    Cycles *d = a->cycles;
    if (!d)
        return NULL;
    for (int i = 0; i < a->count; i++)
        d->share[i] = 1;
    const Eliminated e = eliminated_here(a, d->values);
    for (int j = 0; j < d->joints && a->factorised && a->definite; j++) {
        find_shares(a, &e, j);
        const double share = joint_share(d, j);
        for (int m = d->first[j]; m < d->first[j + 1]; m++)
            d->share[d->member[m]] = share;
    }
    return d->share;
}
