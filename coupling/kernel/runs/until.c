/* A condition that ends a run: it is looked at at the ends of steps and inside them, and its beginning is located by bisection. */
#include "runs/sensitivity.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A step is looked into more closely around its greatest margin, where the parabola through three instants comes near zero, and so often. */
enum { CLOSER = 4 };
static const double near_zero = 0.5;

/* The condition holds for a row, the time first, and how far from its limit it is, positive where it holds. A function of the user's that
 * fails has no margin. */
static int judge(const Kernel *k, double t, const double *row, bool *met, double *margin)
{
    const Until *u = k->until;
    if (u->value) {
        if (row != u->row)
            memcpy(u->row, row, (size_t)(k->record->columns + 1) * sizeof *row);
        u->row[0] = t;
        *margin = u->value(t, u->context);
        *met = *margin > 0;
        return isnan(*margin) ? KERNEL_STOPPED : KERNEL_DONE;
    }
    *met = formula_of_row(u->truth, u->truths, t, row) != 0;
    *margin = formula_of_row(u->margin, u->margins, t, row);
    return KERNEL_DONE;
}

/* The same at a time within the last step. */
static int probe(Kernel *k, double t, bool *met, double *margin)
{
    const int result = values_within(k, t, k->until->row + 1);
    return result ? result : judge(k, t, k->until->row, met, margin);
}

/* The search for the first instant at which the condition holds. */
typedef struct {
    double t[3], margin[3]; /* the last instants, in the order of time */
    double low, high;       /* it does not hold yet, and does */
    bool met;
} Search;

static int look(Kernel *k, Search *s, double t)
{
    const double before = s->t[2];
    memmove(s->t, s->t + 1, 2 * sizeof *s->t);
    memmove(s->margin, s->margin + 1, 2 * sizeof *s->margin);
    s->t[2] = t;
    const int result = probe(k, t, &s->met, &s->margin[2]);
    s->low = before;
    s->high = t;
    return result;
}

/* The time at which the margins of three instants are greatest, and their value there by the parabola; -infinity where that is not between them. */
static double highest(const Search *s, double *margin)
{
    const double left = s->t[1] - s->t[0], right = s->t[2] - s->t[1];
    const double rise = (s->margin[1] - s->margin[0]) / left, fall = (s->margin[2] - s->margin[1]) / right, bend = (fall - rise) / (left + right);
    const double t = s->t[1] - (rise * right + fall * left) / (left + right) / (2 * bend), past = t - s->t[1];
    const bool between = bend < 0 && t > s->t[0] && t < s->t[2] && t != s->t[1];
    *margin = between ? s->margin[1] - bend * past * past : -INFINITY;
    return t;
}

/* Follows the margin to its greatest value between three instants. */
static int follow(Kernel *k, Search *s)
{
    for (int i = 0; i < CLOSER; i++) {
        double promised;
        const double t = highest(s, &promised), best = fmax(s->margin[0], fmax(s->margin[1], s->margin[2]));
        if (!(promised > near_zero * best)) /* margins are negative */
            return KERNEL_DONE;
        bool met;
        double margin;
        const int result = probe(k, t, &met, &margin);
        if (result || met) {
            s->met = met && !result;
            s->low = t < s->t[1] ? s->t[0] : s->t[1];
            s->high = t;
            return result;
        }
        const int near = t < s->t[1] ? 0 : 2, far = 2 - near; /* the ends, as seen from the new instant */
        if (margin > s->margin[1])
            s->t[far] = s->t[1], s->margin[far] = s->margin[1], s->t[1] = t, s->margin[1] = margin;
        else
            s->t[near] = t, s->margin[near] = margin;
    }
    return KERNEL_DONE;
}

