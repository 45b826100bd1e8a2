/* The master's side of a channel: starts a host, calls it, and finds the cause of its end. Data of a host are never trusted: its FMU may
 * have written them. */
#include "hosts/channel.h"
#include "platform/platform.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PRINTED = 1 << 20, GROUPED = 512, BETWEEN = 40 };

/* The sleep in s between two looks at other causes for an end. */
static const double nap = 0.02;

/* Most calls of FMUs that a host can make in a second: one call takes longer than a nanosecond. */
static const double soonest = 1e9;

/* Limits of a host's work between two calls of FMUs, in s, and in one request, in time limits of a call. They end a host that counts calls for ever. */
static const double between = 60, longest_request = 1000;

/* The time in s that a host has to end after it is asked to. */
static const double patience = 1.0;

/* Seconds of yielding before sleep: `idle` on a free core, `hardly` on a busy one. A yield below `alone` shows a free core, one above
 * `late` a busy one. After that, yielding pauses for `amends` times as long. */
static const double idle = 1e-3, hardly = 5e-6, alone = 1e-6, late = 5e-5, amends = 100;

struct Host {
    Host *next;
    Channel *channel;
    size_t size;
    Process process;
    Patience waiting;
    Death death;
    double call_timeout;
    uint32_t request; /* as it was posted last: hosts only read it */
    int (*answer)(void *context, int what);
    void *context;
    bool stopped;
    unsigned age; /* `forgotten` when it was made */
    char *printed;
    size_t length;
};

static Host *hosts;
static atomic_flag listing = ATOMIC_FLAG_INIT;
static int (*looks)(double);
static HostSignals signals;
static unsigned forgotten;

void host_look(int (*look)(double))
{
    looks = look;
}

void host_signals(const HostSignals *of)
{
    signals = *of;
}

/* A handler of a signal has raised an exception. Handlers are called here, not when `looks` is, where their exceptions would be lost. */
static bool raised(void)
{
    if (!signals.handle)
        return false;
    const int held = signals.hold();
    const bool found = signals.handle() != 0;
    if (found)
        signals.forget();
    signals.release(held);
    return found;
}

/* -- waiting, on both sides ------------------------------------------------------------------------------------------------ */

static bool differs(const _Atomic uint32_t *word, uint32_t before)
{
    return atomic_load_explicit(word, memory_order_acquire) != before;
}

static bool look(const _Atomic uint32_t *word, uint32_t before, uint32_t turns)
{
    for (uint32_t i = 0; i < turns; i++) {
        if (differs(word, before))
            return true;
        platform_relax();
    }
    return differs(word, before);
}

static bool spin(Patience *p, const _Atomic uint32_t *word, uint32_t before, uint32_t most)
{
    if (++p->waits % GROUPED == 0)
        p->budget = most; /* the machine may have become quieter */
    const bool found = look(word, before, p->budget < most ? p->budget : most);
    p->budget = found ? most : p->budget / 4;
    return found;
}

/* While the core has nothing else to do: a core that sleeps takes tens of microseconds to wake up, and one that does not is taken over at once. Where
 * both sides share a core, yielding is the shortest way to the other one. */
static bool yield(Patience *p, const _Atomic uint32_t *word, uint32_t before, uint32_t most)
{
    const double now = platform_seconds(), longest = most ? idle : hardly;
    for (double waited = 0; waited < longest && now >= p->crowded;) {
        const double took = platform_yield();
        waited += took;
        if (took > late)
            p->crowded = now + amends * took;
        if (differs(word, before)) {
            if (took < alone)
                p->budget = most; /* the other side has a core of its own */
            return true;
        }
        if (look(word, before, most ? BETWEEN : 0))
            return true;
    }
    return false;
}

bool channel_watch(Patience *p, const _Atomic uint32_t *word, uint32_t before, uint32_t most)
{
    return spin(p, word, before, most) || yield(p, word, before, most);
}

void channel_post(_Atomic uint32_t *word, const _Atomic uint32_t *sleeps)
{
    atomic_fetch_add(word, 1);
    if (atomic_load(sleeps))
        platform_wake(word);
}

/* -- starting and ending ------------------------------------------------------------------------------------------------------ */

/* Hosts spin on all cores but one, on which the master runs. */
static void share_cores(void)
{
    int free = platform_cores() - 1;
    for (Host *h = hosts; h; h = h->next)
        atomic_store(&h->channel->host_spin, free-- > 0 ? CHANNEL_SPIN : 0);
}

static bool spins(const Host *h)
{
    return atomic_load_explicit(&h->channel->host_spin, memory_order_relaxed) > 0;
}

static void lock(void)
{
    while (atomic_flag_test_and_set(&listing))
        platform_relax();
}

static void unlock(void)
{
    atomic_flag_clear(&listing);
}

/* To a host that is called, of another one that sleeps. */
static void pass_core(Host *to)
{
    lock();
    Host *from = hosts;
    while (from && (!spins(from) || !atomic_load(&from->channel->host_sleeps)))
        from = from->next;
    if (from && !spins(to)) {
        atomic_store(&from->channel->host_spin, 0);
        atomic_store(&to->channel->host_spin, CHANNEL_SPIN);
    }
    unlock();
}

