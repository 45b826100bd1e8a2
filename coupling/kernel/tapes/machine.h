/* Tapes as instructions of this machine: a function that does what tape_run does with the tape, bit by bit, without looking each operation up. */
#ifndef KERNEL_MACHINE_H
#define KERNEL_MACHINE_H

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

struct Kernel;
typedef struct Machine Machine;

/* Null where there is no memory, or where this machine or its system knows no such thing; then tape_run serves. The tape has to live as long: angles are
 * turned by it. `slots`: of the workspace. */
Machine *machine_new(const int *tape, int slots);
void *machine_function(const Machine *);
void machine_free(Machine *);

/* The function for as long as the kernel lives; tape_run where there is no other, or nothing to do. */
void *kernel_machine(struct Kernel *, const int *tape, int slots);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
