/* Tapes: operations on the numbers of one workspace, as data.
 *
 * A tape is a row of integers: batches of an operation, a count, the place of the first result, and the places of the operands, result by
 * result; then TAPE_END. The results of a batch are neighbours, and none of them is one of its operands. */
#ifndef KERNEL_TAPE_H
#define KERNEL_TAPE_H

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

enum { TAPE_END = -1 };

/* Evaluates a tape, or whatever a compiled function needs. */
typedef void (*TapeFunction)(const void *code, double *workspace);

void tape_run(const void *tape, double *workspace);

/* The name of an operation and the number of its operands, as the tape's writer has to know them; null after the last. */
const char *tape_operation(int operation, int *operands);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
