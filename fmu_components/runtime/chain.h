/* Derivatives of a model that has a chain: its entries are the slopes of each equation by its own variables, those that are calculated among
 * them. So derivatives by what is known are sums over all ways through the equations. */
#ifndef CHAIN_H
#define CHAIN_H

#include "model.h"

/* Computes the tangents of all variables from stage `first` up to `last`, those of earlier ones and of what is known being there. */
static inline void chain_forward(const Model *of, const double *j, unsigned first, unsigned last, double *tangent)
{
    for (unsigned i = of->chained[first]; i < of->chained[last + 1]; i++) {
        const Reference r = of->chain[i];
        double sum = 0;
        for (unsigned e = of->row[r]; e < of->row[r + 1]; e++)
            if (tangent[of->entry[e].known] != 0)
                sum += j[e] * tangent[of->entry[e].known];
        tangent[r] = sum;
    }
}

/* Adds the weights of all variables up to stage `last` to those of what they are computed from. */
static inline void chain_backward(const Model *of, const double *j, unsigned last, double *weight)
{
    for (unsigned i = of->chained[last + 1]; i-- > 0;) {
        const Reference r = of->chain[i];
        for (unsigned e = of->row[r]; weight[r] != 0 && e < of->row[r + 1]; e++)
            weight[of->entry[e].known] += j[e] * weight[r];
    }
}

/* Returns the last stage of slopes that derivatives of some unknowns by some knowns need; those by parameters are in a stage of their own. */
static inline unsigned chain_stage(const Model *of, const Reference *unknowns, size_t unknown_count, const Reference *knowns, size_t known_count)
{
    unsigned last = 0;
    for (size_t i = 0; i < known_count; i++)
        if (of->variable[knowns[i]].role == PARAMETER)
            return of->stages - 1;
    for (size_t i = 0; i < unknown_count; i++)
        last = of->variable[unknowns[i]].stage > last ? of->variable[unknowns[i]].stage : last;
    return last;
}

#endif
