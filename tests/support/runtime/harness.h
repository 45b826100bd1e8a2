/* What both harnesses share. They drive every function of an FMI version, rightly and wrongly, and check each answer; of the model
 * they know only what the tables of model.h say. A harness defines the functions declared below under "What a version gives". */
#ifndef HARNESS_H
#define HARNESS_H

#include "harness_checks.h"
#include "model.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *Fmu;
typedef enum { EXCHANGE, SIMULATION, EVENTFUL } Kind; /* the last is Co-Simulation with Event Mode, in FMI 3 */
typedef enum { INSTANTIATED, CONFIGURING, INITIALIZING, IN_EVENTS, CONTINUOUS, STEPPING, STEP_FAILED, ENDED, PHASES } Phase;

/* -- what a version gives ------------------------------------------------------------------------------------------------ */

typedef struct {
    bool again, states_changed, next_defined;
    double next;
} Updated;

static Fmu create(Kind kind, const char *name);
static void release(Fmu fmu);
static int enter_configuration(Fmu fmu);
static int enter_initialization(Fmu fmu, double start, bool stop_defined, double stop);
static int exit_initialization(Fmu fmu);
static int terminate(Fmu fmu);
static int reset(Fmu fmu);
static int select_categories(Fmu fmu, bool on, size_t count, const char *const *categories);
static int get_reals(Fmu fmu, const Reference *references, size_t count, double *values);
static int set_reals(Fmu fmu, const Reference *references, size_t count, const double *values);
static int get_integer(Fmu fmu, Reference reference, int *value);
static int set_integer(Fmu fmu, Reference reference, int value);
static int get_boolean(Fmu fmu, Reference reference, bool *value);
static int set_boolean(Fmu fmu, Reference reference, bool value);
static int save(Fmu fmu, void **state);
static int restore(Fmu fmu, void *state);
static int forget(Fmu fmu, void **state);
static int measure(Fmu fmu, void *state, size_t *size);
static int pack(Fmu fmu, void *state, char *bytes, size_t size);
static int unpack(Fmu fmu, const char *bytes, size_t size, void **state);
static int directional(Fmu fmu, const Reference *unknowns, size_t unknown_count, const Reference *knowns, size_t known_count,
                       const double *seed, double *sensitivity);
static int enter_events(Fmu fmu);
static int update_events(Fmu fmu, Updated *updated);
static int enter_continuous(Fmu fmu);
static int enter_stepping(Fmu fmu);
static int completed_step(Fmu fmu);
static int set_time(Fmu fmu, double time);
static int set_states(Fmu fmu, const double *x, size_t count);
static int get_states(Fmu fmu, double *x, size_t count);
static int get_derivatives(Fmu fmu, double *dx, size_t count);
static int get_indicators(Fmu fmu, double *z, size_t count);
static int get_nominals(Fmu fmu, double *nominals, size_t count);
static int step(Fmu fmu, double point, double size);

/* All that any function takes, so that one table can call them all. */
typedef struct {
    const Reference *references, *knowns;
    size_t count, value_count, known_count, seed_count, byte_count;
    double *reals, *seed;
    int *integers;
    bool *booleans, flag;
    void *others; /* values of types that the model has not */
    const char **strings;
    size_t *sizes;
    void *state, **states;
    char *bytes;
    double point, size;
} Arguments;

/* Answers that depend on the model: an empty vector is right only where the model has no states, or no indicators. */
enum { ANY = -1, IF_NO_STATES = -2, IF_NO_INDICATORS = -3 };

typedef struct {
    const char *name;
    int (*call)(Fmu, const Arguments *);
    unsigned exchange, simulation; /* the phases in which it may be called, by the standard */
    int null, empty;               /* the answers to null pointers, with counts of one and of zero */
} Function;

#define DEFINE(function, exchange, simulation, null, empty, arguments)                                                                    \
    static int call_##function(Fmu fmu, const Arguments *a)                                                                               \
    {                                                                                                                                     \
        (void)a;                                                                                                                          \
        return (int)function arguments;                                                                                                   \
    }