static void enlist(Host *h)
{
    lock();
    Host **end = &hosts;
    while (*end)
        end = &(*end)->next;
    *end = h;
    share_cores();
    unlock();
}

static void strike_off(Host *h)
{
    lock();
    for (Host **at = &hosts; *at; at = &(*at)->next)
        if (*at == h) {
            *at = h->next;
            break;
        }
    share_cores();
    unlock();
}

void hosts_forget(void)
{
    forgotten++;
    hosts = NULL;
    atomic_flag_clear(&listing);
}

/* Arguments of the program, and after them those that the host reads in `host_run`. */
static char **command(const HostOptions *options, char *where, char *size)
{
    const char *const of_host[] = {options->core, where, size, NULL}, *const *const lists[] = {options->program, of_host, options->sandbox};
    char **arguments = NULL;
    for (bool counting = true;; counting = false) {
        size_t count = 0;
        for (int i = 0; i < 3; i++)
            for (const char *const *each = lists[i]; each && *each; each++, count++)
                if (!counting)
                    arguments[count] = (char *)*each;
        if (!counting || !(arguments = calloc(count + 1, sizeof *arguments)))
            return arguments;
    }
}

static Host *start(const HostOptions *options, char *problem, size_t size, bool *elsewhere)
{
    Host *h = calloc(1, sizeof *h);
    void *window = NULL;
    int file = -1, error = 0;
    if (!h) {
        snprintf(problem, size, "memory ran out");
        return NULL;
    }
    h->size = sizeof(Channel) + options->room;
    error = platform_share(h->size, &file, &window);
    if (error) {
        snprintf(problem, size, "it cannot share %.3g MiB of memory: %s", (double)h->size / (1 << 20), strerror(error));
        free(h);
        return NULL;
    }
    h->channel = window;
    h->channel->room = options->room;
    h->channel->memory = options->memory;
    h->call_timeout = options->call_timeout;
    h->age = forgotten;
    char where[40], count[40];
    snprintf(where, sizeof where, "%p", window);
    snprintf(count, sizeof count, "%zu", h->size);
    char **const arguments = command(options, where, count);
    error = arguments ? platform_start(&h->process, arguments, file) : ENOMEM;
    free(arguments);
    platform_close(file);
    if (error) {
        snprintf(problem, size, "'%s' cannot be started: %s", options->program[0], strerror(error));
        platform_unmap(window, h->size);
        free(h);
        return NULL;
    }
    enlist(h);
    if (!host_call(h, OP_START))
        return h;
    const char *said;
    host_printed(h, &said);
    snprintf(problem, size, "'%s' did not start%s%s", options->program[0], *said ? ": " : "", said);
    *elsewhere = h->death.code == HOST_ELSEWHERE;
    host_end(h);
    return NULL;
}

Host *host_start(const HostOptions *options, char *problem, size_t size)
{
    enum { PLACES = 100 };
    Host *h = NULL;
    bool elsewhere = true;
    for (int i = 0; i < PLACES && elsewhere && !h; i++) {
        elsewhere = false;
        h = start(options, problem, size, &elsewhere);
    }
    return h;
}

Channel *host_channel(Host *h)
{
    return h->channel;
}

size_t host_room(const Host *h)
{
    return h->size - sizeof(Channel);
}

Call *host_words(Host *h)
{
    return &h->channel->call;
}

void *host_data(Host *h)
{
    return h->channel->data;
}

int host_process(const Host *h)
{
    return h->process.id;
}

uint32_t host_spins(Host *h)
{
    return atomic_load(&h->channel->host_spin);
}

void host_limit(Host *h, double call_timeout)
{
    h->call_timeout = call_timeout;
}

void host_answers(Host *h, int (*answer)(void *context, int what), void *context)
{
    h->answer = answer;
    h->context = context;
}

const Death *host_death(const Host *h)
{
    return &h->death;
}

long host_printed(Host *h, const char **text)
{
    *text = "";
    if (!h->printed && !(h->printed = malloc(PRINTED + 1)))
        return 0;
    for (;;) {
        if (h->length == PRINTED) { /* its end says more than its beginning */
            h->length = PRINTED / 2;
            memmove(h->printed, h->printed + PRINTED - h->length, h->length);
        }
        const long got = platform_printed(&h->process, h->printed + h->length, PRINTED - h->length);
        if (got <= 0)
            break;
        h->length += (size_t)got;
    }
    h->printed[h->length] = '\0';
    *text = h->printed;
    return (long)h->length;
}

void host_stop(Host *h)
{
    if (h->stopped || h->age != forgotten)
        return;
    h->stopped = true;
    strike_off(h);
    h->channel->call.op = OP_END;
    channel_post(&h->channel->request, &h->channel->host_sleeps);
    platform_bury(&h->process, h->death.kind ? 0 : patience);
    if (!h->death.kind)
        h->death = (Death){.kind = LOST, .call = -1};
    platform_blank(h->channel, h->size);
}

