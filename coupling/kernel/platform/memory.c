/* Memory of this library comes from the C library, but in a host from the memory that it shares with the process that started it. The
 * linker directs each call of malloc, calloc, realloc and free in this library to this file (--wrap). */
#include "platform/heap.h"

#include <stdint.h>
#include <string.h>

void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void __real_free(void *);
void *__wrap_malloc(size_t);
void *__wrap_calloc(size_t, size_t);
void *__wrap_realloc(void *, size_t);
void __wrap_free(void *);

static Heap *shared;
static size_t extent;

void memory_use(Heap *heap)
{
    extent = heap_extent(heap);
    shared = heap;
}

static inline int is_shared(const void *piece)
{
    return shared && (uintptr_t)piece - (uintptr_t)shared < extent;
}

void *__wrap_malloc(size_t size)
{
    return shared ? heap_take(shared, size) : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    if (!shared)
        return __real_calloc(count, size);
    if (size && count > SIZE_MAX / size)
        return NULL;
    void *const piece = heap_take(shared, count * size);
    return piece ? memset(piece, 0, count * size) : NULL;
}

void *__wrap_realloc(void *piece, size_t size)
{
    return piece ? is_shared(piece) ? heap_resize(shared, piece, size) : __real_realloc(piece, size) : __wrap_malloc(size);
}

void __wrap_free(void *piece)
{
    if (is_shared(piece))
        heap_give(shared, piece);
    else
        __real_free(piece);
}
