/* Generated data of a mechanism for its variables: its components, and the variables that it shows of them. Place 0 belongs to none;
 * then come the derivatives of the states, then the mechanism's own variables, then its components, then the time. */
#ifndef MECHANISM_H
#define MECHANISM_H

#include "model.h"

#if defined(__ELF__)
#pragma GCC visibility push(hidden)
#endif

typedef struct {
    unsigned name; /* where it begins in `text` */
    unsigned type; /* which of the models */
} Component;

typedef struct {
    Reference reference;
    double value;
} Start;

/* Residual that has to vanish at the start, at its levels, and the owner of its force; 0 if it has none. scale: the value that counts as
 * much as a radian; size: the factor of tolerances. */
typedef struct {
    Reference position, velocity, multiplier;
    double scale, size;
} Constraint;

/* Motion of positions while the start is closed: a state by itself, or a quaternion, given by its first state, about an axis. The three
 * axes follow each other. */
typedef struct {
    unsigned state;
    int axis; /* -1 for a state by itself */
    double scale;
} Move;

/* A state that counts turns of what it follows. */
typedef struct {
    unsigned state;
    Reference follows;
} Gauge;

/* A table that drives an input: where it has kinks and jumps. */
typedef struct {
    Reference next; /* the own discrete variable that counts those which have passed */
    unsigned count;
    const double *times;
} Kinks;

typedef struct Watching Watching; /* see whole.h */
extern const Watching watching;

typedef struct {
    const char *name, *token;
    double default_stop, longest_step;
    unsigned components, owns, ranges, texts, inputs, internals, outputs, constants, starts, constraints, moves, helds, gauges, angles, kinked;
    const Model *const *models; /* each once, for any number of its components */
    const Component *component;
    const Variable *own;        /* the inputs first; the role says what else there is */
    const Range *range;         /* of these */
    const char *text;           /* names of these and of the components, `texts` characters */
    const Reference *internal;  /* variables of components that are not shown */
    const Reference *output;
    const Reference *constant;  /* inputs of components that are parameters here */
    const Start *start;         /* where it is not the component's own */
    const Constraint *constraint;
    const Move *move;
    const unsigned *held;       /* states that do not move where the start is closed */
    const Gauge *gauge;
    const Reference *angle;     /* on which relations may depend */
    bool relaxed;               /* a start that violates constraints is taken as it is */
    const Kinks *kinks;
    Reference switch_reference, implicit_reference, assemble_reference; /* 0 if none exists */
    Reference watched; /* the own variables of joints that switch, by joint: the indicator as importers see it, then the band of its noise, then by
                        * how much it is shown lifted */
    unsigned watches;
    const Watching *watching; /* null where there are no such joints */
    Reference memory; /* the tolerance, and from the next one on what loops remember of their motion; 0 without loops */
    const Method *implicit_method;
} Mechanism;

extern const Mechanism mechanism;

static inline const Model *model_of(unsigned component)
{
    return mechanism.models[mechanism.component[component].type];
}

static inline const char *component_name(unsigned component)
{
    return mechanism.text + mechanism.component[component].name;
}

#if defined(__ELF__)
#pragma GCC visibility pop
#endif

#endif
