/* Memory within one block that two processes see at the same address. Pieces are powers of two, so that those that grow seldom move, and
 * what is not touched takes no memory. */
#ifndef KERNEL_HEAP_H
#define KERNEL_HEAP_H

#include <stddef.h>

typedef struct Heap Heap;

Heap *heap_begin(void *block, size_t size); /* the block is all zeros */
void *heap_take(Heap *, size_t size);       /* null where there is no room; as it was left where a piece is used again */
void *heap_resize(Heap *, void *piece, size_t size);
void heap_give(Heap *, void *piece);

size_t heap_extent(const Heap *); /* size of the whole block */

void memory_use(Heap *); /* memory.c: where all memory of this library comes from, from now on */

#endif
