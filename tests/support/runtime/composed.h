/* What the harness knows of a model that each instance puts together for itself: the tables of one that no instance has, in which variables
 * are counted as importers do. */
#ifndef COMPOSED_H
#define COMPOSED_H

#include "model.h"
#include "this_model.h"

#undef model
#define model (*tables())

#include <stdlib.h>

static const Reference *as_references(const Model *whole, const Reference *places, unsigned count)
{
    Reference *found = calloc(count + 1, sizeof *found);
    for (unsigned i = 0; found && i < count; i++)
        found[i] = reference_of(whole, places[i]);
    return found;
}

static const Model *tables(void)
{
    static Model made;
    static const Model *whole; /* kept, so that what it holds is not lost */
    if (made.variable)
        return &made;
    whole = model_new();
    made = *whole;
    made.time = last_reference(whole);
    made.variables = made.time + 1;
    Variable *shown = calloc(made.variables, sizeof *shown);
    for (Reference place = 0; shown && place < whole->variables; place++)
        if (place == 0 || reference_of(whole, place))
            shown[reference_of(whole, place)] = whole->variable[place];
    made.variable = shown;
    made.state = as_references(whole, whole->state, whole->states);
    made.derivative = as_references(whole, whole->derivative, whole->states);
    made.input = as_references(whole, whole->input, whole->inputs);
    made.indicator = as_references(whole, whole->indicator, whole->indicators);
    made.relation = as_references(whole, whole->relation, whole->relations);
    made.relation_indicator = as_references(whole, whole->relation_indicator, whole->relations);
    made.switch_reference = reference_of(whole, whole->switch_reference);
    made.implicit_reference = reference_of(whole, whole->implicit_reference);
    return &made;
}

#endif
