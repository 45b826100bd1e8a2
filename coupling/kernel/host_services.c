/* What a host can be asked for. */
#include "guard.h"

const Service host_services[] = {guard_serve, host_kernel_serve, NULL};
