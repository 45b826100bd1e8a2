/* Finds the constraints that repeat earlier ones, by relations among all of them. */
#include "system/kernel_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double negligible = 1e-9; /* of the greatest factor of a relation */

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
    l->repeated_count = 0;
    for (int i = 0; i < n; i++) {
        l->dropped[i] = last[i] >= 0;
        if (l->dropped[i] && !l->shares)
            k->v[l->first + i] = 0; /* residuals could not distinguish from a share of the load */
        for (int j = 0; j < n && l->dropped[i]; j++)
            l->repeats[l->repeated_count * n + j] = j == i ? 0 : -relation[last[i] * n + j] / relation[last[i] * n + i];
        l->repeated_count += l->dropped[i];
    }
    l->dropped_count = l->shares ? 0 : l->repeated_count;
    free(relation);
    free(last);
    return KERNEL_DONE;
}
