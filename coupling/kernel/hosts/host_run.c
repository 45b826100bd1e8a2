/* The host's side of a channel: serves calls until the master ends it, or is no more. */
#include "hosts/channel.h"
#include "platform/platform.h"
#include "hosts/sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Channel *channel;
static Patience waiting;
static uint32_t served;

static void tell_exit(void)
{
    if (channel)
        atomic_store(&channel->leaving, 1);
}

/* The next request, or the answer to a question. */
static void await(void)
{
    Channel *c = channel;
    if (!channel_watch(&waiting, &c->request, served, atomic_load_explicit(&c->host_spin, memory_order_relaxed)))
        while (atomic_load(&c->request) == served) {
            atomic_store(&c->host_sleeps, 1);
            if (atomic_load(&c->request) == served)
                platform_wait(&c->request, served, 0);
            atomic_store(&c->host_sleeps, 0);
        }
    served++;
}

static void serve(Channel *c)
{
    bool known = true;
    if (c->call.op == OP_START)
        c->call.status = platform_limit(c->memory);
    else if (c->call.op == OP_TAKE)
        c->call.status = platform_take();
    else if (c->call.op != OP_PING) {
        const Service *service = host_services;
        while (*service && !(*service)(c, c->call.op))
            service++;
        known = *service != NULL;
    }
    if (!known)
        c->call.status = -1;
    c->call.asks = 0;
}

int channel_ask(Channel *c, int what)
{
    c->call.asks = what;
    for (;;) {
        channel_post(&c->response, &c->master_sleeps);
        await();
        if (c->call.answers)
            return c->call.status;
        serve(c);
    }
}

static int enter(char **paths)
{
    char problem[512], **writable = paths;
    while (*writable && strcmp(*writable, SANDBOX_WRITABLE))
        writable++;
    if (!*writable)
        return -1;
    *writable++ = NULL;
    const int error = sandbox_enter((const char *const *)paths, (const char *const *)writable, problem, sizeof problem);
    if (error)
        fprintf(stderr, "%s\n", problem);
    return error;
}

int host_run(int count, char **arguments)
{
    unsigned long long size = 0;
    void *window = NULL;
    if (count < 4 || sscanf(arguments[2], "%p", &window) != 1 || sscanf(arguments[3], "%llu", &size) != 1) {
        fprintf(stderr, "this program is started by Jourdain, for FMUs that run in a process of their own\n");
        return 2;
    }
    channel = platform_join(window, (size_t)size);
    if (!channel) {
        fprintf(stderr, "something else is at the address of the shared memory\n");
        return HOST_ELSEWHERE;
    }
    if (count > 4 && enter(arguments + 4)) /* before there is a thread, which would stay outside */
        return 2;
    if (platform_live_with_parent() || atexit(tell_exit)) {
        fprintf(stderr, "there is no memory for a thread\n");
        return 2;
    }
    for (;;) {
        await();
        if (channel->call.op == OP_END)
            _exit(0); /* an FMU is not asked whether its destructors end */
        serve(channel);
        channel_post(&channel->response, &channel->master_sleeps);
    }
}