#define LIST(function, exchange, simulation, null, empty, arguments) {#function, call_##function, exchange, simulation, null, empty},

static const Function *const functions;
static const size_t function_count;
static const unsigned kinds; /* that the version has */
static const bool counts_are_shared; /* one count says how many references and how many values there are */
static const bool stays_failed; /* after a step that is discarded, which otherwise has changed nothing */

enum { WITH_EVENT_MODE = BIT(PHASES) }; /* beside the phases of Co-Simulation: not without it */

/* -- the model ----------------------------------------------------------------------------------------------------------- */

static const Variable *variable_of(Reference reference)
{
    return &model.variable[reference];
}

static bool is_shown(Reference reference)
{
    return variable_of(reference)->type != INTERNAL;
}

static bool is_known(Reference reference)
{
    Role role = variable_of(reference)->role;
    return variable_of(reference)->type == REAL &&
           (role == TIME || role == PARAMETER || role == STATE || role == INPUT || role == ALGEBRAIC) && !array_of(&model, reference);
}

static bool is_unknown(Reference reference)
{
    Role role = variable_of(reference)->role;
    const bool state = role == STATE && model.composition; /* which a mechanism may show as an output */
    return is_shown(reference) && (state || role == DERIVATIVE || role == OUTPUT || role == LOCAL || role == INDICATOR);
}

static bool has_rate(Reference reference)
{
    Role role = variable_of(reference)->role;
    return role == OUTPUT || (role == STATE && model.composition);
}

static bool has_start(Reference reference) /* and can be set before the run */
{
    Role role = variable_of(reference)->role;
    return is_shown(reference) && (role == PARAMETER || role == STATE || role == DISCRETE || role == INPUT || role == DISCRETE_INPUT || role == ALGEBRAIC);
}

/* Returns how many numbers belong to references, of which some may be arrays. */
static size_t elements(const Reference *references, size_t count)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += array_of(&model, references[i]) ? array_of(&model, references[i])->size : 1;
    return sum;
}

static bool in_range(const Variable *variable, double value)
{
    const Range *range = &model.range[variable->range];
    return (range->open_below ? value > range->minimum : value >= range->minimum) &&
           (range->open_above ? value < range->maximum : value <= range->maximum);
}

/* -- chance, the same in every run --------------------------------------------------------------------------------------- */

static uint64_t chance;

static void start_chance(uint64_t seed)
{
    chance = seed * 0x9E3779B97F4A7C15u + 1;
}

static unsigned below(size_t bound)
{
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return bound ? (unsigned)((chance >> 33) % bound) : 0;
}

static double fraction(void) /* between -1 and 1 */
{
    return below(2000001) / 1e6 - 1;
}

#ifndef SPREAD
#define SPREAD 1.0 /* less where a model makes no sense so far from its start */
#endif

static double fair_value(Reference reference)
{
    double value = variable_of(reference)->start + SPREAD * fraction();
    return in_range(variable_of(reference), value) ? value : variable_of(reference)->start;
}

/* -- memory, which can run out: the linker leads the allocations of all files here ------------------------------------------ */

static long allocations_left = LONG_MAX;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_malloc(size_t size)
{
    return allocations_left-- > 0 ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return allocations_left-- > 0 ? __real_calloc(count, size) : NULL;
}

/* Just as much as asked for, so that one byte too many is noticed. */
static void *room(size_t count, size_t size)
{
    void *memory = __real_calloc(count ? count : 1, size);
    if (!memory)
        exit(2);
    return memory;
}

/* -- ways to get somewhere, and to compare instances -------------------------------------------------------------------------- */

static double present(Fmu fmu)
{
    double time = 0;
    const Reference clock = model.time;
    get_reals(fmu, &clock, 1, &time);
    return time;
}

