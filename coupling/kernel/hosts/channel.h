/* Calls from this process to a host, a process of its own in which FMUs may do what they want: one at a time, by shared memory. */
#ifndef KERNEL_CHANNEL_H
#define KERNEL_CHANNEL_H

#include "fmi/where.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { CHANNEL_WORDS = 16, CHANNEL_REALS = 8, CHANNEL_MESSAGES = 1 << 16 };

/* A call, and after it the answer; what the words and numbers are is the affair of the service. */
typedef struct {
    int op, asks, status;
    int answers; /* truth: this is no call, but the result of a question during one; until then there may be calls */
    size_t size;
    uint64_t word[CHANNEL_WORDS];
    double real[CHANNEL_REALS];
} Call;

/* The memory that both processes see, at the same address. */
typedef struct {
    _Alignas(64) _Atomic uint32_t request; /* counts requests */
    _Atomic uint32_t host_sleeps, host_spin;
    _Alignas(64) _Atomic uint32_t response; /* counts answers, and questions of the host during a call */
    _Atomic uint32_t master_sleeps;
    _Alignas(64) Call call;
    _Alignas(64) Where where;
    _Atomic int leaving;  /* exit has been called */
    double memory;        /* bytes that the host may take; 0: no limit */
    uint32_t said, lost;  /* bytes of messages, and how many did not fit */
    char message[CHANNEL_MESSAGES];
    size_t room; /* bytes of data */
    _Alignas(4096) unsigned char data[];
} Channel;

typedef struct Host Host;

typedef struct {
    const char *const *program; /* the path of the program that calls host_run, its own arguments, and a null */
    const char *core;           /* the path of the library whose services it offers */
    size_t room;                /* bytes of data that both see; they take memory only where they are used */
    double memory;              /* bytes that the host may take; 0: no limit */
    double call_timeout;        /* seconds that one call of an FMU may take; 0: no limit */
    const char *const *sandbox; /* null: none; else paths that it may read, SANDBOX_WRITABLE, paths that it may write as well, and a null */
} HostOptions;

#define SANDBOX_WRITABLE "--"

typedef enum { LIVES, SIGNALLED, EXITED, LEFT, TIMED_OUT, INTERRUPTED, LOST, DAMAGED } DeathKind;

/* The end of a host. EXITED: it called exit. LEFT: it called _exit. LOST: the cause is unknown. DAMAGED: the shared memory was overwritten. */
typedef struct {
    int kind, signal, code;
    double seconds;    /* duration of the last call */
    int version, call; /* version of FMI and number of the call that it was in; -1: in none */
    void *instance;
    double time;
} Death;

/* The functions by which Python calls the handlers of signals that have come: between `hold` and `release`. `handle` returns another
 * number than 0 where one has raised an exception, which `forget` drops. */
typedef struct {
    int (*hold)(void);
    int (*handle)(void);
    void (*forget)(void);
    void (*release)(int held);
} HostSignals;

/* -- in the master: channel.c ---------------------------------------------------------------------------------------------- */

/* Null where it cannot be; `problem` then says why. */
Host *host_start(const HostOptions *, char *problem, size_t size);
Channel *host_channel(Host *);
size_t host_room(const Host *); /* bytes of data, as this process knows it */
Call *host_words(Host *);
void *host_data(Host *);
int host_process(const Host *);
uint32_t host_spins(Host *); /* number of looks before it sleeps */
int host_call(Host *, int op); /* 0: answered; else how the host was lost, from then on at each call */
void host_answers(Host *, int (*answer)(void *context, int what), void *context); /* sets the answer to the host's questions in a call */
int host_give(Host *, int file); /* the number of the same open file in the host; -1 where that cannot be */
const Death *host_death(const Host *);
long host_printed(Host *, const char **text); /* text that the host has printed so far, its last mebibyte */
void host_stop(Host *); /* ends it, and leaves zeros where the memory was that both saw */
void host_give_up(Host *); /* one whose answers make no sense: it is DAMAGED */
void host_limit(Host *, double call_timeout); /* from now on */
void host_end(Host *);
void host_look(int (*look)(double lasted)); /* asked again and again while waiting; where it returns another number than 0, the host is given up */
void host_signals(const HostSignals *);
void hosts_forget(void);           /* drops the hosts in a copy of the master, to which they belong */

/* -- in the host: host_run.c ------------------------------------------------------------------------------------------------ */

typedef bool (*Service)(Channel *, int op); /* false: this is not one of its calls */
extern const Service host_services[];       /* the last one is null */

enum { OP_START, OP_PING, OP_END, OP_TAKE, OP_GUARD = 100, OP_KERNEL = 1000 }; /* first numbers of the calls of a service */

bool host_kernel_serve(Channel *, int op); /* host_kernel.c */
uintptr_t host_anchor(void);               /* address of the library in a process */
enum { HOST_ELSEWHERE = 3 }; /* result of a host where the address of the memory is taken */
int host_run(int count, char **arguments);
int channel_ask(Channel *, int what); /* asks the master, during a call; returns its result */

/* -- both ---------------------------------------------------------------------------------------------------------------------- */

/* Copies shared memory once. The other side may write to it at any time, so a check holds for the copy only. The fence keeps the compiler from
 * reading the shared memory again. */
static inline void channel_copy(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
    atomic_signal_fence(memory_order_seq_cst);
}

/* The time to look at a word before sleeping: as long as this has paid off lately, and as no other process needs the core. */
typedef struct {
    uint32_t budget, waits;
    double crowded; /* until then others have the core */
} Patience;

enum { CHANNEL_SPIN = 2000 };

/* Says whether the word has changed meanwhile; `most`: how often to look with the core to itself, 0 where the other side needs it. */
bool channel_watch(Patience *, const _Atomic uint32_t *word, uint32_t before, uint32_t most);
void channel_post(_Atomic uint32_t *word, const _Atomic uint32_t *sleeps);

#endif
