/* Landlock keeps files apart, and a filter of system calls everything else. The capabilities of root are given up. */
#define _GNU_SOURCE

#include "hosts/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Constants of linux/landlock.h and numbers of newer system calls, whose headers may be older than the kernel. */
enum { CREATE_RULESET = 444, ADD_RULE, RESTRICT_SELF, NEWEST_KNOWN = 472, WANTS_VERSION = 1, PATH_BENEATH = 1 };
enum { EXECUTE = 1 << 0, WRITE_FILE = 1 << 1, READ_FILE = 1 << 2, READ_DIR = 1 << 3, TRUNCATE = 1 << 14, EVERYTHING = (1 << 16) - 1, OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE };
enum { HAS_TRUNCATE = 3, HAS_DEVICES = 5, HAS_SCOPES = 6 };
typedef struct {
    uint64_t files, network, scoped;
} Ruleset;
typedef struct {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed)) PathBeneath;

static int landlock_version(void)
{
    return (int)syscall(CREATE_RULESET, NULL, 0, WANTS_VERSION);
}

int sandbox_lacks(char *problem, size_t size)
{
#ifndef __x86_64__
    snprintf(problem, size, "system calls are filtered on x86-64 alone");
    return ENOSYS;
#endif
    const int version = landlock_version();
    if (version >= HAS_TRUNCATE) {
        if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0)
            return 0;
        snprintf(problem, size, "the kernel of this system was built without filters of system calls (seccomp)");
        return ENOSYS;
    }
    if (version < 0)
        snprintf(problem, size, "the kernel of this system has no Landlock, or it is turned off (%s)", strerror(errno));
    else
        snprintf(problem, size, "the kernel of this system has version %d of Landlock, and %d is needed, which came with Linux 6.2", version, HAS_TRUNCATE);
    return ENOSYS;
}

/* -- files ------------------------------------------------------------------------------------------------------------------- */

static int allow(int rules, const char *path, uint64_t allowed, bool needed)
{
    struct stat found;
    PathBeneath rule = {.parent = open(path, O_PATH | O_CLOEXEC)};
    if (rule.parent < 0)
        return needed ? errno : 0;
    int error = fstat(rule.parent, &found) ? errno : 0;
    rule.allowed = S_ISDIR(found.st_mode) ? allowed : allowed & OF_FILES;
    if (!error && syscall(ADD_RULE, rules, PATH_BENEATH, &rule, 0))
        error = errno;
    close(rule.parent);
    return error;
}

static int allow_all(int rules, const char *const *path, uint64_t allowed, bool needed, const char **at)
{
    int error = 0;
    for (; *path && !error; path++) {
        error = allow(rules, *path, allowed, needed);
        *at = *path;
    }
    return error;
}

/* Files that the loader, the C library and OpenMP read. */
static const char *const of_system[] = {
    "/usr", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/localtime", "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat",
    "/sys/devices/system/cpu", "/sys/devices/system/node", "/dev/zero", "/dev/random", "/dev/urandom", NULL,
};
static const char *const of_devices[] = {"/dev/null", NULL};

static int restrict_files(const char *const *readable, const char *const *writable, bool programs, const char **at)
{
    const int version = landlock_version();
    const uint64_t everything = version >= HAS_DEVICES ? EVERYTHING : EVERYTHING >> 1;
    const Ruleset handled = {.files = everything, .scoped = 3};
    const int rules = (int)syscall(CREATE_RULESET, &handled, version >= HAS_SCOPES ? sizeof handled : sizeof handled.files, 0);
    if (rules < 0)
        return errno;
    const uint64_t reading = READ_FILE | READ_DIR | (programs ? EXECUTE : 0);
    int error = allow_all(rules, of_system, reading, false, at);
    if (!error)
        error = allow_all(rules, of_devices, READ_FILE | WRITE_FILE, false, at);
    if (!error)
        error = allow_all(rules, readable, reading, true, at);
    if (!error)
        error = allow_all(rules, writable, programs ? everything & ~(uint64_t)EXECUTE : everything, true, at);
    if (!error && syscall(RESTRICT_SELF, rules, 0))
        error = errno;
    close(rules);
    return error;
}

/* -- system calls ---------------------------------------------------------------------------------------------------------- */

#ifdef __x86_64__
enum { CLONE3 = 435, X32 = 0x40000000 };

