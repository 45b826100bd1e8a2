#include "runge_kutta.h"
