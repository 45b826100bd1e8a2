/* The events, instants and conditions of all components, each computed from the values as they are. */
#include "whole.h"

#include <math.h>

Reference first_component(void)
{
    Reference first = 1 + mechanism.owns;
    for (unsigned i = 0; i < mechanism.components; i++)
        first += model_of(i)->states;
    return first;
}

void update_all(const double *v, double *new_values)
{
    Reference first = first_component();
    for (unsigned i = 0; i < mechanism.kinked; i++)
        *new_values++ = v[mechanism.kinks[i].next] + 1;
    for (unsigned i = 0; i < mechanism.components; i++) {
        const Model *m = model_of(i);
        if (m->assignments)
            m->update(v + first, new_values);
        new_values += m->assignments;
        first += m->variables;
    }
}

void all_instants(const double *v, double *next)
{
    Reference first = first_component();
    for (unsigned i = 0; i < mechanism.kinked; i++) {
        const Kinks *k = &mechanism.kinks[i];
        const double passed = v[k->next];
        *next++ = passed >= 0 && passed < k->count ? k->times[(unsigned)passed] : INFINITY;
    }
    for (unsigned i = 0; i < mechanism.components; i++) {
        const Model *m = model_of(i);
        if (m->times)
            m->instants(v + first, next);
        next += m->times;
        first += m->variables;
    }
}

void require_all(const double *v, double *margins)
{
    Reference first = first_component();
    for (unsigned i = 0; i < mechanism.components; i++) {
        const Model *m = model_of(i);
        if (m->requirements)
            m->require(v + first, margins);
        margins += m->requirements;
        first += m->variables;
    }
}
