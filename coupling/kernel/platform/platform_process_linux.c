/* Child processes and memory that they share with this one, on Linux. */
#define _GNU_SOURCE

#include "platform/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Numbers of the files that a child has beside the three of all programs, and the first that is free for others. */
enum { SHARED = 3, LIFELINE, AFTER, FREE = 16, PRINTED_ROOM = 1 << 20 };

/* Between these there is hardly anything else in either process: below programs, libraries and stacks, above what sanitizers reserve. */
static const uintptr_t first_window = (uintptr_t)1 << 45, end_of_windows = (uintptr_t)5 << 44;

int platform_cores(void)
{
    cpu_set_t cores;
    return sched_getaffinity(0, sizeof cores, &cores) ? 1 : CPU_COUNT(&cores);
}

/* A window if none exists yet. Places come round again: a process may start any number of hosts, one after the other. */
static void *window_of(int file, size_t size)
{
    static _Atomic uintptr_t next;
    const uintptr_t whole = (uintptr_t)1 << 30, distance = (size + whole) / whole * whole, range = end_of_windows - first_window;
    for (uintptr_t passed = 0; passed < 2 * range; passed += distance) {
        const uintptr_t place = atomic_fetch_add(&next, distance) % range;
        if (place + distance > range)
            continue;
        void *const wanted = (void *)(first_window + place);
        void *const got = mmap(wanted, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, file, 0);
        if (got == wanted)
            return got;
        if (got != MAP_FAILED)
            munmap(got, size); /* kernels before 4.17 take the address for a wish */
        else if (errno != EEXIST)
            return MAP_FAILED;
    }
    errno = ENOMEM;
    return MAP_FAILED;
}

int platform_share(size_t size, int *file, void **window)
{
    *file = memfd_create("jourdain", MFD_CLOEXEC);
    if (*file < 0)
        return errno;
    const int error = ftruncate(*file, (off_t)size) ? errno : 0;
    *window = error ? MAP_FAILED : window_of(*file, size);
    if (*window != MAP_FAILED)
        return 0;
    const int why = error ? error : errno;
    close(*file);
    return why;
}

void *platform_join(void *window, size_t size)
{
    void *const got = mmap(window, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, SHARED, 0);
    if (got != MAP_FAILED && got != window)
        munmap(got, size);
    close(SHARED);
    return got == window ? got : NULL;
}

void platform_forget(void *from, size_t size)
{
    madvise(from, size, MADV_REMOVE);
}

