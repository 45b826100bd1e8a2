#include "platform/lanes.h"

#include <math.h>

#pragma GCC diagnostic ignored "-Wpsabi" /* nothing of this is passed to other files */

enum { FOUR = 4, EIGHT = 8, LONG = 16 };

typedef double Doubles __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long Masks __attribute__((vector_size(32), aligned(8), may_alias)); /* of all bits where something holds */

#define INLINE static inline __attribute__((always_inline))

/* Fours of states from i on. */
INLINE void combine_fours(const int fours, const Term *term, const Term *end, size_t i, const double *from, double h, double *to)
{
    Doubles sum[LONG / FOUR] = {0};
    for (; term < end; term++) {
        const Doubles *const row = (const Doubles *)(term->row + i);
#pragma GCC unroll 4
        for (int j = 0; j < fours; j++)
            sum[j] += term->weight * row[j];
    }
#pragma GCC unroll 4
    for (int j = 0; j < fours; j++)
        *((Doubles *)(to + i) + j) = (from ? *((const Doubles *)(from + i) + j) : (Doubles){0}) + h * sum[j];
}

INLINE void combine(const Sum *s, size_t width, const double *from, double h, double *to)
{
    const Term *const term = s->term, *const end = term + s->terms;
    size_t i = 0;
    for (; i + LONG <= width; i += LONG)
        combine_fours(LONG / FOUR, term, end, i, from, h, to);
    if (i < width)
        combine_fours(EIGHT / FOUR, term, end, i, from, h, to);
}

/* The first of the greatest, or of what is no number. */
static void find_worst(const Scaled *s, size_t width, int *worst)
{
    double greatest = -1;
    for (size_t i = 0; i < width && !isnan(greatest); i++) {
        const double scale = s->atol[i] + s->rtol * fmax(fabs(s->before[i]), fabs(s->after[i]));
        const double part = s->error[i] != 0 ? fabs(s->error[i] / scale) : 0;
        if (!isinf(s->atol[i]) && !(part <= greatest)) {
            greatest = part;
            *worst = (int)i;
        }
    }
}

INLINE Doubles where(Masks mask, Doubles x)
{
    return (Doubles)(mask & (Masks)x);
}

INLINE Doubles chosen(Masks mask, Doubles x, Doubles otherwise)
{
    return (Doubles)((mask & (Masks)x) | (~mask & (Masks)otherwise));
}

INLINE Doubles absolute(Doubles x)
{
    return where(~(Masks)(Doubles){-0., -0., -0., -0.}, x);
}

INLINE Doubles at(const double *values, size_t i)
{
    return *(const Doubles *)(values + i);
}

INLINE double norm(const Scaled *s, size_t width, int *worst)
{
    Doubles square = {0}, counted = {0}, greatest = {0}, where_greatest = {0}, place = {0, 1, 2, 3};
    for (size_t i = 0; i < width; i += FOUR, place += FOUR) {
        const Doubles error = at(s->error, i), atol = at(s->atol, i), before = absolute(at(s->before, i)), after = absolute(at(s->after, i));
        const Masks counts = atol < INFINITY;
        const Doubles part = where(counts & (error != 0), absolute(error / (atol + s->rtol * chosen(before > after, before, after))));
        const Masks greater = part > greatest;
        square += part * part;
        counted += where(counts, (Doubles){1, 1, 1, 1});
        greatest = chosen(greater, part, greatest);
        where_greatest = chosen(greater, place, where_greatest);
    }
    const double sum = (square[0] + square[1]) + (square[2] + square[3]);
    int first = 0;
    for (int j = 1; j < FOUR; j++)
        if (greatest[j] > greatest[first] || (greatest[j] == greatest[first] && where_greatest[j] < where_greatest[first]))
            first = j;
    if (greatest[first] > 0 && !isnan(sum))
        *worst = (int)where_greatest[first];
    else
        find_worst(s, width, worst);
    const double all = (counted[0] + counted[1]) + (counted[2] + counted[3]);
    return sqrt(sum / (all > 1 ? all : 1));
}

#define LOOPS(name, target)                                                                                         \
    static target void combine_##name(const Sum *s, size_t width, const double *from, double h, double *to)          \
    {                                                                                                               \
        combine(s, width, from, h, to);                                                                             \
    }                                                                                                               \
    static target double norm_##name(const Scaled *s, size_t width, int *worst)                                      \
    {                                                                                                               \
        return norm(s, width, worst);                                                                               \
    }                                                                                                               \
    static const Lanes name = {combine_##name, norm_##name};

LOOPS(plain, )
LOOPS(avx, __attribute__((target("avx"))))

const Lanes *lanes_of_processor(void)
{
    return __builtin_cpu_supports("avx") ? &avx : &plain;
}

const Lanes *lanes_of_any_processor(void)
{
    return &plain;
}
