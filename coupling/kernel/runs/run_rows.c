/* Rows of a run in time: at events, at the times that were asked for, and values within a step that are looked at only. */
#include "runs/sensitivity.h"

#include <math.h>

/* Everything at the present point of the instances, and a row of the record; what is recorded without a point is at the present one. */
int record_at(Kernel *k, double t, const double *x)
{
    int result = kernel_evaluate(k, t, x);
    if (k->sensitivity)
        k->sensitivity->now = x + k->states;
    if (k->run->method->show)
        k->run->method->show(k, t);
    if (result == KERNEL_DONE)
        result = kernel_record(k);
    if (k->sensitivity)
        k->sensitivity->now = k->run->present + k->states;
    return result;
}

/* The same between events, where fused code may do without the instances; at the end of a run these are left where it is, to which its last check
 * has brought them. */
static int record_between(Kernel *k, double t, const double *x)
{
    if (!k->fused || !k->fused->record || !(t < k->run->stop || are_at_step_end(&k->phase)))
        return record_at(k, t, x);
    double *values = record_place(k);
    if (!values)
        return KERNEL_NO_MEMORY;
    return k->fused->record(k, t, x, values) ? record_placed(k, values) : record_at(k, t, x);
}

/* A row at an event. Instances that it does not concern are left where they are: fused code gives their values there. */
int record_event(Kernel *k, double t, const double *x)
{
    const bool resting = k->resting;
    if (resting) {
        double *values = record_place(k);
        if (!values)
            return KERNEL_NO_MEMORY;
        keep_unknowns(k, k->run->unknowns);
        const bool made = k->fused->record(k, t, x, values);
        begin_from(k, k->run->unknowns);
        if (made) {
            const int result = record_placed(k, values);
            return result ? result : kernel_evaluate(k, t, x);
        }
    }
    k->resting = false;
    const int result = record_at(k, t, x);
    k->resting = resting;
    return result;
}

/* Rows within the last step: a loop with several solutions is followed from the step's beginning, as in the step itself, and not back from
 * its end. */
void begin_rows(Kernel *k)
{
    Run *run = k->run;
    const Place place = k->t == run->t ? AT_STEP_END : IN_PLACE; /* after a check */
    place_instances(&k->phase, inputs_are_known(&k->phase) ? place : ASTRAY);
    keep_unknowns(k, run->unknowns);
    begin_from(k, run->unknowns_before);
}

/* The outputs that were asked for up to a time within the last step. */
int record_until(Kernel *k, double t)
{
    Run *run = k->run;
    int result = KERNEL_DONE;
    if (run->next_output == run->outputs || run->output_times[run->next_output] > t)
        return result;
    begin_rows(k);
    while (result == KERNEL_DONE && run->next_output < run->outputs && run->output_times[run->next_output] <= t) {
        const double time = run->output_times[run->next_output++];
        const bool resting = k->resting;
        k->resting = false;
        result = run->method->state(k, time, run->x);
        if (result == KERNEL_DONE && k->projection && time < run->t)
            result = project_row(k, time, run->x);
        if (result == KERNEL_DONE)
            result = record_between(k, time, run->x);
        k->resting = resting;
    }
    begin_from(k, run->unknowns);
    return result;
}

int values_within(Kernel *k, double t, double *values)
{
    Run *run = k->run;
    int result = run->method->state(k, t, run->x);
    if (result == KERNEL_DONE && k->projection && t < run->t)
        result = project_row(k, t, run->x);
    if (result || (k->fused && k->fused->record && k->fused->record(k, t, run->x, values)))
        return result;
    result = kernel_evaluate(k, t, run->x);
    if (run->method->show)
        run->method->show(k, t);
    copy_values(k, values);
    return result;
}
