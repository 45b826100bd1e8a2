/* A mechanism of one instance, and its components with the places of their values. */
#ifndef WHOLE_H
#define WHOLE_H

#include "mechanism.h"
#include "members.h"
#include "system.h"

#if defined(__ELF__)
#pragma GCC visibility push(hidden)
#endif

typedef struct Plan Plan;

struct Member {
    const Model *model;
    Reference first; /* where its variables begin among those of the mechanism */
    double *v, *t, *j, *moved;
    double *along; /* the tangents, or weights, of one call to a model that has a chain */
    Plan *plans;
    unsigned followed; /* stages of such a model whose tangents are those of what has moved */
    bool by_parameters; /* a parameter is among what has moved */
    unsigned valid, valid_jacobian, moving; /* `moving`: the first stage that depends on more than what changes at events */
};

enum { AT_EVENTS, MOTION, EVERYTHING, STAGES }; /* what a change makes invalid, and what is computed in each stage */

/* The model that the runtime sees is its first member. */
typedef struct {
    Model model;
    Member *members, **member;
    System *system;
    double *v, *x, *dx, *inputs, *moved_inputs, *moved_multipliers, *moved_states, *projected_states;
    Variable *variables;
    Range *ranges;
    Reference *state, *derivative, *input, *indicator, *relation, *relation_indicator, *assignment, *concerned;
    signed char *watch;
    Reference *watched; /* by joint that switches: its own indicator; 0 where it has none */
    bool *fell; /* the same: since modes were chosen last; then as many that look_ahead keeps */
    double chosen_at;
    struct {
        double chosen_at;
        bool begun;
    } kept; /* by look_ahead */
    Event *events;
    unsigned *concerns;
    Requirement *requirements;
    double *nominal, *scratch;
    char *texts, *next_text;
    Reference *shown, *translated[2]; /* see references.c */
    unsigned references;
    size_t room[2];
    bool behind;     /* the components do not know yet that states, inputs or the time have changed */
    bool failed;     /* what changes at events only could not be computed */
    const char *open; /* what keeps the start from being closed */
    char sentence[1024];
} Whole;

static inline Whole *whole(const Model *m)
{
    return (Whole *)m;
}

static inline bool calculated(const Variable *variable)
{
    return variable->role == DERIVATIVE || variable->role == OUTPUT || variable->role == LOCAL || variable->role == INDICATOR;
}

/* members.c */
void member_changed(Member *, unsigned stage);
void member_evaluate(Member *, unsigned stages);
void member_forget(Member *); /* what it allocated */

/* composition.c */
extern const Composition composition;

/* passing.c */
Member *member_at(const Whole *, Reference); /* which component a reference belongs to; null for the mechanism's own */
bool given(const Whole *);                   /* whether the importer solves for the multipliers */
bool prepare(Whole *, unsigned stage);       /* brings time, states and inputs into the components */
bool prepare_system(Whole *, unsigned stage); /* the system alone, which may not need the components */
bool prepare_motion(Whole *);
void pass_values(Whole *);                   /* all of them once, without solving for anything */

/* closing.c */
const char *close_start(Whole *); /* what keeps it from being closed, or null; states stay where they were then */
/* The constraints that are open by more than is allowed, each by its size, at levels from the first to the last of position and velocity, as a
 * sentence between two texts, which says what is allowed if wanted; null if none exist. */
const char *describe_open(Whole *, int first, int last, double allowed, bool says, const char *head, const char *tail);

/* switched_watching.c: the indicators of joints that switch */
struct Watching {
    void (*begin)(Whole *);
    void (*show)(Whole *);
    void (*arm)(Whole *); /* at a point of the motion, or after an event */
    void (*note_falls)(Whole *, bool counts);
    void (*begin_anew)(Whole *, bool jumped); /* modes have been chosen, and velocities may have jumped */
    void (*look_ahead)(Whole *, bool begins);
};

/* all_events.c: of all components */
Reference first_component(void);
void update_all(const double *v, double *new_values);
void all_instants(const double *v, double *next);
void require_all(const double *v, double *margins);

#if defined(__ELF__)
#pragma GCC visibility pop
#endif

#endif
