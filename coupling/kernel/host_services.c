/* What a host can be asked for. */
#include "channel.h"

const Service host_services[] = {NULL};
