#define _GNU_SOURCE

#include "platform/platform.h"

#include <errno.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

size_t platform_page(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

int platform_write(int file, size_t offset, const void *what, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t wrote = pwrite(file, (const char *)what + done, size - done, (off_t)(offset + done));
        if (wrote < 0 && errno != EINTR)
            return errno;
        if (wrote == 0)
            return ENOSPC;
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return 0;
}

int platform_truncate(int file, size_t size)
{
    return ftruncate(file, (off_t)size) ? errno : 0;
}

size_t platform_size(int file)
{
    const off_t size = lseek(file, 0, SEEK_END);
    return size < 0 ? 0 : (size_t)size;
}

int platform_read(int file, size_t offset, void *what, size_t size)
{
    const ssize_t got = pread(file, what, size, (off_t)offset);
    return got == (ssize_t)size ? 0 : got < 0 ? errno : EIO;
}

int platform_store(int file)
{
    return fdatasync(file) ? errno : 0;
}

void *platform_map(int file, size_t offset, size_t size)
{
    void *const window = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)offset);
    return window == MAP_FAILED ? NULL : window;
}

void *platform_pages(size_t size)
{
    void *const pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

int platform_make_code(void *pages, size_t size)
{
    return mprotect(pages, size, PROT_READ | PROT_EXEC) ? errno : 0;
}

void platform_unmap(void *window, size_t size)
{
    munmap(window, size);
}

double platform_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double platform_sleep_until(double seconds)
{
    const time_t whole = (time_t)seconds;
    struct timespec time = {whole, (long)(1e9 * (seconds - (double)whole))};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int platform_vectors(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512vl") ? 2 : __builtin_cpu_supports("avx") ? 1 : 0;
#else
    return 0;
#endif
}
