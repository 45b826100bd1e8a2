/* What must hold in both versions, for every model. */
#ifndef HARNESS_TESTS_H
#define HARNESS_TESTS_H

#include "harness.h"
#include "harness_walk.h"

/* -- order, null pointers and empty arrays ------------------------------------------------------------------------------- */

static Arguments plain_arguments(void)
{
    static const Reference reference[1] = {0};
    static double reals[4096];
    static void *others;
    static int integers[64];
    static bool booleans[64];
    static const char *strings[64] = {"logEvents"};
    static size_t sizes[64];
    static char bytes[64];
    static void *none;
    none = NULL;
    others = others ? others : room(64, 8);
    CHECK(model.states < LENGTH(reals) && model.indicators < LENGTH(reals));
    return (Arguments){
        .references = reference, .knowns = reference, .count = 1, .value_count = 1, .known_count = 1, .seed_count = 1, .byte_count = 64,
        .reals = reals, .seed = reals, .integers = integers, .booleans = booleans, .others = others, .strings = strings, .sizes = sizes,
        .states = &none, .bytes = bytes, .size = 0.01,
    };
}

static void test_no_instance(void)
{
    const Arguments arguments = plain_arguments(), nothing = {0};
    for (size_t f = 0; f < function_count; f++) {
        EXPECT_UNHEARD(ERROR, functions[f].call(NULL, &arguments));
        EXPECT_UNHEARD(ERROR, functions[f].call(NULL, &nothing));
    }
    release(NULL);
}

/* A call out of order is refused and changes nothing; one in order is never refused for its order. */
static void check_order(const Function *function, Kind kind, Phase phase)
{
    Fmu fmu = bring(kind, phase, "order"), twin = bring(kind, phase, "twin");
    if (fmu && twin) {
        Arguments arguments = plain_arguments();
        if (may_be_called(function, kind, phase)) {
            EXPECT_ANY(function->call(fmu, &arguments));
            CHECK(!strstr(heard.text, "cannot be called"));
            if (arguments.states && *arguments.states)
                EXPECT(OK, forget(fmu, arguments.states));
        } else {
            EXPECT(ERROR, function->call(fmu, &arguments));
            CHECK(same_state(fmu, twin));
        }
    }
    release(fmu);
    release(twin);
}

static int resolved(int answer)
{
    if (answer == IF_NO_STATES)
        return model.states ? ERROR : OK;
    if (answer == IF_NO_INDICATORS)
        return model.indicators ? ERROR : OK;
    return answer;
}

static void check_null(const Function *function, Kind kind, Phase phase)
{
    for (size_t count = 0; count < 2; count++) {
        int answer = resolved(count ? function->null : function->empty);
        Fmu fmu = may_be_called(function, kind, phase) ? bring(kind, phase, "null") : NULL;
        const Arguments nothing = {.count = count, .value_count = count, .known_count = count, .seed_count = count, .byte_count = count};
        if (fmu && answer == ANY)
            EXPECT_ANY(function->call(fmu, &nothing));
        else if (fmu)
            check(EXPECT_ANY(function->call(fmu, &nothing)) == answer, __FILE__, __LINE__, name_of(answer), function->name);
        release(fmu);
    }
}

static void test_order_and_nulls(void)
{
    for (Kind kind = EXCHANGE; kind < kinds; kind++)
        for (Phase phase = INSTANTIATED; phase < PHASES; phase++)
            for (size_t f = 0; f < function_count; f++) {
                check_order(&functions[f], kind, phase);
                check_null(&functions[f], kind, phase);
            }
}

/* -- values -------------------------------------------------------------------------------------------------------------- */

static void test_references(void)
{
    const Reference absurd[] = {UINT_MAX, INT_MAX, model.variables, model.variables + 1};
    Fmu fmu = bring(EXCHANGE, INITIALIZING, "references");
    double real = 1;
    int integer = 1;
    bool boolean = true;
    for (size_t i = 0; i < LENGTH(absurd); i++) {
        EXPECT(ERROR, get_reals(fmu, &absurd[i], 1, &real));
        EXPECT(ERROR, set_reals(fmu, &absurd[i], 1, &real));
        EXPECT(ERROR, get_integer(fmu, absurd[i], &integer));
        EXPECT(ERROR, set_integer(fmu, absurd[i], integer));
        EXPECT(ERROR, get_boolean(fmu, absurd[i], &boolean));
        EXPECT(ERROR, set_boolean(fmu, absurd[i], boolean));
    }
    for (Reference r = 0; r < model.variables; r++) {
        Type type = variable_of(r)->type;
        if (type == REAL)
            EXPECT_EITHER(OK, DISCARD, get_reals(fmu, &r, 1, &real));
        else
            EXPECT(ERROR, get_reals(fmu, &r, 1, &real));
        EXPECT(type == INTEGER ? OK : ERROR, get_integer(fmu, r, &integer));
        EXPECT(type == BOOLEAN ? OK : ERROR, get_boolean(fmu, r, &boolean));
        if (type != REAL)
            EXPECT(ERROR, set_reals(fmu, &r, 1, &real));
        if (type != INTEGER)
            EXPECT(ERROR, set_integer(fmu, r, integer));
        if (type != BOOLEAN)
            EXPECT(ERROR, set_boolean(fmu, r, boolean));
    }
    EXPECT(OK, get_reals(fmu, NULL, 0, NULL));
    EXPECT(OK, set_reals(fmu, NULL, 0, NULL));
    release(fmu);
}

