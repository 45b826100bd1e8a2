/* The kernel in a host: the other process calls its functions by their numbers, in memory that both see at the same address. Objects of
 * the other process, such as functions of time, are called during the call. */
#include "platform/heap.h"
#include "hosts/channel.h"
#include "hosts/host_calls.h"
#include "system/kernel.h"

#include <string.h>

Where *kernel_where;

static Channel *channel;

_Static_assert(HOST_WORDS == CHANNEL_WORDS, "a call has all words of a channel");

uintptr_t host_anchor(void)
{
    return (uintptr_t)&host_anchor;
}

bool host_kernel_serve(Channel *c, int op)
{
    uint64_t *const w = c->call.word;
    const HostFunction *const entry = host_entry(w[0]);
    switch (op) {
    case OP_KERNEL: /* from now on, in this part of the memory */
        channel = c;
        kernel_where = &c->where;
        memory_use(heap_begin((void *)(uintptr_t)w[0], (size_t)w[1]));
        w[0] = host_anchor();
        return true;
    case OP_KERNEL + 1:
        if (!entry || !entry->unpack)
            return false;
        entry->unpack(w);
        return true;
    case OP_KERNEL + 2:
        if (!entry || !entry->function)
            return false;
        w[0] = (uintptr_t)entry->function;
        return true;
    default: return false;
    }
}

/* -- what is asked for: word 0 is the context, the others and the numbers are arguments --------------------------------------- */

enum { ASK_VALUE = 1, ASK_RESTART, ASK_STEP, ASK_STATE, ASK_BETWEEN, ASK_GO_ON };

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

bool ask_go_on(double limit, void *context)
{
    channel->call.word[0] = (uintptr_t)context;
    channel->call.real[0] = limit;
    return channel_ask(channel, ASK_GO_ON);
}

bool ask_between(double t, double h, void *context)
{
    channel->call.word[0] = (uintptr_t)context;
    memcpy(channel->call.real, (double[]){t, h}, 2 * sizeof(double));
    return channel_ask(channel, ASK_BETWEEN);
}
