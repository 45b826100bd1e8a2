/* The factors of a loop at the point of the last evaluation by the instances. */
#include "system/kernel_internal.h"

#include <math.h>

/* The diagonal entry, or the greatest of the row where it has none. */
static double size_of_row(const Loop *l, int row)
{
    double size = 0;
    for (int e = l->row_start[row]; e < l->row_start[row + 1]; e++) {
        const double entry = fabs(l->term[l->first_entry + e]);
        if (l->column[e] == row && entry > 0)
            return entry;
        size = fmax(size, entry);
    }
    return size;
}

int kernel_loop_factors(const Kernel *k, int loop, int *unknown, double *pivot, double *share, double *added)
{
    const Loop *l = &k->loops[loop];
    if (!linear_factors(l->linear, unknown, pivot, added))
        return -1;
    for (int i = 0; i < l->count; i++)
        share[i] = pivot[i] / size_of_row(l, unknown[i]);
    return l->deficiency + l->dropped_count;
}
