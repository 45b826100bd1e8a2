#include "fmi/texts.h"

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
    Text *const text = atomic_fetch_add(&used, all) + all <= ALL_TEXTS ? malloc(all) : NULL;
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

double digits_number(double number)
{
    return number > EXACT ? (number - EXACT) / 2 - 1 : 0;
}

static const char *digits_of(double number)
{
    size_t size;
    const unsigned char *const found = number > EXACT ? text_bytes(digits_number(number), &size) : NULL;
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
