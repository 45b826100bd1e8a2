#include "hosts/host_calls.h"
#include "cosimulation/implicit.h"
#include "equations/open.h"
#include "equations/record.h"
#include "equations/slopes.h"
#include "fmi/instance.h"
#include "fmi/texts.h"
#include "platform/platform.h"
#include "runs/cvode.h"
#include "runs/index3.h"
#include "runs/sensitivity.h"
#include "state/state.h"
#include "system/kernel_internal.h"
#include "tapes/machine.h"
#include "tapes/tape.h"

#include <string.h>

/* The functions that are called: the result, the name, the arguments. A call through any other type than that of the
 * prototype is undefined. The bindings in Python have the same kinds as these lines, which a test checks. */
#define CALLS(CALL) \
    CALL(NONE, instance_close, POINTER) \
    CALL(INT, instance_count_states, POINTER, POINTER) \
    CALL(INT, instance_directional, POINTER, POINTER, SIZE, POINTER, SIZE, POINTER, POINTER) \
    CALL(INT, instance_effects, POINTER) \
    CALL(INT, instance_exit_initialization, POINTER) \
    CALL(INT, instance_get, POINTER, INT, POINTER, SIZE, POINTER) \
    CALL(INT, instance_get_derivatives, POINTER, POINTER, SIZE) \
    CALL(INT, instance_get_nominals, POINTER, POINTER, SIZE) \
    CALL(INT, instance_get_states, POINTER, POINTER, SIZE) \
    CALL(INT, instance_get_variables, POINTER, INT, POINTER, SIZE, POINTER) \
    CALL(INT, instance_move_states, POINTER, POINTER, SIZE) \
    CALL(POINTER, instance_open, POINTER, POINTER, POINTER, SIZE) \
    CALL(NONE, instance_read_late, POINTER) \
    CALL(NONE, instance_read_anew, POINTER) \
    CALL(INT, instance_set, POINTER, INT, POINTER, SIZE, POINTER) \
    CALL(INT, instance_start, POINTER, POINTER, POINTER) \
    CALL(INT, instances_exit_initialization, POINTER, INT, INT, POINTER) \
    CALL(NONE, instances_get, POINTER, INT) \
    CALL(INT, instances_start, POINTER, POINTER, INT, BOOL, REAL, REAL, REAL, POINTER, POINTER) \
    CALL(INT, kernel_add_jacobians, POINTER, POINTER) \
    CALL(NONE, kernel_add_up, POINTER, REAL) \
    CALL(INT, kernel_advance, POINTER, LONG) \
    CALL(NONE, kernel_announce, POINTER) \
    CALL(REAL, kernel_asymmetry, POINTER, INT, POINTER, POINTER) \
    CALL(INT, kernel_begin_course, POINTER, REAL, REAL, REAL, INT, BOOL, BOOL, LONG, POINTER) \
    CALL(INT, kernel_begin_implicit, POINTER, POINTER) \
    CALL(INT, kernel_begin_index3, POINTER, POINTER, POINTER, REAL, REAL, LONG, POINTER) \
    CALL(INT, kernel_begin_outside, POINTER, POINTER, REAL, REAL, LONG, POINTER) \
    CALL(INT, kernel_begin_rows_file, POINTER, INT, LONG, INT, POINTER) \
    CALL(INT, kernel_begin_run, POINTER, POINTER, REAL, POINTER, REAL, REAL, REAL, REAL, LONG, POINTER) \
    CALL(INT, kernel_begin_switching, POINTER, POINTER, POINTER) \
    CALL(INT, kernel_begin_texts_file, POINTER, INT, INT, INT, POINTER) \
    CALL(POINTER, kernel_build, POINTER, POINTER, POINTER) \
    CALL(POINTER, kernel_changes, POINTER, POINTER) \
    CALL(INT, kernel_complete, POINTER) \
    CALL(POINTER, kernel_conflicting, POINTER) \
    CALL(LONG, kernel_copy_peaks, POINTER, POINTER, BOOL) \
    CALL(INT, kernel_couple, POINTER, POINTER) \
    CALL(NONE, kernel_cut_step, POINTER, REAL, REAL) \
    CALL(NONE, kernel_coupling_counts, POINTER, POINTER, POINTER, POINTER, POINTER) \
    CALL(LONG, kernel_course_steps, POINTER) \
    CALL(INT, kernel_decide_in_order, POINTER, REAL, POINTER) \
    CALL(INT, kernel_derivatives, POINTER, REAL, POINTER, POINTER) \
    CALL(LONG, kernel_end_rows_file, POINTER) \
    CALL(INT, kernel_evaluate, POINTER, REAL, POINTER) \
    CALL(INT, kernel_evaluate_point, POINTER, REAL) \
    CALL(INT, kernel_exchange, POINTER, REAL, BOOL) \
    CALL(INT, kernel_explicit_step, POINTER, REAL, INT, BOOL, BOOL) \
    CALL(INT, kernel_find_repeated, POINTER, POINTER, REAL, POINTER, POINTER) \
    CALL(INT, kernel_follow, POINTER, LONG) \
    CALL(NONE, kernel_free, POINTER) \
    CALL(NONE, kernel_free_record, POINTER) \
    CALL(NONE, kernel_fused_report, POINTER, POINTER) \
    CALL(POINTER, kernel_fused_workspace, POINTER) \
    CALL(REAL, kernel_grazing, POINTER) \
    CALL(INT, kernel_hand_over, POINTER, POINTER) \
    CALL(INT, kernel_hold, POINTER, INT, POINTER) \
    CALL(INT, kernel_implicit_arrive, POINTER, REAL, POINTER) \
    CALL(NONE, kernel_implicit_forget, POINTER) \
    CALL(INT, kernel_implicit_go_on, POINTER, POINTER) \
    CALL(NONE, kernel_implicit_note, POINTER, BOOL) \
    CALL(POINTER, kernel_implicit_past, POINTER) \
    CALL(INT, kernel_implicit_repeat, POINTER, POINTER) \
    CALL(INT, kernel_implicit_start, POINTER, REAL) \
    CALL(POINTER, kernel_implicit_unknowns, POINTER) \
    CALL(POINTER, kernel_index3, POINTER) \
    CALL(POINTER, kernel_index3_violation, POINTER) \
    CALL(INT, kernel_indicators, POINTER, POINTER) \
    CALL(POINTER, kernel_lawful, POINTER) \
    CALL(NONE, kernel_leave_last, POINTER) \
    CALL(NONE, kernel_limit_values, POINTER, POINTER) \
    CALL(NONE, kernel_look_within, POINTER, POINTER) \
    CALL(INT, kernel_loop_deficiency, POINTER, INT, BOOL, POINTER, POINTER, POINTER) \
    CALL(INT, kernel_loop_factors, POINTER, INT, POINTER, POINTER, POINTER, POINTER) \
    CALL(INT, kernel_loop_linearise, POINTER, INT) \
    CALL(POINTER, kernel_machine, POINTER, POINTER, INT) \
    CALL(POINTER, kernel_mode_changes, POINTER, POINTER) \
    CALL(REAL, kernel_next_period, POINTER) \
    CALL(REAL, kernel_next_time, POINTER) \
    CALL(NONE, kernel_note_inputs, POINTER, BOOL) \
    CALL(INT, kernel_note_point, POINTER) \
    CALL(POINTER, kernel_off, POINTER) \
    CALL(REAL, kernel_passed, POINTER, INT) \
    CALL(INT, kernel_point, POINTER, REAL, POINTER) \
    CALL(POINTER, kernel_polynomials, POINTER) \
    CALL(INT, kernel_project, POINTER, REAL, POINTER) \
    CALL(INT, kernel_projected_derivatives, POINTER, REAL, POINTER, POINTER) \
    CALL(INT, kernel_projected_residuals, POINTER, REAL, POINTER, POINTER, POINTER, POINTER) \
    CALL(INT, kernel_record, POINTER) \
    CALL(POINTER, kernel_last_row, POINTER) \
    CALL(INT, kernel_pass_jump, POINTER) \
    CALL(INT, kernel_pass_jump_at_point, POINTER) \
    CALL(INT, kernel_pause_at, POINTER, REAL, LONG, POINTER) \
    CALL(INT, kernel_pause_course_at, POINTER, REAL, LONG, POINTER) \
    CALL(NONE, kernel_leave_rows, POINTER, BOOL) \
    CALL(INT, kernel_put_rows, POINTER, LONG, POINTER) \
    CALL(REAL, kernel_recorded_until, POINTER) \
    CALL(INT, kernel_repeated, POINTER, INT, POINTER, POINTER, POINTER) \
    CALL(INT, kernel_reset, POINTER) \
    CALL(INT, kernel_residuals, POINTER, REAL, POINTER, POINTER, POINTER, POINTER) \
    CALL(INT, kernel_restart, POINTER, REAL, POINTER) \
    CALL(INT, kernel_restore, POINTER, INT) \
    CALL(INT, kernel_rough_is_steep, POINTER) \
    CALL(INT, kernel_roughest, POINTER, POINTER, POINTER) \
    CALL(LONG, kernel_rows, POINTER) \
    CALL(INT, kernel_rows_file_error, POINTER) \
    CALL(POINTER, kernel_run_state, POINTER) \
    CALL(LONG, kernel_run_steps, POINTER) \
    CALL(REAL, kernel_run_time, POINTER) \
    CALL(POINTER, kernel_runge_kutta, POINTER) \
    CALL(INT, kernel_save, POINTER, INT) \
    CALL(INT, kernel_schedule, POINTER, POINTER, POINTER, INT, REAL, POINTER) \
    CALL(NONE, kernel_set_align, POINTER, BOOL, BOOL) \
    CALL(NONE, kernel_set_careful, POINTER, BOOL) \
    CALL(NONE, kernel_set_damping, POINTER, REAL) \
    CALL(NONE, kernel_set_degree, POINTER, INT) \
    CALL(INT, kernel_set_fast, POINTER, BOOL) \
    CALL(INT, kernel_set_fused, POINTER, POINTER) \
    CALL(INT, kernel_set_fused_open, POINTER, POINTER) \
    CALL(INT, kernel_set_fused_record, POINTER, POINTER) \
    CALL(INT, kernel_set_open, POINTER, BOOL) \
    CALL(NONE, kernel_set_at_event, POINTER, INT, POINTER, POINTER, POINTER, INT, POINTER, POINTER, POINTER) \
    CALL(NONE, kernel_set_polynomial, POINTER, INT, REAL, REAL, REAL, REAL) \
    CALL(NONE, kernel_set_present, POINTER, POINTER) \
    CALL(INT, kernel_set_projection, POINTER, POINTER, BOOL) \
    CALL(INT, kernel_set_quiet, POINTER, POINTER) \
    CALL(NONE, kernel_set_ready, POINTER) \
    CALL(INT, kernel_set_record, POINTER, POINTER) \
    CALL(INT, kernel_set_sensitivities, POINTER, POINTER, REAL, POINTER) \
    CALL(INT, kernel_set_sizes, POINTER, POINTER) \
    CALL(INT, kernel_set_slopes, POINTER, POINTER) \
    CALL(INT, kernel_settle, POINTER, POINTER, POINTER) \
    CALL(INT, kernel_slopes, POINTER, POINTER) \
    CALL(INT, kernel_start_events, POINTER) \
    CALL(INT, kernel_state_jacobian, POINTER, POINTER) \
    CALL(INT, kernel_step, POINTER, REAL, REAL, BOOL) \
    CALL(INT, kernel_steer, POINTER, POINTER, REAL) \
    CALL(LONG, kernel_stiffness, POINTER, POINTER, POINTER) \
    CALL(POINTER, kernel_strikes, POINTER, POINTER) \
    CALL(BOOL, kernel_sudden, POINTER) \
    CALL(NONE, kernel_switch, POINTER, INT, INT, BOOL) \
    CALL(INT, kernel_switch_at_start, POINTER, REAL, POINTER) \
    CALL(POINTER, kernel_switching_notes, POINTER) \
    CALL(INT, kernel_synchronise, POINTER, REAL, POINTER) \
    CALL(INT, kernel_take_in_order, POINTER, POINTER, INT, POINTER, BOOL, BOOL) \
    CALL(LONG, kernel_take_record, POINTER, POINTER) \
    CALL(INT, kernel_taken_degree, POINTER, INT) \
    CALL(INT, kernel_events_alone, POINTER, INT) \
    CALL(NONE, kernel_set_until, POINTER, POINTER) \
    CALL(INT, kernel_until_point, POINTER) \
    CALL(NONE, kernel_unsettle, POINTER) \
    CALL(NONE, kernel_use_clock, POINTER) \
    CALL(INT, kernel_verify, POINTER, POINTER) \
    CALL(INT, kernel_visit, POINTER, INT, POINTER, POINTER, POINTER, POINTER) \
    CALL(INT, kernel_watch_angles, POINTER, POINTER, INT) \
    CALL(NONE, kernel_watch_bounds, POINTER, POINTER, INT) \
    CALL(NONE, kernel_watch_points, POINTER, POINTER, INT, INT) \
    CALL(REAL, kernel_worst_scaled, POINTER, POINTER, POINTER, POINTER) \
    CALL(NONE, library_close, POINTER) \
    CALL(POINTER, library_function, POINTER, POINTER, POINTER, SIZE) \
    CALL(BOOL, library_has_threads, POINTER) \
    CALL(BOOL, library_is_changed, POINTER) \
    CALL(BOOL, library_is_loaded, POINTER) \
    CALL(POINTER, library_missing, POINTER, BOOL) \
    CALL(POINTER, library_open, POINTER, INT, POINTER, SIZE) \
    CALL(NONE, library_watch, POINTER) \
    CALL(NONE, machine_free, POINTER) \
    CALL(POINTER, machine_function, POINTER) \
    CALL(POINTER, machine_new, POINTER, INT) \
    CALL(NONE, past_copy, POINTER, POINTER, BOOL) \
    CALL(SIZE, past_size, POINTER) \
    CALL(NONE, platform_close, INT) \
    CALL(LONG, text_copy, REAL, POINTER, SIZE) \
    CALL(REAL, text_number, POINTER, SIZE, REAL) \
    CALL(LONG, texts_copy, POINTER, SIZE)

