/* Drives every function of FMI 2.0, rightly and wrongly; see harness.h. */
#include "fmi2Functions.h"

#include "harness.h"
#include "harness2_adapter.h"
#include "harness_tests.h"
#include "harness_walk.h"

static const unsigned kinds = SIMULATION + 1;
static const bool counts_are_shared = true;
static const bool stays_failed = true;

/* -- every function, and when the standard lets it be called -------------------------------------------------------------- */

enum {
    FRESH = BIT(INSTANTIATED),
    START = BIT(INITIALIZING),
    EVENT = BIT(IN_EVENTS),
    FLOW = BIT(CONTINUOUS),
    STEP = BIT(STEPPING),
    FAILED = BIT(STEP_FAILED),
    END = BIT(ENDED),
    ALL = FRESH | START | EVENT | FLOW | STEP | FAILED | END,
    SEEN = START | EVENT | FLOW | STEP | FAILED | END, /* when values can be read */
    OPEN = FRESH | START | EVENT | FLOW | STEP         /* and written */
};

#define FUNCTIONS(F)                                                                                                                      \
    F(fmi2SetDebugLogging, ALL, ALL, ERROR, OK, (fmu, a->flag, a->count, a->strings))                                                     \
    F(fmi2SetupExperiment, FRESH, FRESH, ANY, ANY, (fmu, a->flag, a->size, a->point, !a->flag, a->point + a->size))                       \
    F(fmi2EnterInitializationMode, FRESH, FRESH, OK, OK, (fmu))                                                                           \
    F(fmi2ExitInitializationMode, START, START, OK, OK, (fmu))                                                                            \
    F(fmi2Terminate, EVENT | FLOW, STEP | FAILED, OK, OK, (fmu))                                                                          \
    F(fmi2Reset, ALL, ALL, OK, OK, (fmu))                                                                                                 \
    F(fmi2GetReal, SEEN, SEEN, ERROR, OK, (fmu, a->references, a->count, a->reals))                                                       \
    F(fmi2GetInteger, SEEN, SEEN, ERROR, OK, (fmu, a->references, a->count, a->integers))                                                 \
    F(fmi2GetBoolean, SEEN, SEEN, ERROR, OK, (fmu, a->references, a->count, a->integers))                                                 \
    F(fmi2GetString, SEEN, SEEN, ERROR, OK, (fmu, a->references, a->count, a->strings))                                                   \
    F(fmi2SetReal, OPEN, OPEN, ERROR, OK, (fmu, a->references, a->count, a->reals))                                                       \
    F(fmi2SetInteger, OPEN, OPEN, ERROR, OK, (fmu, a->references, a->count, a->integers))                                                 \
    F(fmi2SetBoolean, OPEN, OPEN, ERROR, OK, (fmu, a->references, a->count, a->integers))                                                 \
    F(fmi2SetString, OPEN, OPEN, ERROR, OK, (fmu, a->references, a->count, a->strings))                                                   \
    F(fmi2GetFMUstate, ALL, ALL, ERROR, ERROR, (fmu, a->states))                                                                          \
    F(fmi2SetFMUstate, ALL, ALL, ERROR, ERROR, (fmu, a->state))                                                                           \
    F(fmi2FreeFMUstate, ALL, ALL, OK, OK, (fmu, a->states))                                                                               \
    F(fmi2SerializedFMUstateSize, ALL, ALL, ERROR, ERROR, (fmu, a->state, a->sizes))                                                      \
    F(fmi2SerializeFMUstate, ALL, ALL, ERROR, ERROR, (fmu, a->state, a->bytes, a->byte_count))                                            \
    F(fmi2DeSerializeFMUstate, ALL, ALL, ERROR, ERROR, (fmu, a->bytes, a->byte_count, a->states))                                         \
    F(fmi2GetDirectionalDerivative, SEEN, SEEN, ERROR, OK, (fmu, a->references, a->count, a->knowns, a->known_count, a->seed, a->reals))  \
    F(fmi2EnterEventMode, EVENT | FLOW, 0, OK, OK, (fmu))                                                                                 \
    F(fmi2NewDiscreteStates, EVENT, 0, ERROR, ERROR, (fmu, a->others))                                                                    \
    F(fmi2EnterContinuousTimeMode, EVENT, 0, OK, OK, (fmu))                                                                               \
    F(fmi2CompletedIntegratorStep, FLOW, 0, ERROR, ERROR, (fmu, a->flag, a->integers, a->integers))                                       \
    F(fmi2SetTime, EVENT | FLOW, 0, ANY, ANY, (fmu, a->point))                                                                            \
    F(fmi2SetContinuousStates, START | EVENT | FLOW, START, ERROR, IF_NO_STATES, (fmu, a->reals, a->count))                               \
    F(fmi2GetDerivatives, START | EVENT | FLOW | END, SEEN, ERROR, IF_NO_STATES, (fmu, a->reals, a->count))                               \
    F(fmi2GetEventIndicators, START | EVENT | FLOW | END, SEEN, ERROR, IF_NO_INDICATORS, (fmu, a->reals, a->count))                       \
    F(fmi2GetContinuousStates, START | EVENT | FLOW | END, SEEN, ERROR, IF_NO_STATES, (fmu, a->reals, a->count))                          \
    F(fmi2GetNominalsOfContinuousStates, ALL, ALL, ERROR, IF_NO_STATES, (fmu, a->reals, a->count))                                        \
    F(fmi2SetRealInputDerivatives, FRESH | START, FRESH | START | STEP, ERROR, OK, (fmu, a->references, a->count, a->integers, a->reals)) \
    F(fmi2GetRealOutputDerivatives, END, STEP | FAILED | END, ERROR, OK, (fmu, a->references, a->count, a->integers, a->reals))           \
    F(fmi2DoStep, 0, STEP, ANY, ANY, (fmu, a->point, a->size, a->flag))                                                                   \
    F(fmi2CancelStep, 0, 0, ANY, ANY, (fmu))                                                                                              \
    F(fmi2GetStatus, END, STEP | FAILED | END, ERROR, ERROR, (fmu, fmi2DoStepStatus, a->others))                                          \
    F(fmi2GetRealStatus, END, STEP | FAILED | END, ERROR, ERROR, (fmu, fmi2LastSuccessfulTime, a->reals))                                 \
    F(fmi2GetIntegerStatus, END, STEP | FAILED | END, ERROR, ERROR, (fmu, fmi2DoStepStatus, a->integers))                                 \
    F(fmi2GetBooleanStatus, END, STEP | FAILED | END, ERROR, ERROR, (fmu, fmi2Terminated, a->integers))                                   \
    F(fmi2GetStringStatus, END, STEP | FAILED | END, ERROR, ERROR, (fmu, fmi2PendingStatus, a->strings))

