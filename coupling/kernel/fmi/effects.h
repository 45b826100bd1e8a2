/* Side effects of FMUs on settings of their process: those that a call has changed are restored, and noted once for each instance. */
#ifndef KERNEL_EFFECTS_H
#define KERNEL_EFFECTS_H

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

/* Kinds of side effects, as bits. */
enum { EFFECT_FLOAT = 1, EFFECT_LOCALE = 2, EFFECT_FOLDER = 4, EFFECT_SIGNALS = 8 };

#define EFFECTS_CATEGORY "jourdain-effects" /* of a message of a guard that holds such bits */

/* Rounding, traps, and zeros in place of tiny numbers: the control bits of the floating-point unit of this thread. Its other bits change
 * as it computes. */
static inline unsigned float_control(void)
{
#ifdef __SSE__
    enum { CONTROL = 0xFFC0 };
    return __builtin_ia32_stmxcsr() & CONTROL;
#else
    return 0;
#endif
}

/* Control bits of this thread before its FMUs; 0 before their first call. It is read at once, not through a function. */
#pragma GCC visibility push(hidden)
extern _Thread_local __attribute__((tls_model("initial-exec"))) unsigned float_expected;
#pragma GCC visibility pop

unsigned float_restore(void); /* sets the expected bits; EFFECT_FLOAT where they had changed, else 0 */

/* Settings that are compared only around calls that begin or end an instance: comparing takes microseconds. */
typedef struct Surroundings Surroundings;

Surroundings *surroundings_of(void);                /* null where memory ran out: only the floating-point mode is compared then */
unsigned surroundings_restore(Surroundings *); /* the kinds that have changed; frees */

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
