#include "instance.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 256 };

/* Two places where a request can be. */
static unsigned place(Purpose purpose, const Reference *references, size_t count, Reference known)
{
    return (references[0] * 5u + references[count - 1] * 3u + (unsigned)count * 7u + known * 13u + (unsigned)purpose) % REQUESTS;
}

const Request *request_find(const Instance *instance, Purpose purpose, const Reference *references, size_t count, Reference known)
{
    if (count == 0)
        return NULL;
    const unsigned first = place(purpose, references, count, known);
    for (unsigned i = 0; i < 2; i++) {
        const Request *request = instance->request[first ^ i];
        if (request && request->purpose == purpose && request->count == count && request->known == known &&
            memcmp(request->references, references, count * sizeof *references) == 0)
            return request;
    }
    return NULL;
}

/* The entry of an unknown with respect to a known; knowns ascend in each row. */
static unsigned entry_of(Reference unknown, Reference known)
{
    for (unsigned e = model.row[unknown]; e < model.row[unknown + 1]; e++)
        if (model.entry[e].known == known)
            return e;
    return NO_ENTRY;
}

void request_note(Instance *instance, Purpose purpose, const Reference *references, size_t count, Reference known)
{
    if (count == 0 || count > LONGEST)
        return;
    const unsigned first = place(purpose, references, count, known);
    const unsigned at = instance->request[first] ? first ^ 1 : first;
    Request *request = instance->request[at] ? NULL : malloc(sizeof *request + 2 * count * sizeof(unsigned));
    if (!request)
        return; /* whoever came first stays: requests that drive each other out would cost more than they save */
    *request = (Request){.purpose = purpose, .count = (unsigned)count, .known = known};
    request->detail = request->references + count;
    memcpy(request->references, references, count * sizeof *references);
    for (size_t i = 0; i < count; i++) {
        const Variable *variable = &model.variable[references[i]];
        unsigned stages = 0;
        if (purpose == DIFFERENTIATING) {
            request->detail[i] = entry_of(references[i], known);
            stages = request->detail[i] == NO_ENTRY ? 0 : model.entry[request->detail[i]].stage + 1u;
        } else {
            request->detail[i] = variable->stage;
            stages = CALCULATED >> variable->role & 1 ? variable->stage + 1u : 0;
        }
        request->stages = stages > request->stages ? stages : request->stages;
    }
    instance->request[at] = request;
}

void requests_forget(Instance *instance)
{
    for (unsigned i = 0; i < REQUESTS; i++) {
        free(instance->request[i]);
        instance->request[i] = NULL;
    }
}
