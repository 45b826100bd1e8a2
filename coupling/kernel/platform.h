#ifndef PLATFORM_H
#define PLATFORM_H

#include <stddef.h>

/* What differs between operating systems. Where a function gives a number, it is 0 or that of an error. */

size_t platform_page(void);
int platform_write(int file, size_t offset, const void *what, size_t size);
int platform_truncate(int file, size_t size);
int platform_read(int file, size_t offset, void *what, size_t size);
int platform_store(int file); /* beyond what a power cut takes */
void *platform_map(int file, size_t offset, size_t size); /* what is written there is in the file at once; NULL where it cannot be */
void platform_unmap(void *window, size_t size);
double platform_seconds(void); /* of a clock that only goes on; good to some milliseconds, and cheap */

#endif