/* Signatures of functions that are called by their addresses, as those of SUNDIALS: a name made of the first letters, the result, the arguments. */
#define SIGNATURES(AT) \
    AT(ip, INT, POINTER) \
    AT(np, NONE, POINTER) \
    AT(iip, INT, INT, POINTER) \
    AT(ipi, INT, POINTER, INT) \
    AT(ipp, INT, POINTER, POINTER) \
    AT(ipr, INT, POINTER, REAL) \
    AT(npp, NONE, POINTER, POINTER) \
    AT(pip, POINTER, INT, POINTER) \
    AT(ippp, INT, POINTER, POINTER, POINTER) \
    AT(iprp, INT, POINTER, REAL, POINTER) \
    AT(piip, POINTER, INT, INT, POINTER) \
    AT(pipp, POINTER, INT, POINTER, POINTER) \
    AT(pppp, POINTER, POINTER, POINTER, POINTER) \
    AT(ipprp, INT, POINTER, POINTER, REAL, POINTER)

/* Functions that the kernel gets as addresses. */
#define ADDRESSES(NAMED) \
    NAMED(formula_value) \
    NAMED(tape_run) \
    NAMED(cvode_restart) \
    NAMED(cvode_step) \
    NAMED(cvode_state) \
    NAMED(cvode_go_on) \
    NAMED(cvode_derivatives) \
    NAMED(cvode_jacobian) \
    NAMED(ask_value) \
    NAMED(ask_restart) \
    NAMED(ask_step) \
    NAMED(ask_state) \
    NAMED(ask_go_on) \
    NAMED(ask_between)

