#include "tape_order.h"

#include "operations.h"
#include "tape.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NOWHERE = -1, OUTSIDE = -2 };

typedef struct {
    const TapeStep *step;
    TapeStep *sorted;
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
        for (int i = 0; i < batch; i++, at += operands_of[operation], count++)
            if (step)
                step[count] = (TapeStep){operation, result + i, at};
    }
    return count;
}

/* False where a slot has another value later. */
static bool find_makers(Sorting *s, int slots)
{
    for (int i = 0; i < slots; i++)
        s->maker[i] = NOWHERE;
    for (int i = 0; i < s->count; i++) {
        const TapeStep *const step = s->step + i;
        for (int j = 0; j < operands_of[step->operation]; j++) {
            int *const maker = s->maker + step->operand[j];
            if (*maker == NOWHERE)
                *maker = OUTSIDE;
            else if (*maker >= 0)
                s->known[*maker] = true; /* for now: somebody needs it */
        }
        if (s->maker[step->result] != NOWHERE)
            return false;
        s->maker[step->result] = i;
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
        if (next == operands_of[step->operation]) {
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

/* From what nothing else needs. */
static void sort(Sorting *s, int *last)
{
    int count = 0;
    for (int i = 0; i < s->count; i++)
        if (!s->known[i])
            last[count++] = i;
    memset(s->known, 0, (size_t)s->count * sizeof *s->known);
    for (int i = 0; i < count; i++)
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
            memcpy(step, s.sorted, all * sizeof *step);
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
