/* Derivatives of an FMU in a host: those that are known to come next are asked for together, and each call finds its answer. */
#include "hosts/proxy.h"

#include <stdlib.h>

enum { MOST_TOGETHER = 64 };

static size_t bytes_of_derivatives(size_t n, size_t m)
{
    return whole_eights((n + m) * sizeof(Reference)) + (n + m) * sizeof(double);
}

/* Null where there is no room. */
static Record *put_derivatives(Remote *r, int call, const Reference *rows, size_t n, const Reference *columns, size_t m, const double *seed,
                               size_t seeds)
{
    Record *const c = proxy_begin(r, call, bytes_of_derivatives(n, m));
    if (!c)
        return NULL;
    c->count[0] = n;
    c->count[1] = m;
    proxy_put(proxy_arrays(c), rows, n * sizeof *rows);
    proxy_put(proxy_arrays(c) + n * sizeof *rows, columns, m * sizeof *rows);
    proxy_put(proxy_arrays(c) + whole_eights((n + m) * sizeof *rows), seed, seeds * sizeof *seed);
    return c;
}

static bool is_same(const Record *c, int call, const Reference *rows, size_t n, const Reference *columns, size_t m, const double *seed, size_t seeds)
{
    const unsigned char *const arrays = (const unsigned char *)(c + 1);
    return c->call == call && c->count[0] == n && c->count[1] == m && !memcmp(arrays, rows, n * sizeof *rows) &&
           !memcmp(arrays + n * sizeof *rows, columns, m * sizeof *rows) &&
           !memcmp(arrays + whole_eights((n + m) * sizeof *rows), seed, seeds * sizeof *seed);
}

/* Gets derivatives by rows and columns. The caller says which of them has the seeds. */
Status proxy_derivatives(Remote *r, int call, const Reference *rows, size_t n, const Reference *columns, size_t m, const double *seed,
                          size_t seeds, double *result, size_t results)
{
    const size_t first = whole_eights((n + m) * sizeof *rows), size = sizeof(Record) + bytes_of_derivatives(n, m);
    Answers *const known = &r->answers;
    const Record *const answer = (const Record *)(const void *)(known->records + known->next);
    if (known->next + size <= known->end && is_same(answer, call, rows, n, columns, m, seed, seeds)) {
        memcpy(result, (const unsigned char *)(answer + 1) + first + seeds * sizeof *seed, results * sizeof *result);
        known->next += size;
        if (known->next < known->end)
            return OK;
        r->instance->called = !known->said;
        return known->status;
    }
    Record *const c = put_derivatives(r, call, rows, n, columns, m, seed, seeds);
    if (!c)
        return FATAL;
    proxy_put(proxy_arrays(c) + first + seeds * sizeof *seed, result, results * sizeof *result);
    const Status status = proxy_ask(r);
    proxy_put((unsigned char *)result, proxy_arrays(c) + first + seeds * sizeof *seed, results * sizeof *result);
    return status;
}

/* Sends calls together, or each call by itself if that is impossible. */
void proxy_together(Remote *r, int call, const Directional *asked, size_t count)
{
    Guard *g = r->guard;
    Channel *const c = host_channel(g->host);
    const uint64_t before = g->records;
    const size_t place = g->used;
    size_t end[MOST_TOGETHER], size = 0;
    for (size_t i = 0; i < count && i < MOST_TOGETHER; i++)
        end[i] = size += sizeof(Record) + bytes_of_derivatives(asked[i].unknowns, asked[i].knowns);
    if (count > MOST_TOGETHER || g->answering || host_death(g->host)->kind || place + size > host_room(g->host))
        return;
    if (r->answers.room < size) {
        unsigned char *const more = realloc(r->answers.records, size);
        if (!more)
            return;
        r->answers.records = more;
        r->answers.room = size;
    }
    for (const Directional *d = asked; d < asked + count; d++) {
        Record *const record = put_derivatives(r, call, d->unknown, d->unknowns, d->known, d->knowns, d->seed, d->knowns);
        if (!record) {
            proxy_discard(g);
            return;
        }
        const size_t bytes = bytes_of_derivatives(d->unknowns, d->knowns), results = d->unknowns * sizeof(double);
        memset(proxy_arrays(record) + bytes - results, 0, results); /* by its own count: the host may have changed that of the record */
    }
    g->together = count;
    r->instance->called = true;
    const Status status = proxy_send(r);
    if (host_death(g->host)->kind)
        return;
    uint64_t done;
    channel_copy(&done, c->call.word, sizeof done);
    size_t answered = count;
    if ((unsigned)status > WARNING)
        answered = done < before ? 1 : done - before < count ? (size_t)(done - before) + 1 : count;
    memcpy(r->answers.records, c->data + place, size);
    r->answers.next = 0;
    r->answers.end = end[answered - 1];
    r->answers.status = status;
    r->answers.said = !r->instance->called;
}
