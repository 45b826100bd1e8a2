/* Sparse rows and columns, and memory that is given back at once. */
#ifndef KERNEL_ENTRIES_H
#define KERNEL_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

/* Memory that is given back at once. Missing entries are noted. */
typedef struct {
    struct Piece *last;
    bool lacking;
} Arena;

void *arena_take(Arena *, size_t count, size_t size); /* zeros; null where memory lacks */
void arena_give_back(Arena *);

/* A sparse row or column. */
typedef struct {
    int count, room;
    int *at;
    double *value;
} Entries;

bool entries_append(Arena *, Entries *, int at, double value);
double entries_product(const Entries *, const double *dense);
void entries_add(const Entries *, double factor, double *dense);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
