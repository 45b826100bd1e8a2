/* Actions before and after each call of an FMU. */
#ifndef KERNEL_HEARD_H
#define KERNEL_HEARD_H

#include "fmi/fmi.h"

#ifdef KERNEL_EXPORTED
#include "fmi/effects.h"
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

#ifdef KERNEL_EXPORTED
void instance_settle(Instance *); /* restores the floating-point mode that a call has changed */
#define SETTLE() (__builtin_expect(float_control() != float_expected, 0) ? instance_settle(instance) : (void)0)
/* Settings of the process before calls that begin or end an instance; null for components of this library, which change none. */
Surroundings *instance_surroundings(const Instance *);
void instance_surrounded(Instance *, Surroundings *);
#else
#define SETTLE() ((void)0)
typedef struct Surroundings Surroundings;
#define instance_surroundings(instance) NULL
#define instance_surrounded(instance, before) ((void)(before))
#endif
#define SURROUNDED(call)                                                \
    do {                                                                \
        Surroundings *const before = instance_surroundings(instance);   \
        const Status status = call;                                     \
        instance_surrounded(instance, before);                          \
        return status;                                                  \
    } while (0)

static inline Status heard(Instance *instance, Status status)
{
    LEAVES();
    SETTLE();
    return (unsigned)status <= WARNING ? status : instance_heard(instance, status);
}

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
