/* Texts and binary data as numbers. The kernel passes doubles on and records them: each text has one number, which follows from its bytes and is
 * the same in all processes. A table of this process leads back from the number to the bytes. */
#ifndef KERNEL_TEXTS_H
#define KERNEL_TEXTS_H

#include "fmi/fmi.h"

struct Instance;

enum { TEXT_LIMIT = 1 << 24, ALL_TEXTS = 1 << 30 }; /* bytes of one text or binary, and of all that a process keeps */

/* The number of some bytes, which are kept; 0 for none. `likely` is the number of the last ones: the same bytes are then only compared. NaN where
 * there is no memory. */
double text_number(const void *bytes, size_t size, double likely);
/* The bytes, with a zero after them; null if the number is that of no text. They stay where they are as long as any instance exists. */
const unsigned char *text_bytes(double number, size_t *size);
/* Copies at most `room` of the bytes; returns how many there are, or -1 if the number is that of no text. */
long text_copy(double number, unsigned char *bytes, size_t room);
/* Copies all texts one after the other, each after its size in eight bytes; returns how many bytes that takes, of which `room` are written at most. */
long texts_copy(unsigned char *bytes, size_t room);
void texts_forget(void); /* of all, when no instance exists any more */

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

/* Whole numbers beyond 2^53, which doubles cannot hold: they are kept as texts, and twice the number of the text is beyond 2^53. */
double whole_number(int64_t);
double whole_unsigned(uint64_t);
int64_t number_whole(double);
uint64_t number_unsigned(double);
double digits_number(double); /* the number of the text with the digits of such a one; 0 for others */
#define TO_DOUBLE(value) _Generic((value), int64_t: whole_number, uint64_t: whole_unsigned, default: plain_number)(value)
#define OF_DOUBLE(c, value) (c) _Generic((c)0, int64_t: number_whole, uint64_t: number_unsigned, default: plain_number)(value)

static inline double plain_number(double value)
{
    return value;
}

/* Values of type STRING or BINARY by their numbers. An array has one reference and several values. */
Status texts_access(struct Instance *, int type, const Reference *, size_t count, double *numbers, size_t values, bool setting);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
