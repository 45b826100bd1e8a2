/* The last factorisation, to be looked at. */
#include "linear/linear_internal.h"

bool linear_factors(const Linear *a, int *unknown, double *pivot, double *added)
{
    const Cycles *d = a->cycles;
    for (int k = 0; k < a->count && a->factorised; k++) {
        unknown[k] = a->column_at[k];
        pivot[k] = a->pivot[k] / (a->row_scale[a->row_at[k]] * a->column_scale[a->column_at[k]]);
        added[k] = linear_damped(a) && d->cycle[unknown[k]] >= 0 ? d->added[d->cycle[unknown[k]]] : 0;
    }
    return a->factorised;
}
