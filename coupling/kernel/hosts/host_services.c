/* Services that a host offers. */
#include "hosts/guard.h"

const Service host_services[] = {guard_serve, host_kernel_serve, NULL};
