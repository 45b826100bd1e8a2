/* Values of instances that are texts or binary data, as numbers. */
#include "fmi/instance.h"
#include "fmi/texts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 16 };

/* Refuses binary data that has more bytes than its FMU declares. */
static bool is_too_long(Instance *instance, const Reference *references, size_t count, const size_t *size, size_t values, bool setting)
{
    size_t which;
    const SizeLimit *const limit =
        instance->limits ? size_limits_exceeded(instance->limits, references, count, size, values, &which) : NULL;
    if (!limit)
        return false;
    char problem[240];
    if (setting)
        snprintf(problem, sizeof problem, "%zu bytes were to be set for '%s', which accepts at most %u (maxSize)", size[which], limit->name, limit->most);
    else
        snprintf(problem, sizeof problem, "it returned %zu bytes for '%s', and declares at most %u (maxSize)", size[which], limit->name, limit->most);
    instance_says(instance, problem);
    return true;
}

static Status put(Instance *instance, int type, const Reference *references, size_t count, const double *numbers, size_t values,
                  const unsigned char **byte, size_t *size)
{
    const Library *l = instance->library;
    for (size_t i = 0; i < values; i++) {
        byte[i] = text_bytes(numbers[i], &size[i]);
        if (!byte[i]) {
            instance_says(instance, "it was to get a text that does not exist");
            return ERROR;
        }
    }
    if (type == BINARY) {
        if (is_too_long(instance, references, count, size, values, true))
            return ERROR;
        ENTERS(0, CALL_NUMBER(Fmi3, set_binary));
        return heard(instance, l->fmi3.set_binary(instance->component, references, count, size, byte, values));
    }
    const char *const *const texts = (const char *const *)(const void *)byte;
    ENTERS_BOTH(set_string);
    return heard(instance, l->version == 3 ? l->fmi3.set_string(instance->component, references, count, texts, values)
                                           : l->fmi2.set_string(instance->component, references, count, texts));
}

static Status take(Instance *instance, int type, const Reference *references, size_t count, double *numbers, size_t values,
                   const unsigned char **byte, size_t *size)
{
    const Library *l = instance->library;
    Status status;
    for (size_t i = 0; i < values; i++)
        byte[i] = NULL, size[i] = 0;
    if (type == BINARY) {
        ENTERS(0, CALL_NUMBER(Fmi3, get_binary));
        status = heard(instance, l->fmi3.get_binary(instance->component, references, count, size, byte, values));
    } else {
        const char **const texts = (const char **)(void *)byte;
        ENTERS_BOTH(get_string);
        status = heard(instance, l->version == 3 ? l->fmi3.get_string(instance->component, references, count, texts, values)
                                                 : l->fmi2.get_string(instance->component, references, count, texts));
    }
    if (type == BINARY && status <= WARNING && is_too_long(instance, references, count, size, values, false))
        return ERROR;
    for (size_t i = 0; i < values && status <= WARNING; i++) {
        const size_t length = type == BINARY ? size[i] : byte[i] ? strlen((const char *)byte[i]) : 0;
        char problem[120];
        if (length > TEXT_LIMIT)
            snprintf(problem, sizeof problem, "it returned a %s of %zu bytes, and %d MiB is the most that is passed on",
                     type == BINARY ? "binary" : "text", length, TEXT_LIMIT >> 20);
        else if (length && !byte[i])
            snprintf(problem, sizeof problem, "it returned a binary of %zu bytes without an address", length);
        else if (isnan(numbers[i] = text_number(byte[i], length, numbers[i])))
            snprintf(problem, sizeof problem, "its texts take more memory than the %d MiB that all texts may take: record fewer texts, or less often", ALL_TEXTS >> 20);
        else
            continue;
        instance_says(instance, problem);
        return ERROR;
    }
    return status;
}

Status texts_access(Instance *instance, int type, const Reference *references, size_t count, double *numbers, size_t values, bool setting)
{
    const Library *l = instance->library;
    instance->called = true;
    const bool has = type == BINARY ? l->version == 3 && (setting ? (bool)l->fmi3.set_binary : (bool)l->fmi3.get_binary)
                     : l->version == 3 ? (setting ? (bool)l->fmi3.set_string : (bool)l->fmi3.get_string)
                                       : (setting ? (bool)l->fmi2.set_string : (bool)l->fmi2.get_string);
    if (!has) {
        instance_says(instance, "its binary lacks the function for variables of this type");
        return ERROR;
    }
    const unsigned char *few[FEW], **byte = few;
    size_t few_sizes[FEW], *size = few_sizes;
    if (values > FEW) {
        byte = malloc(values * sizeof *byte);
        size = malloc(values * sizeof *size);
    }
    Status status = ERROR;
    if (byte && size)
        status = setting ? put(instance, type, references, count, numbers, values, byte, size)
                         : take(instance, type, references, count, numbers, values, byte, size);
    else
        instance_says(instance, "memory ran out");
    if (values > FEW) {
        free(byte);
        free(size);
    }
    return status;
}
