/* Texts and binary data of an FMU in a host. A call has its references, the size of each value, and then the bytes of all values. */
#include "hosts/proxy.h"

#include <stdlib.h>

enum { USUAL = 1 << 12 }; /* bytes of values for which a call has room at first */

static Record *begin(Remote *r, int call, const Reference *references, size_t count, size_t values, size_t bytes)
{
    Record *const c = proxy_begin(r, call, guard_texts(count, values) + bytes);
    if (!c)
        return NULL;
    c->count[0] = count;
    c->count[1] = values;
    proxy_put(proxy_arrays(c), references, count * sizeof *references);
    return c;
}

Status proxy_set_texts(Remote *r, int call, const Reference *references, size_t count, const size_t *size, const void *const *byte, size_t values)
{
    size_t all = 0;
    for (size_t i = 0; i < values; i++)
        all += size ? size[i] : strlen(byte[i]) + 1;
    Record *const c = begin(r, call, references, count, values, all);
    if (!c)
        return FATAL;
    unsigned char *at = proxy_arrays(c) + guard_texts(count, values);
    uint64_t *const sizes = (uint64_t *)(void *)at - values;
    for (size_t i = 0; i < values; at += sizes[i++]) {
        sizes[i] = size ? size[i] : strlen(byte[i]) + 1;
        proxy_put(at, byte[i], sizes[i]);
    }
    return proxy_perhaps_later(r);
}

/* Copies the values out of an answer, which is checked as if it were hostile; a zero follows each. */
static bool copy(Remote *r, const Record *c, size_t count, size_t values, size_t room, size_t *size, const void **byte)
{
    const unsigned char *from = (const unsigned char *)(c + 1) + guard_texts(count, values);
    free(r->texts);
    unsigned char *to = r->texts = malloc(room + values + 1);
    for (size_t i = 0; i < values && to; i++) {
        uint64_t given;
        memcpy(&given, (const unsigned char *)(c + 1) + guard_texts(count, values) - (values - i) * sizeof given, sizeof given);
        if (given > room)
            return false;
        proxy_put(to, from, given);
        to[given] = 0;
        byte[i] = to;
        if (size)
            size[i] = given;
        from += given, to += given + 1, room -= given;
    }
    return to != NULL;
}

Status proxy_get_texts(Remote *r, int call, const Reference *references, size_t count, size_t *size, const void **byte, size_t values)
{
    for (size_t room = USUAL, asked = 0;; room = asked) {
        Record *const c = begin(r, call, references, count, values, room);
        if (!c)
            return FATAL;
        const Status status = proxy_ask(r);
        if (status > WARNING)
            return status;
        if (asked || c->count[1] <= room) {
            if (copy(r, c, count, values, room, size, byte))
                return status;
            instance_says(r->instance, "its process returned texts of wrong lengths");
            return ERROR;
        }
        asked = c->count[1];
        if (asked > host_room(r->guard->host)) {
            instance_says(r->instance, "its texts are larger than the memory that it shares with its process");
            return ERROR;
        }
    }
}
