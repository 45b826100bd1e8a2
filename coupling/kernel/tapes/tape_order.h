/* The operations of a tape one by one, in an order in which each follows what it needs as soon as may be: while that is still at hand. */
#ifndef KERNEL_TAPE_ORDER_H
#define KERNEL_TAPE_ORDER_H

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

typedef struct {
    int operation, count, result, other; /* count: of results, one except of angles; other: where the cosines are, besides sines, or -1 */
    const int *operand;                  /* operands in the tape */
} TapeStep;

/* Returns the steps, to be freed; null where memory lacks. Where a slot has several values the order is that of the tape. */
TapeStep *tape_steps(const int *tape, int slots, int *count);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
