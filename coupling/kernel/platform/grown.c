#include "platform/grown.h"

#include <stdlib.h>

/* The array, in a new place where it had no room for so many; without memory it stays as it is. */
void *grown(void *array, size_t *room, size_t needed, size_t size)
{
    void *larger = needed > *room ? realloc(array, 2 * needed * size) : NULL;
    if (!larger)
        return array;
    *room = 2 * needed;
    return larger;
}
