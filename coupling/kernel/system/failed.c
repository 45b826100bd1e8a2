/* Keeps the data of a failed call or equation, from which the sentence is made. */
#include "system/kernel_internal.h"

/* Notes what went wrong; a value that is not available here may be so a little nearer. */
int failed(Kernel *k, KernelStatus kind, const char *action, int instance, Status status)
{
    k->failure = (Failure){kind, instance, status, action, NULL, 0, -1, -1, k->t};
    return kind == KERNEL_FMU_FAILED && status != DISCARD ? KERNEL_FMU_FAILED : KERNEL_RETRY;
}
