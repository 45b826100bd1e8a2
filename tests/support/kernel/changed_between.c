/* A program: memory that a guard shares with the master, overwritten after each number of instructions that the master executes behind an answer.
 * The channel is replaced; the functions of proxy.c are the real ones. The processor stops after each instruction by its trap flag. */
#define _GNU_SOURCE
#include "hosts/proxy.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

enum { ROOM = 1 << 16, TRAP = 0x100, TOGETHER = 3, CALL_MADE = 7 };

static Channel *channel;
static Death death;
static volatile long left; /* instructions until the memory changes */
static volatile bool changed;

static void overwrite(void)
{
    memset((void *)&channel->call, 0xA5, sizeof channel->call);
    memset(channel->data, 0xA5, ROOM);
    changed = true;
}

static void stepped(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    if (left-- > 0)
        return;
    overwrite();
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP;
}

Channel *host_channel(Host *h) { return (void)h, channel; }
size_t host_room(const Host *h) { return (void)h, ROOM; }
const Death *host_death(const Host *h) { return (void)h, &death; }
void host_give_up(Host *h) { (void)h, death.kind = DAMAGED; }
void host_answers(Host *h, int (*answer)(void *, int), void *context) { (void)h, (void)answer, (void)context; }
Call *host_words(Host *h) { return (void)h, &channel->call; }
void instance_says(Instance *instance, const char *message) { (void)instance, (void)message; }
void instance_log_3(void *environment, Status status, const char *category, const char *message)
{
    (void)environment, (void)status, (void)category, (void)message;
}
const char *library_call(int version, int number) { return (void)version, (void)number, ""; }

/* A sound answer, behind which the instructions count. */
int host_call(Host *h, int op)
{
    (void)h, (void)op;
    Record *const record = (Record *)(void *)channel->data;
    record->flag[1] = 4, record->real[2] = 0.25;
    channel->call.status = OK;
    __asm__ volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
    return 0;
}

static void quiet(void)
{
    __asm__ volatile("pushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
}

static void begin(long instructions)
{
    memset((void *)channel, 0, sizeof *channel + ROOM);
    death = (Death){0};
    changed = false;
    left = instructions;
}

#define REQUIRE(what) ((what) ? (void)0 : (printf("%s: %s, after %ld instructions\n", __func__, #what, at), exit(1)))

/* A record that passes the check has what was checked. Returns true if the memory changed before the end. */
static bool exchanged(Remote *r, long at, long *refused)
{
    Record c = {.call = CALL_MADE, .flag = {1, 2}, .real = {0.5}};
    begin(at);
    const Status status = proxy_exchange(r, &c);
    quiet();
    const bool found = death.kind == DAMAGED;
    *refused += found;
    REQUIRE(found ? status == FATAL : c.call == CALL_MADE && c.component == r->number && c.bytes == 0);
    REQUIRE(found || c.flag[1] == 4 || c.flag[1] == (int)0xA5A5A5A5);
    return changed;
}

/* Places of answers stay inside of the private copy. */
static bool together(Remote *r, long at, long *refused)
{
    const Reference one = 1;
    const double seed = 1;
    Directional asked[TOGETHER];
    for (int i = 0; i < TOGETHER; i++)
        asked[i] = (Directional){.unknown = &one, .unknowns = 1, .known = &one, .knowns = 1, .seed = &seed};
    begin(at);
    proxy_together(r, CALL_MADE, asked, TOGETHER);
    quiet();
    *refused += (unsigned)r->answers.status > WARNING;
    REQUIRE(r->answers.next == 0 && r->answers.end > 0 && r->answers.end <= r->answers.room);
    return changed;
}

int main(void)
{
    channel = aligned_alloc(4096, (sizeof *channel + ROOM + 4095) / 4096 * 4096);
    struct sigaction act = {.sa_sigaction = stepped, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &act, NULL);
    Instance *const instance = calloc(1, sizeof *instance);
    Guard guard = {.remote_count = 1};
    Remote remote = {.guard = &guard, .instance = instance};
    guard.remotes = (Remote *[]){&remote};
    bool (*const ways[])(Remote *, long, long *) = {exchanged, together};
    for (int way = 0; way < 2; way++) {
        long count = 0, refused = 0;
        while (ways[way](&remote, count, &refused))
            count++;
        printf("%ld moments, %ld refused\n", count, refused);
    }
    return 0;
}