/* A refused value leaves the variable, and those set by the same call, as they were. */
static void check_refused(Fmu fmu, Reference reference, double value, Answer answer)
{
    double before = 0, after = 0;
    Reference pair[] = {reference, reference};
    EXPECT(OK, get_reals(fmu, &reference, 1, &before));
    EXPECT(answer, set_reals(fmu, pair, 2, (double[]){variable_of(reference)->start, value}));
    EXPECT(OK, get_reals(fmu, &reference, 1, &after));
    CHECK(before == after);
}

static void check_range(Fmu fmu, Reference reference, double bound, bool open, double outwards)
{
    if (!isfinite(bound))
        return;
    check_refused(fmu, reference, bound + outwards, ERROR);
    check_refused(fmu, reference, bound + outwards * 1e300, ERROR);
    if (open) {
        check_refused(fmu, reference, bound, ERROR);
        return;
    }
    const double start = variable_of(reference)->start; /* all at their bounds together, such as masses at 0, a mechanism need not bear */
    EXPECT(OK, set_reals(fmu, &reference, 1, &bound));
    EXPECT(OK, set_reals(fmu, &reference, 1, &start));
}

static void test_settings(void)
{
    Fmu fmu = bring(EXCHANGE, INITIALIZING, "settings");
    for (Reference r = 0; r < model.variables; r++) {
        const Variable *variable = variable_of(r);
        if (variable->type != REAL)
            continue;
        if (!has_start(r)) {
            EXPECT(ERROR, set_reals(fmu, &r, 1, &variable->start));
            continue;
        }
        double value = fair_value(r), found = 0;
        EXPECT(OK, set_reals(fmu, &r, 1, &value));
        EXPECT(OK, get_reals(fmu, &r, 1, &found));
        CHECK(found == value || (variable->role == ALGEBRAIC && model.composition)); /* a mechanism has found another one by now */
        Answer answer = variable->role == PARAMETER ? ERROR : DISCARD;
        check_refused(fmu, r, NAN, answer);
        check_refused(fmu, r, INFINITY, answer);
        check_refused(fmu, r, -INFINITY, answer);
        const Range *range = &model.range[variable->range];
        check_range(fmu, r, range->minimum, range->open_below, -1);
        check_range(fmu, r, range->maximum, range->open_above, 1);
    }
    release(fmu);
}

static bool is_open(Phase phase, Reference reference)
{
    return phase == INITIALIZING ? has_start(reference) && variable_of(reference)->type == REAL : variable_of(reference)->role == INPUT;
}

/* No value is ever out of date: whatever is set and read in between, the values are those of a fresh instance set at once. */
static void check_freshness(Phase phase, int changes)
{
    Fmu used = bring(EXCHANGE, phase, "used"), fresh = bring(EXCHANGE, phase, "fresh");
    double *final = room(model.variables, sizeof *final), *x = room(model.states, sizeof *x);
    bool *set = room(model.variables, sizeof *set);
    for (int change = 0; change < changes; change++) {
        Reference r = below(model.variables);
        Role role = variable_of(r)->role;
        double value = fair_value(r), ignored = 0;
        if (is_open(phase, r)) {
            Reference batch[3];
            double values[3];
            for (size_t i = 0; i < LENGTH(batch); i++) {
                batch[i] = r;
                values[i] = final[r] = fair_value(r);
                set[r] = true;
                do
                    r = below(model.variables);
                while (!is_open(phase, r));
            }
            EXPECT(OK, set_reals(used, batch, LENGTH(batch), values));
        } else if (phase == CONTINUOUS && role == TIME) {
            EXPECT(OK, set_time(used, value));
            final[0] = value;
        } else if (phase == CONTINUOUS && role == STATE) {
            EXPECT(OK, get_states(used, x, model.states));
            x[variable_of(r)->position] = value;
            EXPECT(OK, set_states(used, x, model.states));
        } else if (is_unknown(r) && below(4)) {
            EXPECT_EITHER(OK, DISCARD, get_reals(used, &r, 1, &ignored));
        } else {
            free(read_direction(used));
        }
    }
    for (Reference r = 0; r < model.variables; r++)
        if (set[r])
            EXPECT(OK, set_reals(fresh, &r, 1, &final[r]));
    if (phase == CONTINUOUS) {
        EXPECT(OK, get_states(used, x, model.states));
        EXPECT(OK, set_states(fresh, x, model.states));
        EXPECT(OK, set_time(fresh, final[0]));
    }
    CHECK(same_directions(used, fresh));
    CHECK(same_values(used, fresh));
    check_present(used, EXCHANGE);
    if (phase == INITIALIZING)
        check_relations(used);
    free(final);
    free(set);
    free(x);
    release(used);
    release(fresh);
}

