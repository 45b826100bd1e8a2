#include "runtime.h"

#include <stdlib.h>
#include <string.h>

/* An instance of a mechanism is asked for some 20 lists; half of the places stay free, and few lists meet each other. */
enum { PLACES = 64, TRIES = 8, ROOM = 6144 };

/* All in one block, in the order in which they came. */
struct Requests {
    unsigned short place[PLACES]; /* where in the memory, plus 1 */
    unsigned used;
    _Alignas(Request) unsigned char memory[ROOM];
};

static unsigned first_slot(Purpose purpose, const Reference *references, size_t count, Reference known)
{
    return (references[0] * 5u + references[count - 1] * 3u + (unsigned)count * 7u + known * 29u + (unsigned)purpose * 17u) % PLACES;
}

const Request *request_find(const Instance *instance, Purpose purpose, const Reference *references, size_t count, Reference known)
{
    const Requests *all = instance->requests;
    if (!all || count == 0)
        return NULL;
    const unsigned first = first_slot(purpose, references, count, known);
    for (unsigned i = 0; i < TRIES; i++) {
        const unsigned at = all->place[(first + i) % PLACES];
        if (!at)
            return NULL;
        const Request *request = (const Request *)(all->memory + at - 1);
        if (request->purpose == purpose && request->count == count && request->known == known &&
            memcmp(request->numbers, references, count * sizeof *references) == 0)
            return request;
    }
    return NULL;
}

/* The entry of an unknown with respect to a known. */
static unsigned entry_of(const Model *of, Reference unknown, Reference known)
{
    for (unsigned e = of->row[unknown]; e < of->row[unknown + 1]; e++)
        if (of->entry[e].known == known)
            return e;
    return NO_ENTRY;
}

/* Stores a request if its slot is free. The first request stays: replacing requests by each other would cost more than it saves. */
void request_note(Instance *instance, Purpose purpose, const Reference *references, size_t count, Reference known)
{
    if (count == 0 || count > ROOM / sizeof(unsigned))
        return;
    if (!instance->requests && !(instance->requests = calloc(1, sizeof *instance->requests)))
        return;
    Requests *all = instance->requests;
    const size_t size = sizeof(Request) + 2 * count * sizeof(unsigned);
    const unsigned first = first_slot(purpose, references, count, known);
    unsigned tries = 0;
    while (tries < TRIES && all->place[(first + tries) % PLACES])
        tries++;
    if (tries == TRIES || all->used + size > ROOM)
        return;
    Request *request = (Request *)(all->memory + all->used);
    *request = (Request){.purpose = purpose, .count = (unsigned)count, .known = known};
    unsigned *const detail = request->numbers + count;
    memcpy(request->numbers, references, count * sizeof *references);
    for (size_t i = 0; i < count; i++) {
        const Variable *variable = &model.variable[references[i]];
        unsigned stages = stages_behind(&model, variable);
        detail[i] = variable->stage;
        if (purpose == DIFFERENTIATING) {
            detail[i] = entry_of(&model, references[i], known);
            stages = detail[i] == NO_ENTRY ? 0 : model.entry[detail[i]].stage + 1u;
        }
        request->stages = stages > request->stages ? stages : request->stages;
    }
    all->place[(first + tries) % PLACES] = (unsigned short)(all->used + 1);
    all->used += (unsigned)size;
}
