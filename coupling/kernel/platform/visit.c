#include "platform/visit.h"

#include "platform/grown.h"

#include <stdint.h>
#include <string.h>

unsigned char *visit_room(Visit *v, size_t size)
{
    if (v->result != VISITED)
        return NULL;
    if (v->mode != COUNTING && size > v->size - v->at) {
        v->result = VISIT_MISFIT;
        return NULL;
    }
    v->at += size;
    return v->mode == COUNTING ? NULL : v->bytes + v->at - size;
}

static void copy(Visit *v, void *what, size_t size)
{
    unsigned char *const bytes = visit_room(v, size);
    if (bytes && size)
        memcpy(v->mode == SAVING ? bytes : what, v->mode == SAVING ? what : bytes, size);
}

void visit(Visit *v, void *what, size_t size)
{
    uint64_t told = size;
    copy(v, &told, sizeof told);
    if (told != size && v->result == VISITED)
        v->result = VISIT_MISFIT;
    copy(v, what, size);
}

void visit_same(Visit *v, long number)
{
    long told = number;
    VISIT(v, told);
    if (told != number && v->result == VISITED)
        v->result = VISIT_MISFIT;
}

void visit_doubles(Visit *v, double *numbers, int count)
{
    visit(v, numbers, (size_t)count * sizeof *numbers);
}

void *visit_array(Visit *v, void *array, size_t *room, size_t count, size_t size)
{
    if (v->mode == LOADING && v->result == VISITED) {
        if (count > (v->size - v->at) / size) {
            v->result = VISIT_MISFIT;
            return array;
        }
        array = grown(array, room, count, size);
        if (*room < count)
            v->result = VISIT_NO_MEMORY;
    }
    visit(v, array, count * size);
    return array;
}

bool visit_check(Visit *v, bool holds)
{
    if (v->mode == LOADING && v->result == VISITED && !holds)
        v->result = VISIT_MISFIT;
    return v->result == VISITED;
}

bool visit_within(Visit *v, const int *numbers, size_t count, int low, int high)
{
    bool holds = true;
    for (size_t i = 0; i < count && v->mode == LOADING; i++)
        holds = holds && numbers[i] >= low && numbers[i] <= high;
    return visit_check(v, holds);
}

bool visit_truths(Visit *v, const void *truths, size_t count)
{
    const unsigned char *byte = truths; /* a bool that is neither has no value */
    bool holds = true;
    for (size_t i = 0; i < count && v->mode == LOADING; i++)
        holds = holds && byte[i] <= 1;
    return visit_check(v, holds);
}

bool visit_equal(Visit *v, const void *what, size_t size)
{
    uint64_t told = size;
    copy(v, &told, sizeof told);
    visit_check(v, told == size);
    unsigned char *const bytes = visit_room(v, size);
    if (bytes && size && v->mode == SAVING)
        memcpy(bytes, what, size);
    return visit_check(v, !bytes || !size || !memcmp(bytes, what, size));
}