static void test_freshness(void)
{
    for (int changes = 1; changes < 40; changes++) {
        check_freshness(INITIALIZING, changes);
        check_freshness(CONTINUOUS, changes);
    }
}

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

/* -- derivatives --------------------------------------------------------------------------------------------------------- */

static Reference some(bool (*wanted)(Reference)) /* UINT_MAX where there is none */
{
    Reference start = below(model.variables);
    for (Reference i = 0; i < model.variables; i++)
        if (wanted((start + i) % model.variables))
            return (start + i) % model.variables;
    return UINT_MAX;
}

/* The derivative is linear in the seed, and a known that comes twice counts twice. */
static void check_linearity(Fmu fmu)
{
    Reference unknown = some(is_unknown), knowns[] = {some(is_known), some(is_known)}, twice[] = {knowns[0], knowns[0]};
    double first = 0, second = 0, both = 0, sum = 0, seed[] = {fraction(), fraction()};
    bool finite = EXPECT_EITHER(OK, DISCARD, directional(fmu, &unknown, 1, &knowns[0], 1, &seed[0], &first)) == OK &&
                  EXPECT_EITHER(OK, DISCARD, directional(fmu, &unknown, 1, &knowns[1], 1, &seed[1], &second)) == OK;
    if (!finite)
        return;
    EXPECT(OK, directional(fmu, &unknown, 1, knowns, 2, seed, &sum));
    /* What passes through the equations of a mechanism carries the rounding of all of them: where accelerations of 1e4 cancel, 1e-11 remains. */
    CHECK(fabs(first + second - sum) <= 1e-12 * (fabs(first) + fabs(second) + (model.composition ? 100 : 0)));
    EXPECT(OK, directional(fmu, &unknown, 1, twice, 2, (double[]){seed[0], seed[0]}, &both));
    CHECK(fabs(2 * first - both) <= 1e-12 * fabs(both));
}

static void test_directions(void)
{
    Fmu fmu = bring(EXCHANGE, CONTINUOUS, "directions");
    Reference unknown = some(is_unknown), known = some(is_known), absurd = UINT_MAX, past = model.variables;
    double seed = 1, result = 7;
    for (Reference r = 0; r < model.variables; r++) {
        if (!is_unknown(r))
            EXPECT(ERROR, directional(fmu, &r, 1, &known, 1, &seed, &result));
        if (!is_known(r))
            EXPECT(ERROR, directional(fmu, &unknown, 1, &r, 1, &seed, &result));
    }
    EXPECT(ERROR, directional(fmu, &absurd, 1, &known, 1, &seed, &result));
    EXPECT(ERROR, directional(fmu, &past, 1, &known, 1, &seed, &result));
    EXPECT(OK, directional(fmu, NULL, 0, NULL, 0, NULL, NULL));
    EXPECT(OK, directional(fmu, NULL, 0, &known, 1, &seed, NULL));
    for (unsigned i = 0; i < 50 && unknown != UINT_MAX; i++) {
        EXPECT(ERROR, directional(fmu, &unknown, 1, &absurd, 1, &seed, &result));
        EXPECT(ERROR, directional(fmu, &unknown, 1, &past, 1, &seed, &result));
        EXPECT(OK, directional(fmu, &unknown, 1, NULL, 0, NULL, &result));
        CHECK(result == 0);
        check_linearity(fmu);
        double *before = read_direction(fmu), nonsense[] = {NAN, INFINITY};
        EXPECT_EITHER(OK, DISCARD, directional(fmu, &unknown, 1, (Reference[]){known, known}, 2, nonsense, &result));
        double *after = read_direction(fmu);
        CHECK(!memcmp(before, after, model.variables * sizeof *before));
        free(before);
        free(after);
        unknown = some(is_unknown);
        known = some(is_known);
    }
    release(fmu);
}

