/* Constraints taken in an order that was asked for, in a run: the factors of S are made in this sequence, row by row, and a constraint that
 * repeats those before it may be left to carry nothing. */
#include "project.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double negligible = 1e-9; /* of the greatest factor of a relation */

int kernel_take_in_order(Kernel *k, const Rows *rows, int loop, const int *order, bool first)
{
    Loop *l = &k->loops[loop];
    const size_t n = (size_t)l->count;
    free(l->sequence);
    l->sequence = malloc((n + 1) * sizeof *l->sequence);
    if (!l->sequence)
        return -1;
    memcpy(l->sequence, order, n * sizeof *order);
    l->repeated_since = NAN;
    if (first) {
        if (!l->dropped) {
            l->dropped = calloc(n + 1, sizeof *l->dropped);
            l->repeats = malloc((n * n + 1) * sizeof *l->repeats);
            l->reduced = malloc(((size_t)l->row_start[n] + 1) * sizeof *l->reduced);
        }
        if (!k->ordered)
            k->ordered = malloc(sizeof *k->ordered);
        if (!l->dropped || !l->repeats || !l->reduced || !k->ordered)
            return -1;
        *k->ordered = *rows;
    }
    return loop_renew(l) ? 0 : -1;
}

double kernel_asymmetry(const Kernel *k, int loop, int *row, int *column)
{
    const Loop *l = &k->loops[loop];
    const double *const entry = l->term + l->first_entry;
    double *const size = l->correction, greatest = 0;
    *row = *column = 0;
    for (int i = 0; i < l->count; i++)
        for (int e = l->row_start[i]; e < l->row_start[i + 1]; e++)
            if (l->column[e] == i)
                size[i] = sqrt(fabs(entry[e]));
    for (int i = 0; i < l->count; i++)
        for (int e = l->row_start[i]; e < l->row_start[i + 1]; e++) {
            const int j = l->column[e];
            double across = 0;
            for (int f = l->row_start[j]; f < l->row_start[j + 1]; f++)
                across = l->column[f] == i ? entry[f] : across;
            const double apart = size[i] * size[j] > 0 ? fabs(entry[e] - across) / (size[i] * size[j]) : 0;
            if (apart > greatest) {
                greatest = apart;
                *row = i;
                *column = j;
            }
        }
    return greatest;
}

int kernel_repeated(const Kernel *k, int loop, int *which, double *factors, double *since)
{
    const Loop *l = &k->loops[loop];
    int count = 0;
    for (int i = 0; i < l->count && l->dropped_count; i++)
        if (l->dropped[i])
            which[count++] = i;
    memcpy(factors, l->repeats, (size_t)count * (size_t)l->count * (count ? sizeof *factors : 0));
    *since = l->repeated_since;
    return count;
}

static void swap_rows(double *a, double *b, int count)
{
    for (int i = 0; i < count; i++) {
        const double value = a[i];
        a[i] = b[i];
        b[i] = value;
    }
}

/* Relations in echelon form from the last constraint of the sequence on: what stands last in one of them repeats those before it. */
int drop_redundant(Kernel *k, int loop, const double *given, int count, double t)
{
    Loop *l = &k->loops[loop];
    const int n = l->count;
    double *relation = malloc(((size_t)count * (size_t)n + 1) * sizeof *relation);
    int *last = malloc(((size_t)n + 1) * sizeof *last);
    if (!relation || !last) {
        free(relation);
        free(last);
        return KERNEL_NO_MEMORY;
    }
    memcpy(relation, given, (size_t)count * (size_t)n * sizeof *relation);
    for (int i = 0; i < n; i++)
        last[i] = -1;
    int found = 0;
    for (int p = n - 1; p >= 0 && found < count; p--) {
        const int i = l->sequence[p];
        int greatest = found;
        for (int r = found; r < count; r++)
            greatest = fabs(relation[r * n + i]) > fabs(relation[greatest * n + i]) ? r : greatest;
        double *row = relation + found * n, size = 0;
        swap_rows(row, relation + greatest * n, greatest == found ? 0 : n);
        for (int j = 0; j < n; j++)
            size = fmax(size, fabs(row[j]));
        if (!(fabs(row[i]) > negligible * size))
            continue;
        for (int r = 0; r < count; r++)
            for (int j = 0; r != found && j < n; j++) {
                if (j != i)
                    relation[r * n + j] -= row[j] * relation[r * n + i] / row[i];
            }
        for (int r = 0; r < count; r++)
            relation[r * n + i] = r == found ? row[i] : 0;
        last[i] = found++;
    }
    if (!found || isnan(l->repeated_since))
        l->repeated_since = found ? t : NAN;
    l->dropped_count = 0;
    for (int i = 0; i < n; i++) {
        l->dropped[i] = last[i] >= 0;
        for (int j = 0; j < n && l->dropped[i]; j++)
            l->repeats[l->dropped_count * n + j] = j == i ? 0 : -relation[last[i] * n + j] / relation[last[i] * n + i];
        l->dropped_count += l->dropped[i];
    }
    free(relation);
    free(last);
    return KERNEL_DONE;
}

int kernel_decide_in_order(Kernel *k, double t, const double *x)
{
    bool holds;
    if (k->projection || !k->ordered)
        return KERNEL_DONE;
    double *pose = malloc(((size_t)k->states + 1) * sizeof *pose);
    if (!pose || kernel_set_projection(k, k->ordered, true)) {
        free(pose);
        return KERNEL_NO_MEMORY;
    }
    memcpy(pose, x, (size_t)k->states * sizeof *x);
    int result = project_positions(k, t, pose, &holds);
    if (result == KERNEL_DONE)
        result = decide_rank(k, t, pose);
    kernel_set_projection(k, k->ordered, false);
    for (int i = 0; i < k->loop_count; i++)
        linear_decide(k->loops[i].linear, NULL);
    k->settled = false;
    free(pose);
    return result;
}
