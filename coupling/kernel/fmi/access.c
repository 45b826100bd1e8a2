#include "fmi/instance.h"
#include "fmi/texts.h"

#define COMPONENT instance->component

enum { BUFFER = 16 };

/* Values of the other types, a few at a time through a buffer of that type. */
#define CONVERTED(type, name, c)                                                                                             \
    case type: {                                                                                                             \
        c buffer[BUFFER];                                                                                                    \
        for (size_t done = 0; done < count; done += BUFFER) {                                                                \
            const size_t part = count - done < BUFFER ? count - done : BUFFER;                                               \
            for (size_t i = 0; i < part && setting; i++)                                                                     \
                buffer[i] = OF_DOUBLE(c, values[done + i]);                                                                             \
            if (setting)                                                                                                     \
                ENTERS_BOTH(set[type]);                                                                                      \
            else                                                                                                             \
                ENTERS_BOTH(get[type]);                                                                                      \
            Status status = heard(instance, setting ? SETTER(type, references + done, part) : GETTER(type, references + done, part)); \
            if (status > WARNING)                                                                                            \
                return status;                                                                                               \
            for (size_t i = 0; i < part && !setting; i++)                                                                    \
                values[done + i] = TO_DOUBLE(buffer[i]);                                                                        \
        }                                                                                                                    \
        return OK;                                                                                                           \
    }

static Status access_2(Instance *instance, Type type, const Reference *references, size_t count, double *values, bool setting)
{
    const Fmi2 *f = &instance->library->fmi2;
#define SETTER(type, references, part) f->set[type](COMPONENT, references, part, buffer)
#define GETTER(type, references, part) f->get[type](COMPONENT, references, part, buffer)
    switch (type) {
        FMI2_TYPES(CONVERTED)
    default:
        instance_says(instance, instance->library->fmi1 ? "FMI 1 has no such type" : "FMI 2 has no such type");
        return ERROR;
    }
#undef SETTER
#undef GETTER
}

static Status access_3(Instance *instance, Type type, const Reference *references, size_t count, double *values, bool setting)
{
    const Fmi3 *f = &instance->library->fmi3;
#define SETTER(type, references, part) f->set[type](COMPONENT, references, part, buffer, part)
#define GETTER(type, references, part) f->get[type](COMPONENT, references, part, buffer, part)
    switch (type) {
        FMI3_TYPES(CONVERTED)
    default:
        instance_says(instance, "FMI 3 has no such type");
        return ERROR;
    }
#undef SETTER
#undef GETTER
}

Status instance_access(Instance *instance, Type type, const Reference *references, size_t count, double *values, bool setting)
{
    const Library *l = instance->library;
    if (type >= TYPES)
        return texts_access(instance, type, references, count, values, count, setting);
    instance->called = true;
    const bool missing = l->version == 3 ? !(setting ? (bool)l->fmi3.set[type] : (bool)l->fmi3.get[type])
                                         : !(setting ? (bool)l->fmi2.set[type] : (bool)l->fmi2.get[type]);
    if (missing) {
        instance_says(instance, "its binary lacks the function for variables of this type");
        return ERROR;
    }
    return (l->version == 3 ? access_3 : access_2)(instance, type, references, count, values, setting);
}
