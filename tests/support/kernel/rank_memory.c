/* Constraints of a chain, every allocation failing once: what was taken is given back, and the answer says so. */
#include "rank/rank.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__real_calloc(size_t, size_t);
void *__wrap_calloc(size_t, size_t);

static long until_failure = -1, allocations;

void *__wrap_calloc(size_t count, size_t size)
{
    allocations++;
    return until_failure >= 0 && until_failure-- == 0 ? NULL : __real_calloc(count, size);
}

static unsigned long long state = 1;

static double random_number(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 40) / (1 << 24) - 0.5;
}

enum { BODIES = 15, ROWS = 3 * BODIES, COORDINATES = 3 * BODIES };

typedef struct {
    int joint[ROWS], group[COORDINATES], start[ROWS + 1], column[6 * ROWS];
    double gradient[6 * ROWS], mobility[6 * ROWS];
} Arrays;

/* Joints of two rows, the second of two bodies each; the third row of a joint repeats one of the joint before it. Some bodies are light. */
static Constraints chain(Arrays *a)
{
    int entries = 0;
    for (int c = 0; c < COORDINATES; c++)
        a->group[c] = c / 3 * 2 + (c % 3 == 2);
    for (int i = 0; i < ROWS; i++) {
        const int body = i / 3, repeats = i % 3 == 2 && body > 0;
        a->joint[i] = body;
        a->start[i] = entries;
        for (int c = 3 * (body > 0 ? body - 1 : 0); c < 3 * (body + 1) && !repeats; c++) {
            a->column[entries] = c;
            a->gradient[entries++] = random_number();
        }
        for (int e = a->start[i - 3 * repeats]; repeats && e < a->start[i - 2]; e++) {
            a->column[entries] = a->column[e];
            a->gradient[entries++] = 2 * a->gradient[e];
        }
    }
    a->start[ROWS] = entries;
    for (int e = 0; e < entries; e++)
        a->mobility[e] = a->gradient[e] * (a->column[e] / 3 % 7 == 3 ? 1e9 : 1);
    return (Constraints){.rows = ROWS, .coordinates = COORDINATES, .joints = BODIES, .groups = 2 * BODIES, .joint = a->joint,
                         .group = a->group, .gradient_start = a->start, .gradient_column = a->column, .gradient = a->gradient,
                         .mobility_start = a->start, .mobility_column = a->column, .mobility = a->mobility};
}

int main(void)
{
    static Arrays arrays;
    const Constraints given = chain(&arrays);
    Rank *rank;
    if (rank_decide(&given, &rank) != RANK_DECIDED || rank->redundant == 0 || rank->badly_scaled == 0)
        return 1;
    const int redundant = rank->redundant, badly_scaled = rank->badly_scaled;
    rank_free(rank);
    long failures = 0;
    const long needed = allocations;
    for (long n = 0; n < needed; n++, failures++) {
        until_failure = n;
        if (rank_decide(&given, &rank) != RANK_NO_MEMORY || rank)
            return 2;
    }
    until_failure = -1;
    if (rank_decide(&given, &rank) != RANK_DECIDED || rank->redundant != redundant)
        return 3;
    rank_free(rank);
    rank_free(NULL);
    printf("%d redundant, %d badly scaled, %ld failures\n", redundant, badly_scaled, failures);
    return 0;
}
