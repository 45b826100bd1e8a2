/* A piece of a run in one call: values that are set, the piece, and values that are read. */
#include "runs/run.h"

#include <math.h>
#include <string.h>

static int set(Kernel *k, const Steering *s)
{
    bool changed = false;
    for (int i = 0; i < s->inputs; i++) {
        if (!(s->given[i] >= s->low[i] && s->given[i] <= s->high[i] && isfinite(s->given[i])))
            return KERNEL_STOPPED;
        changed = changed || s->given[i] != s->value[i];
    }
    if (!changed)
        return KERNEL_DONE;
    memcpy(s->value, s->given, (size_t)s->inputs * sizeof *s->value);
    kernel_set_at_event(k, s->inputs - s->drives, s->part, s->type, s->reference, s->drives, s->drive, s->value, s->slope);
    return kernel_pass_jump(k);
}

int kernel_steer(Kernel *k, Steering *s, double seconds)
{
    const Run *run = k->run;
    const long left = s->most - run->steps;
    s->end = run->t + seconds;
    int result = set(k, s);
    if (result == KERNEL_DONE)
        result = kernel_pause_at(k, s->end, 0, NULL);
    if (result == KERNEL_DONE)
        result = kernel_advance(k, left < s->at_a_time ? left : s->at_a_time);
    if (result == KERNEL_PAUSED && run->t >= s->end)
        result = KERNEL_DONE;
    const double *row = kernel_last_row(k);
    for (int i = 0; i < s->outputs && row; i++)
        s->out[i] = row[s->column[i]];
    return result;
}
