/* The phase of a kernel: where its instances are, and where the factors of its loops come from.
 *
 * Three functions change a phase, and no other file assigns its fields. Each state has a guarantee:
 *
 *   instances_at      mode             inputs             guarantee
 *   ASTRAY            Continuous-Time  may differ         the next pass sets every input of the instances
 *   IN_PLACE          Continuous-Time  those of the slots the next pass sets only inputs that change; shortcuts may be taken
 *   AT_STEP_END       Continuous-Time  those of the slots a check has brought the instances to the end of the last step of the run; else as IN_PLACE
 *   LEFT_AT_STEP_END  Continuous-Time  may differ         the instances are still there: equations have moved the slots alone; else as ASTRAY
 *   EVENT_ASTRAY      Event            may differ         time and states stand still; else as ASTRAY
 *   EVENT_IN_PLACE    Event            those of the slots time and states stand still; else as IN_PLACE
 *
 *   factors_from      guarantee
 *   OF_INSTANCES      a pass through the instances made the last evaluation; its factors are in the loops
 *   OF_EQUATIONS      equations in place of the instances made the last evaluation. At its point they read constraints and event indicators and
 *                     correct states, and they load their factors into the loops on request. The instances are there if a check has passed
 *                     through them since, which leaves them IN_PLACE; otherwise they have to catch up before they are asked for anything
 *
 * AT_STEP_END and LEFT_AT_STEP_END occur with OF_EQUATIONS alone, the other places with both sources. Event Mode keeps the source, which is not
 * read there. A kernel begins ASTRAY and OF_INSTANCES. */
#ifndef KERNEL_PHASE_H
#define KERNEL_PHASE_H

#include <stdbool.h>

typedef enum { ASTRAY, IN_PLACE, AT_STEP_END, LEFT_AT_STEP_END, EVENT_ASTRAY, EVENT_IN_PLACE } Place;
typedef enum { OF_INSTANCES, OF_EQUATIONS } Source;

typedef struct {
    Place instances_at;
    Source factors_from;
} Phase;

static inline bool is_known_at(Place place)
{
    return place == IN_PLACE || place == AT_STEP_END || place == EVENT_IN_PLACE;
}

static inline bool inputs_are_known(const Phase *p)
{
    return is_known_at(p->instances_at);
}

static inline bool are_at_step_end(const Phase *p)
{
    return p->instances_at == AT_STEP_END || p->instances_at == LEFT_AT_STEP_END;
}

static inline bool in_event_mode(const Phase *p)
{
    return p->instances_at >= EVENT_ASTRAY;
}

static inline bool by_equations(const Phase *p)
{
    return p->factors_from == OF_EQUATIONS;
}

/* Notes a place, or what it says of inputs where the place itself cannot occur. */
static inline void place_instances(Phase *p, Place place)
{
    const bool known = is_known_at(place);
    if (in_event_mode(p))
        p->instances_at = known ? EVENT_IN_PLACE : EVENT_ASTRAY;
    else if (by_equations(p))
        p->instances_at = place;
    else
        p->instances_at = known ? IN_PLACE : ASTRAY;
}

static inline void set_event_mode(Phase *p, bool on)
{
    const bool known = inputs_are_known(p);
    if (on)
        p->instances_at = known ? EVENT_IN_PLACE : EVENT_ASTRAY;
    else
        p->instances_at = known ? IN_PLACE : ASTRAY;
}

/* Notes who makes an evaluation. Equations move the slots and leave the instances where they are. */
static inline void take_factors(Phase *p, Source source)
{
    const Place left = are_at_step_end(p) ? LEFT_AT_STEP_END : ASTRAY;
    p->factors_from = source;
    place_instances(p, by_equations(p) ? left : p->instances_at);
}

#endif