/* One round of events, which tells truly whether it changes a state. */
static bool update(Fmu fmu, bool *again)
{
    double *before = room(2 * (size_t)model.states, sizeof *before), *after = before + model.states;
    Updated updated = {0};
    get_reals(fmu, model.state, model.states, before);
    bool done = update_events(fmu, &updated) == OK;
    get_reals(fmu, model.state, model.states, after);
    if (done) {
        CHECK(updated.states_changed || !memcmp(before, after, model.states * sizeof *before));
        CHECK(!updated.next_defined || updated.next >= present(fmu) || updated.again);
    }
    free(before);
    *again = updated.again;
    return done;
}

static bool settle(Fmu fmu)
{
    bool again = true;
    for (int rounds = 0; again && rounds < 100; rounds++)
        if (!update(fmu, &again))
            return false;
    return !again;
}

/* The values that make a step fail, where there are states that can overflow. */
static bool overflow(Fmu fmu)
{
    const double huge = 1.7e308;
    for (unsigned i = 0; i < model.states; i++)
        if (set_reals(fmu, &model.state[i], 1, &huge) != OK)
            return false;
    return model.states > 0;
}

static double pace(void) /* the size of a step after which something has happened, but not much */
{
    return fmin(0.04, model.default_stop / 10);
}

static bool reach(Fmu fmu, Kind kind, Phase phase)
{
    switch (phase) {
    case INSTANTIATED: return true;
    case CONFIGURING: return enter_configuration(fmu) == OK;
    case INITIALIZING: return enter_initialization(fmu, 0, false, 0) == OK;
    case IN_EVENTS: return kind != SIMULATION && reach(fmu, kind, INITIALIZING) && exit_initialization(fmu) == OK;
    case CONTINUOUS: return kind == EXCHANGE && reach(fmu, kind, IN_EVENTS) && settle(fmu) && enter_continuous(fmu) == OK;
    case STEPPING:
        if (kind == EVENTFUL)
            return reach(fmu, kind, IN_EVENTS) && settle(fmu) && enter_stepping(fmu) == OK;
        return kind == SIMULATION && reach(fmu, kind, INITIALIZING) && exit_initialization(fmu) == OK;
    case STEP_FAILED:
        return stays_failed && kind == SIMULATION && reach(fmu, kind, INITIALIZING) && overflow(fmu) && exit_initialization(fmu) == OK &&
               step(fmu, 0, 10) == DISCARD;
    default: return reach(fmu, kind, kind == EXCHANGE ? CONTINUOUS : STEPPING) && terminate(fmu) == OK;
    }
}

/* An instance in a phase; NULL where this kind or this model never gets there. */
static Fmu bring(Kind kind, Phase phase, const char *name)
{
    Fmu fmu = create(kind, name);
    CHECK(fmu != NULL);
    if (reach(fmu, kind, phase))
        return fmu;
    release(fmu);
    return NULL;
}

static bool may_be_called(const Function *function, Kind kind, Phase phase)
{
    unsigned phases = kind == EXCHANGE ? function->exchange : function->simulation;
    return (phases & BIT(phase)) && !(kind == SIMULATION && (phases & WITH_EVENT_MODE));
}

typedef struct {
    size_t size;
    char *bytes;
} Packed;

static Packed packed(Fmu fmu)
{
    void *state = NULL;
    Packed result = {0};
    EXPECT(OK, save(fmu, &state));
    EXPECT(OK, measure(fmu, state, &result.size));
    result.bytes = room(result.size, 1);
    EXPECT(OK, pack(fmu, state, result.bytes, result.size));
    EXPECT(OK, forget(fmu, &state));
    CHECK(state == NULL);
    return result;
}

static bool same_state(Fmu a, Fmu b)
{
    Packed one = packed(a), other = packed(b);
    bool same = one.size == other.size && !memcmp(one.bytes, other.bytes, one.size);
    free(one.bytes);
    free(other.bytes);
    return same;
}

/* All values by reference; what is not finite is refused, and noted as infinite. */
static double *read_all(Fmu fmu)
{
    double *values = room(model.variables, sizeof *values);
    for (Reference r = 0; r < model.variables; r++) {
        int integer = 0, answer = OK;
        bool boolean = false;
        switch (variable_of(r)->type) {
        case INTERNAL: break;
        case INTEGER: answer = EXPECT(OK, get_integer(fmu, r, &integer)), values[r] = integer; break;
        case BOOLEAN: answer = EXPECT(OK, get_boolean(fmu, r, &boolean)), values[r] = boolean; break;
        default: answer = EXPECT_EITHER(OK, DISCARD, get_reals(fmu, &r, 1, &values[r]));
        }
        if (answer != OK)
            values[r] = INFINITY;
    }
    return values;
}

