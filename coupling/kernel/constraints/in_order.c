/* Constraints taken in an order that was asked for, in a run: the factors of S are made in this sequence, row by row, and a constraint that
 * repeats those before it may be left to carry nothing. */
#include "constraints/project.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int kernel_take_in_order(Kernel *k, const Rows *rows, int loop, const int *order, bool tells, bool first)
{
    Loop *l = &k->loops[loop];
    const size_t n = (size_t)l->count;
    free(l->sequence);
    l->sequence = malloc((n + 1) * sizeof *l->sequence);
    if (!l->sequence)
        return -1;
    memcpy(l->sequence, order, n * sizeof *order);
    l->repeated_since = NAN;
    l->shares = !first;
    if (tells) {
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
    for (int i = 0; i < l->count && l->repeated_count; i++)
        if (l->dropped[i])
            which[count++] = i;
    memcpy(factors, l->repeats, (size_t)count * (size_t)l->count * (count ? sizeof *factors : 0));
    *since = l->repeated_since;
    return count;
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
    place_instances(&k->phase, ASTRAY);
    free(pose);
    return result;
}
