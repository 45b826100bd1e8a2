#include "linear.h"
