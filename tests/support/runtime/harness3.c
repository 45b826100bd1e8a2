/* Drives every function of FMI 3.0, rightly and wrongly; see harness.h. */
#include "fmi3Functions.h"

#include "harness.h"
#include "harness3_adapter.h"
#include "harness_tests.h"
#include "harness_walk.h"

static const unsigned kinds = EVENTFUL + 1;
static const bool counts_are_shared = false;
static const bool stays_failed = false;

/* -- every function, and when the standard lets it be called -------------------------------------------------------------- */

enum {
    FRESH = BIT(INSTANTIATED),
    SETUP = BIT(CONFIGURING),
    START = BIT(INITIALIZING),
    EVENT = BIT(IN_EVENTS),
    FLOW = BIT(CONTINUOUS),
    STEP = BIT(STEPPING),
    END = BIT(ENDED),
    ALL = FRESH | SETUP | START | EVENT | FLOW | STEP | END,
    SEEN = ALL, /* when values can be read */
    OPEN = FRESH | SETUP | START | EVENT | FLOW | STEP, /* and written */
    SMOOTH = START | EVENT | FLOW | STEP | END,         /* when derivatives make sense */
    MODEL = START | EVENT | FLOW | END
};

#define VALUES(F, Name, values)                                                                                                           \
    F(fmi3Get##Name, SEEN, SEEN, ERROR, OK, (fmu, a->references, a->count, values, a->value_count))                                       \
    F(fmi3Set##Name, OPEN, OPEN, ERROR, OK, (fmu, a->references, a->count, values, a->value_count))

#define FUNCTIONS(F)                                                                                                                      \
    F(fmi3SetDebugLogging, ALL, ALL, ERROR, OK, (fmu, a->flag, a->count, a->strings))                                                     \
    F(fmi3EnterInitializationMode, FRESH, FRESH, ANY, ANY, (fmu, a->flag, a->size, a->point, !a->flag, a->point + a->size))               \
    F(fmi3ExitInitializationMode, START, START, OK, OK, (fmu))                                                                            \
    F(fmi3EnterConfigurationMode, FRESH, FRESH, ANY, ANY, (fmu))                                                                          \
    F(fmi3ExitConfigurationMode, SETUP, SETUP, OK, OK, (fmu))                                                                             \
    F(fmi3EnterEventMode, EVENT | FLOW, EVENT | STEP | WITH_EVENT_MODE, ANY, ANY, (fmu))                                                  \
    F(fmi3Terminate, EVENT | FLOW, EVENT | STEP, OK, OK, (fmu))                                                                           \
    F(fmi3Reset, ALL, ALL, OK, OK, (fmu))                                                                                                 \
    VALUES(F, Float32, a->others) VALUES(F, Float64, a->reals) VALUES(F, Int8, a->others) VALUES(F, UInt8, a->others)                     \
    VALUES(F, Int16, a->others) VALUES(F, UInt16, a->others) VALUES(F, Int32, a->integers) VALUES(F, UInt32, a->others)                   \
    VALUES(F, Int64, a->others) VALUES(F, UInt64, a->others) VALUES(F, Boolean, a->booleans) VALUES(F, String, a->strings)                \
    F(fmi3GetBinary, SEEN, SEEN, ERROR, OK, (fmu, a->references, a->count, a->sizes, a->others, a->value_count))                          \
    F(fmi3SetBinary, OPEN, OPEN, ERROR, OK, (fmu, a->references, a->count, a->sizes, a->others, a->value_count))                          \
    F(fmi3GetClock, SEEN, SEEN, ERROR, OK, (fmu, a->references, a->count, a->booleans))                                                   \
    F(fmi3SetClock, OPEN, OPEN, ERROR, OK, (fmu, a->references, a->count, a->booleans))                                                   \
    F(fmi3GetIntervalDecimal, SEEN, SEEN, ERROR, OK, (fmu, a->references, a->count, a->reals, a->others))                                 \
    F(fmi3GetIntervalFraction, SEEN, SEEN, ERROR, OK, (fmu, a->references, a->count, a->others, a->others, a->others))                    \
    F(fmi3GetShiftDecimal, SEEN, SEEN, ERROR, OK, (fmu, a->references, a->count, a->reals))                                               \
    F(fmi3GetShiftFraction, SEEN, SEEN, ERROR, OK, (fmu, a->references, a->count, a->others, a->others))                                  \
    F(fmi3SetIntervalDecimal, OPEN, OPEN, ERROR, OK, (fmu, a->references, a->count, a->reals))                                            \
    F(fmi3SetIntervalFraction, OPEN, OPEN, ERROR, OK, (fmu, a->references, a->count, a->others, a->others))                               \
    F(fmi3SetShiftDecimal, OPEN, OPEN, ERROR, OK, (fmu, a->references, a->count, a->reals))                                               \
    F(fmi3SetShiftFraction, OPEN, OPEN, ERROR, OK, (fmu, a->references, a->count, a->others, a->others))                                  \
    F(fmi3GetNumberOfVariableDependencies, ALL, ALL, ERROR, ERROR, (fmu, 0, a->sizes))                                                    \
    F(fmi3GetVariableDependencies, ALL, ALL, ERROR, ERROR, (fmu, 0, a->sizes, a->others, a->sizes, a->others, a->count))                  \
    F(fmi3GetFMUState, ALL, ALL, ERROR, ERROR, (fmu, a->states))                                                                          \
    F(fmi3SetFMUState, ALL, ALL, ERROR, ERROR, (fmu, a->state))                                                                           \
    F(fmi3FreeFMUState, ALL, ALL, OK, OK, (fmu, a->states))                                                                               \
    F(fmi3SerializedFMUStateSize, ALL, ALL, ERROR, ERROR, (fmu, a->state, a->sizes))                                                      \
    F(fmi3SerializeFMUState, ALL, ALL, ERROR, ERROR, (fmu, a->state, (fmi3Byte *)a->bytes, a->byte_count))                                \
    F(fmi3DeserializeFMUState, ALL, ALL, ERROR, ERROR, (fmu, (fmi3Byte *)a->bytes, a->byte_count, a->states))                             \
    F(fmi3GetDirectionalDerivative, SMOOTH, SMOOTH, ERROR, OK,                                                                            \
      (fmu, a->references, a->count, a->knowns, a->known_count, a->seed, a->seed_count, a->reals, a->value_count))                        \
    F(fmi3GetAdjointDerivative, SMOOTH, SMOOTH, ERROR, OK,                                                                                \
      (fmu, a->knowns, a->known_count, a->references, a->count, a->seed, a->seed_count, a->reals, a->value_count))                        \
    F(fmi3EvaluateDiscreteStates, START | EVENT, START | EVENT, ERROR, ERROR, (fmu))                                                      \
    F(fmi3UpdateDiscreteStates, EVENT, EVENT, ERROR, ERROR,                                                                               \
      (fmu, a->booleans, a->booleans, a->booleans, a->booleans, a->booleans, a->seed))                                                    \
    F(fmi3EnterContinuousTimeMode, EVENT, EVENT, ANY, ANY, (fmu))                                                                         \
    F(fmi3CompletedIntegratorStep, FLOW, 0, ERROR, ERROR, (fmu, a->flag, a->booleans, a->booleans))                                       \
    F(fmi3SetTime, EVENT | FLOW, EVENT, ANY, ANY, (fmu, a->point))                                                                        \
    F(fmi3SetContinuousStates, FLOW, 0, ERROR, IF_NO_STATES, (fmu, a->reals, a->value_count))                                             \
    F(fmi3GetContinuousStateDerivatives, MODEL, MODEL, ERROR, IF_NO_STATES, (fmu, a->reals, a->value_count))                              \
    F(fmi3GetEventIndicators, MODEL, MODEL, ERROR, IF_NO_INDICATORS, (fmu, a->reals, a->value_count))                                     \
    F(fmi3GetContinuousStates, MODEL, MODEL, ERROR, IF_NO_STATES, (fmu, a->reals, a->value_count))                                        \
    F(fmi3GetNominalsOfContinuousStates, MODEL, MODEL, ERROR, IF_NO_STATES, (fmu, a->reals, a->value_count))                              \
    F(fmi3GetNumberOfEventIndicators, ALL, ALL, ERROR, ERROR, (fmu, a->sizes))                                                            \
    F(fmi3GetNumberOfContinuousStates, ALL, ALL, ERROR, ERROR, (fmu, a->sizes))                                                           \
    F(fmi3EnterStepMode, EVENT, EVENT, ANY, ANY, (fmu))                                                                                   \
    F(fmi3GetOutputDerivatives, END, STEP | END, ERROR, OK, (fmu, a->references, a->count, a->integers, a->reals, a->value_count))        \
    F(fmi3DoStep, 0, STEP, ERROR, ERROR, (fmu, a->point, a->size, a->flag, a->booleans, a->booleans, a->booleans, a->seed))               \
    F(fmi3ActivateModelPartition, 0, 0, ANY, ANY, (fmu, 0, a->point))

FUNCTIONS(DEFINE)
static const Function table[] = {FUNCTIONS(LIST)};
static const Function *const functions = table;
static const size_t function_count = LENGTH(table);

/* -- what FMI 3 alone has ------------------------------------------------------------------------------------------------- */

static void test_instantiation(void)
{
    char *long_name = room(5000, 1);
    memset(long_name, 'x', 4999);
    CHECK(!strncmp(fmi3GetVersion(), "3.0", 3));
    const char *const bad_names[] = {NULL, ""}, *const bad_tokens[] = {NULL, "", "{wrong}"};
    const char *const odd_names[] = {" ", "%s%n%d", long_name};
    for (int loud = 0; loud < 2; loud++) {
        const fmi3LogMessageCallback log = loud ? logger : NULL;
        for (size_t i = 0; i < LENGTH(bad_names); i++) {
            CHECK(!make_exchange(bad_names[i], model.token, log) && heard.answers == (loud ? BIT(ERROR) : 0));
            CHECK(!make_simulation(bad_names[i], model.token, true, log, NULL) && heard.answers == (loud ? BIT(ERROR) : 0));
        }
        for (size_t i = 0; i < LENGTH(bad_tokens); i++) {
            CHECK(!make_exchange("token", bad_tokens[i], log) && heard.answers == (loud ? BIT(ERROR) : 0));
            CHECK(!make_simulation("token", bad_tokens[i], true, log, NULL) && heard.answers == (loud ? BIT(ERROR) : 0));
        }
        for (size_t i = 0; i < LENGTH(odd_names); i++) {
            Fmu fmu = make_simulation(odd_names[i], model.token, false, log, NULL);
            CHECK(fmu);
            EXPECT_UNHEARD(ERROR, step(fmu, 0, 1));
            EXPECT_UNHEARD(ERROR, select_categories(fmu, true, 1, (const char *[]){"logNonsense"}));
            CHECK(heard.answers == (loud ? BIT(ERROR) : 0));
            release(fmu);
        }
        listen();
        CHECK(!fmi3InstantiateScheduledExecution("scheduled", model.token, NULL, fmi3False, fmi3True, "scheduled", log, NULL, NULL, NULL));
        CHECK(heard.answers == (loud ? BIT(ERROR) : 0));
    }
    free(long_name);
}

/* The switch opens in Configuration Mode alone, nothing else does there, and Co-Simulation has no ideal mode. */
static void test_configuration(void)
{
    for (Kind kind = EXCHANGE; kind < kinds && model.switch_reference; kind++) {
        Fmu fmu = bring(kind, CONFIGURING, "configuration");
        for (Reference r = 0; r < model.variables; r++) {
            const Variable *variable = variable_of(r);
            if (variable->role == SWITCH)
                EXPECT(kind == EXCHANGE ? OK : ERROR, set_boolean(fmu, r, true));
            else if (variable->type == REAL)
                EXPECT(ERROR, set_reals(fmu, &r, 1, &variable->start));
        }
        EXPECT(OK, set_boolean(fmu, model.switch_reference, kind == EXCHANGE));
        EXPECT(OK, fmi3ExitConfigurationMode(fmu));
        EXPECT(OK, set_boolean(fmu, model.switch_reference, kind == EXCHANGE)); /* the value that it has */
        EXPECT(ERROR, set_boolean(fmu, model.switch_reference, kind != EXCHANGE));
        CHECK(reach(fmu, kind, kind == EXCHANGE ? CONTINUOUS : STEPPING));
        for (Reference r = 0; r < model.variables; r++)
            if (variable_of(r)->role == ALGEBRAIC) {
                const double value = 3;
                EXPECT(kind == EXCHANGE ? OK : ERROR, set_reals(fmu, &r, 1, &value));
            }
        release(fmu);
    }
}

static void test_value_counts(void)
{
    Fmu fmu = bring(EXCHANGE, CONTINUOUS, "counts");
    const Reference references[2] = {0, 0};
    double values[2] = {0};
    int integers[2] = {0};
    bool booleans[2] = {0};
    EXPECT(ERROR, fmi3GetFloat64(fmu, references, 2, values, 1));
    EXPECT(ERROR, fmi3GetFloat64(fmu, references, 0, values, 1));
    EXPECT(ERROR, fmi3SetFloat64(fmu, references, 1, values, 2));
    EXPECT(ERROR, fmi3GetInt32(fmu, references, 1, integers, 2));
    EXPECT(ERROR, fmi3SetBoolean(fmu, references, 1, booleans, 0));
    EXPECT(ERROR, fmi3GetDirectionalDerivative(fmu, references, 1, references, 1, values, 2, values, 1));
    EXPECT(ERROR, fmi3GetDirectionalDerivative(fmu, references, 1, references, 1, values, 1, values, 0));
    EXPECT(ERROR, fmi3GetAdjointDerivative(fmu, references, 1, references, 1, values, 1, values, 2));
    EXPECT(ERROR, fmi3GetOutputDerivatives(fmu, references, 1, integers, values, 2));
    release(fmu);
}

/* An array is passed whole, by its first reference, or not at all; each phase in which parameters can be set takes one. */
static void check_array(Fmu fmu, const Array *array, bool open)
{
    const size_t n = array->size, wrong[] = {0, 1, n - 1, n + 1, 2 * n, SIZE_MAX, SIZE_MAX / sizeof(Reference) + 1};
    const Reference twice[] = {array->first, array->first}, with_time[] = {array->first, model.time}, absurd[] = {array->first, UINT_MAX};
    double *before = room(n, sizeof *before), *found = room(2 * n, sizeof *found), *values = room(2 * n, sizeof *values);
    EXPECT(OK, fmi3GetFloat64(fmu, twice, 1, before, n));
    for (size_t i = 0; i < 2 * n; i++)
        values[i] = before[i % n] + 1;
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        EXPECT(ERROR, fmi3GetFloat64(fmu, twice, 1, found, wrong[i]));
        EXPECT(ERROR, fmi3SetFloat64(fmu, twice, 1, values, wrong[i]));
    }
    for (Reference r = array->first + 1; r < array->first + n; r++) {
        EXPECT(ERROR, fmi3GetFloat64(fmu, &r, 1, found, 1));
        EXPECT(ERROR, fmi3SetFloat64(fmu, &r, 1, values, n));
    }
    EXPECT(ERROR, fmi3GetFloat64(fmu, twice, 1, NULL, n));
    EXPECT(ERROR, fmi3SetFloat64(fmu, NULL, 1, values, n));
    EXPECT(ERROR, fmi3GetFloat64(fmu, twice, 0, found, n));
    EXPECT(ERROR, fmi3GetFloat64(fmu, absurd, 2, found, n + 1));
    EXPECT(ERROR, fmi3SetFloat64(fmu, absurd, 2, values, n + 1));
    EXPECT(ERROR, fmi3SetFloat64(fmu, with_time, 2, values, n + 1)); /* time is not set by value */
    values[n - 1] = NAN;
    EXPECT(ERROR, fmi3SetFloat64(fmu, twice, 1, values, n));
    EXPECT(ERROR, fmi3GetInt32(fmu, twice, 1, (int[]){0}, 1));
    EXPECT(OK, fmi3GetFloat64(fmu, twice, 1, found, n));
    CHECK(!memcmp(before, found, n * sizeof *before)); /* all that was refused has changed nothing */
    values[n - 1] = values[2 * n - 1];
    EXPECT(open ? OK : ERROR, fmi3SetFloat64(fmu, twice, 2, values, 2 * n));
    EXPECT(OK, fmi3GetFloat64(fmu, twice, 2, found, 2 * n));
    CHECK(!memcmp(open ? values : before, found, n * sizeof *before) && !memcmp(found, found + n, n * sizeof *found));
    EXPECT(OK, fmi3GetFloat64(fmu, with_time, 2, found, n + 1));
    CHECK(found[n] == present(fmu));
    allocations_left = 0;
    EXPECT(ERROR, fmi3GetFloat64(fmu, twice, 1, found, n));
    allocations_left = LONG_MAX;
    free(before);
    free(found);
    free(values);
}

static void test_arrays(void)
{
    for (Kind kind = EXCHANGE; kind < kinds; kind++)
        for (Phase phase = INSTANTIATED; phase < PHASES; phase++)
            for (unsigned i = 0; i < model.arrays; i++) {
                Fmu fmu = bring(kind, phase, "arrays");
                if (fmu)
                    check_array(fmu, &model.array[i], phase == INSTANTIATED || phase == INITIALIZING);
                release(fmu);
            }
}

/* States are set one by one in Model Exchange as well. */
static void test_single_states(void)
{
    Fmu fmu = bring(EXCHANGE, CONTINUOUS, "single");
    double *x = room(model.states, sizeof *x);
    for (unsigned i = 0; i < model.states; i++) {
        const double value = fair_value(model.state[i]);
        EXPECT(OK, set_reals(fmu, &model.state[i], 1, &value));
        EXPECT(OK, get_states(fmu, x, model.states));
        CHECK(x[i] == value);
        check_refused(fmu, model.state[i], NAN, DISCARD);
    }
    free(x);
    release(fmu);
}

/* For every unknown and known, or for many where there are very many, the row from the adjoint derivative is the column from the directional
 * one. */
static void test_adjoint(void)
{
    Fmu fmu = bring(EXCHANGE, CONTINUOUS, "adjoint");
    const Reference absurd = UINT_MAX;
    const double one = 1;
    double forward, backward, sensitivity[2];
    const size_t pairs = (size_t)model.variables * model.variables;
    enum { MANY = 40000 };
    Reference known = some(is_known), unknown = some(is_unknown);
    EXPECT(OK, fmi3GetAdjointDerivative(fmu, NULL, 0, NULL, 0, NULL, 0, NULL, 0));
    EXPECT(OK, fmi3GetAdjointDerivative(fmu, NULL, 0, &known, 1, NULL, 0, &backward, 1));
    CHECK(backward == 0);
    EXPECT(ERROR, fmi3GetAdjointDerivative(fmu, &absurd, 1, &known, 1, &one, 1, &backward, 1));
    EXPECT(ERROR, fmi3GetAdjointDerivative(fmu, &unknown, 1, &absurd, 1, &one, 1, &backward, 1));
    for (Reference u = 0; u < model.variables; u++)
        for (Reference k = 0; k < model.variables; k++) {
            Answer answer = is_unknown(u) && is_known(k) ? OK : ERROR;
            if (below(1 + pairs / MANY) || (answer == ERROR && below(8)))
                continue;
            const Reference twice[] = {k, k};
            if (answer == ERROR || EXPECT_EITHER(OK, DISCARD, directional(fmu, &u, 1, &k, 1, &one, &forward)) == OK)
                EXPECT(answer, fmi3GetAdjointDerivative(fmu, &u, 1, twice, 2, &one, 1, sensitivity, 2));
            CHECK(answer == ERROR || (sensitivity[0] == forward && sensitivity[1] == forward) || !isfinite(forward));
        }
    release(fmu);
}

static void test_output_derivatives(void)
{
    Fmu fmu = bring(SIMULATION, STEPPING, "rates");
    disturb(fmu);
    EXPECT(OK, step(fmu, 0, pace()));
    for (Reference r = 0; r <= model.variables; r++) {
        double rate = 0;
        const Reference reference = r < model.variables ? r : UINT_MAX;
        bool output = r < model.variables && has_rate(r);
        const int orders[] = {1, 0, 2, -1, INT_MAX};
        for (size_t i = 0; i < LENGTH(orders); i++)
            if (output && i == 0)
                EXPECT_EITHER(OK, DISCARD, fmi3GetOutputDerivatives(fmu, &reference, 1, &orders[i], &rate, 1));
            else
                EXPECT(ERROR, fmi3GetOutputDerivatives(fmu, &reference, 1, &orders[i], &rate, 1));
    }
    release(fmu);
}

/* A step that is discarded has changed nothing. */
static void test_discarded_step(void)
{
    Fmu fmu = create(SIMULATION, "discarded"), twin = create(SIMULATION, "twin");
    EXPECT(OK, enter_initialization(fmu, 0, false, 0));
    EXPECT(OK, enter_initialization(twin, 0, false, 0));
    if (overflow(fmu) && overflow(twin) && exit_initialization(fmu) == OK && exit_initialization(twin) == OK &&
        EXPECT_EITHER(OK, DISCARD, step(fmu, 0, 10)) == DISCARD)
        CHECK(same_state(fmu, twin));
    release(fmu);
    release(twin);
}

/* -- Intermediate Update ------------------------------------------------------------------------------------------------- */

static struct {
    Fmu fmu;
    unsigned calls, return_at; /* the accepted step after which to ask for an early return */
    double start, end, finished;
    bool eventful;
} watched;

static void watch(fmi3InstanceEnvironment environment, fmi3Float64 time, fmi3Boolean set_requested, fmi3Boolean get_allowed,
                  fmi3Boolean finished, fmi3Boolean can_return, fmi3Boolean *early, fmi3Float64 *early_time)
{
    const Heard outside = heard;
    CHECK(!strcmp(environment, "watched"));
    CHECK(watched.start <= time && time <= watched.end && time >= watched.finished);
    CHECK(set_requested != finished && get_allowed == finished);
    CHECK(can_return == (finished && watched.eventful));
    CHECK(present(watched.fmu) == time);
    void *state = NULL;
    for (unsigned i = 0; i < model.inputs; i++) {
        const double value = time * i;
        EXPECT(DISCARD, set_reals(watched.fmu, &model.input[i], 1, &(double){NAN}));
        if (set_requested)
            EXPECT(OK, set_reals(watched.fmu, &model.input[i], 1, &value));
    }
    EXPECT(ERROR, step(watched.fmu, time, 1));
    EXPECT(ERROR, reset(watched.fmu));
    EXPECT(ERROR, terminate(watched.fmu));
    EXPECT(ERROR, save(watched.fmu, &state));
    EXPECT(ERROR, enter_events(watched.fmu));
    watched.calls++;
    if (finished) {
        watched.finished = time;
        *early = --watched.return_at == 0;
        *early_time = time;
    }
    heard = outside;
}

/* Inputs that the importer knows as functions of time have their values of the end at the end. */
static void check_watched(bool eventful, unsigned return_at)
{
    Fmu fmu = make_simulation("watched", model.token, eventful, logger, watch);
    Stepped stepped = {.end = true};
    CHECK(reach(fmu, eventful ? EVENTFUL : SIMULATION, STEPPING));
    watched.fmu = fmu;
    watched.calls = 0;
    watched.return_at = return_at;
    watched.start = watched.finished = 0;
    watched.end = 0.4;
    watched.eventful = eventful;
    EXPECT(OK, step_and_tell(fmu, 0, 0.4, &stepped));
    CHECK(watched.calls > 0 && !stepped.end);
    CHECK(stepped.reached == present(fmu) && stepped.reached == watched.finished);
    CHECK(stepped.early == (stepped.reached < 0.4) && (eventful || !stepped.early));
    CHECK(eventful || !stepped.event);
    for (unsigned i = 0; i < model.inputs; i++) {
        double value = 0;
        EXPECT(OK, get_reals(fmu, &model.input[i], 1, &value));
        CHECK(value == stepped.reached * i);
    }
    release(fmu);
}

static void test_intermediate_update(void)
{
    for (unsigned return_at = 1; return_at < 4; return_at++) {
        check_watched(false, return_at);
        check_watched(true, return_at);
    }
}

/* In the walk, a callback that does what it likes. */
static void meddle(fmi3InstanceEnvironment environment, fmi3Float64 time, fmi3Boolean set_requested, fmi3Boolean get_allowed,
                   fmi3Boolean finished, fmi3Boolean can_return, fmi3Boolean *early, fmi3Float64 *early_time)
{
    (void)environment, (void)set_requested, (void)get_allowed, (void)finished, (void)can_return;
    const Heard outside = heard;
    if (walk.stepping && below(8) == 0)
        call_by_chance(walk.stepping);
    *early = below(16) == 0;
    *early_time = time;
    heard = outside;
}

/* -- Event Mode in Co-Simulation ----------------------------------------------------------------------------------------- */

/* After a jump of the inputs the event comes at once. */
static void check_jump(Fmu fmu, double now)
{
    bool due = false;
    disturb(fmu);
    for (unsigned i = 0; i < model.relations; i++) {
        bool relation = false;
        double indicator = 0;
        EXPECT(OK, get_boolean(fmu, model.relation[i], &relation));
        EXPECT(OK, get_reals(fmu, &model.relation_indicator[i], 1, &indicator));
        due = due || relation != (indicator > 0);
    }
    Stepped stepped;
    now += 1e-12; /* the importer's sum of steps may differ in its last digits */
    EXPECT(OK, step_and_tell(fmu, now, 5e-324, &stepped));
    CHECK(stepped.reached == now && !stepped.early);
    EXPECT(OK, step_and_tell(fmu, now, 1e-13, &stepped));
    CHECK(stepped.event == due && stepped.early == due);
    CHECK(due ? stepped.reached == now : stepped.reached > now);
}

static void test_jumps(void)
{
    for (int round = 0; round < 10; round++) {
        Fmu fmu = bring(EVENTFUL, STEPPING, "jumps");
        check_jump(fmu, 0);
        release(fmu);
    }
}

/* To the end of the default experiment, stopping wherever an event happens. */
static void run_with_events(Fmu fmu)
{
    const double size = model.default_stop / 10;
    double now = 0;
    for (int turn = 0; now < model.default_stop && turn < 1000; turn++) {
        Stepped stepped;
        EXPECT(OK, step_and_tell(fmu, now, fmin(size, model.default_stop - now), &stepped));
        CHECK(stepped.reached >= now && stepped.reached == present(fmu));
        now = stepped.reached;
        if (stepped.event || turn % 3 == 0) {
            EXPECT(OK, enter_events(fmu));
            EXPECT(ERROR, set_time(fmu, now + 1));
            EXPECT(ERROR, step(fmu, now, size));
            EXPECT(ERROR, enter_continuous(fmu));
            CHECK(settle(fmu));
            check_relations(fmu);
            EXPECT(OK, enter_stepping(fmu));
        }
    }
    CHECK(now == model.default_stop);
}

/* It makes no difference who handles the events. */
static void test_events(void)
{
    Fmu handled = bring(EVENTFUL, STEPPING, "handled"), alone = bring(SIMULATION, STEPPING, "alone");
    run_with_events(handled);
    EXPECT(OK, step(alone, 0, model.default_stop));
    double *one = read_all(handled), *other = read_all(alone);
    for (Reference r = 0; r < model.variables; r++)
        CHECK(one[r] == other[r] || fabs(one[r] - other[r]) < 1e-8 * (1 + fabs(one[r])));
    free(one);
    free(other);
    EXPECT(ERROR, enter_events(alone));
    EXPECT(ERROR, enter_stepping(alone));
    release(handled);
    release(alone);
}

int main(void)
{
    static void (*const own_tests[])(void) = {
        test_instantiation, test_configuration, test_value_counts, test_arrays, test_single_states, test_adjoint, test_output_derivatives,
        test_discarded_step, test_intermediate_update, test_jumps, test_events,
    };
    return run(own_tests, LENGTH(own_tests));
}
