/* The host's side of a guard: makes the calls that the master's proxies ask for. */
#include "hosts/guard.h"
#include "fmi/effects.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    Library *library;
    Component component;
    int number;
    double time;
    unsigned effects;
    Fmi2Callbacks callbacks;
} Resident;

static Channel *channel;
static Resident *calling; /* whose call is being made, or was last */
static Library **libraries;
static Resident **residents;
static int library_count, resident_count;
static atomic_flag logging = ATOMIC_FLAG_INIT;

/* The resident that an environment is. Some FMUs pass something else than they were given: then that whose call is being made. */
static Resident *resident_of(const void *environment)
{
    for (int i = 0; i < resident_count; i++)
        if (residents[i] == environment)
            return residents[i];
    return calling;
}

/* -- what it logs -------------------------------------------------------------------------------------------------------------- */

static void note(const Resident *r, Status status, const char *category, const char *message)
{
    const Logged logged = {r->number, status, (uint32_t)strlen(category) + 1, (uint32_t)strlen(message) + 1};
    while (atomic_flag_test_and_set(&logging)) /* it may log in threads of its own */
        ;
    char *at = channel->message + channel->said;
    if (channel->said + sizeof logged + logged.category + logged.message > CHANNEL_MESSAGES)
        channel->lost++;
    else {
        memcpy(at, &logged, sizeof logged);
        memcpy(at + sizeof logged, category, logged.category);
        memcpy(at + sizeof logged + logged.category, message, logged.message);
        channel->said += (uint32_t)(sizeof logged + logged.category + logged.message);
    }
    atomic_flag_clear(&logging);
}

/* Reports side effects of a resident that are new. */
static void note_effects(Resident *r, unsigned effects)
{
    char text[20];
    const unsigned found = effects & ~r->effects;
    if (!found)
        return;
    r->effects |= found;
    snprintf(text, sizeof text, "%u", found);
    note(r, OK, EFFECTS_CATEGORY, text);
}

static void log_2(void *environment, const char *name, Status status, const char *category, const char *message, ...)
{
    (void)name;
    const Resident *const r = resident_of(environment);
    if (!r || !message)
        return;
    char text[1024];
    va_list arguments;
    va_start(arguments, message);
    vsnprintf(text, sizeof text, message, arguments);
    va_end(arguments);
    note(r, status, category ? category : "", text);
}

static void log_3(void *environment, Status status, const char *category, const char *message)
{
    const Resident *const r = resident_of(environment);
    if (r && message)
        note(r, status, category ? category : "", message);
}

/* -- calls ------------------------------------------------------------------------------------------------------------------------ */

static Status run(Channel *c, unsigned char *at, uint64_t count, uint64_t *done);

static void update(void *environment, double time, bool set_requested, bool get_allowed, bool step_finished, bool can_return,
                   bool *return_requested, double *return_time)
{
    (void)get_allowed, (void)step_finished, (void)can_return;
    const Resident *const r = resident_of(environment);
    if (return_requested)
        *return_requested = false;
    if (return_time)
        *return_time = time;
    if (!r || !set_requested)
        return;
    channel->call.word[0] = (uint64_t)r->number;
    channel->call.real[0] = time;
    uint64_t done;
    if (!channel_ask(channel, GUARD_UPDATE)) /* what the master sets now comes with its answer */
        (void)run(channel, channel->data + channel->call.word[1], channel->call.word[0], &done);
}

/* Calls that set and get texts or binary data, whichever the version. */
static Status call_texts(const Resident *r, bool binary, bool setting, const Reference *references, size_t n, size_t *size, const void **byte,
                         size_t values)
{
    const Fmi2 *const f2 = &r->library->fmi2;
    const Fmi3 *const f3 = &r->library->fmi3;
    const char **const texts = (const char **)byte;
    const unsigned char **const bytes = (const unsigned char **)byte;
    if (binary)
        return setting ? f3->set_binary(r->component, references, n, size, bytes, values)
                       : f3->get_binary(r->component, references, n, size, bytes, values);
    if (r->library->version == 3)
        return setting ? f3->set_string(r->component, references, n, texts, values) : f3->get_string(r->component, references, n, texts, values);
    return setting ? f2->set_string(r->component, references, n, texts) : f2->get_string(r->component, references, n, texts);
}

