/* Rows of the record by fused code. Where anything is odd the instances are asked for the row, who say what it is. */
#include "equations/record.h"

#include "system/kernel_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct FusedRecord {
    const FusedRecordRows *rows;
    double *w;     /* with a zero after the last slot */
    int *slot;     /* by column, where the number is */
    int *opposite; /* the columns that have its opposite */
    int opposites;
} FusedRecord;

/* Puts everything in its place at the present point, whose unknowns are known. */
static bool fill(Kernel *k, const FusedRecord *own)
{
    const FusedRecordRows *rows = own->rows;
    double *const w = own->w;
    if (k->fused->stale_record) {
        if (!fused_get(k, rows->reading, rows->readings, rows->number, k->fused->stale_record == STALE, w))
            return false;
        rows->prepare(rows->prepare_code, w);
        k->fused->stale_record = FRESH;
    }
    memcpy(w + rows->x, k->v, (size_t)k->states * sizeof *w);
    w[rows->t] = k->t;
    for (int i = 0; i < rows->drives; i++)
        w[rows->u + i] = drive_value(&k->drives[rows->drive[i]], k->t, k->passed);
    double *z = w + rows->z;
    for (int i = 0; i < k->loop_count; z += k->loops[i++].count)
        memcpy(z, k->v + k->loops[i].first, (size_t)k->loops[i].count * sizeof *z);
    return true;
}

static void collect(const FusedRecord *own, double *restrict values)
{
    const double *restrict const w = own->w;
    const int *restrict const slot = own->slot, *const opposite = own->opposite, columns = own->rows->columns;
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 8
#endif
    for (int i = 0; i < columns; i++)
        values[i] = w[slot[i]];
    for (int i = 0; i < own->opposites; i++)
        values[opposite[i]] = -values[opposite[i]];
}

/* Makes the row that is recorded at a point; false if the instances have to be evaluated. Values that the instances keep stay unchanged. */
static bool make_row(Kernel *k, double t, const double *x, double *values)
{
    const FusedRecord *own = k->fused->own_record;
    const FusedRecordRows *rows = own->rows;
    k->t = t;
    memcpy(k->v, x, (size_t)k->states * sizeof *x);
    if (!k->fused->derive(k, NULL) || !k->fused->share(k) || !fill(k, own))
        return false;
    rows->after(rows->after_code, own->w);
    collect(own, values);
    if (!are_finite(values, rows->columns))
        return false;
    k->statistics.evaluations++; /* of the system, as others are */
    return true;
}

static void end(Kernel *k)
{
    FusedRecord *own = k->fused->own_record;
    if (own) {
        free(own->w);
        free(own->slot); /* with opposite */
    }
    free(own);
    k->fused->own_record = NULL;
    k->fused->record = NULL;
}

static bool choose_slots(FusedRecord *own, const FusedRecordRows *rows)
{
    own->slot = malloc((2 * (size_t)rows->columns + 1) * sizeof *own->slot);
    if (!own->slot)
        return false;
    own->opposite = own->slot + rows->columns;
    for (int i = 0; i < rows->columns; i++) {
        const int column = rows->column[i];
        own->slot[i] = column >= 0 ? column : column == NONE ? rows->size : NEGATIVE(column);
        if (column < NONE)
            own->opposite[own->opposites++] = i;
    }
    return true;
}

int kernel_set_fused_record(Kernel *k, const FusedRecordRows *rows)
{
    if (!k->fused)
        return 0;
    end(k);
    k->fused->end_record = end;
    if (!rows)
        return 0;
    FusedRecord *own = k->fused->own_record = calloc(1, sizeof *own);
    if (!own || !choose_slots(own, rows) || !(own->w = malloc(((size_t)rows->size + 1) * sizeof *own->w))) {
        end(k);
        return -1;
    }
    own->rows = rows;
    memcpy(own->w, rows->initial, (size_t)rows->size * sizeof *own->w);
    own->w[rows->size] = 0;
    k->fused->stale_record = STALE;
    k->fused->record = make_row;
    return 0;
}
