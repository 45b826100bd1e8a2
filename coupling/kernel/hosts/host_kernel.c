/* The kernel in a host: each function of this library can be called from the other process, in memory that both see at the same address. What
 * belongs to the other process, such as functions of time, is asked for during the call. */
#include "platform/heap.h"
#include "hosts/channel.h"
#include "system/kernel.h"

#include <stdint.h>
#include <string.h>

Where *kernel_where;

static Channel *channel;

/* All functions that are called have at most eight arguments that are numbers or addresses, and eight that are doubles. On x86-64 both sorts are passed
 * apart from each other, and what a function does not take does no harm, so that one type fits all of them. */
typedef uint64_t (*Whole)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, double, double, double, double, double, double, double,
                          double, uint64_t, uint64_t);
typedef double (*Real)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, double, double, double, double, double, double, double,
                       double, uint64_t, uint64_t);

typedef union { /* ISO C has no conversion from numbers to function pointers */
    uintptr_t address;
    Whole whole;
    Real real;
} Function;

#define ARGUMENTS \
    (w[1], w[2], w[3], w[4], w[5], w[6], r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], w[7], w[8])

uintptr_t host_anchor(void)
{
    return (uintptr_t)&host_anchor;
}

bool host_kernel_serve(Channel *c, int op)
{
    uint64_t w[9];
    double r[CHANNEL_REALS];
    Function function;
    memcpy(w, c->call.word, sizeof w);
    memcpy(r, c->call.real, sizeof r);
    switch (op) {
    case OP_KERNEL: /* from now on, in this part of the memory */
        channel = c;
        kernel_where = &c->where;
        memory_use(heap_begin((void *)(uintptr_t)w[0], (size_t)w[1]));
        c->call.word[0] = host_anchor();
        return true;
    case OP_KERNEL + 1:
        function.address = host_anchor() + (uintptr_t)w[0];
        c->call.word[0] = function.whole ARGUMENTS;
        return true;
    case OP_KERNEL + 2:
        function.address = host_anchor() + (uintptr_t)w[0];
        c->call.real[0] = function.real ARGUMENTS;
        return true;
    default: return false;
    }
}

/* -- what is asked for: word 0 is the context, the others and the numbers are arguments --------------------------------------- */

enum { ASK_VALUE = 1, ASK_RESTART, ASK_STEP, ASK_STATE, ASK_BETWEEN };

double ask_value(double t, void *context)
{
    channel->call.word[0] = (uintptr_t)context;
    channel->call.real[0] = t;
    channel_ask(channel, ASK_VALUE);
    return channel->call.real[0];
}

bool ask_restart(double t, const double *x, double limit, double first, void *context)
{
    channel->call.word[0] = (uintptr_t)context;
    channel->call.word[1] = (uintptr_t)x;
    memcpy(channel->call.real, (double[]){t, limit, first}, 3 * sizeof(double));
    return channel_ask(channel, ASK_RESTART);
}

bool ask_step(double *t, void *context)
{
    channel->call.word[0] = (uintptr_t)context;
    const bool done = channel_ask(channel, ASK_STEP);
    *t = channel->call.real[0];
    return done;
}

bool ask_state(double t, double *x, void *context)
{
    channel->call.word[0] = (uintptr_t)context;
    channel->call.word[1] = (uintptr_t)x;
    channel->call.real[0] = t;
    return channel_ask(channel, ASK_STATE);
}

bool ask_between(double t, double h, void *context)
{
    channel->call.word[0] = (uintptr_t)context;
    memcpy(channel->call.real, (double[]){t, h}, 2 * sizeof(double));
    return channel_ask(channel, ASK_BETWEEN);
}