/* The answer has the sizes of all values, and the values if there is room; count[1] becomes the number of their bytes. */
static Status run_texts(const Resident *r, Record *c, unsigned char *data, bool binary, bool setting)
{
    const size_t n = c->count[0], values = c->count[1], before = guard_texts(n, values), room = c->bytes - before;
    uint64_t *const sizes = (uint64_t *)(data + before) - values;
    const void **const byte = calloc(values + 1, sizeof *byte);
    size_t *const size = calloc(values + 1, sizeof *size);
    Status status = byte && size ? OK : ERROR;
    unsigned char *at = data + before;
    for (size_t i = 0; i < values && setting && status == OK; at += sizes[i++])
        byte[i] = at, size[i] = sizes[i];
    if (status == OK)
        status = call_texts(r, binary, setting, (const Reference *)data, n, size, byte, values);
    size_t all = 0;
    for (size_t i = 0; i < values && !setting && (unsigned)status <= WARNING; i++) {
        if (binary && size[i] && !byte[i]) {
            note(r, ERROR, "", "it returned a binary without an address");
            status = ERROR;
        }
        sizes[i] = !byte[i] ? 0 : binary ? size[i] : strlen(byte[i]);
        all = sizes[i] <= SIZE_MAX - all ? all + sizes[i] : SIZE_MAX;
    }
    for (size_t i = 0; i < values && !setting && (unsigned)status <= WARNING && all <= room; at += sizes[i++]) {
        if (sizes[i])
            memcpy(at, byte[i], sizes[i]);
    }
    c->count[1] = all;
    free(byte);
    free(size);
    return status;
}

static Status run_2(Resident *r, Record *c, unsigned char *data)
{
    const Fmi2 *f = &r->library->fmi2;
    const size_t n = c->count[0], m = c->count[1], types = CALL_NUMBER(Fmi2, get[0]);
    Reference *const references = (Reference *)data;
    void *const values = data + whole_eights(n * sizeof(Reference));
    double *const x = (double *)data;
    void *state = (void *)(uintptr_t)c->state;
    Component k = r->component;
    Status status = OK;
    if ((size_t)c->call >= types && (size_t)c->call < types + TYPES)
        return f->get[(size_t)c->call - types](k, references, n, values);
    if ((size_t)c->call >= types + TYPES)
        return f->set[(size_t)c->call - types - TYPES](k, references, n, values);
    switch (c->call) {
#define CASE(member, call)              \
    case CALL_NUMBER(Fmi2, member):     \
        return f->member call;
        CASE(set_up, (k, c->flag[0], c->real[0], c->real[1], c->flag[1], c->real[2]))
        CASE(enter_initialization, (k))
        CASE(exit_initialization, (k))
        CASE(terminate, (k))
        CASE(reset, (k))
        CASE(directional, (k, references, n, references + n, m, (double *)(data + whole_eights((n + m) * sizeof(Reference))),
                           (double *)(data + whole_eights((n + m) * sizeof(Reference))) + m))
        CASE(set_input_derivatives, (k, references, n, (int *)values, (double *)((unsigned char *)values + whole_eights(n * sizeof(int)))))
        CASE(real_status, (k, c->flag[0], &c->real[0]))
        CASE(boolean_status, (k, c->flag[0], &c->flag[1]))
        CASE(do_step, (k, c->real[0], c->real[1], c->flag[0]))
        CASE(set_time, (k, c->real[0]))
        CASE(set_states, (k, x, n))
        CASE(get_states, (k, x, n))
        CASE(get_derivatives, (k, x, n))
        CASE(get_nominals, (k, x, n))
        CASE(get_indicators, (k, x, n))
        CASE(enter_events, (k))
        CASE(update_discrete, (k, (Fmi2EventInfo *)data))
        CASE(enter_continuous, (k))
        CASE(completed_step, (k, c->flag[0], &c->flag[1], &c->flag[2]))
        CASE(restore, (k, state))
        CASE(serialised_size, (k, state, (size_t *)&c->count[0]))
        CASE(serialise, (k, state, data, n))
#undef CASE
    case CALL_NUMBER(Fmi2, set_string):
    case CALL_NUMBER(Fmi2, get_string):
        return run_texts(r, c, data, false, c->call == CALL_NUMBER(Fmi2, set_string));
    case CALL_NUMBER(Fmi2, deserialise):
        status = f->deserialise(k, data, n, &state);
        break;
    case CALL_NUMBER(Fmi2, save):
        status = f->save(k, &state);
        break;
    case CALL_NUMBER(Fmi2, forget):
        status = f->forget(k, &state);
        break;
    case CALL_NUMBER(Fmi2, release):
        f->release(k);
        break;
    default:
        return ERROR;
    }
    c->state = (uint64_t)(uintptr_t)state;
    return status;
}

