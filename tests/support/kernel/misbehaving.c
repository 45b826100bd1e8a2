/* A service whose calls end in every way that a call can end in, for tests of channels. */
#include "hosts/channel.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ADD, RAISE, EXIT, LEAVE, LOOP, FLOOD, ALLOCATE, ASK, FORK, STACK, SUM, IDLE };

static int deep(int levels)
{
    volatile char here[4096];
    here[0] = (char)levels;
    return levels ? deep(levels - 1) + here[0] : 0;
}

static bool serve(Channel *channel, int op)
{
    Call *c = &channel->call;
    int copy;
    where_enters(&channel->where, 3, op - OP_GUARD, NULL, 0.25);
    switch (op - OP_GUARD) {
    case ADD:
        c->word[0] += c->word[1];
        break;
    case RAISE:
        signal((int)c->word[0], SIG_DFL);
        raise((int)c->word[0]);
        break;
    case EXIT:
        exit((int)c->word[0]);
    case LEAVE:
        _exit((int)c->word[0]);
    case LOOP:
        for (volatile int i = 0;; i = i + 1)
            ;
    case FLOOD:
        for (int i = 0; i < 100000; i++)
            printf("line %d of a long and useless text\n", i);
        break;
    case ALLOCATE:
        c->status = 0;
        for (char *p; c->status < (int)c->word[0] && (p = malloc(1 << 20)); c->status++)
            memset(p, 1, 1 << 20);
        break;
    case ASK:
        c->word[0] = (uint64_t)(channel_ask(channel, 7) + channel_ask(channel, 8));
        break;
    case FORK:
        copy = fork();
        while (!copy)
            pause();
        c->word[0] = (uint64_t)copy;
        break;
    case STACK:
        c->status = deep(1 << 30);
        break;
    case SUM:
        c->real[0] = 0;
        for (size_t i = 0; i < c->size; i++)
            c->real[0] += ((double *)channel->data)[i];
        break;
    case IDLE:
        signal(SIGALRM, SIG_DFL);
        alarm(1);
        break;
    default:
        return false;
    }
    where_leaves(&channel->where);
    return true;
}

const Service host_services[] = {serve, NULL};