void platform_blank(void *window, size_t size)
{
    if (mmap(window, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        munmap(window, size);
}

void platform_close(int file)
{
    close(file);
}

void platform_relax(void)
{
    __builtin_ia32_pause();
}

static struct timespec timespec_of(double seconds)
{
    const time_t whole = (time_t)seconds;
    return (struct timespec){whole, (long)(1e9 * (seconds - (double)whole))};
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double platform_yield(void)
{
    const double began = seconds_now();
    sched_yield();
    return seconds_now() - began;
}

static void platform_sleep(double seconds)
{
    const struct timespec time = timespec_of(seconds);
    nanosleep(&time, NULL);
}

void platform_wait(_Atomic uint32_t *word, uint32_t value, double seconds)
{
    const struct timespec time = timespec_of(seconds);
    syscall(SYS_futex, word, FUTEX_WAIT, value, seconds > 0 ? &time : NULL, NULL, 0);
}

void platform_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* -- in the parent -------------------------------------------------------------------------------------------------------- */

/* Moves a file to a number at which nothing of the child will be: one that is copied over another is lost. */
static int moved_up(int file)
{
    const int moved = fcntl(file, F_DUPFD_CLOEXEC, FREE);
    close(file);
    return moved;
}

static int pipe_up(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC))
        return errno;
    ends[0] = moved_up(ends[0]);
    ends[1] = moved_up(ends[1]);
    return ends[0] < 0 || ends[1] < 0 ? EMFILE : 0;
}

/* Ends at which the other end is seen to be closed, and which files go through. */
static int sockets_up(int ends[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return errno;
    ends[0] = moved_up(ends[0]);
    ends[1] = moved_up(ends[1]);
    return ends[0] < 0 || ends[1] < 0 ? EMFILE : 0;
}

static void close_all(const int *files, int count)
{
    for (int i = 0; i < count; i++)
        if (files[i] >= 0)
            close(files[i]);
}

static int spawn(int *id, char *const *arguments, const int files[5])
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    if (posix_spawn_file_actions_init(&actions))
        return ENOMEM;
    if (posix_spawnattr_init(&attributes)) {
        posix_spawn_file_actions_destroy(&actions);
        return ENOMEM;
    }
    int error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    for (int i = 1; i < AFTER && !error; i++)
        error = posix_spawn_file_actions_adddup2(&actions, files[i], i);
    posix_spawnattr_setpgroup(&attributes, 0); /* Ctrl-C on the terminal is for the parent alone */
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t child = 0;
    if (!error)
        error = posix_spawn(&child, arguments[0], &actions, &attributes, arguments, environ);
    *id = (int)child;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int platform_start(Process *process, char *const *arguments, int shared)
{
    int life[2] = {-1, -1}, print[2] = {-1, -1};
    *process = (Process){.lifeline = -1, .printed = -1};
    int error = sockets_up(life);
    if (!error)
        error = pipe_up(print);
    if (!error) { /* a flood without a reader is lost: it does not stop the printing process */
        fcntl(print[1], F_SETPIPE_SZ, PRINTED_ROOM);
        fcntl(print[0], F_SETFL, O_NONBLOCK);
        fcntl(print[1], F_SETFL, O_NONBLOCK);
    }
    const int memory = error ? -1 : fcntl(shared, F_DUPFD_CLOEXEC, FREE);
    if (!error && memory < 0)
        error = errno;
    if (!error)
        error = spawn(&process->id, arguments, (const int[AFTER]){[1] = print[1], [2] = print[1], [SHARED] = memory, [LIFELINE] = life[0]});
    close_all((const int[]){memory, life[0], print[1]}, 3);
    if (error) {
        close_all((const int[]){life[1], print[0]}, 2);
        return error;
    }
    process->lifeline = life[1];
    process->printed = print[0];
    return 0;
}

bool platform_ended(Process *process)
{
    siginfo_t how = {0};
    if (process->over)
        return true;
    int got;
    do
        got = waitid(P_PID, (id_t)process->id, &how, WEXITED | WNOHANG | WNOWAIT);
    while (got && errno == EINTR);
    if (!got && !how.si_pid)
        return false;
    process->over = true;
    process->known = !got; /* otherwise another caller has taken it, and only its end is known */
    if (process->known && how.si_code == CLD_EXITED)
        process->code = how.si_status;
    else if (process->known)
        process->signal = how.si_status;
    return true;
}

void platform_kill(Process *process)
{
    if (process->id > 0 && (!process->over || process->known))
        kill(-process->id, SIGKILL);
}

void platform_bury(Process *process, double patience)
{
    double pause = 2e-5;
    for (double waited = 0; waited < patience && !platform_ended(process); waited += pause, pause = pause < 2e-3 ? 1.5 * pause : pause)
        platform_sleep(pause);
    platform_kill(process); /* its own children, where it has ended by itself */
    while (process->id > 0 && waitpid(process->id, NULL, 0) < 0 && errno == EINTR)
        ;
    close_all((const int[]){process->lifeline, process->printed}, 2);
    *process = (Process){.lifeline = -1, .printed = -1, .over = true};
}

/* A file beside one byte, as the system calls want it. */
typedef struct {
    char byte;
    struct iovec piece;
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message;
} Parcel;

static void wrap(Parcel *p)
{
    memset(p, 0, sizeof *p);
    p->piece = (struct iovec){&p->byte, 1};
    p->message = (struct msghdr){
        .msg_iov = &p->piece, .msg_iovlen = 1, .msg_control = p->control.room, .msg_controllen = sizeof p->control.room};
}

int platform_give(const Process *process, int file)
{
    Parcel p;
    wrap(&p);
    struct cmsghdr *const head = CMSG_FIRSTHDR(&p.message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof file);
    memcpy(CMSG_DATA(head), &file, sizeof file);
    return sendmsg(process->lifeline, &p.message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1 ? 0 : errno;
}

long platform_printed(Process *process, char *text, size_t size)
{
    return process->printed < 0 ? 0 : (long)read(process->printed, text, size);
}

/* -- in the child --------------------------------------------------------------------------------------------------------- */

static pid_t parent;

int platform_take(void)
{
    Parcel p;
    int file = -1;
    wrap(&p);
    if (recvmsg(LIFELINE, &p.message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) == 1 && CMSG_FIRSTHDR(&p.message))
        memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&p.message)), sizeof file);
    return file;
}

static ino_t lifeline_number;

static ino_t number_of(int file)
{
    struct stat found;
    return fstat(file, &found) ? 0 : found.st_ino;
}

/* The socket reports it at once. The changed parent reports it where a copy of the parent holds the other end open, and where an FMU has
 * closed this one, or has another file at its number now. */
static void *follow(void *unused)
{
    enum { LOOK_AGAIN = 500 };
    struct pollfd lifeline = {.fd = LIFELINE};
    (void)unused;
    while (getppid() == parent) {
        if (poll(&lifeline, lifeline.fd >= 0, LOOK_AGAIN) <= 0)
            continue;
        if (number_of(LIFELINE) == lifeline_number)
            break;
        lifeline.fd = -1;
    }
    kill(0, SIGKILL);
    return NULL;
}

int platform_live_with_parent(void)
{
    enum { STACK = 64 << 10 };
    syscall(SYS_close_range, AFTER, ~0u, 0);
    fcntl(LIFELINE, F_SETFD, FD_CLOEXEC);
    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdout, NULL, _IOLBF, 0); /* the last line is there when it dies */
    parent = getppid();
    lifeline_number = number_of(LIFELINE);
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    const int error = pthread_create(&thread, &attributes, follow, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

static double address_space(void)
{
    unsigned long pages = 0;
    FILE *const file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%lu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

int platform_limit(double memory)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){1, 1}); /* 1 and not 0, which a program that takes dumps by a pipe does not see */
    FILE *const file = fopen("/proc/self/oom_score_adj", "w");
    if (file) {
        fputs("500", file);
        fclose(file);
    }
    const double most = memory + address_space();
    struct rlimit present = {RLIM_INFINITY, RLIM_INFINITY};
    getrlimit(RLIMIT_AS, &present);
    if (memory <= 0 || most >= (double)present.rlim_max) /* RLIM_INFINITY as a whole number would be another one */
        return 0;
    return setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)most, (rlim_t)most}) ? errno : 0;
}
