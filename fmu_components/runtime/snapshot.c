#include "instance.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct Snapshot {
    uint64_t mark; /* of this model, so that a foreign snapshot is recognised */
    uint64_t size;
    Progress progress;
    double values[];
};

static uint64_t mark(void)
{
    uint64_t hash = 1469598103934665603u; /* FNV-1a */
    for (const char *letter = model.token; *letter; letter++)
        hash = (hash ^ (unsigned char)*letter) * 1099511628211u;
    return hash;
}

size_t snapshot_size(const Instance *instance)
{
    return sizeof(Snapshot) + instance->kept * sizeof(double);
}

/* Into the given snapshot, or a new one where there is none yet. */
Status snapshot_take(const Instance *instance, Snapshot **snapshot)
{
    if (!*snapshot)
        *snapshot = calloc(1, snapshot_size(instance));
    if (!*snapshot)
        return report(instance, ERROR, "%s: memory for saving the state is exhausted", instance->name);
    (*snapshot)->mark = mark();
    (*snapshot)->size = snapshot_size(instance);
    (*snapshot)->progress = instance->progress;
    memcpy((*snapshot)->values, instance->v, instance->kept * sizeof(double));
    return OK;
}

Status snapshot_check(const Instance *instance, const void *bytes, size_t size)
{
    uint64_t head[2];
    if (size == snapshot_size(instance)) {
        memcpy(head, bytes, sizeof head);
        if (head[0] == mark() && head[1] == size)
            return OK;
    }
    return report(instance, ERROR, "%s: the %lu bytes are no saved state of %s", instance->name, (unsigned long)size, model.name);
}

Status snapshot_apply(Instance *instance, const Snapshot *snapshot)
{
    Status status = snapshot_check(instance, snapshot, snapshot->size);
    if (status != OK)
        return status;
    instance->progress = snapshot->progress;
    memcpy(instance->v, snapshot->values, instance->kept * sizeof(double));
    instance->valid = instance->valid_jacobian = 0;
    return OK;
}
