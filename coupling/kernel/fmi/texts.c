#include "fmi/texts.h"
#include "fmi/instance.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- the table ------------------------------------------------------------------------------------------------------------- */

typedef struct Text {
    struct Text *next;
    double number;
    size_t size;
    unsigned char byte[];
} Text;

enum { BUCKETS = 1 << 17, BITS = 52 }; /* few texts in each, also where one changes in each of a million steps */
static const size_t MOST = (size_t)1 << 30; /* bytes of all texts */
static const double EXACT = 9007199254740992.0; /* 2^53 */

static _Atomic(Text *) bucket[BUCKETS]; /* texts are added at the front and never moved, so that runs of several threads read without a lock */
static atomic_size_t used;

static uint64_t digest_of(const unsigned char *bytes, size_t size)
{
    uint64_t found = size, word;
    for (; size; bytes += sizeof word < size ? sizeof word : size, size -= sizeof word < size ? sizeof word : size) {
        word = 0;
        memcpy(&word, bytes, size < sizeof word ? size : sizeof word);
        found = (found ^ word) * 0x9E3779B97F4A7C15u;
        found ^= found >> 32;
    }
    return found;
}

static _Atomic(Text *) *bucket_of(double number)
{
    return &bucket[(uint64_t)number % BUCKETS];
}

static const Text *find(double number)
{
    if (!(number > 0 && number < (double)((uint64_t)1 << BITS)))
        return NULL;
    const Text *text = atomic_load_explicit(bucket_of(number), memory_order_acquire);
    while (text && text->number != number)
        text = text->next;
    return text;
}

static bool is_same(const Text *text, const void *bytes, size_t size)
{
    return text->size == size && !memcmp(text->byte, bytes, size);
}

static double add(double number, const void *bytes, size_t size)
{
    const size_t all = sizeof(Text) + size + 1;
    Text *const text = atomic_fetch_add(&used, all) + all <= MOST ? malloc(all) : NULL;
    if (!text) {
        atomic_fetch_sub(&used, all);
        return NAN;
    }
    text->number = number;
    text->size = size;
    memcpy(text->byte, bytes, size);
    text->byte[size] = 0;
    _Atomic(Text *) *const place = bucket_of(number);
    text->next = atomic_load_explicit(place, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(place, &text->next, text)) /* the same text twice does no harm */
        ;
    return number;
}

double text_number(const void *bytes, size_t size, double likely)
{
    if (!size)
        return 0;
    const Text *known = find(likely);
    if (known && is_same(known, bytes, size))
        return likely;
    uint64_t number = digest_of(bytes, size) >> (64 - BITS);
    for (;; number++) { /* two texts with one digest have neighbouring numbers */
        number = number % ((uint64_t)1 << BITS) + !(number % ((uint64_t)1 << BITS));
        known = find((double)number);
        if (!known)
            return add((double)number, bytes, size);
        if (is_same(known, bytes, size))
            return known->number;
    }
}

const unsigned char *text_bytes(double number, size_t *size)
{
    const Text *const text = find(number);
    *size = text ? text->size : 0;
    return text ? text->byte : number == 0 ? (const unsigned char *)"" : NULL;
}

long text_copy(double number, unsigned char *bytes, size_t room)
{
    size_t size;
    const unsigned char *const from = text_bytes(number, &size);
    if (from && bytes)
        memcpy(bytes, from, size < room ? size : room);
    return from ? (long)size : -1;
}

long texts_copy(unsigned char *bytes, size_t room)
{
    size_t all = 0;
    for (int i = 0; i < BUCKETS; i++)
        for (const Text *text = atomic_load_explicit(&bucket[i], memory_order_acquire); text; text = text->next) {
            const uint64_t size = text->size;
            if (all + sizeof size + size <= room) {
                memcpy(bytes + all, &size, sizeof size);
                memcpy(bytes + all + sizeof size, text->byte, size);
            }
            all += sizeof size + size;
        }
    return (long)all;
}

void texts_forget(void)
{
    for (int i = 0; i < BUCKETS && atomic_load(&used); i++) {
        Text *text = atomic_exchange(&bucket[i], NULL);
        while (text) {
            Text *const next = text->next;
            free(text);
            text = next;
        }
    }
    atomic_store(&used, 0);
}

/* -- whole numbers beyond 2^53 ----------------------------------------------------------------------------------------------- */

static double large_number(const char *digits)
{
    return EXACT + 2 + 2 * text_number(digits, strlen(digits), 0);
}

static const char *digits_of(double number)
{
    size_t size;
    const unsigned char *const found = number > EXACT ? text_bytes((number - EXACT) / 2 - 1, &size) : NULL;
    return (const char *)found;
}

double whole_number(int64_t value)
{
    if (value >= -((int64_t)1 << 53) && value <= (int64_t)1 << 53)
        return (double)value;
    char digits[32];
    snprintf(digits, sizeof digits, "%" PRId64, value);
    return large_number(digits);
}

double whole_unsigned(uint64_t value)
{
    if (value <= (uint64_t)1 << 53)
        return (double)value;
    char digits[32];
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    return large_number(digits);
}

int64_t number_whole(double number)
{
    const char *const digits = digits_of(number);
    return digits ? strtoll(digits, NULL, 10) : (int64_t)number;
}

uint64_t number_unsigned(double number)
{
    const char *const digits = digits_of(number);
    return digits ? strtoull(digits, NULL, 10) : (uint64_t)number;
}

/* -- values of instances ----------------------------------------------------------------------------------------------------- */

enum { FEW = 16 };

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
    for (size_t i = 0; i < values && status <= WARNING; i++) {
        const size_t length = type == BINARY ? size[i] : byte[i] ? strlen((const char *)byte[i]) : 0;
        char problem[120];
        if (length > TEXT_LIMIT)
            snprintf(problem, sizeof problem, "it returned a %s of %zu bytes, and %d MiB is the most that is passed on",
                     type == BINARY ? "binary" : "text", length, TEXT_LIMIT >> 20);
        else if (length && !byte[i])
            snprintf(problem, sizeof problem, "it returned a binary of %zu bytes without an address", length);
        else if (isnan(numbers[i] = text_number(byte[i], length, numbers[i])))
            snprintf(problem, sizeof problem, "its texts take more memory than the %zu MiB that all texts may take: record fewer texts, or less often", MOST >> 20);
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
