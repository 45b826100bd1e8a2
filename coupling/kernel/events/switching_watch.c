/* Reads modes from event indicators. Each mode has one, and an event is its fall through 0 after it was positive. */
#include "events/switching.h"

#include <math.h>
#include <stdlib.h>

/* Above it, in its unit, an indicator is armed: below there is rounding alone, as between parts that move alike. That of forces is of the forces that
 * move these parts, which need not be in a loop. */
static const double armed = 1e-15, armed_force = 1e-12;
static const double rounding = 4e-15; /* of a gap, by the positions that it is a difference of */
static const double certain = 1e-9;  /* of the forces of a loop, or of the greatest speed: by so much has surely fallen what did */
static const double nothing = 1e-12; /* the same where there are no forces; and of gaps, in m */

static int indicator_of(const Kernel *k, const Item *item)
{
    return item->row->indicator == NONE ? NONE : k->parts[item->row->part].first_indicator + item->row->indicator;
}

static bool is_of_force(const Item *item)
{
    return item->row->kind == FRICTION ? !item->mode : item->mode;
}

bool watch_falls(Kernel *k)
{
    const Switching *s = k->switching;
    free(k->arms);
    k->arms = calloc((size_t)k->indicators + 1, sizeof *k->arms);
    for (int i = 0; i < s->count && k->arms; i++)
        if (indicator_of(k, &s->item[i]) != NONE)
            k->arms[indicator_of(k, &s->item[i])] = armed * s->item[i].size;
    return k->arms;
}

/* Notes the indicators that fired: friction breaks away against its force. */
void note_due(Kernel *k, const double *before, const double *now)
{
    Switching *s = k->switching;
    for (int i = 0; i < s->count; i++) {
        Item *item = &s->item[i];
        const int z = indicator_of(k, item);
        const bool fires = item->fell || (z != NONE && before && before[z] > 0 && now[z] <= 0);
        item->fell = false;
        item->due = !fires ? 0 : item->row->kind == FRICTION && !item->mode && k->v[item->loop->first + item->row->unknown] > 0 ? -1 : 1;
    }
}

/* The greatest position, of which a gap is a difference: far from the origin rounding is greater, as between shafts after many turns. */
static double greatest_position(const Kernel *k, const double *x)
{
    const Rows *rows = &k->switching->rows;
    double greatest = 0;
    for (int i = 0; i < rows->motions; i++)
        greatest = fmax(greatest, fabs(x[rows->motion[i].state]));
    return greatest;
}

double noise_of(const Kernel *k, const Item *item, const double *x)
{
    const bool of_force = is_of_force(item);
    double noise = nothing;
    if (!of_force && item->position != NONE)
        noise = fmax(nothing * item->size, rounding * greatest_position(k, x));
    else if (!of_force)
        noise = slow_of(item, slow(k, x), 0);
    for (int j = 0; j < item->loop->count && of_force; j++)
        noise = fmax(noise, certain * fabs(k->v[item->loop->first + j]));
    return noise;
}

/* If both modes were right at an event, such as at rest without loads, the indicator of the chosen mode may start at 0 and fall without
 * having been positive. Finds such an indicator in the step from t, the first after an event or a later one. */
bool left_behind(Kernel *k, double t, const double *x, const double *before, const double *now, bool first)
{
    Switching *s = k->switching;
    const double far = rounding * greatest_position(k, x);
    bool found = false;
    for (int i = 0; i < s->count; i++) {
        Item *item = &s->item[i];
        const int z = indicator_of(k, item);
        if (z == NONE)
            continue;
        if (first)
            item->lowest = fmin(before[z], 0);
        /* The indicator belongs to the mode that it had in this step. */
        k->arms[z] = is_of_force(item) ? armed_force : fmax(armed * item->size, item->position != NONE ? far : 0);
        if (before[z] > k->arms[z] || !(now[z] < item->lowest))
            continue;
        item->fell = now[z] < item->lowest - noise_of(k, item, x) && item->fell_at != t; /* once: it may be the better mode all the same */
        item->fell_at = item->fell ? t : item->fell_at;
        found = found || item->fell;
    }
    return found;
}
