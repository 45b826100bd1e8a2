/* Actions before and after each call of an FMU. */
#ifndef KERNEL_HEARD_H
#define KERNEL_HEARD_H

#include "fmi/fmi.h"

#ifdef KERNEL_EXPORTED
#include "fmi/where.h"
#endif

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

typedef struct Instance Instance;

/* Records the call before and after it, in a process that may be lost in the call. Other processes have no reader. */
#ifdef KERNEL_EXPORTED
#define IS_WATCHED WHERE_IS_WATCHED
#define ENTERS(number2, number3) \
    WHERE_ENTERS(instance->library->standard, instance->library->version == 3 ? (number3) : (number2), instance)
#define LEAVES() WHERE_LEAVES()
#define AT(when) (IS_WATCHED ? (void)(kernel_where->time = (when)) : (void)0)
#else
#define IS_WATCHED false
#define ENTERS(number2, number3) ((void)0)
#define LEAVES() ((void)0)
#define AT(when) ((void)0)
#endif
#define ENTERS_BOTH(function) ENTERS(CALL_NUMBER(Fmi2, function), CALL_NUMBER(Fmi3, function))

/* Returns the status of a call; a status that the standard does not have becomes an error. */
Status instance_heard(Instance *, Status);

static inline Status heard(Instance *instance, Status status)
{
    LEAVES();
    return (unsigned)status <= WARNING ? status : instance_heard(instance, status);
}

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
