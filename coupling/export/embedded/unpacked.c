/* The rows of the schedule, which the library holds as bytes: each number as how far it is from the one above it in its column, seven bits a
 * byte, the last of which are below 128; what lies below is odd. */
#include "system_internal.h"

#include "schedule.h"

#include <stdlib.h>

typedef struct {
    const unsigned char *from;
    unsigned *to;
} Unpacking;

static unsigned difference(Unpacking *u)
{
    unsigned found = 0;
    for (int shift = 0;; shift += 7) {
        const unsigned char byte = *u->from++;
        found |= (byte & 127u) << shift;
        if (byte < 128)
            return found & 1 ? ~(found >> 1) : found >> 1;
    }
}

static const void *table(Unpacking *u, int rows, size_t size)
{
    const size_t columns = size / sizeof(int), count = (size_t)rows * columns;
    unsigned *const begin = u->to;
    for (size_t i = 0; i < count; i++)
        begin[i] = difference(u) + (i < columns ? 0 : begin[i - columns]);
    u->to += count;
    return begin;
}

/* Equal ones are there once, and the bytes say which. */
static void real_numbers(Unpacking *u, double *to)
{
    unsigned which = 0;
    for (int i = 0; i < schedule.reals; i++)
        to[i] = schedule.rows.real[which += difference(u)];
}

bool unpack(System *s)
{
    Rows *r = &s->schedule;
    *r = schedule.rows;
    double *const reals = malloc(((size_t)schedule.reals + 1) * sizeof *reals + (size_t)schedule.packed_numbers * sizeof(int));
    if (!reals)
        return false;
    s->unpacked = reals;
    Unpacking u = {schedule.packed, (unsigned *)(reals + schedule.reals + 1)};
    real_numbers(&u, reals);
    r->real = reals;
    r->part = table(&u, r->parts, sizeof *r->part);
    r->drive = table(&u, r->drives, sizeof *r->drive);
    r->loop = table(&u, r->loops, sizeof *r->loop);
    r->operation = table(&u, r->operations, sizeof *r->operation);
    r->derivative = table(&u, r->derivatives, sizeof *r->derivative);
    r->constraint = table(&u, r->constraints, sizeof *r->constraint);
    r->motion = table(&u, r->motions, sizeof *r->motion);
    r->turn = table(&u, r->turns, sizeof *r->turn);
    r->switched = table(&u, r->switcheds, sizeof *r->switched);
    r->bordered = table(&u, r->bordereds, sizeof *r->bordered);
    r->level = table(&u, r->levels, sizeof *r->level);
    r->number = table(&u, schedule.numbers, sizeof *r->number);
    s->slot_variable = table(&u, r->slots, sizeof *s->slot_variable);
    return true;
}
