/* Views of an FMU's variables under value references of their own: elements of arrays, and values in SI base units. */
#ifndef KERNEL_VIEWS_H
#define KERNEL_VIEWS_H

#include "fmi/fmi.h"

/* The references from `first` on, one for each of `size` elements of a variable, or one for a scalar; in base units a value is
 * factor * own + offset. */
typedef struct {
    unsigned first, size, own;
    int array; /* true if it is an array in the FMU, which may have one element */
    double factor, offset;
    const double *start; /* start values of an array in the FMU; null where not known */
} ViewRow;

/* The vectors that functions of the standard give, in the order of the lists. */
typedef enum { VECTOR_OF_STATES, VECTOR_OF_DERIVATIVES, VECTOR_OF_INDICATORS, VECTORS } Vector;

/* A variable that is an element of such a vector: its value is factor * element + offset. */
typedef struct {
    unsigned reference;
    int vector, place;
    double factor, offset;
} VectorRow;

struct Instance;
typedef struct Views Views;

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

Views *views_new(const ViewRow *rows, int count, const VectorRow *elements, int element_count); /* null where memory lacks */
void views_free(Views *);
/* Resets the views to those of an instance that has just been made. */
void views_start(Views *);
/* The FMU may hold other values than were last set. */
void views_doubt(Views *);

/* Like the calls of the standards, of references that may be views. */
Status views_access(struct Instance *, Type, const Reference *, size_t count, double *values, bool setting);
/* The same, by the variables alone: elements of vectors as well. */
Status views_access_variables(struct Instance *, Type, const Reference *, size_t count, double *values, bool setting);
/* Makes the derivatives be asked for before any variable is read, from now on: for an FMU that computes variables only with them. */
void views_read_late(Views *);
/* Makes the time be set before any variable is read, from now on: for an FMU whose variables stay as they were once its derivatives are
 * asked for. */
void views_read_anew(Views *);
Status views_directional(struct Instance *, const Reference *unknowns, size_t, const Reference *knowns, size_t, const double *seed,
                         double *sensitivity);
Status views_adjoint(struct Instance *, const Reference *unknowns, size_t, const Reference *knowns, size_t, const double *seed,
                     double *sensitivity);
/* The FMU's own references that others stand for, each once; returns their number. */
size_t views_own(const Views *, const Reference *, size_t count, Reference *own);
/* The FMU's own reference that one of a scalar stands for, and the derivative of its value. */
Reference views_slope(const Views *, Reference, double *slope);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
