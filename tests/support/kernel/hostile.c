/* Tries what a sandbox forbids, and what it has to leave: one line each, with what came of it. Arguments: its own folder, a folder to read, a user's file, a
 * folder outside. */
#define _GNU_SOURCE
#include "hosts/sandbox.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void tried(const char *what, long result)
{
    printf("%s: %s\n", what, result < 0 ? strerrorname_np(errno) : "done");
    fflush(stdout);
}

static void *nothing(void *unused)
{
    return unused;
}

static void on_signal(int unused)
{
    (void)unused;
}

static const char *in(const char *folder, const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

int main(int count, char **argument)
{
    if (count != 5)
        return 2;
    const char *const own = argument[1], *const readable = argument[2], *const file = argument[3], *const outside = argument[4];
    const char *const read[] = {readable, NULL}, *const written[] = {own, NULL};
    const pid_t parent = getppid();
    char problem[512];
    if (sandbox_enter(read, written, problem, sizeof problem)) {
        printf("%s\n", problem);
        return 1;
    }
    tried("read a file of its folder", open(in(own, "mine"), O_RDONLY));
    tried("write a file of its folder", open(in(own, "new"), O_WRONLY | O_CREAT, 0600));
    tried("read a file that it may read", open(in(readable, "data"), O_RDONLY));
    tried("make memory", memfd_create("a", 0));
    tried("load a library", dlopen("libm.so.6", RTLD_NOW) ? 0 : -1);
    pthread_t thread;
    tried("start a thread", -pthread_create(&thread, NULL, nothing, NULL));
    signal(SIGUSR1, on_signal);
    tried("signal itself", raise(SIGUSR1));
    tried("limit itself", setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}));
    puts("--");
    tried("write a file that it may read", open(in(readable, "data"), O_WRONLY));
    tried("make a file beside it", open(in(readable, "new"), O_WRONLY | O_CREAT, 0600));
    tried("read a user's file", open(file, O_RDONLY));
    tried("list a user's folder", open(outside, O_RDONLY | O_DIRECTORY));
    tried("read /etc/passwd", open("/etc/passwd", O_RDONLY));
    tried("write outside", open(in(outside, "new"), O_WRONLY | O_CREAT, 0600));
    tried("truncate a user's file", truncate(file, 0));
    tried("remove a user's file", unlink(file));
    tried("rename a user's file", rename(file, in(own, "taken")));
    tried("link a user's file", link(file, in(own, "taken")));
    tried("change a user's file's mode", chmod(file, 0777));
    tried("change a user's file's times", utimensat(AT_FDCWD, file, NULL, 0));
    tried("make a folder outside", mkdir(in(outside, "folder"), 0700));
    tried("open a socket", socket(AF_INET, SOCK_STREAM, 0));
    tried("open a socket of this machine", socket(AF_UNIX, SOCK_STREAM, 0));
    tried("fork", fork());
    tried("fork by the system call", syscall(SYS_fork));
    tried("clone without a thread", syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    tried("run a program", execl("/bin/true", "true", NULL));
    tried("signal its parent", kill(parent, 0));
    tried("limit its parent", prlimit(parent, RLIMIT_CPU, &(struct rlimit){1, 1}, NULL));
    tried("make shared memory", shm_open("/hostile", O_RDWR | O_CREAT, 0600));
    tried("make a ring of calls", syscall(425 /* io_uring_setup */, 1, NULL));
    return 0;
}