/* Networks; other processes and their memory; ways around Landlock or this filter; what belongs to files outside, beyond their content. */
static const int denied[] = {
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_sendto, SYS_sendmsg, SYS_sendmmsg,
    SYS_setsid, SYS_setpgid,
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_kcmp, 424 /* pidfd_send_signal */,
    434 /* pidfd_open */, 438 /* pidfd_getfd */, 440 /* process_madvise */, SYS_setpriority, SYS_sched_setscheduler, SYS_sched_setparam,
    SYS_shmget, SYS_shmat, SYS_msgget, SYS_msgsnd, SYS_semget, SYS_semop, SYS_mq_open, SYS_mq_unlink,
    425 /* io_uring_setup */, 426, 427, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_open_by_handle_at,
    SYS_name_to_handle_at, SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_quotactl, SYS_swapon, SYS_swapoff, SYS_reboot,
    SYS_kexec_load, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_acct, SYS_syslog, SYS_vhangup, SYS_iopl, SYS_ioperm, SYS_sethostname,
    SYS_setdomainname, SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime, 428 /* open_tree */, 429, 430, 431, 432, 433 /* fspick */,
    442 /* mount_setattr */, 467 /* open_tree_attr */,
    SYS_chmod, SYS_fchmod, SYS_fchmodat, 452 /* fchmodat2 */, SYS_chown, SYS_fchown, SYS_lchown, SYS_fchownat, SYS_utime, SYS_utimes, SYS_futimesat,
    SYS_utimensat, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr, 463 /* setxattrat */,
    466 /* removexattrat */, 469 /* file_setattr */,
};

static const int of_programs[] = {SYS_fork, SYS_vfork, SYS_execve, SYS_execveat};

enum { COUNT = sizeof denied / sizeof *denied, OF_PROGRAMS = sizeof of_programs / sizeof *of_programs, MOST = 3 * (COUNT + OF_PROGRAMS) + 48 };

typedef struct {
    struct sock_filter code[MOST];
    unsigned short length;
} Filter;

static void put(Filter *f, unsigned code, uint32_t value, unsigned char yes, unsigned char no)
{
    f->code[f->length++] = (struct sock_filter){(unsigned short)code, yes, no, value};
}

static void load(Filter *f, size_t offset)
{
    put(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void end(Filter *f, uint32_t action)
{
    put(f, BPF_RET | BPF_K, action, 0, 0);
}

static const uint32_t refused = SECCOMP_RET_ERRNO | EACCES, unknown = SECCOMP_RET_ERRNO | ENOSYS;

static void deny(Filter *f, int call, uint32_t action)
{
    put(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1);
    end(f, action);
}

/* Allows a call for this process only, given by its number, or by 0 if `zero` says so. */
static void to_itself(Filter *f, int call, bool zero)
{
    put(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, zero ? 5 : 4);
    load(f, offsetof(struct seccomp_data, args[0]));
    if (zero)
        put(f, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
    put(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)getpid(), 0, 1);
    end(f, SECCOMP_RET_ALLOW);
    end(f, refused);
}

/* Threads, not processes. */
static void threads_alone(Filter *f)
{
    for (int i = 0; i < OF_PROGRAMS; i++)
        deny(f, of_programs[i], refused);
    deny(f, CLONE3, unknown); /* its flags cannot be looked at; the C library goes back to clone */
    put(f, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
    load(f, offsetof(struct seccomp_data, args[0]));
    put(f, BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1);
    end(f, SECCOMP_RET_ALLOW);
    end(f, refused);
}

static int restrict_calls(bool programs)
{
    static Filter f;
    f.length = 0;
    load(&f, offsetof(struct seccomp_data, arch));
    put(&f, BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
    end(&f, SECCOMP_RET_KILL_PROCESS);
    load(&f, offsetof(struct seccomp_data, nr));
    put(&f, BPF_JMP | BPF_JGE | BPF_K, X32, 0, 1);
    end(&f, SECCOMP_RET_KILL_PROCESS);
    put(&f, BPF_JMP | BPF_JGE | BPF_K, NEWEST_KNOWN, 0, 1);
    end(&f, unknown);
    for (int i = 0; i < COUNT; i++)
        deny(&f, denied[i], refused);
    to_itself(&f, SYS_kill, true);
    to_itself(&f, SYS_tgkill, false);
    to_itself(&f, SYS_prlimit64, true);
    if (!programs)
        threads_alone(&f);
    end(&f, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {f.length, f.code};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? errno : 0;
}
#else
static int restrict_calls(bool programs)
{
    (void)programs;
    return ENOSYS;
}
#endif

static int without_capabilities(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    return syscall(SYS_capset, &head, none) ? errno : 0;
}

static int enter(const char *const *readable, const char *const *writable, bool programs, char *problem, size_t size)
{
    if (sandbox_lacks(problem, size))
        return ENOSYS;
    const char *at = "";
    int error = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? errno : 0;
    if (!error)
        error = restrict_files(readable, writable, programs, &at);
    if (error) {
        snprintf(problem, size, "files cannot be kept apart: %s%s%s", at, *at ? ": " : "", strerror(error));
        return error;
    }
    error = without_capabilities();
    if (!error)
        error = restrict_calls(programs);
    if (error)
        snprintf(problem, size, "system calls cannot be filtered: %s", strerror(error));
    return error;
}

int sandbox_enter(const char *const *readable, const char *const *writable, char *problem, size_t size)
{
    return enter(readable, writable, false, problem, size);
}

int sandbox_enter_compiler(const char *const *readable, const char *const *writable, char *problem, size_t size)
{
    return enter(readable, writable, true, problem, size);
}