/* -- Model Exchange ------------------------------------------------------------------------------------------------------ */

static void check_vector(Fmu fmu, int (*get)(Fmu, double *, size_t), unsigned count)
{
    double *values = room(count + 1, sizeof *values);
    EXPECT_EITHER(OK, DISCARD, get(fmu, values, count));
    EXPECT(ERROR, get(fmu, values, count + 1));
    EXPECT(ERROR, get(fmu, values, SIZE_MAX));
    if (count)
        EXPECT(ERROR, get(fmu, values, count - 1));
    EXPECT(count ? ERROR : OK, get(fmu, NULL, count));
    free(values);
}

static void check_bad_states(Fmu fmu)
{
    const double absurd[] = {NAN, INFINITY, -INFINITY};
    double *x = room(model.states + 1, sizeof *x), *found = room(model.states, sizeof *found);
    EXPECT(OK, get_states(fmu, x, model.states));
    EXPECT(ERROR, set_states(fmu, x, model.states + 1));
    for (unsigned i = 0; i < model.states; i++)
        for (size_t k = 0; k < LENGTH(absurd); k++) {
            const double first = x[0], good = x[i];
            x[0] += 1;
            x[i] = absurd[k];
            EXPECT(DISCARD, set_states(fmu, x, model.states));
            x[i] = good;
            x[0] = first;
            EXPECT(OK, get_states(fmu, found, model.states));
            CHECK(!memcmp(found, x, model.states * sizeof *x));
        }
    for (size_t k = 0; k < LENGTH(absurd); k++)
        EXPECT(DISCARD, set_time(fmu, absurd[k]));
    free(x);
    free(found);
}

static void test_exchange(void)
{
    Fmu fmu = bring(EXCHANGE, CONTINUOUS, "exchange");
    check_vector(fmu, get_states, model.states);
    check_vector(fmu, get_derivatives, model.states);
    check_vector(fmu, get_nominals, model.states);
    check_vector(fmu, get_indicators, model.indicators);
    check_bad_states(fmu);
    double *x = room(model.states, sizeof *x);
    EXPECT(OK, get_nominals(fmu, x, model.states));
    for (unsigned i = 0; i < model.states; i++)
        CHECK(x[i] > 0 && isfinite(x[i]));
    for (int round = 1; round <= 50; round++) {
        EXPECT(OK, set_time(fmu, 0.1 * round));
        for (unsigned i = 0; i < model.states; i++)
            x[i] = fair_value(model.state[i]);
        EXPECT(OK, set_states(fmu, x, model.states));
        disturb(fmu);
        EXPECT(OK, completed_step(fmu));
        EXPECT(OK, enter_events(fmu));
        free(read_all(fmu));
        CHECK(settle(fmu));
        check_relations(fmu);
        check_present(fmu, EXCHANGE);
        EXPECT(OK, enter_continuous(fmu));
    }
    free(x);
    release(fmu);
}

/* -- Co-Simulation ------------------------------------------------------------------------------------------------------- */

static void test_step_sizes(void)
{
    const double refused[] = {0, -0.0, -1, -INFINITY, INFINITY, NAN, -5e-324};
    Fmu fmu = bring(SIMULATION, STEPPING, "sizes");
    double now = pace();
    EXPECT(OK, step(fmu, 0, now));
    for (size_t i = 0; i < LENGTH(refused); i++)
        EXPECT(ERROR, step(fmu, now, refused[i]));
    const double wrong[] = {0, 0.2, -0.1, 1e300, -1e300, NAN, INFINITY};
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        EXPECT(ERROR, step(fmu, wrong[i], 0.1));
        EXPECT(ERROR, step(fmu, wrong[i], 1e300));
    }
    const double tiny[] = {5e-324, 1e-300, 1e-20, 1e-16, 1e-12, 1e-9};
    for (size_t i = 0; i < LENGTH(tiny); i++) {
        EXPECT(OK, step(fmu, now, tiny[i]));
        now += tiny[i];
    }
    release(fmu);
    fmu = bring(SIMULATION, STEPPING, "huge");
    disturb(fmu);
    if (EXPECT_EITHER(OK, DISCARD, step(fmu, 0, model.composition ? 2 * model.default_stop : model.relations ? 100 * model.default_stop : 1e300)) == OK)
        EXPECT(ERROR, step(fmu, 0, 0.1));
    release(fmu);
}