static Status run_3(Resident *r, Record *c, unsigned char *data)
{
    const Fmi3 *f = &r->library->fmi3;
    const size_t n = c->count[0], m = c->count[1], types = CALL_NUMBER(Fmi3, get[0]);
    Reference *const references = (Reference *)data;
    void *const values = data + whole_eights(n * sizeof(Reference));
    double *const x = (double *)data, *const seed = (double *)(data + whole_eights((n + m) * sizeof(Reference)));
    void *state = (void *)(uintptr_t)c->state;
    bool flag[5] = {false};
    size_t states = n;
    Component k = r->component;
    Status status = OK;
    if ((size_t)c->call >= types && (size_t)c->call < types + TYPES)
        return f->get[(size_t)c->call - types](k, references, n, values, m);
    if ((size_t)c->call >= types + TYPES)
        return f->set[(size_t)c->call - types - TYPES](k, references, n, values, m);
    switch (c->call) {
#define CASE(member, call)              \
    case CALL_NUMBER(Fmi3, member):     \
        status = f->member call;        \
        break;
        CASE(enter_initialization, (k, c->flag[0], c->real[0], c->real[1], c->flag[1], c->real[2]))
        CASE(exit_initialization, (k))
        CASE(terminate, (k))
        CASE(reset, (k))
        CASE(enter_configuration, (k))
        CASE(exit_configuration, (k))
        CASE(directional, (k, references, n, references + n, m, seed, m, seed + m, n))
        CASE(adjoint, (k, references, n, references + n, m, seed, n, seed + n, m))
        CASE(save, (k, &state))
        CASE(restore, (k, state))
        CASE(forget, (k, &state))
        CASE(serialised_size, (k, state, &states))
        CASE(serialise, (k, state, data, n))
        CASE(deserialise, (k, data, n, &state))
        CASE(enter_step, (k))
        CASE(do_step, (k, c->real[0], c->real[1], c->flag[5], &flag[0], &flag[1], &flag[2], &c->real[2]))
        CASE(set_time, (k, c->real[0]))
        CASE(set_states, (k, x, n))
        CASE(get_states, (k, x, n))
        CASE(get_derivatives, (k, x, n))
        CASE(count_states, (k, &states))
        CASE(get_nominals, (k, x, n))
        CASE(get_indicators, (k, x, n))
        CASE(enter_events, (k))
        CASE(update_discrete, (k, &flag[0], &flag[1], &flag[2], &flag[3], &flag[4], &c->real[0]))
        CASE(enter_continuous, (k))
        CASE(completed_step, (k, c->flag[5], &flag[0], &flag[1]))
#undef CASE
    case CALL_NUMBER(Fmi3, set_string):
    case CALL_NUMBER(Fmi3, get_string):
        return run_texts(r, c, data, false, c->call == CALL_NUMBER(Fmi3, set_string));
    case CALL_NUMBER(Fmi3, set_binary):
    case CALL_NUMBER(Fmi3, get_binary):
        return run_texts(r, c, data, true, c->call == CALL_NUMBER(Fmi3, set_binary));
    case CALL_NUMBER(Fmi3, release):
        f->release(k);
        break;
    default:
        return ERROR;
    }
    for (int i = 0; i < 5; i++)
        c->flag[i] = flag[i];
    c->count[0] = states;
    c->state = (uint64_t)(uintptr_t)state;
    return status;
}

/* Calls after which all settings of the process are compared. */
static bool begins_or_ends(const Resident *r, int call)
{
    return r->library->version == 2
               ? call == CALL_NUMBER(Fmi2, enter_initialization) || call == CALL_NUMBER(Fmi2, exit_initialization) || call == CALL_NUMBER(Fmi2, terminate)
               : call == CALL_NUMBER(Fmi3, enter_initialization) || call == CALL_NUMBER(Fmi3, exit_initialization) || call == CALL_NUMBER(Fmi3, terminate);
}

static bool tells_time(const Resident *r, const Record *c)
{
    return r->library->version == 2 ? c->call == CALL_NUMBER(Fmi2, set_time) || c->call == CALL_NUMBER(Fmi2, do_step)
                                    : c->call == CALL_NUMBER(Fmi3, set_time) || c->call == CALL_NUMBER(Fmi3, do_step);
}

