/* In front of a foreign FMU, whose functions all begin by asking how they are to misbehave. What, in which function and at which call of it is its token. */
#define _GNU_SOURCE
#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char kind[32], where[64];
static int number, calls;
static double spoiled;      /* is added to what it computes */
static size_t swollen;      /* is added to the size of its states */
static int (*tell)(const char *text);

static int heeds(const char *token)
{
    return sscanf(token, "%31s %63s %d", kind, where, &number) == 3;
}

static int is(const char *what)
{
    return !strcmp(kind, what);
}

/* Each turn has a frame of its own, of more than a page. */
static int overflows(volatile char *before)
{
    volatile char frame[8192];
    frame[0] = before[0];
    return overflows(frame) + frame[1];
}

static void *crashes(void *nothing)
{
    *(volatile int *)nothing = 1;
    return NULL;
}

/* The status that the function has to return at once, or -1. */
static int misbehaves(const char *function)
{
    if (strcmp(function, where) || ++calls != number)
        return -1;
    if (is("crash"))
        *(volatile int *)8 = 1;
    if (is("thread")) {
        pthread_t thread;
        pthread_create(&thread, NULL, crashes, NULL);
        pthread_join(thread, NULL);
    }
    if (is("exit"))
        exit(0);
    if (is("_exit"))
        _exit(3);
    if (is("abort"))
        abort();
    if (is("kill"))
        raise(SIGKILL);
    if (is("float"))
        raise(SIGFPE);
    if (is("terminate"))
        raise(SIGTERM);
    if (is("stop"))
        raise(SIGSTOP);
    if (is("stack"))
        return overflows("");
    if (is("loop"))
        for (volatile long i = 0;; i++)
            ;
    if (is("sleep"))
        for (;;)
            sleep(1000);
    if (is("heap")) { /* beyond its own block, up to the end of the heap */
        char *block = malloc(64);
        memset(block, 0x5a, 1 << 17);
        free(block);
        free(malloc(1 << 12));
    }
    if (is("memory"))
        for (;;) {
            char *block = malloc(16 << 20);
            if (!block)
                return tell("there is no memory left");
            memset(block, 1, 16 << 20);
        }
    if (is("huge"))
        swollen = (size_t)1 << 60;
    if (is("status"))
        return 42;
    if (is("nan"))
        spoiled = NAN;
    if (is("print"))
        for (int i = 0; i < 100000; i++)
            printf("line %d of a long and useless text that nobody reads\n", i);
    if (is("log"))
        for (int i = 0; i < 10000; i++)
            tell("a message of no use to anybody, of which there are ten thousand more");
    if (is("fork") && !fork())
        for (;;)
            sleep(1000);
    if (is("close"))
        for (int file = 0; file < 1024; file++)
            close(file);
    return -1;
}
