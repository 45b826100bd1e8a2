/* The master's side of a guard: functions of FMI that send their arguments to a host. Calls that have no answer wait for one that has, and go
 * with it; where one of them is refused, the status is that of the call that has sent it. */
#include "hosts/proxy.h"
#include "fmi/effects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- what an FMU has logged ---------------------------------------------------------------------------------------------------- */

/* Checks a copy of a host's answer as if it were hostile: threads of an FMU may still write to the shared one. */
static void hear(Guard *g)
{
    const Channel *c = host_channel(g->host);
    const uint32_t wanted = *(const volatile uint32_t *)&c->said, said = wanted < CHANNEL_MESSAGES ? wanted : CHANNEL_MESSAGES;
    char *const heard = said ? malloc(said) : NULL;
    if (heard)
        memcpy(heard, c->message, said);
    Logged logged;
    for (uint32_t at = 0; heard && at + sizeof logged <= said; at += (uint32_t)sizeof logged + logged.category + logged.message) {
        memcpy(&logged, heard + at, sizeof logged);
        const char *const category = heard + at + sizeof logged;
        const uint64_t end = at + sizeof logged + (uint64_t)logged.category + logged.message;
        if (end > said || !logged.category || !logged.message || category[logged.category - 1] || heard[end - 1])
            break;
        Remote *const r = logged.component >= 0 && logged.component < g->remote_count ? g->remotes[logged.component] : NULL;
        if (r && r->instance && strcmp(category, EFFECTS_CATEGORY) == 0)
            r->instance->effects |= (unsigned)strtoul(category + logged.category, NULL, 10);
        else if (r && r->instance)
            instance_log_3(r->instance, logged.status, category, category + logged.category);
    }
    free(heard);
}

/* -- sending --------------------------------------------------------------------------------------------------------------------- */

static Record *record_at(const Guard *g, size_t place)
{
    return (Record *)(host_channel(g->host)->data + place);
}

/* The instance of a number that a host may have written; the first one if none exists of that number. */
static Remote *remote_of(const Guard *g, int number)
{
    return g->remotes[number >= 0 && number < g->remote_count ? number : 0];
}

void proxy_discard(Guard *g)
{
    g->used = 0;
    g->records = g->together = 0;
}

/* A call before the last one was refused: this says which. */
static void tell_refused(Remote *r, uint64_t number, Status status)
{
    const Guard *g = r->guard;
    const size_t room = host_room(g->host);
    size_t place = 0;
    for (uint64_t i = 0; i < number && place + sizeof(Record) <= room; i++)
        place += sizeof(Record) + record_at(g, place)->bytes;
    if (place + sizeof(Record) > room)
        return;
    Record refused;
    channel_copy(&refused, record_at(g, place), sizeof refused);
    const Remote *of = refused.component >= 0 && refused.component < g->remote_count ? g->remotes[refused.component] : NULL;
    static const char *const words[] = {"ok", "warning", "discard", "error", "fatal", "pending"};
    if (!of || !of->instance || (unsigned)status > PENDING)
        return;
    char text[300];
    snprintf(text, sizeof text, "%s of '%s' before it returned '%s'", library_call(of->instance->library->standard, refused.call),
             of->instance->name, words[status]);
    instance_says(r->instance, text);
}

/* All that waits; the status of the first call that is refused, or the worst. */
Status proxy_send(Remote *r)
{
    Guard *g = r->guard;
    Channel *c = host_channel(g->host);
    const uint64_t last = g->records - (g->together ? g->together : 1);
    c->call.word[0] = g->records;
    if (host_call(g->host, GUARD_RUN)) {
        proxy_discard(g);
        return FATAL;
    }
    Call call;
    channel_copy(&call, &c->call, sizeof call);
    const Status status = call.status;
    const uint64_t done = call.word[0];
    hear(g);
    if ((unsigned)status > WARNING && done < last)
        tell_refused(r, done, status);
    proxy_discard(g);
    return status;
}

/* A call that waits to be sent, with room for its arrays; null where the host is lost, or there is no room. */
Record *proxy_begin(Remote *r, int call, size_t bytes)
{
    Guard *g = r->guard;
    const size_t room = host_room(g->host), need = sizeof(Record) + whole_eights(bytes);
    r->answers.next = r->answers.end = 0;
    if (host_death(g->host)->kind)
        return NULL;
    if (g->used + need > room && g->records && !g->answering && proxy_send(r) > WARNING)
        return NULL;
    if (g->used + need > room) {
        instance_says(r->instance, "its arrays are larger than the memory that it shares with its process");
        return NULL;
    }
    Record *const record = record_at(g, g->used);
    *record = (Record){.call = call, .component = r->number, .bytes = (uint32_t)whole_eights(bytes)};
    g->used += need;
    g->records++;
    return record;
}

/* A call that has an answer; within an answer to the host there can be none. */
Status proxy_ask(Remote *r)
{
    if (!r->guard->answering)
        return proxy_send(r);
    instance_says(r->instance, "it requested a value of its own during a step");
    return ERROR;
}