/* A component computes the same from the same, to the last bit. What a mechanism iterates for depends on where it began, in its last digits
 * and in those of what cancels. */
static bool agree(const double *one, const double *other)
{
    double largest = 1;
    for (Reference r = 0; r < model.variables; r++)
        if (is_unknown(r) && isfinite(one[r]))
            largest = fmax(largest, fabs(one[r]));
    bool same = true;
    for (Reference r = 0; r < model.variables; r++) {
        const Role role = variable_of(r)->role;
        const bool iterated = model.composition && (is_unknown(r) || role == STATE || role == ALGEBRAIC);
        const double allowed = iterated ? 1e-9 * fmax(1, fabs(one[r])) + 1e-12 * largest : 0;
        if (one[r] == other[r] || fabs(one[r] - other[r]) <= allowed)
            continue;
        fprintf(stderr, "%s: %.17g and %.17g\n", variable_name(&model, variable_of(r)), one[r], other[r]);
        same = false;
    }
    return same;
}

static bool same_values(Fmu a, Fmu b)
{
    double *one = read_all(a), *other = read_all(b);
    bool same = agree(one, other);
    free(one);
    free(other);
    return same;
}

/* Each unknown's derivative along a direction in which all knowns take part. */
static double *read_direction(Fmu fmu)
{
    Reference *unknowns = room(model.variables, sizeof *unknowns), *knowns = room(model.variables, sizeof *knowns);
    double *seed = room(model.variables, sizeof *seed), *result = room(model.variables, sizeof *result);
    double *directions = room(model.variables, sizeof *directions);
    size_t unknown_count = 0, known_count = 0;
    for (Reference r = 0; r < model.variables; r++) {
        if (is_unknown(r))
            unknowns[unknown_count++] = r;
        if (is_known(r)) {
            seed[known_count] = 0.1 * (r + 1);
            knowns[known_count++] = r;
        }
    }
    EXPECT_EITHER(OK, DISCARD, directional(fmu, unknowns, unknown_count, knowns, known_count, seed, result));
    for (size_t i = 0; i < unknown_count; i++)
        directions[unknowns[i]] = result[i];
    free(unknowns);
    free(knowns);
    free(seed);
    free(result);
    return directions;
}

static bool same_directions(Fmu a, Fmu b)
{
    double *one = read_direction(a), *other = read_direction(b);
    bool same = agree(one, other);
    free(one);
    free(other);
    return same;
}

/* All values are those that a new instance computes from the same state. */
static void check_present(Fmu fmu, Kind kind)
{
    Packed bytes = packed(fmu);
    Fmu copy = create(kind, "copy");
    void *state = NULL;
    EXPECT(OK, unpack(copy, bytes.bytes, bytes.size, &state));
    EXPECT(OK, restore(copy, state));
    EXPECT(OK, forget(copy, &state));
    CHECK(same_values(fmu, copy));
    CHECK(same_directions(fmu, copy));
    free(bytes.bytes);
    release(copy);
}

static void disturb(Fmu fmu) /* the inputs */
{
    for (unsigned i = 0; i < model.inputs; i++) {
        double value = fair_value(model.input[i]);
        EXPECT(OK, set_reals(fmu, &model.input[i], 1, &value));
    }
}

/* Between events every relation is what its indicator says. */
static void check_relations(Fmu fmu)
{
    for (unsigned i = 0; i < model.relations; i++) {
        bool relation = false;
        double indicator = 0;
        EXPECT(OK, get_boolean(fmu, model.relation[i], &relation));
        EXPECT(OK, get_reals(fmu, &model.relation_indicator[i], 1, &indicator));
        CHECK(relation == (indicator > 0));
    }
}

#endif
