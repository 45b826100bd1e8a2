/* The present call of a process that may be lost in a call of an FMU. The process writes it before and after each call; its parent reads
 * it. */
#ifndef KERNEL_WHERE_H
#define KERNEL_WHERE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    _Atomic uint64_t count; /* grows; odd during a call */
    int version, call;      /* version of FMI, and number of the function in its table: see library_call */
    void *instance;
    double time;
} Where;

static inline void where_enters(Where *where, int version, int call, void *instance, double time)
{
    where->version = version;
    where->call = call;
    where->instance = instance;
    where->time = time;
    atomic_store_explicit(&where->count, (atomic_load_explicit(&where->count, memory_order_relaxed) + 1) | 1, memory_order_release);
}

static inline void where_leaves(Where *where)
{
    const uint64_t count = atomic_load_explicit(&where->count, memory_order_relaxed);
    atomic_store_explicit(&where->count, count + count % 2, memory_order_release);
}

/* Null but in a process that may be lost. Each call of an FMU looks twice: what is hidden is read at once, not through a table of addresses. */
#pragma GCC visibility push(hidden)
extern Where *kernel_where;
#pragma GCC visibility pop

#define WHERE_IS_WATCHED __builtin_expect(kernel_where != NULL, 0)
#define WHERE_ENTERS(version, call, instance) \
    (WHERE_IS_WATCHED ? where_enters(kernel_where, version, call, instance, kernel_where->time) : (void)0)
#define WHERE_LEAVES() (WHERE_IS_WATCHED ? where_leaves(kernel_where) : (void)0)

#endif
