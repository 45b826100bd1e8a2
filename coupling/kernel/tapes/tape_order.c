#include "tapes/tape_order.h"

#include "tapes/operations.h"
#include "tapes/tape.h"
#include "tapes/turned.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NOWHERE = -1, OUTSIDE = -2 };

typedef struct {
    TapeStep *step, *sorted;
    int count, placed;
    int *maker;  /* by slot: the step whose result it is; OUTSIDE where it is read and none has been before, NOWHERE of others */
    bool *known; /* by step */
    struct {
        int step, next; /* next: of its operands */
    } *waiting;
} Sorting;

static int list(const int *tape, TapeStep *step)
{
    int count = 0;
    for (const int *at = tape; *at != TAPE_END;) {
        const int operation = at[0], batch = at[1], result = at[2];
        at += 3;
        const int together = is_of_angles(operation) ? batch : 1;
        for (int i = 0; i < batch; i += together, at += together * operands_of[operation], count++)
            if (step)
                step[count] = (TapeStep){operation, together, result + i, NOWHERE, at};
    }
    return count;
}

static int operands(const TapeStep *step)
{
    return step->count * operands_of[step->operation];
}

/* False where a slot has another value later. */
static bool find_makers(Sorting *s, int slots)
{
    for (int i = 0; i < slots; i++)
        s->maker[i] = NOWHERE;
    for (int i = 0; i < s->count; i++) {
        const TapeStep *const step = s->step + i;
        for (int j = 0; j < operands(step); j++) {
            int *const maker = s->maker + step->operand[j];
            if (*maker == NOWHERE)
                *maker = OUTSIDE;
            else if (*maker >= 0)
                s->known[*maker] = true; /* for now: another operation needs it */
        }
        for (int j = step->result; j < step->result + step->count; j++) {
            if (s->maker[j] != NOWHERE)
                return false;
            s->maker[j] = i;
        }
    }
    return true;
}

static void place(Sorting *s, int last)
{
    int depth = 0;
    s->known[last] = true;
    s->waiting[depth].step = last;
    s->waiting[depth++].next = 0;
    while (depth) {
        const int i = s->waiting[depth - 1].step, next = s->waiting[depth - 1].next++;
        const TapeStep *const step = s->step + i;
        if (next == operands(step)) {
            s->sorted[s->placed++] = *step;
            depth--;
            continue;
        }
        const int maker = s->maker[step->operand[next]];
        if (maker >= 0 && !s->known[maker]) {
            s->known[maker] = true;
            s->waiting[depth].step = maker;
            s->waiting[depth++].next = 0;
        }
    }
}

/* Cosines of the same angles are found with their sines. `sine`: room for steps. */
static void join_angles(Sorting *s, int *sine)
{
    int sines = 0;
    for (int i = 0; i < s->count; i++)
        if (s->step[i].operation == SIN_OPERATION)
            sine[sines++] = i;
    for (int i = 0; i < s->count; i++) {
        const TapeStep *const cosine = s->step + i;
        for (int j = 0; j < sines && cosine->operation == COS_OPERATION; j++) {
            TapeStep *const step = s->step + sine[j];
            if (step->other != NOWHERE || step->count != cosine->count || memcmp(step->operand, cosine->operand, (size_t)step->count * sizeof(int)))
                continue;
            step->other = cosine->result;
            for (int k = 0; k < cosine->count; k++)
                s->maker[cosine->result + k] = sine[j];
            s->known[i] = true;
            break;
        }
    }
}

/* Sorts from the results that no other operation needs. */
static void sort(Sorting *s, int *last)
{
    int count = 0;
    join_angles(s, last);
    for (int i = 0; i < s->count; i++)
        if (!s->known[i])
            last[count++] = i;
    memset(s->known, 0, (size_t)s->count * sizeof *s->known);
    for (int i = 0; i < count; i++)
        if (!s->known[last[i]])
            place(s, last[i]);
}

TapeStep *tape_steps(const int *tape, int slots, int *count)
{
    *count = list(tape, NULL);
    const size_t all = (size_t)*count + 1;
    TapeStep *step = malloc(all * sizeof *step);
    Sorting s = {.step = step, .count = *count, .sorted = malloc(all * sizeof *s.sorted), .known = calloc(all, sizeof *s.known)};
    s.maker = malloc(((size_t)slots + 1) * sizeof *s.maker);
    s.waiting = malloc(all * sizeof *s.waiting);
    int *const last = malloc(all * sizeof *last);
    const bool room = step && s.sorted && s.known && s.maker && s.waiting && last;
    if (room) {
        list(tape, step);
        if (find_makers(&s, slots)) {
            sort(&s, last);
            *count = s.placed;
            memcpy(step, s.sorted, (size_t)s.placed * sizeof *step);
        }
    }
    free(s.sorted);
    free(s.known);
    free(s.maker);
    free(s.waiting);
    free(last);
    if (!room)
        free(step);
    return room ? step : NULL;
}
