/* An FMU in a host: its functions, in a table like that of a library of this process. */
#ifndef KERNEL_GUARD_H
#define KERNEL_GUARD_H

#include "hosts/channel.h"
#include "fmi/fmi.h"

/* -- in the master: proxy.c ------------------------------------------------------------------------------------------------- */

typedef struct Guard Guard;

Guard *guard_new(Host *); /* makes the guard of all FMUs in a host, which stays the caller's */
void guard_free(Guard *); /* after all instances */
/* Null where the library cannot be used in the host, with the reason in `problem`; freed with the guard. */
Library *guard_open(Guard *, const char *path, int version, char *problem, size_t size);
void *guard_instance(const Guard *, int number); /* the Instance of a number that a host's `where` has; null if none exists */

/* -- what goes through the channel ---------------------------------------------------------------------------------------------- */

enum { GUARD_OPEN = OP_GUARD, GUARD_MAKE, GUARD_RUN };
enum { GUARD_UPDATE = 1 }; /* questions of a host */

/* One call of an FMU, followed by its arrays, to which the answer is written as well. Many of them go together: calls that have no answer
 * wait for one that has. */
typedef struct {
    int32_t call, component; /* the number of the function, and of the instance */
    uint32_t bytes;          /* size of the data that follow, in whole eights */
    int32_t flag[7];
    uint64_t count[2];
    uint64_t state;
    double real[4];
} Record;

/* A message of an FMU: followed by the category and the message, each with a zero at its end. */
typedef struct {
    int32_t component, status;
    uint32_t category, message;
} Logged;

static inline size_t whole_eights(size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

/* Bytes before the values of texts: references of `count` variables, and the sizes of `values` values. */
static inline size_t guard_texts(size_t count, size_t values)
{
    return whole_eights(count * sizeof(Reference)) + values * sizeof(uint64_t);
}

#define SIZE_OF(type, name, c) [type] = sizeof(c),
static const size_t guard_sizes_2[TYPES] = {FMI2_TYPES(SIZE_OF)}, guard_sizes_3[TYPES] = {FMI3_TYPES(SIZE_OF)};
#undef SIZE_OF

/* -- in the host: guard.c --------------------------------------------------------------------------------------------------------- */

bool guard_serve(Channel *, int op);

#endif