/* Where a state would become infinite the step fails, and the instance says no more than it knows. */
static void test_overflow(void)
{
    Fmu fmu = create(SIMULATION, "overflow");
    EXPECT(OK, enter_initialization(fmu, 0, false, 0));
    if (overflow(fmu) && exit_initialization(fmu) == OK) {
        EXPECT_EITHER(OK, DISCARD, step(fmu, 0, 10));
        for (unsigned i = 0; i < model.states; i++) {
            double x = 0;
            EXPECT(OK, get_reals(fmu, &model.state[i], 1, &x));
        }
    }
    EXPECT(OK, reset(fmu));
    EXPECT(OK, enter_initialization(fmu, 1.7e308, false, 0));
    if (EXPECT_EITHER(OK, ERROR, exit_initialization(fmu)) == OK)
        EXPECT(ERROR, step(fmu, 1.7e308, 1.7e308));
    release(fmu);
}

static void test_stop_time(void)
{
    Fmu fmu = create(SIMULATION, "stop");
    const double stop = pace();
    EXPECT(OK, enter_initialization(fmu, 0, true, stop));
    EXPECT(OK, exit_initialization(fmu));
    EXPECT(ERROR, step(fmu, 0, 1.2 * stop));
    EXPECT(OK, step(fmu, 0, stop));
    EXPECT(ERROR, step(fmu, stop, 0.2 * stop));
    EXPECT(OK, terminate(fmu));
    EXPECT(ERROR, terminate(fmu));
    release(fmu);
}

/* Instances that take turns end where each would have ended alone. */
static void test_interleaved(void)
{
    enum { TURNS = 6 };
    Fmu alone[2], together[2];
    for (unsigned i = 0; i < 2; i++) {
        alone[i] = bring(SIMULATION, STEPPING, "alone");
        together[i] = bring(SIMULATION, STEPPING, "together");
        start_chance(10 + i);
        run_on(alone[i], TURNS);
    }
    uint64_t chances[2] = {0};
    for (unsigned turn = 0; turn < TURNS; turn++)
        for (unsigned i = 0; i < 2; i++) {
            if (turn == 0)
                start_chance(10 + i);
            else
                chance = chances[i];
            run_on(together[i], 1);
            chances[i] = chance;
            EXPECT(ERROR, step(alone[i], -1, 1));
        }
    for (unsigned i = 0; i < 2; i++) {
        CHECK(same_values(alone[i], together[i]));
        CHECK(same_state(alone[i], together[i]));
        release(alone[i]);
        release(together[i]);
    }
}

/* What is set stays: multipliers are what an exported mechanism finds. */
static bool keeps_start(Reference reference)
{
    return has_start(reference) && variable_of(reference)->role != ALGEBRAIC;
}

static void test_crowd(void)
{
    enum { CROWD = 1000 };
    Fmu *crowd = room(CROWD, sizeof *crowd);
    Reference marked = some(keeps_start);
    bool real = marked != UINT_MAX && variable_of(marked)->type == REAL && model.range[variable_of(marked)->range].minimum <= 0;
    for (unsigned i = 0; i < CROWD; i++) {
        double mark = i * 0x1p-10;
        crowd[i] = bring(i % kinds, INITIALIZING, "crowd");
        if (real && in_range(variable_of(marked), mark))
            EXPECT(OK, set_reals(crowd[i], &marked, 1, &mark));
    }
    for (unsigned i = 0; i < CROWD; i++) {
        unsigned turn = i * 7 % CROWD;
        double mark = turn * 0x1p-10, found = mark;
        if (real && in_range(variable_of(marked), mark))
            EXPECT(OK, get_reals(crowd[turn], &marked, 1, &found));
        CHECK(found == mark);
        release(crowd[turn]);
    }
    free(crowd);
}

/* -- all of it ----------------------------------------------------------------------------------------------------------- */

static int run(void (*const own_tests[])(void), size_t count)
{
    static void (*const shared_tests[])(void) = {
        test_no_instance, test_order_and_nulls, test_references, test_settings, test_freshness, test_start, test_reset,
        test_categories, test_exhaustion, test_restored_values, test_states, test_directions, test_exchange, test_step_sizes,
        test_overflow, test_stop_time, test_interleaved, test_crowd,
    };
    for (size_t i = 0; i < LENGTH(shared_tests); i++) {
        start_chance(i);
        shared_tests[i]();
    }
    for (size_t i = 0; i < count; i++) {
        start_chance(100 + i);
        own_tests[i]();
    }
    test_walk();
    printf("%lu calls, %lu checks\n", tally.calls, tally.checks);
    return tally.failures != 0;
}

#endif
