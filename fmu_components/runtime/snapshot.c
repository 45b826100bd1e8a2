#include "runtime.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct Snapshot {
    uint64_t mark; /* of this model and kind of instance, so that a foreign snapshot is recognised */
    uint64_t size;
    uint64_t sum; /* of the bytes after it; in serialised snapshots only */
    Progress progress;
    double values[];
};

enum { SUMMED = offsetof(Snapshot, progress) };

static uint64_t hash(const void *bytes, size_t size) /* FNV-1a */
{
    uint64_t result = 14695981039346656037u;
    for (const unsigned char *byte = bytes; size > 0; byte++, size--)
        result = (result ^ *byte) * 1099511628211u;
    return result;
}

static uint64_t mark(const Instance *instance)
{
    return hash(model.token, strlen(model.token)) + 2u * instance->co_simulation + instance->event_mode_used;
}

size_t snapshot_size(const Instance *instance)
{
    return sizeof(Snapshot) + instance->kept * sizeof(double);
}

static Status refuse(const Instance *instance, size_t size)
{
    return report(instance, ERROR, "%s: the %lu bytes are no saved state of %s", instance->name, (unsigned long)size, model.name);
}

static bool fits(const Instance *instance, const Snapshot *snapshot)
{
    return snapshot->mark == mark(instance) && snapshot->size == snapshot_size(instance);
}

/* Into the given snapshot, or a new one if none exists yet. */
Status snapshot_take(const Instance *instance, Snapshot **snapshot)
{
    if (*snapshot && !fits(instance, *snapshot))
        return refuse(instance, (*snapshot)->size);
    if (!*snapshot)
        *snapshot = calloc(1, snapshot_size(instance));
    if (!*snapshot)
        return report(instance, ERROR, "%s: memory for saving the state is exhausted", instance->name);
    (*snapshot)->mark = mark(instance);
    (*snapshot)->size = snapshot_size(instance);
    (*snapshot)->progress = instance->progress;
    memcpy((*snapshot)->values, instance->v, instance->kept * sizeof(double));
    return OK;
}

Status snapshot_apply(Instance *instance, const Snapshot *snapshot)
{
    if (!fits(instance, snapshot))
        return refuse(instance, snapshot->size);
    const double stop_time = instance->progress.stop_time; /* of the experiment, which may go on beyond the one that the state is from */
    instance->progress = snapshot->progress;
    instance->progress.stop_time = stop_time;
    memcpy(instance->v, snapshot->values, instance->kept * sizeof(double));
    instance->valid = instance->valid_jacobian = 0;
    if (model.composition)
        model.composition->restart(instance->own);
    return OK;
}

Status snapshot_write(const Instance *instance, const Snapshot *snapshot, char *bytes, size_t size)
{
    if (!fits(instance, snapshot) || size != snapshot->size)
        return refuse(instance, size);
    memcpy(bytes, snapshot, size);
    uint64_t sum = hash(bytes + SUMMED, size - SUMMED);
    memcpy(bytes + offsetof(Snapshot, sum), &sum, sizeof sum);
    return OK;
}

Status snapshot_read(const Instance *instance, const char *bytes, size_t size, Snapshot **snapshot)
{
    Snapshot head; /* the bytes need not be aligned */
    if (size != snapshot_size(instance))
        return refuse(instance, size);
    memcpy(&head, bytes, sizeof head);
    if (!fits(instance, &head) || head.sum != hash(bytes + SUMMED, size - SUMMED))
        return refuse(instance, size);
    Status status = snapshot_take(instance, snapshot);
    if (status == OK)
        memcpy(*snapshot, bytes, size);
    return status;
}
