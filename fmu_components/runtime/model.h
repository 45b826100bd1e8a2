/* The contract between a generated model and the runtime: the model is tables and a few functions, the runtime does the rest.
 *
 * All values are doubles in one array, indexed by value reference; Booleans are 0 or 1. The model computes in stages: a change
 * of a variable makes its stage and all later ones invalid, and the runtime evaluates what is invalid when it is asked for. */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef unsigned int Reference; /* from 1 on, the time being the last; a component's are its value references. 0 is no variable */

typedef enum { REAL, INTEGER, BOOLEAN, INTERNAL } Type; /* internal ones, and what is no variable, are none of the importer's business */

typedef enum {
    TIME,        /* the independent variable */
    PARAMETER,   /* set before initialisation, or at any event or communication point where tunable */
    SWITCH,      /* Boolean that hands the algebraic variables to the importer */
    STATE,
    DERIVATIVE,
    DISCRETE,    /* changes at events only */
    RELATION,    /* true while its indicator was positive at the last event */
    INPUT,
    DISCRETE_INPUT, /* changes at events, or between steps, only */
    ALGEBRAIC,   /* unknown that the importer solves for while the switch is on */
    OUTPUT,
    LOCAL,
    INDICATOR
} Role;

/* Tables name texts by where they begin among those of the model, and not by addresses, each of which a loader would have to correct: in a
 * library three times as much as the number. */
typedef struct {
    double minimum, maximum;
    unsigned otherwise;          /* text: the alternative for values outside, "" for nothing */
    bool open_below, open_above; /* the bound itself is excluded */
} Range;

typedef struct {
    double start;
    unsigned texts;           /* its name, which its unit follows */
    unsigned range;           /* 0: any number */
    unsigned short position;  /* index among the variables of the same role */
    unsigned char type, role; /* a Type and a Role */
    unsigned char stage;      /* inputs: made invalid by a change; calculated variables: the stage that computes them */
    bool tunable;
} Variable;

typedef struct {
    Reference first; /* its elements are variables with consecutive references */
    unsigned size;
} Array; /* parameter that is an array in FMI 3, and as many scalars in FMI 2 */

typedef struct {
    unsigned short known;
    unsigned char stage;
} Entry; /* of the Jacobian; rows are unknowns, sorted */

typedef enum { RISES, FALLS, REACHES } TriggerKind;

typedef struct {
    TriggerKind kind;
    unsigned index;           /* of the relation that rises or falls, or of the time that is reached */
    unsigned first, count;    /* its assignments */
    const char *text;
} Event;

typedef struct {
    const char *text; /* a validity condition in words */
    bool advisory;    /* where it does not hold the model computes all the same, with a warning */
} Requirement;

typedef struct Model Model;
typedef struct Method Method;

typedef enum { UNCONSTRAINED, PROJECTED, UNPROJECTABLE } Projected;

/* Functions that a composed model implements in its own way. */
typedef struct {
    void (*bind)(Model *, double *v);                 /* to the values of its instance, which stay where they are */
    void (*restart)(Model *);                         /* all values have been set anew */
    void (*evaluate)(Model *, unsigned stage);        /* what cannot be computed is not a number */
    bool (*derive)(Model *, const Reference *unknowns, size_t, const Reference *knowns, size_t, const double *seed, double *result);
    const char *(*reason)(const Model *);             /* why something could not be computed; null where it is not known */
    void (*arrange)(Model *);                         /* passes all values on once, without solving for anything */
    const char *(*violation)(Model *, double tolerance); /* what keeps it from starting with these values; null where nothing does */
    const char *(*warning)(Model *);                  /* what a user should know, once; null as a rule */
    void (*steps)(Model *);                           /* it is integrated inside: `project` is called, so that derivatives need not return to it */
    Projected (*project)(Model *, double *x, bool anew); /* moves states onto constraints: by what the last evaluation has left, or anew */
    void (*accept)(Model *);                          /* what was computed last is a point of the motion */
    bool (*choose)(Model *, const signed char *edge, bool settled, bool *chosen, bool *jumped); /* after a round of events: modes of its joints; states may jump */
    void (*look_ahead)(Model *, bool begins);            /* between two such calls rounds are tried; what snapshots lack is kept and put back */
} Composition;

struct Model {
    const char *name, *token;
    unsigned variables; /* the place 0 included, which belongs to none */
    Reference time;
    unsigned states, inputs, indicators, relations, times, events, requirements, entries, temporaries, stages;
    unsigned ranges, arrays;
    const Variable *variable;
    const Range *range;
    const Array *array;
    const char *text; /* all texts of variables and ranges, each ended by 0 */
    const Reference *state, *derivative, *input, *indicator;
    const Reference *relation, *relation_indicator;
    const signed char *watch;  /* by relation: 1 or -1 where only its rise or its fall has an effect, else 0 */
    unsigned angles;
    const Reference *angle;    /* what relations may depend on by the angle: inside a step it is followed as closely as it turns */
    unsigned modes;
    const Reference *mode;     /* discrete inputs by which the importer chooses equations while the switch is on */
    const unsigned *row;       /* entries of unknown r are row[r] .. row[r + 1] - 1 */
    const Entry *entry;
    const Reference *chain;    /* null where entries are derivatives by what is known. Else they are slopes of equations by their own variables: see chain.h */
    const unsigned *chained;   /* the calculated variables of stage s, in order, are chain[chained[s]] .. chain[chained[s + 1] - 1] */
    const Event *event;
    const Reference *assignment; /* targets of the events' updates */
    const Requirement *requirement;
    const Reference *concerned; /* what they depend on: that of requirement i is concerned[concerns[i]] .. concerned[concerns[i + 1] - 1] */
    const unsigned *concerns;
    unsigned assignments;
    Reference switch_reference; /* 0 if none exists */
    Reference implicit_reference; /* of the parameter that chooses the implicit method; 0 if none exists: then always explicit */
    const Method *implicit_method; /* named here alone, so that models without it need not carry it; NULL for them */
    double default_stop, longest_step; /* inside Co-Simulation; the second is 0 where errors alone limit the steps */
    void (*const *evaluate)(double *restrict v, double *restrict t); /* by stage */
    void (*const *differentiate)(const double *restrict v, double *restrict t, double *restrict j); /* by stage */
    void (*update)(const double *v, double *new_values);                /* one per assignment */
    void (*instants)(const double *v, double *next);                    /* one per time event */
    void (*require)(const double *v, double *margins);                  /* one per requirement: must be positive */
    const double *nominal;     /* of the states; infinite for gauge states, whose errors do not count */
    const Composition *composition; /* null for a component that is a model of its own */
};

static inline const char *variable_name(const Model *m, const Variable *variable)
{
    return m->text + variable->texts;
}

/* Returns the array to which a variable belongs; null for a scalar. */
static inline const Array *array_of(const Model *m, Reference reference)
{
    for (const Array *array = m->array, *end = array + m->arrays; array < end; array++)
        if (array->first <= reference && reference < array->first + array->size)
            return array;
    return NULL;
}

static inline const char *variable_unit(const Model *m, const Variable *variable)
{
    const char *name = variable_name(m, variable);
    return name + strlen(name) + 1;
}

#if defined(__ELF__)
__attribute__((visibility("hidden")))
#endif
extern const Model model;
#if defined(__ELF__)
__attribute__((visibility("hidden")))
#endif
extern const Method implicit_method; /* implicit.c */

#endif
