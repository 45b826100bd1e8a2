#include "fmi/size_limits.h"

#include <stdlib.h>
#include <string.h>

SizeLimits *size_limits_new(const SizeLimit *limit, int count)
{
    const size_t size = (size_t)count * sizeof *limit;
    SizeLimits *const made = malloc(sizeof *made + size);
    if (made) {
        made->count = count;
        memcpy(made->limit, limit, size);
    }
    return made;
}

static int by_reference(const void *wanted, const void *limit)
{
    const Reference a = *(const Reference *)wanted, b = ((const SizeLimit *)limit)->reference;
    return (a > b) - (a < b);
}

const SizeLimit *size_limits_exceeded(const SizeLimits *limits, const Reference *references, size_t count, const size_t *size, size_t values, size_t *which)
{
    for (*which = 0; *which < values; ++*which) {
        const Reference *const wanted = &references[count == values ? *which : 0];
        const SizeLimit *const found = bsearch(wanted, limits->limit, (size_t)limits->count, sizeof *found, by_reference);
        if (found && size[*which] > found->most)
            return found;
    }
    return NULL;
}