/* Kinds: the type, an argument from its word, and the word of a result. */
#define TYPE_INT int
#define TYPE_LONG long
#define TYPE_SIZE size_t
#define TYPE_BOOL bool
#define TYPE_REAL double
#define TYPE_POINTER void *
#define TYPE_NONE void

#define READ_INT(i) (int)word[i]
#define READ_LONG(i) (long)word[i]
#define READ_SIZE(i) (size_t)word[i]
#define READ_BOOL(i) word[i] != 0
#define READ_REAL(i) real(word[i])
#define READ_POINTER(i) (void *)(uintptr_t)word[i]

#define WRITE_INT(call) word[0] = (uint64_t)(call)
#define WRITE_LONG(call) word[0] = (uint64_t)(call)
#define WRITE_SIZE(call) word[0] = (call)
#define WRITE_BOOL(call) word[0] = (call)
#define WRITE_REAL(call) word[0] = bits(call)
#define WRITE_POINTER(call) word[0] = (uintptr_t)(call)
#define WRITE_NONE(call) call

static inline double real(uint64_t word)
{
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static inline uint64_t bits(double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

/* LIST(M, a, b) is M(1, a), M(2, b). */
#define LIST_1(M, a) M(1, a)
#define LIST_2(M, a, b) LIST_1(M, a), M(2, b)
#define LIST_3(M, a, b, c) LIST_2(M, a, b), M(3, c)
#define LIST_4(M, a, b, c, d) LIST_3(M, a, b, c), M(4, d)
#define LIST_5(M, a, b, c, d, e) LIST_4(M, a, b, c, d), M(5, e)
#define LIST_6(M, a, b, c, d, e, f) LIST_5(M, a, b, c, d, e), M(6, f)
#define LIST_7(M, a, b, c, d, e, f, g) LIST_6(M, a, b, c, d, e, f), M(7, g)
#define LIST_8(M, a, b, c, d, e, f, g, h) LIST_7(M, a, b, c, d, e, f, g), M(8, h)
#define LIST_9(M, a, b, c, d, e, f, g, h, i) LIST_8(M, a, b, c, d, e, f, g, h), M(9, i)
#define LIST_10(M, a, b, c, d, e, f, g, h, i, j) LIST_9(M, a, b, c, d, e, f, g, h, i), M(10, j)
#define CHOSEN(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, list, ...) list
#define LIST(M, ...) CHOSEN(__VA_ARGS__, LIST_10, LIST_9, LIST_8, LIST_7, LIST_6, LIST_5, LIST_4, LIST_3, LIST_2, LIST_1, )(M, __VA_ARGS__)
#define READ(i, kind) READ_##kind(i)
#define TYPE(i, kind) TYPE_##kind

#define CALL_FUNCTION(result, name, ...)            \
    static void call_##name(uint64_t *word)     \
    {                                           \
        WRITE_##result(name(LIST(READ, __VA_ARGS__))); \
    }
#define AT_FUNCTION(name, result, ...)              \
    static void at_##name(uint64_t *word)       \
    {                                           \
        WRITE_##result(((TYPE_##result (*)(LIST(TYPE, __VA_ARGS__)))(uintptr_t)word[HOST_ADDRESS])(LIST(READ, __VA_ARGS__))); \
    }
CALLS(CALL_FUNCTION)
SIGNATURES(AT_FUNCTION)

#define CALL_ENTRY(result, name, ...) {#name, call_##name, NULL},
#define AT_ENTRY(name, ...) {#name, at_##name, NULL},
#define NAMED_ENTRY(name) {"&" #name, NULL, (void (*)(void))name},
static const HostFunction functions[] = {CALLS(CALL_ENTRY) SIGNATURES(AT_ENTRY) ADDRESSES(NAMED_ENTRY)};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

int host_function(const char *name)
{
    int number = 0;
    while (number < FUNCTIONS && strcmp(functions[number].name, name))
        number++;
    return number < FUNCTIONS ? number : -1;
}

const HostFunction *host_entry(uint64_t number)
{
    return number < FUNCTIONS ? &functions[number] : NULL;
}
