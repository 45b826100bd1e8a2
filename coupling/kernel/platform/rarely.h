#ifndef KERNEL_RARELY_H
#define KERNEL_RARELY_H

/* Code that an exported FMU, which ought to be small, runs through at events or where anything is odd. */
#if defined(__GNUC__) && !defined(KERNEL_EXPORTED)
#define RARELY __attribute__((cold))
#else
#define RARELY
#endif

#endif
