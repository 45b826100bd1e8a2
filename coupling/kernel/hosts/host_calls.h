/* Functions of the kernel that the other process may ask a host for, by number. */
#ifndef KERNEL_HOST_CALLS_H
#define KERNEL_HOST_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* Word 0 is the result, the next ones are the arguments: integers, addresses, or the bits of doubles. The last one is the address of a function
 * that is called by its signature alone. */
enum { HOST_WORDS = 16, HOST_ADDRESS = HOST_WORDS - 1 };

/* A function that is called has one that unpacks its arguments and knows its prototype. Others, whose names begin with &, are handed to the kernel
 * as addresses. */
typedef struct {
    const char *name;
    void (*unpack)(uint64_t word[HOST_WORDS]);
    void (*function)(void);
} HostFunction;

int host_function(const char *name);             /* the number, which is the same in both processes; -1 if the table lacks the name */
const HostFunction *host_entry(uint64_t number); /* null if there is no such number */

/* Callbacks of the kernel that ask the other process; host_kernel.c. */
double ask_value(double t, void *context);
bool ask_restart(double t, const double *x, double limit, double first, void *context);
bool ask_step(double *t, void *context);
bool ask_state(double t, double *x, void *context);
bool ask_go_on(double limit, void *context);
bool ask_between(double t, double h, void *context);

#endif
