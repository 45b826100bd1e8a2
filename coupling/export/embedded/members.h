/* The components inside a mechanism. All values of all of them lie in the one array that its instance has, one component after the
 * other, so that the place of a value in the mechanism is that in the component plus where the component begins. */
#ifndef MEMBERS_H
#define MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__ELF__)
#pragma GCC visibility push(hidden)
#endif

typedef unsigned int Reference;
typedef struct Member Member;

/* Values by a component's own references, whatever their types. */
void member_set(Member *, const Reference *, size_t, const double *);
Reference member_reference(const Member *, Reference); /* the same variable among those of the mechanism */
double member_start(const Member *, Reference); /* what its model begins with */
void member_place(Member *, const double *states);
void member_states(const Member *, double *states);
void member_get(Member *, const Reference *, size_t, double *);
/* False where memory lacks. The arrays of references stay where they are as long as the component does. */
bool member_directional(Member *, const Reference *unknowns, size_t, const Reference *knowns, size_t, const double *seed, double *result);
bool member_adjoint(Member *, const Reference *unknowns, size_t, const Reference *knowns, size_t, const double *seed, double *result);

/* Tangents of its variables: `member_rest` sets all to 0, `member_move` those of inputs, and calculated variables follow. */
void member_rest(Member *);
void member_move(Member *, Reference, double);
void member_displace(Member *, const double *states);
double member_follow(Member *, Reference);

#if defined(__ELF__)
#pragma GCC visibility pop
#endif

#endif
