/* What must hold in both versions, for every model. */
#ifndef HARNESS_TESTS_H
#define HARNESS_TESTS_H

#include "harness_calls.h"
#include "harness_kinds.h"
#include "harness_life.h"
#include "harness_walk.h"

static int run(void (*const own_tests[])(void), size_t count)
{
    static void (*const shared_tests[])(void) = {
        test_no_instance, test_order_and_nulls, test_references, test_settings, test_freshness, test_start, test_reset,
        test_categories, test_exhaustion, test_restored_values, test_states, test_directions, test_exchange, test_step_sizes,
        test_overflow, test_stop_time, test_interleaved, test_crowd,
    };
    for (size_t i = 0; i < LENGTH(shared_tests); i++) {
        start_chance(i);
        shared_tests[i]();
    }
    for (size_t i = 0; i < count; i++) {
        start_chance(100 + i);
        own_tests[i]();
    }
    test_walk();
    printf("%lu calls, %lu checks\n", tally.calls, tally.checks);
    return tally.failures != 0;
}

#endif
