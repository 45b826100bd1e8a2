/* Equilibration: scales of rows and columns. */
#include "linear/linear_internal.h"

#include <math.h>
#include <string.h>

static const double ASYMMETRY = 1e-8; /* that counts as rounding */
static const double TINY = 1e-290;    /* smaller numbers are not brought to 1 */
enum { MOST_SWEEPS = 20 };

static void scale_entries(Linear *a)
{
    for (int i = 0; i < a->count; i++)
        for (int e = a->row_start[i]; e < a->row_start[i + 1]; e++)
            a->scale[e] = a->row_scale[i] * a->column_scale[a->column[e]];
}

/* Equilibrates a matrix that is symmetric and may be semidefinite; false where it cannot be. */
bool linear_scale_by_diagonal(Linear *a, const double *values)
{
    if (!a->symmetric_pattern)
        return false;
    for (int i = 0; i < a->count; i++) {
        double d = a->diagonal[i] < 0 ? 0 : values[a->diagonal[i]];
        if (d < 0)
            return false;
        a->row_scale[i] = a->column_scale[i] = d > 0 ? 1 / sqrt(fmax(d, TINY)) : 1;
    }
    scale_entries(a);
    for (int i = 0; i < a->count; i++) {
        /* A semidefinite matrix has nothing beside a zero on its diagonal. */
        const double most = a->diagonal[i] < 0 || values[a->diagonal[i]] == 0 ? ASYMMETRY : 1 + ASYMMETRY;
        for (int e = a->row_start[i]; e < a->row_start[i + 1]; e++) {
            double scaled = values[e] * a->scale[e];
            if (fabs(scaled) > most || fabs(scaled - values[a->mirror[e]] * a->scale[e]) > ASYMMETRY)
                return false;
        }
    }
    return true;
}

/* Equilibrates any matrix (Ruiz, A Scaling Algorithm to Equilibrate Both Rows and Columns Norms in Matrices, 2001): rows and columns are divided by the roots of their greatest entries, again and again. */
void linear_scale_by_sweeps(Linear *a, const double *values)
{
    double *row = a->y, *column = a->image;
    for (int i = 0; i < a->count; i++)
        a->row_scale[i] = a->column_scale[i] = 1;
    bool even = false;
    for (int sweep = 0; sweep < MOST_SWEEPS && !even; sweep++) {
        memset(row, 0, (size_t)a->count * sizeof *row);
        memset(column, 0, (size_t)a->count * sizeof *column);
        for (int i = 0; i < a->count; i++)
            for (int e = a->row_start[i]; e < a->row_start[i + 1]; e++) {
                int j = a->column[e];
                double size = fabs(values[e]) * a->row_scale[i] * a->column_scale[j];
                row[i] = fmax(row[i], size);
                column[j] = fmax(column[j], size);
            }
        even = true;
        for (int i = 0; i < a->count; i++) {
            even = even && !(row[i] > 0 && fabs(row[i] - 1) > 0.1) && !(column[i] > 0 && fabs(column[i] - 1) > 0.1);
            if (row[i] > 0)
                a->row_scale[i] = fmin(a->row_scale[i] / sqrt(row[i]), 1 / sqrt(TINY));
            if (column[i] > 0)
                a->column_scale[i] = fmin(a->column_scale[i] / sqrt(column[i]), 1 / sqrt(TINY));
        }
    }
    scale_entries(a);
}
