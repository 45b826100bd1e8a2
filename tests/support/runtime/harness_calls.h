/* What single calls take, refuse and give back: their order, null pointers, values and their ranges. */
#ifndef HARNESS_CALLS_H
#define HARNESS_CALLS_H

#include "harness.h"

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

#endif
