/* Importers count the variables that the mechanism shows, from 1 on, in the order of their places. */
#include "whole.h"
#include "this_model.h"

#include <stdlib.h>

#undef model

static Reference *room_for(Whole *w, size_t count, unsigned which)
{
    if (count > w->room[which]) {
        Reference *larger = realloc(w->translated[which], 2 * count * sizeof *larger);
        if (!larger)
            return NULL;
        w->translated[which] = larger;
        w->room[which] = 2 * count;
    }
    return w->translated[which];
}

bool to_places(Model *m, const Reference **references, size_t count, unsigned which)
{
    Whole *w = whole(m);
    if (count == 0)
        return true;
    Reference *places = room_for(w, count, which);
    for (size_t i = 0; i < count; i++) {
        const Reference reference = (*references)[i];
        if (!places || reference < 1 || reference > w->references)
            return false;
        places[i] = w->shown[reference - 1];
    }
    *references = places;
    return true;
}

/* For sentences; 0 where it is not shown. */
Reference reference_of(const Model *m, Reference place)
{
    const Whole *w = whole(m);
    for (Reference reference = 1; reference <= w->references; reference++)
        if (w->shown[reference - 1] == place)
            return reference;
    return 0;
}

Reference last_reference(const Model *m)
{
    return whole(m)->references;
}
