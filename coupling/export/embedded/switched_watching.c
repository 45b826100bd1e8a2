/* Shows importers the indicators of joints that switch. Only a fall counts, after the indicator was positive.
 *
 * To an importer a rise is an event as well, and rounding makes many of them about zero. So an indicator is shown lifted by a band of what
 * rounding can do, and shown as it is once it has risen above that: there are falls alone, from above zero through zero. One that falls through
 * the band without having risen belongs to a mode that was wrong, as at a tie; where nothing changes then, it is shown positive from there on. */
#include "whole.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double *noise_of(Whole *w)
{
    return &w->v[mechanism.watched + mechanism.watches];
}

static double *lift_of(Whole *w)
{
    return &w->v[mechanism.watched + 2 * mechanism.watches];
}

static void begin(Whole *w)
{
    for (unsigned i = 0; i < mechanism.watches; i++) {
        const int which = system_watched(w->system, i);
        const Reference shown = mechanism.watched + i, own = which < 0 ? 0 : w->indicator[which];
        w->watched[i] = own;
        if (!own)
            continue;
        w->variables[shown] = w->variables[own];
        w->indicator[which] = shown;
        for (unsigned r = 0; r < w->model.relations; r++)
            w->relation_indicator[r] = w->relation_indicator[r] == own ? shown : w->relation_indicator[r];
    }
}

static void show(Whole *w)
{
    const double *const lift = lift_of(w);
    for (unsigned i = 0; i < mechanism.watches; i++) {
        const double z = w->v[w->watched[i]];
        w->v[mechanism.watched + i] = isinf(lift[i]) ? fmax(fabs(z), DBL_MIN) : z + lift[i];
    }
}

static void arm(Whole *w)
{
    double *const noise = noise_of(w), *const lift = lift_of(w);
    for (unsigned i = 0; i < mechanism.watches; i++)
        lift[i] = w->v[w->watched[i]] > noise[i] ? 0 : lift[i];
}

/* An importer locates a fall as exactly as it can, and the states that it sets then are rounded: as little as that an indicator may still be
 * positive. */
static void note_falls(Whole *w, bool counts)
{
    double *const noise = noise_of(w), *const lift = lift_of(w);
    for (unsigned i = 0; i < mechanism.watches; i++) {
        const double z = w->v[w->watched[i]], band = 2 * noise[i];
        const bool armed = lift[i] == 0, falls = z + lift[i] <= (armed ? noise[i] : 0);
        if (!(noise[i] > 0 && falls))
            continue;
        const double alone = armed ? band : INFINITY;
        lift[i] = counts ? alone : band - fmin(z, 0);
        w->fell[i] = w->fell[i] || counts;
    }
}

static void begin_anew(Whole *w, bool jumped)
{
    double *const noise = noise_of(w), *const lift = lift_of(w);
    const bool first = !(noise[0] > 0), changed = system_noise(w->system, w->x, noise);
    for (unsigned i = 0; i < mechanism.watches && (first || changed || jumped); i++)
        lift[i] = 2 * noise[i];
}

/* Keeps what is remembered between the rounds of an event beside all values, and puts it back. */
static void look_ahead(Whole *w, bool begins)
{
    bool *const kept = w->fell + mechanism.watches, *const begun = system_begun(w->system);
    memcpy(begins ? kept : w->fell, begins ? w->fell : kept, mechanism.watches * sizeof *kept);
    if (begins) {
        w->kept.chosen_at = w->chosen_at;
        w->kept.begun = *begun;
    } else {
        w->chosen_at = w->kept.chosen_at;
        *begun = w->kept.begun;
    }
}

const Watching watching = {begin, show, arm, note_falls, begin_anew, look_ahead};
