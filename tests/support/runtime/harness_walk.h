/* Functions and arguments as chance has it: nothing is checked but that every call is answered, and every refusal explained. */
#ifndef HARNESS_WALK_H
#define HARNESS_WALK_H

#include "harness.h"

#ifndef WALK_CALLS /* another length, and other chances, are given by who compiles this */
#define WALK_CALLS 30000
#define WALK_SEED 2024
#endif

enum { SLOTS = 4 };

static struct {
    Fmu fmu[SLOTS];
    void *state[SLOTS];
    Packed sample[EVENTFUL + 1];
    Fmu keeper; /* frees the states */
    Fmu stepping; /* the one that is called now; only then do callbacks meddle */
} walk;

static double odd_value(void)
{
    static const double odd[] = {0, -0.0, 1, -1, 0.5, 2, 1e300, -1e300, 1e-300, 5e-324, NAN, INFINITY, -INFINITY, 2147483648.0, 1.7e308};
    return below(2) ? fraction() : odd[below(LENGTH(odd))];
}

static int odd_integer(void)
{
    static const int odd[] = {0, 1, 2, 3, -1, INT_MAX, INT_MIN};
    return odd[below(LENGTH(odd))];
}

static size_t odd_count(void)
{
    const size_t odd[] = {0, 1, 1, 2, 3, model.states, model.states, model.indicators};
    return odd[below(LENGTH(odd))];
}

static Reference *odd_references(size_t count)
{
    Reference *references = room(count, sizeof *references);
    for (size_t i = 0; i < count; i++)
        references[i] = below(16) ? below(model.variables) : UINT_MAX - below(3) * (UINT_MAX - model.variables) / 2;
    return references;
}

static double *odd_values(size_t count)
{
    double *values = room(count, sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = odd_value();
    return values;
}

static Arguments odd_arguments(Fmu fmu)
{
    static const char *const words[] = {"logEvents", "logStatusDiscard", "logAll", "nonsense", "", "%n%s", NULL};
    size_t count = odd_count(), known_count = odd_count(), several = count < 8 ? 8 : count;
    Arguments a = {.count = count, .known_count = known_count, .flag = below(2), .size = below(2) ? 0.05 : fmin(odd_value(), 0.1)};
    a.references = odd_references(count);
    a.value_count = counts_are_shared || below(8) ? count : odd_count();
    if (model.arrays && !counts_are_shared && below(2))
        a.value_count = elements(a.references, count);
    a.seed_count = counts_are_shared || below(8) ? known_count : odd_count();
    a.knowns = odd_references(known_count);
    a.reals = odd_values(a.value_count);
    a.seed = odd_values(a.seed_count);
    a.integers = room(several, sizeof *a.integers);
    a.booleans = room(several, sizeof *a.booleans);
    a.strings = room(several, sizeof *a.strings);
    a.sizes = room(several, sizeof *a.sizes);
    a.others = room(several, 8);
    for (size_t i = 0; i < several; i++) {
        a.integers[i] = odd_integer();
        a.booleans[i] = below(2);
        a.strings[i] = words[below(LENGTH(words))];
    }
    const Packed *sample = &walk.sample[below(kinds)];
    a.byte_count = below(4) ? sample->size : below(sample->size + 8);
    a.bytes = room(a.byte_count, 1);
    memcpy(a.bytes, sample->bytes, a.byte_count < sample->size ? a.byte_count : sample->size);
    a.state = walk.state[below(SLOTS)];
    a.states = &walk.state[below(SLOTS)];
    a.point = below(4) ? present(fmu) : odd_value();
    return a;
}

/* Pointers that chance takes away. */
static Arguments with_gaps(Arguments a)
{
    const void *none = NULL;
    void *pointers[] = {&a.references, &a.knowns, &a.reals, &a.seed, &a.integers, &a.booleans, &a.others, &a.strings, &a.sizes, &a.states,
                        &a.bytes};
    if (below(4) == 0)
        memcpy(pointers[below(LENGTH(pointers))], &none, sizeof none);
    return a;
}

static void discard_arguments(const Arguments *a)
{
    void *pointers[] = {(void *)a->references, (void *)a->knowns, a->reals, a->seed, a->integers, a->booleans, a->others,
                        (void *)a->strings, a->sizes, a->bytes};
    for (size_t i = 0; i < LENGTH(pointers); i++)
        free(pointers[i]);
}

static void call_by_chance(Fmu fmu)
{
    const Function *function = &functions[below(function_count)];
    Arguments arguments = odd_arguments(fmu), gapped = with_gaps(arguments);
    bool silenced = strstr(function->name, "SetDebugLogging"); /* may just have been told to say nothing */
    CALL(ANY_STATUS, !silenced, function->call(fmu, &gapped), function->name);
    discard_arguments(&arguments);
    select_categories(fmu, true, 0, NULL);
}

static void test_walk(void)
{
    start_chance(WALK_SEED);
    walk.keeper = create(EXCHANGE, "keeper");
    for (Kind kind = EXCHANGE; kind < kinds; kind++) {
        Fmu fmu = bring(kind, kind == EXCHANGE ? CONTINUOUS : STEPPING, "sample");
        walk.sample[kind] = packed(fmu);
        release(fmu);
    }
    for (int i = 0; i < WALK_CALLS; i++) {
        Fmu *slot = &walk.fmu[below(SLOTS)];
        if (!*slot || below(16) == 0) {
            walk.stepping = NULL;
            release(*slot);
            *slot = bring(below(kinds), below(PHASES), "walker");
        }
        walk.stepping = *slot;
        if (*slot)
            call_by_chance(*slot);
    }
    for (unsigned i = 0; i < SLOTS; i++) {
        release(walk.fmu[i]);
        EXPECT(OK, forget(walk.keeper, &walk.state[i]));
    }
    for (Kind kind = EXCHANGE; kind < kinds; kind++)
        free(walk.sample[kind].bytes);
    release(walk.keeper);
}

#endif
