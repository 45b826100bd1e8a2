#ifndef PLATFORM_H
#define PLATFORM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The functions that differ between operating systems. Where one returns a number, it is 0 or that of an error. */

size_t platform_page(void);
int platform_write(int file, size_t offset, const void *what, size_t size);
int platform_truncate(int file, size_t size);
size_t platform_size(int file);
int platform_read(int file, size_t offset, void *what, size_t size);
int platform_store(int file); /* beyond what a power cut takes */
void *platform_map(int file, size_t offset, size_t size); /* maps a file, in which changes appear at once; NULL where it cannot */
void *platform_pages(size_t size); /* memory of this process alone, all zeros; NULL if none exists */
int platform_make_code(void *pages, size_t size); /* makes pages executable and read-only from now on */
void platform_unmap(void *window, size_t size);
double platform_seconds(void); /* seconds of a monotonic clock; good to some milliseconds, and cheap */
double platform_sleep_until(double seconds); /* sleeps until this time of the monotonic clock, or until a signal comes; the time then */
int platform_vectors(void);    /* instructions by CPUID: 0 those of all, 1 AVX, 2 AVX-512 with twice the registers */

/* -- processes and what they share: platform_process_linux.c ------------------------------------------------------------- */

int platform_cores(void); /* on which this process may run */
int platform_share(size_t size, int *file, void **window); /* memory that a child can map at the same address; no page is taken before it is touched */
void *platform_join(void *window, size_t size); /* joins in the child; NULL where the address is taken */
void platform_forget(void *from, size_t size); /* gives its whole pages back; they are zeros when they are touched again */
void platform_blank(void *window, size_t size); /* memory of this process alone takes its place, all zeros */
void platform_close(int file);
void platform_relax(void); /* between two looks of a loop that spins */
double platform_yield(void); /* lets others have the core; the seconds that they had it */
void platform_wait(_Atomic uint32_t *word, uint32_t value, double seconds); /* until it is another one, at most so long; 0: for ever */
void platform_wake(_Atomic uint32_t *word);

typedef struct {
    int id, lifeline, printed; /* lifeline: the child ends when this end of a pair of sockets is closed; printed: what the child prints arrives there */
    bool over, known;          /* known: how it ended */
    int signal, code;          /* signal: 0 where it ended by itself */
} Process;

/* Starts a program with a shared memory; everything else that is open here is closed there. */
int platform_start(Process *, char *const *arguments, int shared);
bool platform_ended(Process *); /* true if it has ended; it stays until `platform_bury` */
void platform_kill(Process *);  /* kills it with all processes that it has started */
void platform_bury(Process *, double patience); /* waits so many seconds for its end, kills it, and takes it off the list of processes */
long platform_printed(Process *, char *text, size_t size); /* takes available bytes, without waiting; 0 or less if none exist */

int platform_give(const Process *, int file); /* the child gets the same open file by `platform_take` */

/* The functions in the child. */
int platform_take(void); /* its number there; -1 if none exists */
int platform_live_with_parent(void);      /* ends it, with all that it has started, when the parent ends, whatever else happens */
/* Limits bytes beyond the present ones; 0: no limit. No dumps, and first to go where memory runs out. */
int platform_limit(double memory);

#endif
