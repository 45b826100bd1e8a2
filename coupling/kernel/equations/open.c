/* If values are not finite, the instances are evaluated, which report the cause. */
#include "equations/open.h"

#include "system/kernel_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct FusedOpen {
    const OpenRows *rows;
    double *w;
} FusedOpen;

/* The sum of what makes them no numbers: 0 where all are finite. */
static double collect(const double *w, const int *slot, int count, double *values)
{
    double finite = 0;
    for (int i = 0; i < count; i++) {
        values[i] = slot_value(w, slot[i]);
        finite += values[i] - values[i];
    }
    return finite;
}

static bool evaluate(Kernel *k, double *dx, double *violation)
{
    const FusedOpen *own = k->fused->own_open;
    const OpenRows *rows = own->rows;
    FusedReport report;
    kernel_fused_report(k, &report);
    if (!isnan(report.given_up) || !k->fused->give(k, own->w, rows->given))
        return false;
    rows->values(rows->values_code, own->w);
    if (collect(own->w, rows->derivative, k->states, dx) + collect(own->w, rows->violation, rows->violations, violation) != 0)
        return false;
    place_instances(&k->phase, ASTRAY);
    k->statistics.evaluations++;
    return true;
}

static void differentiate_open(const Kernel *k, double *jacobian)
{
    const FusedOpen *own = k->fused->own_open;
    const OpenRows *rows = own->rows;
    rows->slopes(rows->slopes_code, own->w);
    collect(own->w, rows->entry, rows->entries, jacobian);
}

static void end(Kernel *k)
{
    FusedOpen *own = k->fused->own_open;
    if (own)
        free(own->w);
    free(own);
    k->fused->own_open = NULL;
    k->fused->open = NULL;
}

int kernel_set_fused_open(Kernel *k, const OpenRows *rows)
{
    end(k);
    FusedOpen *own = k->fused->own_open = calloc(1, sizeof *own);
    k->fused->end_open = end;
    if (!own || !(own->w = malloc(((size_t)rows->size + 1) * sizeof *own->w))) {
        end(k);
        return -1;
    }
    memcpy(own->w, rows->initial, (size_t)rows->size * sizeof *own->w);
    own->rows = rows;
    k->fused->open = evaluate;
    k->fused->differentiate_open = differentiate_open;
    return 0;
}
