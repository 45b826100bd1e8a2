#include "platform/entries.h"

#include <stdlib.h>
#include <string.h>

#ifndef ARENA_PIECE /* tests take small ones, so that many allocations may fail */
#define ARENA_PIECE 16384
#endif

typedef struct Piece {
    struct Piece *before;
    size_t used, size;
    max_align_t content[];
} Piece;

void *arena_take(Arena *memory, size_t count, size_t size)
{
    const size_t align = sizeof(max_align_t), bytes = (count * size + align - 1) / align * align + align;
    if (memory->lacking)
        return NULL;
    if (!memory->last || memory->last->size - memory->last->used < bytes) {
        const size_t room = bytes > ARENA_PIECE ? bytes : ARENA_PIECE;
        Piece *piece = calloc(1, sizeof *piece + room);
        if (!piece) {
            memory->lacking = true;
            return NULL;
        }
        piece->before = memory->last;
        piece->size = room;
        memory->last = piece;
    }
    void *result = (char *)memory->last->content + memory->last->used;
    memory->last->used += bytes;
    return result;
}

void arena_give_back(Arena *memory)
{
    for (Piece *piece = memory->last, *before; piece; piece = before) {
        before = piece->before;
        free(piece);
    }
    memory->last = NULL;
}

bool entries_append(Arena *memory, Entries *entries, int at, double value)
{
    if (entries->count == entries->room) {
        const int room = 2 * entries->room + 4;
        int *places = arena_take(memory, (size_t)room, sizeof *places);
        double *values = arena_take(memory, (size_t)room, sizeof *values);
        if (!places || !values)
            return false;
        if (entries->count) {
            memcpy(places, entries->at, (size_t)entries->count * sizeof *places);
            memcpy(values, entries->value, (size_t)entries->count * sizeof *values);
        }
        entries->at = places;
        entries->value = values;
        entries->room = room;
    }
    entries->at[entries->count] = at;
    entries->value[entries->count++] = value;
    return true;
}

double entries_product(const Entries *entries, const double *dense)
{
    double sum = 0;
    for (int e = 0; e < entries->count; e++)
        sum += entries->value[e] * dense[entries->at[e]];
    return sum;
}

void entries_add(const Entries *entries, double factor, double *dense)
{
    for (int e = 0; e < entries->count; e++)
        dense[entries->at[e]] += factor * entries->value[e];
}
