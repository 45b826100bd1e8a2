/* How instances begin, start over and run out of memory, and states that are saved. */
#ifndef HARNESS_LIFE_H
#define HARNESS_LIFE_H

#include "harness.h"

/* -- life ---------------------------------------------------------------------------------------------------------------- */

/* Whatever is true at the start has not become true: no state event happens there. */
static void check_quiet_start(void)
{
    Fmu fmu = bring(EXCHANGE, INITIALIZING, "quiet");
    double *x = room(model.states, sizeof *x), *found = room(model.states, sizeof *found);
    for (unsigned i = 0; i < model.states; i++)
        x[i] = fair_value(model.state[i]);
    EXPECT(OK, set_reals(fmu, model.state, model.states, x));
    disturb(fmu);
    if (EXPECT_EITHER(OK, ERROR, exit_initialization(fmu)) == OK) {
        CHECK(settle(fmu));
        check_relations(fmu);
        EXPECT(OK, enter_continuous(fmu));
        EXPECT(OK, get_states(fmu, found, model.states));
        CHECK(!memcmp(x, found, model.states * sizeof *x));
    }
    free(x);
    free(found);
    release(fmu);
}

static void test_start(void)
{
    for (int round = 0; round < 10; round++)
        check_quiet_start();
    const double absurd[] = {NAN, INFINITY, -INFINITY};
    Fmu fmu = create(EXCHANGE, "start");
    for (size_t i = 0; i < LENGTH(absurd); i++) {
        EXPECT(ERROR, enter_initialization(fmu, absurd[i], false, 0));
        EXPECT(ERROR, enter_initialization(fmu, 0, true, absurd[i]));
        EXPECT(OK, reset(fmu));
    }
    EXPECT(ERROR, enter_initialization(fmu, 1, true, 0));
    EXPECT(OK, reset(fmu));
    EXPECT(OK, enter_initialization(fmu, 0, true, 1));
    release(fmu);
}

/* From every phase back to the beginning, as if new. */
static void test_reset(void)
{
    for (Kind kind = EXCHANGE; kind < kinds; kind++)
        for (Phase phase = INSTANTIATED; phase < PHASES; phase++) {
            Fmu fmu = bring(kind, phase, "reset"), fresh = create(kind, "fresh");
            if (fmu) {
                EXPECT(OK, reset(fmu));
                CHECK(same_state(fmu, fresh));
                CHECK(reach(fmu, kind, ENDED) && reach(fresh, kind, ENDED));
                CHECK(same_values(fmu, fresh));
                EXPECT(ERROR, terminate(fmu));
                EXPECT(OK, reset(fmu));
            }
            release(fmu);
            release(fresh);
        }
}

static void test_categories(void)
{
    static const char *const known[] = {"logStatusError", "logEvents"}, *const unknown[] = {"logEvents", "logNonsense", NULL};
    Fmu fmu = create(EXCHANGE, "categories");
    EXPECT(OK, select_categories(fmu, false, 0, NULL));
    EXPECT(OK, select_categories(fmu, true, 2, known));
    EXPECT(ERROR, select_categories(fmu, true, 2, unknown));
    EXPECT(ERROR, select_categories(fmu, true, 3, unknown));
    EXPECT(ERROR, select_categories(fmu, true, 1, NULL));
    EXPECT(OK, select_categories(fmu, true, 0, NULL));
    release(fmu);
}

/* With so many allocations an instance is made, or none; where one is, it lives on when there is memory again. */
static bool suffices(long allocations)
{
    allocations_left = allocations;
    Fmu fmu = create(SIMULATION, "exhausted");
    const bool made = fmu != NULL;
    const bool enough = made && reach(fmu, SIMULATION, STEPPING) && step(fmu, 0, pace()) == OK && allocations_left >= 0;
    allocations_left = LONG_MAX;
    if (made) {
        EXPECT(OK, reset(fmu));
        CHECK(reach(fmu, SIMULATION, STEPPING));
        EXPECT(OK, step(fmu, 0, pace()));
    }
    CHECK(!made || allocations > 2);
    release(fmu);
    return enough;
}

static void test_exhaustion(void)
{
    long allocations = 0;
    while (!suffices(allocations) && allocations < 100000)
        allocations += 1 + allocations / 16;
    CHECK(allocations < 100000);
    Fmu fmu = bring(SIMULATION, STEPPING, "exhausted");
    Packed bytes = packed(fmu);
    void *state = NULL;
    allocations_left = 0;
    EXPECT(ERROR, save(fmu, &state));
    EXPECT(ERROR, unpack(fmu, bytes.bytes, bytes.size, &state));
    EXPECT_EITHER(OK, ERROR, step(fmu, 0, pace()));
    CHECK(state == NULL);
    allocations_left = LONG_MAX;
    EXPECT(OK, step(fmu, present(fmu), pace()));
    free(bytes.bytes);
    release(fmu);
}

/* -- saved states -------------------------------------------------------------------------------------------------------- */

