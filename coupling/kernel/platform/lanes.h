/* Loops over states that take several at once, by the widest instructions that the processor has. They never join a product and a sum, and
 * sums over states are by lane, and so all processors give the same digits. Rows of states end where a whole number of lanes does. */
#ifndef KERNEL_LANES_H
#define KERNEL_LANES_H

#include <stddef.h>

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

typedef struct {
    double weight;
    const double *row;
} Term;

typedef struct Sum {
    const Term *term;
    int terms;
} Sum;

/* Errors, and what they are measured by at each end of a step. */
typedef struct {
    const double *error, *atol, *before, *after;
    double rtol;
} Scaled;

typedef struct Lanes {
    /* to = from + h sum; from nothing where it is null. */
    void (*combine)(const Sum *, size_t width, const double *from, double h, double *to);

    /* The root mean square of what has a finite tolerance, and the number of the greatest, which stays if none exists. */
    double (*norm)(const Scaled *, size_t width, int *worst);
} Lanes;

/* Returns the width of a row with so many states. */
static inline size_t lanes_width(int count)
{
    enum { EIGHT = 8 };
    return ((size_t)count + EIGHT - 1) / EIGHT * EIGHT;
}

const Lanes *lanes_of_processor(void);
const Lanes *lanes_of_any_processor(void);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