void host_end(Host *h)
{
    if (!h)
        return;
    host_stop(h);
    platform_unmap(h->channel, h->size);
    free(h->printed);
    free(h);
}

/* -- calls ---------------------------------------------------------------------------------------------------------------------- */

static int lose(Host *h, DeathKind kind, double seconds)
{
    Where where;
    channel_copy(&where, &h->channel->where, sizeof where);
    const bool calling = where.count % 2;
    if (h->age == forgotten)
        platform_kill(&h->process);
    h->death = (Death){.kind = kind,
                       .signal = h->process.signal,
                       .code = h->process.code,
                       .seconds = seconds,
                       .version = where.version,
                       .call = calling ? where.call : -1,
                       .instance = where.instance,
                       .time = where.time};
    return kind;
}

void host_give_up(Host *h)
{
    if (!h->death.kind)
        (void)lose(h, DAMAGED, 0);
}

static DeathKind kind_of(const Host *h)
{
    if (!h->process.known)
        return LOST;
    return h->process.signal ? SIGNALLED : atomic_load(&h->channel->leaving) ? EXITED : LEFT;
}

/* Says whether the shared memory is damaged. A sound host counts its calls upwards, answers once, and does not write requests. */
static bool is_damaged(const Host *h, uint32_t before, uint64_t calls, uint64_t count, double seconds)
{
    const Channel *c = h->channel;
    const uint32_t answers = atomic_load(&c->response) - before;
    return answers > 1 || atomic_load(&c->request) != h->request || (double)(calls - count) > 4 + 2 * soonest * seconds;
}

/* The longest time without a new call of an FMU. The kernel computes between two calls, and a guard does not: what it reports of its calls
 * does not matter. */
static double longest_quiet(const Host *h, int op, bool calling)
{
    return calling || op < OP_KERNEL ? h->call_timeout : h->call_timeout + between;
}

/* Says whether the host has taken too long. Only the clock of this process counts. */
static bool is_late(const Host *h, int op, bool calling, double quiet, double all)
{
    const double limit = h->call_timeout;
    return limit > 0 && (quiet >= longest_quiet(h, op, calling) || all >= longest_request * limit + between);
}

/* The end of a call whose answer has come, if it is one. */
static int answered(Host *h, uint32_t before)
{
    return is_damaged(h, before, 0, 0, 0) ? lose(h, DAMAGED, 0) : LIVES;
}

/* Until the host has answered, or something else has happened. */
static int await(Host *h, uint32_t before, int op)
{
    Channel *c = h->channel;
    static _Atomic int cores;
    if (!cores)
        cores = platform_cores();
    if (channel_watch(&h->waiting, &c->response, before, cores > 1 ? CHANNEL_SPIN : 0))
        return answered(h, before);
    uint64_t count = atomic_load(&c->where.count);
    const double began = platform_seconds();
    for (double since = began, looked = began;;) {
        atomic_store(&c->master_sleeps, 1);
        if (atomic_load(&c->response) == before)
            platform_wait(&c->response, before, nap);
        atomic_store(&c->master_sleeps, 0);
        if (atomic_load(&c->response) != before)
            return answered(h, before);
        const bool ended = platform_ended(&h->process);
        if (atomic_load(&c->response) != before)
            return answered(h, before); /* its last answer */
        const double now = platform_seconds();
        const uint64_t calls = atomic_load(&c->where.count);
        if (ended)
            return lose(h, kind_of(h), now - since);
        if (is_damaged(h, before, calls, count, now - looked))
            return lose(h, DAMAGED, now - since);
        if (calls != count)
            since = now;
        count = calls;
        looked = now;
        platform_wake(&c->request); /* should it sleep although it is called */
        if (raised() || (looks && looks(now - since)))
            return lose(h, INTERRUPTED, now - since);
        if (is_late(h, op, count % 2, now - since, now - began))
            return lose(h, TIMED_OUT, count % 2 || op < OP_KERNEL ? h->call_timeout : now - since);
    }
}

int host_call(Host *h, int op)
{
    Channel *c = h->channel;
    if (h->death.kind)
        return h->death.kind;
    if (h->age != forgotten)
        return lose(h, LOST, 0);
    if (!spins(h) && atomic_load(&c->host_sleeps))
        pass_core(h);
    for (int answers = 0;; answers = 1) {
        const uint32_t before = atomic_load_explicit(&c->response, memory_order_relaxed);
        c->call.op = op;
        c->call.asks = 0;
        c->call.answers = answers;
        h->request++;
        channel_post(&c->request, &c->host_sleeps);
        const int lost = await(h, before, op);
        int asks;
        channel_copy(&asks, &c->call.asks, sizeof asks);
        if (lost || !asks)
            return lost;
        c->call.status = h->answer ? h->answer(h->context, asks) : -1;
        if (h->death.kind)
            return h->death.kind; /* it was lost in a call meanwhile */
    }
}

int host_give(Host *h, int file)
{
    if (h->death.kind || platform_give(&h->process, file) || host_call(h, OP_TAKE))
        return -1;
    return h->channel->call.status;
}