/* Calls one after the other, until one is refused. */
static Status run(Channel *c, unsigned char *at, uint64_t count, uint64_t *done)
{
    Status worst = OK;
    for (*done = 0; *done < count; ++*done) {
        Record *const record = (Record *)at;
        Resident *const r = calling = residents[record->component];
        if (tells_time(r, record))
            r->time = record->real[0];
        Surroundings *const before = begins_or_ends(r, record->call) ? surroundings_of() : NULL;
        where_enters(&c->where, r->library->standard, record->call, (void *)(uintptr_t)(r->number + 1), r->time);
        const Status status = (r->library->version == 2 ? run_2 : run_3)(r, record, at + sizeof *record);
        where_leaves(&c->where);
        note_effects(r, before ? surroundings_restore(before) : float_restore());
        if ((unsigned)status > WARNING)
            return status;
        worst = status > worst ? status : worst;
        at += sizeof *record + record->bytes;
    }
    return worst;
}

/* -- libraries and instances ---------------------------------------------------------------------------------------------------- */

static void open_library(Channel *c)
{
    char problem[1024] = "memory ran out";
    const int version = (int)c->call.word[0];
    where_enters(&c->where, version, CALL_LOADING, NULL, 0);
    Library **const more = realloc(libraries, (size_t)(library_count + 1) * sizeof *more);
    Library *const opened = more ? library_open((const char *)c->data, version, problem, sizeof problem) : NULL;
    where_leaves(&c->where);
    libraries = more ? more : libraries;
    c->call.status = opened ? OK : ERROR;
    if (!opened) {
        strcpy((char *)c->data, problem);
        return;
    }
    libraries[library_count] = opened;
    c->call.word[0] = (uint64_t)library_count++;
    typedef void (*Function)(void);
    const Function *const functions = (const Function *)(const void *)&opened->fmi2;
    const size_t count = (version == 3 ? sizeof opened->fmi3 : sizeof opened->fmi2) / sizeof *functions;
    for (size_t i = 0; i < count; i++)
        c->data[i] = functions[i] != NULL;
}

static const char *text_at(const Channel *c, uint64_t place)
{
    return place ? (const char *)c->data + place - 1 : NULL;
}

/* The words are the library, whether it steps, what it logs, what it may do, and the places of texts and of inputs. */
static void make(Channel *c)
{
    const uint64_t *const w = c->call.word;
    Resident **const more = realloc(residents, (size_t)(resident_count + 1) * sizeof *more);
    Resident *const r = calloc(1, sizeof *r);
    residents = more ? more : residents;
    c->call.status = ERROR;
    if (!more || !r)
        return;
    r->library = libraries[w[0]];
    r->number = resident_count;
    r->callbacks = (Fmi2Callbacks){log_2, calloc, free, NULL, r, r->library};
    calling = r;
    const char *const name = text_at(c, w[5]), *const token = text_at(c, w[6]), *const resources = text_at(c, w[7]);
    const Reference *const inputs = (const Reference *)(c->data + w[8]);
    const int version = r->library->version;
    const int call = version == 2 ? CALL_NUMBER(Fmi2, instantiate)
                     : w[1]       ? CALL_NUMBER(Fmi3, instantiate_stepped)
                                  : CALL_NUMBER(Fmi3, instantiate);
    Surroundings *const before = surroundings_of();
    where_enters(&c->where, r->library->standard, call, (void *)(uintptr_t)(r->number + 1), 0);
    if (version == 2)
        r->component = r->library->fmi2.instantiate(name, (int)w[1], token, resources, &r->callbacks, 0, (int)w[2]);
    else if (w[1])
        r->component = r->library->fmi3.instantiate_stepped(name, token, resources, false, w[2], w[3], w[4], inputs, w[9], r, log_3, update);
    else
        r->component = r->library->fmi3.instantiate(name, token, resources, false, w[2], r, log_3);
    where_leaves(&c->where);
    note_effects(r, surroundings_restore(before) | r->library->effects);
    residents[resident_count] = r;
    c->call.word[0] = (uint64_t)resident_count++; /* also of one that was refused: it may have logged why */
    c->call.status = r->component ? OK : ERROR;
}

bool guard_serve(Channel *c, int op)
{
    channel = c;
    kernel_where = &c->where;
    c->said = c->lost = 0;
    if (op == GUARD_OPEN)
        open_library(c);
    else if (op == GUARD_MAKE)
        make(c);
    else if (op == GUARD_RUN) {
        uint64_t done = 0;
        c->call.status = run(c, c->data, c->call.word[0], &done);
        c->call.word[0] = done;
    } else
        return false;
    return true;
}