FUNCTIONS(DEFINE)
static const Function table[] = {FUNCTIONS(LIST)};
static const Function *const functions = table;
static const size_t function_count = LENGTH(table);

/* -- what FMI 2 alone has ------------------------------------------------------------------------------------------------- */

static void test_instantiation(void)
{
    char *long_name = room(5000, 1);
    memset(long_name, 'x', 4999);
    CHECK(!strcmp(fmi2GetVersion(), "2.0"));
    CHECK(!strcmp(fmi2GetTypesPlatform(), "default"));
    CHECK(!fmi2Instantiate("none", fmi2ModelExchange, model.token, NULL, NULL, fmi2False, fmi2True));
    const char *const bad_names[] = {NULL, ""}, *const bad_guids[] = {NULL, "", "{wrong}"};
    for (size_t i = 0; i < LENGTH(bad_names); i++) {
        CHECK(!make(bad_names[i], fmi2CoSimulation, model.token, logger));
        CHECK(heard.answers == BIT(ERROR));
        CHECK(!make(bad_names[i], fmi2CoSimulation, model.token, NULL));
    }
    for (size_t i = 0; i < LENGTH(bad_guids); i++) {
        CHECK(!make("guid", fmi2ModelExchange, bad_guids[i], logger));
        CHECK(heard.named == 1 && heard.answers == BIT(ERROR));
        CHECK(!make("guid", fmi2ModelExchange, bad_guids[i], NULL));
    }
    const char *const odd_names[] = {" ", "%s%n%d", long_name, "\xff\xfe"};
    for (size_t i = 0; i < LENGTH(odd_names); i++) {
        Fmu fmu = make(odd_names[i], fmi2CoSimulation, model.token, logger);
        CHECK(fmu);
        EXPECT_UNHEARD(ERROR, step(fmu, 0, 1));
        CHECK(heard.answers == BIT(ERROR));
        release(fmu);
    }
    Fmu silent = make("silent", fmi2CoSimulation, model.token, NULL);
    EXPECT_UNHEARD(ERROR, step(silent, 0, 1));
    EXPECT_UNHEARD(ERROR, select_categories(silent, true, 1, (const char *[]){"logNonsense"}));
    CHECK(heard.answers == 0);
    release(silent);
    release(make("type", (fmi2Type)42, model.token, logger));
    free(long_name);
}

static int slope(Fmu fmu, Reference reference, int order, double value)
{
    return fmi2SetRealInputDerivatives(fmu, &reference, 1, &order, &value);
}

