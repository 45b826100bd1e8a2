/* What Model Exchange and Co-Simulation have of their own, and directional derivatives. */
#ifndef HARNESS_KINDS_H
#define HARNESS_KINDS_H

#include "harness.h"
#include "harness_life.h"

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

#endif
