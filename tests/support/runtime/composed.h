/* What the harness knows of a model that each instance puts together for itself: the tables of one that no instance has. */
#ifndef COMPOSED_H
#define COMPOSED_H

#include "model.h"
#include "this_model.h"

#undef model
#define model (*tables())

static const Model *tables(void)
{
    static const Model *made;
    return made ? made : (made = model_new());
}

#endif