/* Makes a call that has no arrays. Its record goes out once and comes back once; an answer to another call shows that the host is damaged. */
Status proxy_exchange(Remote *r, Record *record)
{
    Record *const shared = proxy_begin(r, record->call, 0);
    if (!shared)
        return FATAL;
    const Record sent = {.call = record->call, .component = r->number};
    record->component = r->number;
    *shared = *record;
    const Status status = proxy_ask(r);
    if (host_death(r->guard->host)->kind)
        return FATAL;
    channel_copy(record, shared, sizeof *record);
    if (record->call == sent.call && record->component == sent.component && record->bytes == sent.bytes)
        return status;
    host_give_up(r->guard->host);
    return FATAL;
}

/* The last call has no answer. */
Status proxy_perhaps_later(Remote *r)
{
    return r->waits || r->guard->answering ? OK : proxy_send(r);
}

Status proxy_plain(Remote *r, int call)
{
    return proxy_exchange(r, &(Record){.call = call});
}

Status proxy_begin_run(Remote *r, int call)
{
    const Status status = proxy_plain(r, call);
    r->waits = (unsigned)status <= WARNING;
    return status;
}

Status proxy_end_run(Remote *r, int call)
{
    r->waits = false;
    return proxy_plain(r, call);
}

Status proxy_set_time(Remote *r, int call, double time)
{
    Record *const c = proxy_begin(r, call, 0);
    if (!c)
        return FATAL;
    c->real[0] = time;
    return proxy_perhaps_later(r);
}

Status proxy_with_state(Remote *r, int call, void **state)
{
    Record c = {.call = call, .state = (uint64_t)(uintptr_t)*state};
    const Status status = proxy_exchange(r, &c);
    *state = (void *)(uintptr_t)c.state;
    return status;
}

Status proxy_serialised_size(Remote *r, int call, void *state, size_t *size)
{
    Record c = {.call = call, .state = (uint64_t)(uintptr_t)state, .count = {*size}};
    const Status status = proxy_exchange(r, &c);
    *size = c.count[0];
    return status;
}

Status proxy_serialise(Remote *r, int call, void *state, unsigned char *bytes, size_t size)
{
    Record *const c = proxy_begin(r, call, size);
    if (!c)
        return FATAL;
    c->state = (uint64_t)(uintptr_t)state;
    c->count[0] = size;
    const Status status = proxy_ask(r);
    proxy_put(bytes, proxy_arrays(c), size);
    return status;
}

Status proxy_deserialise(Remote *r, int call, const unsigned char *bytes, size_t size, void **state)
{
    Record *const c = proxy_begin(r, call, size);
    if (!c)
        return FATAL;
    c->state = (uint64_t)(uintptr_t)*state;
    c->count[0] = size;
    proxy_put(proxy_arrays(c), bytes, size);
    const Status status = proxy_ask(r);
    *state = (void *)(uintptr_t)c->state;
    return status;
}

Status proxy_numbers_to(Remote *r, int call, const double *x, size_t count)
{
    Record *const c = proxy_begin(r, call, count * sizeof *x);
    if (!c)
        return FATAL;
    c->count[0] = count;
    proxy_put(proxy_arrays(c), x, count * sizeof *x);
    return proxy_perhaps_later(r);
}

Status proxy_numbers_of(Remote *r, int call, double *x, size_t count)
{
    Record *const c = proxy_begin(r, call, count * sizeof *x);
    if (!c)
        return FATAL;
    c->count[0] = count;
    proxy_put(proxy_arrays(c), x, count * sizeof *x); /* an FMU may leave out some */
    const Status status = proxy_ask(r);
    proxy_put((unsigned char *)x, proxy_arrays(c), count * sizeof *x);
    return status;
}

Status proxy_access(Remote *r, int call, const Reference *references, size_t count, void *values, size_t number, size_t size, bool setting)
{
    const size_t first = whole_eights(count * sizeof *references);
    Record *const c = proxy_begin(r, call, first + number * size);
    if (!c)
        return FATAL;
    c->count[0] = count;
    c->count[1] = number;
    proxy_put(proxy_arrays(c), references, count * sizeof *references);
    proxy_put(proxy_arrays(c) + first, values, number * size);
    if (setting)
        return proxy_perhaps_later(r);
    const Status status = proxy_ask(r);
    proxy_put(values, proxy_arrays(c) + first, number * size);
    return status;
}

/* -- instances --------------------------------------------------------------------------------------------------------------------- */

static uint64_t put_text(Channel *c, size_t room, size_t *used, const char *text)
{
    const size_t length = text ? strlen(text) + 1 : 0, place = *used;
    if (!text || place + length > room)
        return 0;
    memcpy(c->data + place, text, length);
    *used += whole_eights(length);
    return place + 1;
}

