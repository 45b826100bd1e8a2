#include "platform/heap.h"

#include "platform/platform.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

enum { SIZES = 48, LEAST = 5, LARGE = 17 }; /* as powers of two; the pages of large pieces go back when these are given */

struct Heap {
    atomic_flag busy; /* an FMU may have threads that take memory */
    char *next, *end;
    void *given[SIZES];
};

/* Stands before each piece, which stays aligned as that of malloc does. */
typedef struct {
    _Alignas(16) size_t size; /* as a power of two, and this with it */
} Head;

Heap *heap_begin(void *block, size_t size)
{
    Heap *heap = block;
    heap->next = (char *)block + (sizeof *heap + 63) / 64 * 64;
    heap->end = (char *)block + size;
    return heap;
}

size_t heap_extent(const Heap *heap)
{
    return (size_t)(heap->end - (const char *)heap);
}

static void lock(Heap *heap)
{
    while (atomic_flag_test_and_set_explicit(&heap->busy, memory_order_acquire))
        platform_relax();
}

static void unlock(Heap *heap)
{
    atomic_flag_clear_explicit(&heap->busy, memory_order_release);
}

void *heap_take(Heap *heap, size_t size)
{
    size_t power = LEAST;
    while (power < SIZES && ((size_t)1 << power) - sizeof(Head) < size)
        power++;
    if (power == SIZES)
        return NULL;
    lock(heap);
    Head *head = heap->given[power];
    if (head) {
        memcpy(&heap->given[power], head + 1, sizeof(void *));
    } else if ((size_t)(heap->end - heap->next) >= (size_t)1 << power) {
        head = (Head *)(void *)heap->next;
        heap->next += (size_t)1 << power;
    }
    unlock(heap);
    if (!head)
        return NULL;
    head->size = power;
    return head + 1;
}

/* Returns the size of a piece. */
static size_t heap_piece(void *piece)
{
    return ((size_t)1 << ((Head *)piece - 1)->size) - sizeof(Head);
}

void *heap_resize(Heap *heap, void *piece, size_t size)
{
    if (!piece)
        return heap_take(heap, size);
    const size_t room = heap_piece(piece);
    if (size <= room)
        return piece;
    void *const bigger = heap_take(heap, size);
    if (bigger) {
        memcpy(bigger, piece, room);
        heap_give(heap, piece);
    }
    return bigger;
}

void heap_give(Heap *heap, void *piece)
{
    if (!piece)
        return;
    Head *const head = (Head *)piece - 1;
    const size_t power = head->size, page = platform_page();
    if (power >= LARGE) {
        char *const from = (char *)(((uintptr_t)(head + 2) + page - 1) / page * page);
        platform_forget(from, (size_t)((char *)head + ((size_t)1 << power) - from) / page * page);
    }
    lock(heap);
    memcpy(piece, &heap->given[power], sizeof(void *));
    heap->given[power] = head;
    unlock(heap);
}