static int search(Kernel *k, double end, Search *s)
{
    Run *run = k->run;
    const double from = run->t_before, h = end - from;
    const int samples = run->method->samples;
    *s = (Search){.t = {NAN, NAN, from}, .margin = {NAN, NAN, run->margin}};
    int result = KERNEL_DONE;
    for (int i = 1; i <= samples + 1 && result == KERNEL_DONE && !s->met; i++) {
        result = look(k, s, i > samples ? end : from + h * i / (samples + 1));
        run->margin = s->margin[2];
        Search inside = *s;
        if (result == KERNEL_DONE && !s->met && i > 1)
            result = follow(k, &inside);
        if (inside.met)
            *s = inside;
    }
    return result;
}

/* Narrows the search down to rounding. */
static int bisect(Kernel *k, Search *s)
{
    const double least = 2 * DBL_EPSILON * fmax(fabs(s->high), s->high - s->low);
    while (s->high - s->low > least) {
        const double middle = s->low + (s->high - s->low) / 2;
        bool met;
        double margin;
        const int result = probe(k, middle, &met, &margin);
        if (result)
            return result;
        *(met ? &s->high : &s->low) = middle;
    }
    return KERNEL_DONE;
}

/* The run ends at a time within its last step, and the rows there: those after it go, which were recorded as if there were no condition. */
static int end_at(Kernel *k, double t, bool *back)
{
    Run *run = k->run;
    int result = run->method->confirm ? run->method->confirm(k, back) : KERNEL_DONE;
    if (result || *back)
        return result;
    long rows = kernel_rows(k);
    for (; run->next_output > 0 && run->output_times[run->next_output - 1] >= t; run->next_output--)
        rows--;
    kernel_forget_rows(k, rows);
    result = state_on_constraints(k, t, run->x);
    if (result)
        return result;
    run->t = t;
    memcpy(run->present, run->x, (size_t)kernel_width(k) * sizeof *run->x);
    result = record_at(k, t, run->present);
    return result ? result : KERNEL_UNTIL;
}

int until_within(Kernel *k, double end, bool *back)
{
    Run *run = k->run;
    if (!(end > run->t_before))
        return KERNEL_DONE;
    const bool resting = k->resting;
    k->resting = false;
    begin_rows(k);
    Search s;
    int result = search(k, end, &s);
    if (result == KERNEL_DONE && s.met)
        result = bisect(k, &s);
    begin_from(k, run->unknowns);
    k->resting = resting;
    return result || !s.met ? result : end_at(k, s.high, back);
}

/* The last row, if it is that of a time and its values are in memory. */
static const double *row_at(const Kernel *k, double t)
{
    const double *row = kernel_last_row(k);
    return row && row[0] == t ? row : NULL;
}

/* Looks at the condition at the present time, whose values are those of the slots where there is no row; ends the run where it holds. */
static int look_here(Kernel *k, double t, double *margin)
{
    const double *row = row_at(k, t);
    const bool recorded = kernel_recorded_until(k) == t;
    if (!row) {
        copy_values(k, k->until->row + 1);
        row = k->until->row;
    }
    bool met;
    int result = judge(k, t, row, &met, margin);
    if (result == KERNEL_DONE && met && !recorded)
        result = kernel_record(k);
    return result || !met ? result : KERNEL_UNTIL;
}

int until_here(Kernel *k)
{
    Run *run = k->run;
    int result = KERNEL_DONE;
    keep_unknowns(k, run->unknowns);
    if (!row_at(k, run->t)) {
        result = kernel_evaluate(k, run->t, run->present);
        if (run->method->show)
            run->method->show(k, run->t);
    }
    if (result == KERNEL_DONE)
        result = look_here(k, run->t, &run->margin);
    begin_from(k, run->unknowns);
    run->judged = result == KERNEL_DONE;
    return result;
}

int kernel_until_point(Kernel *k)
{
    double margin;
    if (!k->until)
        return KERNEL_DONE;
    const int result = row_at(k, k->t) ? KERNEL_DONE : kernel_complete(k);
    return result ? result : look_here(k, k->t, &margin);
}
