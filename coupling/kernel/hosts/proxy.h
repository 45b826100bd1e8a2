/* Functions of FMI that send their arguments to a host: what those of both versions are made of. */
#ifndef KERNEL_PROXY_H
#define KERNEL_PROXY_H

#include "hosts/guard.h"
#include "fmi/instance.h"

typedef struct {
    Library library; /* first: an instance knows no more */
    Guard *guard;
    int number;
} Guarded;

/* Answers to calls that have not been made yet: derivatives that are asked for together. The status is that of the last one; all before it are OK. */
typedef struct {
    unsigned char *records;
    size_t room, next, end;
    Status status;
    bool said; /* true if the last call has messages */
} Answers;

/* The component of an FMU, as the kernel sees it. */
typedef struct {
    Guard *guard;
    Instance *instance;
    Fmi3Update update;
    int number;
    unsigned char *texts; /* those of the last answer */
    bool waits; /* its setters do, since a refusal may arrive later */
    Answers answers;
} Remote;

struct Guard {
    Host *host;
    size_t used; /* bytes of the data in use */
    uint64_t records, together; /* calls that wait, and how many at their end are asked together; 0: one */
    bool answering;
    Guarded **libraries;
    Remote **remotes; /* remote instances by their numbers in the host */
    int library_count, remote_count;
};

extern const Fmi2 proxies_2;
extern const Fmi3 proxies_3;

/* A call that waits to be sent, with room for its arrays; null where the host is lost, or there is no room. */
Record *proxy_begin(Remote *, int call, size_t bytes);
Status proxy_ask(Remote *);           /* sends all that waits: the last call has an answer */
Status proxy_exchange(Remote *, Record *); /* a call without arrays, by a private record, which then holds the answer */
Status proxy_send(Remote *);          /* all that waits; the status of the first call that is refused, or the worst */
Status proxy_perhaps_later(Remote *); /* the last call has no answer: it may wait */
void proxy_discard(Guard *);          /* drops waiting calls without sending them */

static inline unsigned char *proxy_arrays(Record *record)
{
    return (unsigned char *)(record + 1);
}

static inline void proxy_put(unsigned char *to, const void *from, size_t bytes)
{
    if (bytes)
        memcpy(to, from, bytes);
}

/* Whole calls. */
Status proxy_plain(Remote *, int call);
Status proxy_begin_run(Remote *, int call); /* makes setters wait from now on */
Status proxy_end_run(Remote *, int call);
Status proxy_set_time(Remote *, int call, double);
Status proxy_with_state(Remote *, int call, void **state);
Status proxy_serialised_size(Remote *, int call, void *state, size_t *);
Status proxy_serialise(Remote *, int call, void *state, unsigned char *, size_t);
Status proxy_deserialise(Remote *, int call, const unsigned char *, size_t, void **state);
Status proxy_numbers_to(Remote *, int call, const double *, size_t);
Status proxy_numbers_of(Remote *, int call, double *, size_t);
Status proxy_access(Remote *, int call, const Reference *, size_t, void *values, size_t number, size_t size, bool setting); /* of arrays more values than references */
Status proxy_derivatives(Remote *, int call, const Reference *rows, size_t, const Reference *columns, size_t, const double *seed, size_t seeds,
                         double *result, size_t results);
void proxy_together(Remote *, int call, const Directional *, size_t count);
void together_2(Component, const Directional *, size_t count);
void together_3(Component, const Directional *, size_t count);
/* proxy_texts.c: without sizes the bytes are texts, each with a zero at its end. */
Status proxy_set_texts(Remote *, int call, const Reference *, size_t, const size_t *size, const void *const *byte, size_t values);
Status proxy_get_texts(Remote *, int call, const Reference *, size_t, size_t *size, const void **byte, size_t values);
void proxy_release(Remote *, int call);

/* The words are those of `make` in guard.c. */
Remote *proxy_made(Instance *, const char *name, const char *token, const char *resources, const uint64_t words[5], const Reference *inputs,
                   size_t, Fmi3Update);

static inline uint64_t proxy_library(const Instance *instance)
{
    return (uint64_t)((const Guarded *)instance->library)->number;
}

/* The functions that both versions have in the same form. */
#define BOTH(version)                                                                                                            \
    static void release_##version(Component r) { proxy_release(r, CALL(release)); }                                                \
    static Status set_time_##version(Component r, double time) { return proxy_set_time(r, CALL(set_time), time); }                 \
    static Status exit_initialization_##version(Component r) { return proxy_begin_run(r, CALL(exit_initialization)); }             \
    static Status reset_##version(Component r) { return proxy_end_run(r, CALL(reset)); }                                           \
    static Status enter_events_##version(Component r) { return proxy_plain(r, CALL(enter_events)); }                                     \
    static Status enter_continuous_##version(Component r) { return proxy_plain(r, CALL(enter_continuous)); }                             \
    static Status terminate_##version(Component r) { return proxy_plain(r, CALL(terminate)); }                                           \
    static Status save_##version(Component r, void **state) { return proxy_with_state(r, CALL(save), state); }                           \
    static Status restore_##version(Component r, void *state) { return proxy_with_state(r, CALL(restore), &state); }                     \
    static Status forget_##version(Component r, void **state) { return proxy_with_state(r, CALL(forget), state); }                       \
    static Status serialised_size_##version(Component r, void *state, size_t *size)                                                 \
    {                                                                                                                               \
        return proxy_serialised_size(r, CALL(serialised_size), state, size);                                                        \
    }                                                                                                                               \
    static Status serialise_##version(Component r, void *state, unsigned char *bytes, size_t size)                                  \
    {                                                                                                                               \
        return proxy_serialise(r, CALL(serialise), state, bytes, size);                                                             \
    }                                                                                                                               \
    static Status deserialise_##version(Component r, const unsigned char *bytes, size_t size, void **state)                         \
    {                                                                                                                               \
        return proxy_deserialise(r, CALL(deserialise), bytes, size, state);                                                         \
    }                                                                                                                               \
    static Status set_states_##version(Component r, const double *x, size_t n) { return proxy_numbers_to(r, CALL(set_states), x, n); }   \
    static Status get_states_##version(Component r, double *x, size_t n) { return proxy_numbers_of(r, CALL(get_states), x, n); }         \
    static Status get_derivatives_##version(Component r, double *x, size_t n) { return proxy_numbers_of(r, CALL(get_derivatives), x, n); } \
    static Status get_nominals_##version(Component r, double *x, size_t n) { return proxy_numbers_of(r, CALL(get_nominals), x, n); }     \
    static Status get_indicators_##version(Component r, double *x, size_t n) { return proxy_numbers_of(r, CALL(get_indicators), x, n); }

#endif
