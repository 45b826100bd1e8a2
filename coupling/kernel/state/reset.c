/* A kernel as it was when it was built, for another run with the same rows: the same bits come out as of a new one. */
#include "system/kernel_internal.h"

#include <stdlib.h>
#include <string.h>

/* The equations are made anew: scales, sequence and peaks of pivots remember what was factorised before. */
static int reset_loop(Loop *l)
{
    memset(l->residual, 0, 8 * (size_t)l->count * sizeof *l->residual);
    loop_forget(l);
    l->deficiency = l->worst.count = l->passed.count = 0;
    l->worst.time = l->passed.time = l->largest = 0;
    l->given = false;
    memset(l->off, 0, (size_t)l->count * sizeof *l->off);
    memset(l->lawful, 0, (size_t)l->count * sizeof *l->lawful);
    l->off_count = l->dropped_count = l->repeated_count = 0;
    free(l->sequence);
    l->sequence = NULL;
    free(l->held);
    l->held = NULL;
    linear_free(l->whole);
    l->whole = NULL;
    if (!l->linear)
        return 0;
    memset(l->term + 1, 0, (size_t)(l->first_sum + l->sums - 1) * sizeof *l->term);
    return loop_renew(l) ? 0 : -1;
}

int kernel_reset(Kernel *k)
{
    if (k->end_run)
        k->end_run(k);
    if (k->end_implicit)
        k->end_implicit(k);
    if (k->end_changes)
        k->end_changes(k);
    if (k->end_switching)
        k->end_switching(k);
    if (k->end_sensitivity)
        k->end_sensitivity(k);
    if (k->end_fused)
        k->end_fused(k);
    free(k->ordered);
    k->ordered = NULL;
    if (k->record) {
        kernel_end_rows_file(k);
        k->record->apart = false;
    }
    k->settings.count = k->settings.drives = 0;
    if (k->coupling)
        kernel_reset_coupling(k);
    memset(k->v, 0, ((size_t)k->slots + 1) * sizeof *k->v);
    memset(k->buffer, 0, ((size_t)k->slots + 1) * sizeof *k->buffer);
    k->t = k->passed = 0;
    set_event_mode(&k->phase, false);
    take_factors(&k->phase, OF_INSTANCES);
    place_instances(&k->phase, ASTRAY);
    k->purpose = OF_STAGE;
    forget_options(k);
    k->failure = (Failure){.instance = -1, .index = -1, .slot = -1};
    k->statistics = (Statistics){0};
    for (int i = 0; i < k->drive_count; i++) {
        Drive *drive = &k->drives[i];
        drive->last = 0;
        if (drive->kind == BY_POLYNOMIAL) {
            drive->start = drive->coefficient[1] = drive->coefficient[2] = 0;
            drive->coefficient[0] = *drive->values;
        }
    }
    int result = 0;
    for (int i = 0; i < k->loop_count; i++)
        result = reset_loop(&k->loops[i]) ? -1 : result;
    return result;
}
