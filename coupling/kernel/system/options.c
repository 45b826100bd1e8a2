/* Options of a run that last until the next run. No other file sets these five; forget_options resets them.
 * constraints/project.c sets the projection and its sizes, kernel.c the damping. */
#include "system/kernel_internal.h"

int kernel_set_fast(Kernel *k, bool fast)
{
    k->fast = fast;
    return 0;
}

int kernel_set_open(Kernel *k, bool open)
{
    k->open = open;
    return 0;
}

void kernel_limit_values(Kernel *k, const double *limit)
{
    k->value_limit = limit;
}

void kernel_set_until(Kernel *k, const Until *until)
{
    k->until = until;
}

void kernel_leave_last(Kernel *k)
{
    k->leaves_last = true;
}

void forget_options(Kernel *k)
{
    k->fast = k->open = k->leaves_last = false;
    k->value_limit = NULL;
    k->until = NULL;
}