/* Inputs follow their polynomials inside a step and stay where they end. */
static void test_input_derivatives(void)
{
    const int absurd_orders[] = {0, 3, -1, INT_MAX, INT_MIN};
    Fmu fmu = bring(SIMULATION, STEPPING, "slopes");
    EXPECT(ERROR, slope(fmu, UINT_MAX, 1, 0));
    EXPECT(ERROR, slope(fmu, model.variables, 1, 0));
    for (Reference r = 0; r < model.variables; r++) {
        Role role = variable_of(r)->role;
        bool open = role == INPUT || role == ALGEBRAIC; /* both are inputs in FMI 2 */
        EXPECT(open ? OK : ERROR, slope(fmu, r, 1, 0));
        for (size_t i = 0; i < LENGTH(absurd_orders); i++)
            EXPECT(ERROR, slope(fmu, r, absurd_orders[i], 0));
        if (open) {
            EXPECT(DISCARD, slope(fmu, r, 1, NAN));
            EXPECT(DISCARD, slope(fmu, r, 2, INFINITY));
        }
    }
    for (unsigned i = 0; i < model.inputs; i++) {
        double before = 0, after = 0;
        EXPECT(OK, get_reals(fmu, &model.input[i], 1, &before));
        EXPECT(OK, slope(fmu, model.input[i], 1, 2));
        EXPECT(OK, slope(fmu, model.input[i], 2, -1));
        EXPECT(OK, step(fmu, present(fmu), 0.1));
        EXPECT(OK, get_reals(fmu, &model.input[i], 1, &after));
        CHECK(fabs(after - (before + 0.2 - 0.005)) < 1e-14 * fmax(1, fabs(before)));
        EXPECT(OK, step(fmu, present(fmu), 0.1));
        EXPECT(OK, get_reals(fmu, &model.input[i], 1, &before));
        CHECK(before == after);
        EXPECT(OK, slope(fmu, model.input[i], 2, 0)); /* what the last step had is forgotten */
        EXPECT(OK, step(fmu, present(fmu), 0.1));
        EXPECT(OK, get_reals(fmu, &model.input[i], 1, &before));
        CHECK(before == after);
    }
    if (model.inputs) {
        Fmu fresh = create(SIMULATION, "fresh");
        EXPECT(OK, slope(fmu, model.input[0], 1, 3));
        EXPECT(OK, reset(fmu));
        CHECK(same_state(fmu, fresh));
        release(fresh);
        CHECK(reach(fmu, SIMULATION, STEPPING));
        EXPECT(OK, slope(fmu, model.input[0], 1, 1.7e308));
        EXPECT(DISCARD, step(fmu, present(fmu), 100));
        EXPECT(ERROR, step(fmu, present(fmu), 0.1));
        EXPECT(OK, terminate(fmu));
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
                EXPECT_EITHER(OK, DISCARD, fmi2GetRealOutputDerivatives(fmu, &reference, 1, &orders[i], &rate));
            else
                EXPECT(ERROR, fmi2GetRealOutputDerivatives(fmu, &reference, 1, &orders[i], &rate));
    }
    release(fmu);
}

static void test_statuses(void)
{
    Fmu fmu = bring(SIMULATION, STEPPING, "statuses");
    double time = -1;
    fmi2Boolean ended = fmi2True;
    EXPECT(OK, fmi2GetRealStatus(fmu, fmi2LastSuccessfulTime, &time));
    CHECK(time == 0);
    EXPECT(OK, step(fmu, 0, pace()));
    EXPECT(OK, fmi2GetRealStatus(fmu, fmi2LastSuccessfulTime, &time));
    CHECK(time == pace());
    EXPECT(OK, fmi2GetBooleanStatus(fmu, fmi2Terminated, &ended));
    CHECK(ended == fmi2False);
    for (fmi2StatusKind kind = fmi2DoStepStatus; kind <= fmi2Terminated; kind++) {
        fmi2Status status;
        fmi2Integer integer;
        fmi2String string;
        EXPECT(DISCARD, fmi2GetStatus(fmu, kind, &status));
        EXPECT(DISCARD, fmi2GetIntegerStatus(fmu, kind, &integer));
        EXPECT(DISCARD, fmi2GetStringStatus(fmu, kind, &string));
        EXPECT(kind == fmi2LastSuccessfulTime ? OK : DISCARD, fmi2GetRealStatus(fmu, kind, &time));
        EXPECT(kind == fmi2Terminated ? OK : DISCARD, fmi2GetBooleanStatus(fmu, kind, &ended));
    }
    release(fmu);
}

/* After a step that failed the instance tells how far it got, and goes on from a saved state. */
static void test_failed_step(void)
{
    Fmu fmu = create(SIMULATION, "failed");
    void *state = NULL;
    double time = -1;
    EXPECT(OK, enter_initialization(fmu, 0, false, 0));
    bool fails = overflow(fmu) && exit_initialization(fmu) == OK && save(fmu, &state) == OK && step(fmu, 0, 10) == DISCARD;
    if (fails) {
        EXPECT(OK, fmi2GetRealStatus(fmu, fmi2LastSuccessfulTime, &time));
        CHECK(time >= 0 && time < 10);
        EXPECT(ERROR, step(fmu, time, 1e-3));
        EXPECT(OK, restore(fmu, state));
        EXPECT_EITHER(OK, DISCARD, step(fmu, 0, 1e-9));
    }
    EXPECT(OK, forget(fmu, &state));
    release(fmu);
}

int main(void)
{
    static void (*const own_tests[])(void) = {test_instantiation, test_input_derivatives, test_output_derivatives, test_statuses,
                                              test_failed_step};
    return run(own_tests, LENGTH(own_tests));
}