Remote *proxy_made(Instance *instance, const char *name, const char *token, const char *resources, const uint64_t words[5],
                    const Reference *inputs, size_t count, Fmi3Update update)
{
    const Guarded *library = (const Guarded *)instance->library;
    Guard *g = library->guard;
    Channel *c = host_channel(g->host);
    Remote **const more = realloc(g->remotes, (size_t)(g->remote_count + 1) * sizeof *more);
    Remote *const r = calloc(1, sizeof *r);
    g->remotes = more ? more : g->remotes;
    if (!more || !r || (g->records && proxy_send(remote_of(g, record_at(g, 0)->component)) == FATAL)) {
        free(r);
        return NULL;
    }
    size_t used = 0;
    memcpy(c->call.word, words, 5 * sizeof *words);
    c->call.word[5] = put_text(c, host_room(g->host), &used, name);
    c->call.word[6] = put_text(c, host_room(g->host), &used, token);
    c->call.word[7] = put_text(c, host_room(g->host), &used, resources);
    c->call.word[8] = used;
    c->call.word[9] = count;
    proxy_put(c->data + used, inputs, count * sizeof *inputs);
    *r = (Remote){.guard = g, .instance = instance, .update = update, .number = g->remote_count};
    g->remotes[g->remote_count++] = r;
    const bool answered = !host_call(g->host, GUARD_MAKE);
    if (answered)
        hear(g);
    if (answered && c->call.status == OK)
        return r;
    r->instance = NULL; /* the caller frees it */
    return NULL;
}

static int answer(void *context, int what)
{
    Guard *g = context;
    Call *call = host_words(g->host);
    const uint64_t number = call->word[0], records = g->records;
    const size_t used = g->used;
    Remote *const r = number < (uint64_t)g->remote_count ? g->remotes[number] : NULL;
    if (what != GUARD_UPDATE || !r || !r->update || !r->instance)
        return -1;
    g->records = 0;
    g->answering = true;
    r->update(r->instance, call->real[0], true, false, false, false, NULL, NULL);
    g->answering = false;
    call->word[0] = g->records;
    call->word[1] = used;
    g->used = used;
    g->records = records;
    return 0;
}

void proxy_release(Remote *r, int call)
{
    if (proxy_begin(r, call, 0))
        (void)proxy_send(r);
    r->instance = NULL;
}

/* -- guards ------------------------------------------------------------------------------------------------------------------------ */

Guard *guard_new(Host *host)
{
    Guard *g = calloc(1, sizeof *g);
    if (g)
        g->host = host;
    if (g)
        host_answers(host, answer, g);
    return g;
}

static void forget_remote(Remote *r)
{
    free(r->answers.records);
    free(r->texts);
    free(r);
}

void guard_free(Guard *g)
{
    if (!g)
        return;
    for (int i = 0; i < g->library_count; i++)
        free(g->libraries[i]);
    for (int i = 0; i < g->remote_count; i++)
        forget_remote(g->remotes[i]);
    free(g->libraries);
    free(g->remotes);
    free(g);
}

/* The proxies of the functions that the library in the host has. */
static void take_over(Library *library, const unsigned char *there)
{
    typedef void (*Function)(void);
    const bool second = library->version == 2;
    const Function *const from = second ? (const Function *)(const void *)&proxies_2 : (const Function *)(const void *)&proxies_3;
    Function *const to = (Function *)(void *)&library->fmi2;
    const size_t count = (second ? sizeof proxies_2 : sizeof proxies_3) / sizeof *from;
    for (size_t i = 0; i < count; i++)
        to[i] = there[i] ? from[i] : NULL;
    library->together = second ? together_2 : together_3;
}

Library *guard_open(Guard *g, const char *path, int version, char *problem, size_t size)
{
    Channel *c = host_channel(g->host);
    Guarded **const more = realloc(g->libraries, (size_t)(g->library_count + 1) * sizeof *more);
    Guarded *const library = calloc(1, sizeof *library);
    g->libraries = more ? more : g->libraries;
    if (!more || !library || strlen(path) >= host_room(g->host)) {
        snprintf(problem, size, "memory ran out");
        free(library);
        return NULL;
    }
    strcpy((char *)c->data, path);
    c->call.word[0] = (uint64_t)version;
    problem[0] = '\0'; /* where the host is lost, its end says more */
    const bool answered = !host_call(g->host, GUARD_OPEN);
    if (!answered || c->call.status != OK) {
        if (answered)
            snprintf(problem, size, "%.*s", (int)size - 1, (const char *)c->data);
        free(library);
        return NULL;
    }
    library->library.standard = version;
    library->library.version = version == 3 ? 3 : 2;
    library->guard = g;
    library->number = (int)c->call.word[0];
    take_over(&library->library, c->data);
    g->libraries[g->library_count++] = library;
    return &library->library;
}

void *guard_instance(const Guard *g, int number)
{
    return number >= 0 && number < g->remote_count ? g->remotes[number]->instance : NULL;
}