static void check_bad_bytes(Fmu fmu, const Packed *good)
{
    void *state = NULL;
    for (size_t size = 0; size <= good->size; size++) {
        char *bytes = room(size, 1);
        memcpy(bytes, good->bytes, size);
        if (size < good->size)
            EXPECT(ERROR, unpack(fmu, bytes, size, &state));
        free(bytes);
    }
    char *bytes = room(good->size + 1, 1);
    memcpy(bytes, good->bytes, good->size);
    EXPECT(ERROR, unpack(fmu, bytes, good->size + 1, &state));
    for (size_t i = 0; i < good->size; i++) {
        char whole = bytes[i];
        bytes[i] = (char)(whole ^ BIT(below(8)));
        EXPECT(ERROR, unpack(fmu, bytes, good->size, &state));
        bytes[i] = whole;
    }
    memset(bytes, -1, good->size);
    EXPECT(ERROR, unpack(fmu, bytes, good->size, &state));
    EXPECT(ERROR, unpack(fmu, NULL, good->size, &state));
    EXPECT(ERROR, unpack(fmu, good->bytes, good->size, NULL));
    CHECK(state == NULL);
    free(bytes);
}

static void check_bad_pointers(Fmu fmu, void *state, const Packed *good)
{
    void *none = NULL;
    size_t size = 0;
    EXPECT(ERROR, save(fmu, NULL));
    EXPECT(ERROR, restore(fmu, NULL));
    EXPECT(OK, forget(fmu, NULL));
    EXPECT(OK, forget(fmu, &none));
    EXPECT(ERROR, measure(fmu, NULL, &size));
    EXPECT(ERROR, measure(fmu, state, NULL));
    char *bytes = room(good->size, 1);
    EXPECT(ERROR, pack(fmu, NULL, bytes, good->size));
    EXPECT(ERROR, pack(fmu, state, NULL, good->size));
    EXPECT(ERROR, pack(fmu, state, bytes, good->size - 1));
    EXPECT(ERROR, pack(fmu, state, bytes, 0));
    free(bytes);
}

static void run_on(Fmu fmu, int steps)
{
    for (int i = 0; i < steps; i++) {
        double time = 0;
        Reference clock = model.time;
        EXPECT(OK, get_reals(fmu, &clock, 1, &time));
        disturb(fmu);
        EXPECT(OK, step(fmu, time, pace()));
        check_relations(fmu);
        check_present(fmu, SIMULATION);
    }
}

/* A restored state brings all values back, whatever was set and read in between. */
static void test_restored_values(void)
{
    Fmu fmu = bring(EXCHANGE, INITIALIZING, "restored");
    void *state = NULL;
    EXPECT(OK, save(fmu, &state));
    double *values = read_all(fmu), *directions = read_direction(fmu);
    for (Reference r = 0; r < model.variables; r++)
        if (is_open(INITIALIZING, r)) {
            const double value = fair_value(r);
            EXPECT(OK, set_reals(fmu, &r, 1, &value));
        }
    free(read_all(fmu));
    free(read_direction(fmu));
    EXPECT(OK, restore(fmu, state));
    double *directions_again = read_direction(fmu), *values_again = read_all(fmu);
    CHECK(agree(values, values_again));
    CHECK(agree(directions, directions_again));
    EXPECT(OK, forget(fmu, &state));
    free(values);
    free(directions);
    free(values_again);
    free(directions_again);
    release(fmu);
}

/* What follows a restored state is what followed it the first time, here and in another instance. */
static void test_states(void)
{
    Fmu first = bring(SIMULATION, STEPPING, "first"), again = bring(SIMULATION, STEPPING, "again"), other = create(SIMULATION, "other");
    Fmu stranger = create(EXCHANGE, "stranger");
    void *state = NULL, *copy = NULL, *same;
    start_chance(1);
    run_on(first, 3);
    start_chance(1);
    run_on(again, 3);
    EXPECT(OK, save(again, &state));
    same = state;
    EXPECT(OK, save(again, &state));
    CHECK(state == same);
    Packed bytes = packed(again);
    EXPECT(OK, unpack(other, bytes.bytes, bytes.size, &copy));
    char *shifted = room(bytes.size + 1, 1);
    memcpy(shifted + 1, bytes.bytes, bytes.size);
    EXPECT(OK, unpack(other, shifted + 1, bytes.size, &copy));
    free(shifted);
    check_bad_bytes(again, &bytes);
    check_bad_pointers(again, state, &bytes);
    EXPECT(ERROR, restore(stranger, state));
    EXPECT(ERROR, save(stranger, &state));
    EXPECT(ERROR, unpack(stranger, bytes.bytes, bytes.size, &copy));
    start_chance(2);
    run_on(first, 5);
    start_chance(3);
    run_on(again, 2);
    EXPECT(OK, terminate(again));
    EXPECT(OK, restore(again, state));
    start_chance(2);
    run_on(again, 5);
    EXPECT(OK, restore(other, copy));
    start_chance(2);
    run_on(other, 5);
    CHECK(same_values(first, again) && same_values(first, other));
    CHECK(same_directions(first, again) && same_directions(first, other));
    EXPECT(OK, forget(other, &state)); /* another instance may free it */
    EXPECT(OK, forget(other, &copy));
    free(bytes.bytes);
    release(first);
    release(again);
    release(other);
    release(stranger);
}

#endif
