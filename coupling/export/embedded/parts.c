/* The components in the place of FMUs: what the kernel asks of instances. There is nothing that these log, and no view of them. */
#include "system_internal.h"

static Status get(Component part, const Reference *reference, size_t count, void *values, size_t value_count)
{
    (void)value_count;
    member_get(part, reference, count, values);
    const double *const got = values;
    double finite = 0;
    for (size_t i = 0; i < count; i++)
        finite += got[i] - got[i];
    return finite == 0 ? OK : DISCARD;
}

static Status set(Component part, const Reference *reference, size_t count, const void *values, size_t value_count)
{
    (void)value_count;
    member_set(part, reference, count, values);
    return OK;
}

static Status set_states(Component part, const double *x, size_t count)
{
    (void)count;
    member_place(part, x);
    return OK;
}

/* Time stands in the components already. */
static Status set_time(Component part, double time)
{
    (void)part, (void)time;
    return OK;
}

const Library library_of_parts = {
    .standard = 3,
    .version = 3,
    .fmi3 = {.get[FLOAT64] = get, .set[FLOAT64] = set, .set_states = set_states, .set_time = set_time},
};

Status instance_heard(Instance *instance, Status status)
{
    (void)instance;
    return status;
}

Status views_access(Instance *instance, Type type, const Reference *references, size_t count, double *values, bool setting)
{
    return setting ? instance_set(instance, type, references, count, values) : instance_get(instance, type, references, count, values);
}

Status instance_set(Instance *instance, Type type, const Reference *references, size_t count, const double *values)
{
    (void)type; /* all values are kept as they are */
    return set(instance->component, references, count, values, count);
}

Status instance_get(Instance *instance, Type type, const Reference *references, size_t count, double *values)
{
    (void)type;
    return get(instance->component, references, count, values, count);
}

Status instance_get_states(Instance *instance, double *x, size_t count)
{
    (void)count;
    member_states(instance->component, x);
    return OK;
}

Status instance_move_states(Instance *instance, const double *x, size_t count)
{
    return set_states(instance->component, x, count);
}

Status instance_directional(Instance *instance, const Reference *unknowns, size_t unknown_count, const Reference *knowns, size_t known_count,
                            const double *seed, double *result)
{
    return member_directional(instance->component, unknowns, unknown_count, knowns, known_count, seed, result) ? OK : FATAL;
}

Status instance_adjoint(Instance *instance, const Reference *unknowns, size_t unknown_count, const Reference *knowns, size_t known_count,
                        const double *seed, double *result)
{
    return member_adjoint(instance->component, unknowns, unknown_count, knowns, known_count, seed, result) ? OK : FATAL;
}
