/* Rows of the record by fused code. Where anything is odd the instances are asked for the row, who say what it is. */
#include "fused_record.h"

#include "kernel_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct FusedRecord {
    const FusedRecordRows *rows;
    double *w;
} FusedRecord;

/* Puts everything in its place at the present point, whose unknowns are known. */
static bool fill(Kernel *k, const FusedRecord *own)
{
    const FusedRecordRows *rows = own->rows;
    double *const w = own->w;
    if (k->fused->stale_record) {
        if (!fused_get(k, rows->reading, rows->readings, rows->number, w))
            return false;
        rows->prepare(rows->prepare_code, w);
        k->fused->stale_record = false;
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

/* What is recorded at a point; false: the instances have to be asked. Where these keep values they stay as they are. */
static bool make_row(Kernel *k, double t, const double *x, double *values)
{
    const FusedRecord *own = k->fused->own_record;
    const FusedRecordRows *rows = own->rows;
    k->t = t;
    memcpy(k->v, x, (size_t)k->states * sizeof *x);
    if (!k->fused->derive(k, NULL) || !fill(k, own))
        return false;
    rows->after(rows->after_code, own->w);
    const double *const w = own->w;
    for (int i = 0; i < rows->columns; i++)
        values[i] = fused_value(w, rows->column[i]);
    if (!are_finite(values, rows->columns))
        return false;
    k->statistics.evaluations++; /* of the system, as others are */
    return true;
}

static void end(Kernel *k)
{
    FusedRecord *own = k->fused->own_record;
    if (own)
        free(own->w);
    free(own);
    k->fused->own_record = NULL;
    k->fused->record = NULL;
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
    if (!own || !(own->w = malloc(((size_t)rows->size + 1) * sizeof *own->w))) {
        end(k);
        return -1;
    }
    own->rows = rows;
    memcpy(own->w, rows->initial, (size_t)rows->size * sizeof *own->w);
    k->fused->stale_record = true;
    k->fused->record = make_row;
    return 0;
}
