#include "tapes/machine.h"

#include "system/kernel_internal.h"
#include "tapes/looked_up.h"
#include "tapes/operations.h"
#include "platform/platform.h"
#include "tapes/tape.h"
#include "tapes/tape_order.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct Machine {
    Machine *next;
    TapeFunction run;
    void *pages;
    size_t size;
};

void machine_free(Machine *m)
{
    if (!m)
        return;
    if (m->pages)
        platform_unmap(m->pages, m->size);
    free(m);
}

#ifdef __x86_64__

enum { REGISTERS = 16, SCRATCH = REGISTERS - 1, WORKSPACE = 3 /* rbx, which calls leave as it is */, RDI = 7, LONGEST = 64 /* bytes of an operation */ };
enum { MOST = 1 << 24 /* slots and operations, for distances of 32 bits */ };

/* Instructions of AVX on one double: an opcode after a prefix. */
enum { LOAD = 0x10, STORE = 0x11, XOR = 0x57, TIMES = 0x59, PLUS = 0x58, MINUS = 0x5C, OVER = 0x5E, SCALAR = 3, PACKED = 1 };

/* A new result stays in a register while there is room; everything is stored as well. */
typedef struct {
    uint8_t *at, *sign; /* sign: sixteen bytes whose exclusive or makes a number its opposite */
    signed char *held;  /* by slot: the register that has it */
    int slot[REGISTERS], next;
} Code;

static void bytes(Code *c, const void *what, size_t count)
{
    memcpy(c->at, what, count);
    c->at += count;
}

#define PUT(code, ...) bytes(code, (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})

/* -- instructions ------------------------------------------------------------------------------------------------------------ */

static uint8_t low(int reg)
{
    return (uint8_t)(reg & 7);
}

static void prefix(Code *c, int kind, int result, int first, int second)
{
    const uint8_t inverted = (uint8_t)((~first & 15) << 3 | kind), of_result = result < 8 ? 0x80 : 0;
    if (second < 8)
        PUT(c, 0xC5, of_result | inverted);
    else
        PUT(c, 0xC4, of_result | 0x41, inverted);
}

static void on_registers(Code *c, int opcode, int result, int first, int second)
{
    prefix(c, SCALAR, result, first, second);
    PUT(c, (uint8_t)opcode, (uint8_t)(0xC0 | low(result) << 3 | low(second)));
}

static void on_memory(Code *c, int opcode, int result, int first, int slot)
{
    const int64_t offset = (int64_t)sizeof(double) * slot;
    prefix(c, SCALAR, result, first, 0);
    if (offset < 128)
        PUT(c, (uint8_t)opcode, (uint8_t)(0x40 | low(result) << 3 | WORKSPACE), (uint8_t)offset);
    else {
        PUT(c, (uint8_t)opcode, (uint8_t)(0x80 | low(result) << 3 | WORKSPACE));
        bytes(c, &(int32_t){(int32_t)offset}, sizeof(int32_t));
    }
}

static void opposite(Code *c, int result, int of)
{
    prefix(c, PACKED, result, of, 0);
    PUT(c, XOR, (uint8_t)(5 | low(result) << 3)); /* relative to the next instruction */
    bytes(c, &(int32_t){(int32_t)(c->sign - (c->at + sizeof(int32_t)))}, sizeof(int32_t));
}

/* -- registers --------------------------------------------------------------------------------------------------------------- */

static void release(Code *c, int reg)
{
    if (c->slot[reg] != NONE)
        c->held[c->slot[reg]] = NONE;
    c->slot[reg] = NONE;
}

static void release_all(Code *c)
{
    for (int i = 0; i < REGISTERS; i++)
        release(c, i);
}

/* The one that was taken longest ago: what it had is in memory. */
static int take(Code *c)
{
    c->next = (c->next + 1) % SCRATCH;
    release(c, c->next);
    return c->next;
}

static int in_register(Code *c, int slot, int otherwise)
{
    if (c->held[slot] != NONE)
        return c->held[slot];
    on_memory(c, LOAD, otherwise, 0, slot);
    return otherwise;
}

static void combine(Code *c, int opcode, int result, int first, int slot)
{
    if (c->held[slot] != NONE)
        on_registers(c, opcode, result, first, c->held[slot]);
    else
        on_memory(c, opcode, result, first, slot);
}

static void keep(Code *c, int reg, int slot)
{
    on_memory(c, STORE, reg, 0, slot);
    if (c->held[slot] != NONE)
        release(c, c->held[slot]);
    c->held[slot] = (signed char)reg;
    c->slot[reg] = slot;
}

/* -- operations -------------------------------------------------------------------------------------------------------------- */

static void binary(Code *c, int opcode, int y, int a, int b)
{
    combine(c, opcode, y, in_register(c, a, y), b);
}

static void commuting(Code *c, int opcode, int y, int a, int b)
{
    const bool swapped = c->held[a] == NONE;
    binary(c, opcode, y, swapped ? b : a, swapped ? a : b);
}

#define FUNCTION_OF(name, operands, value)                                                        \
    static double of_##name(double A, double B, double C)                                         \
    {                                                                                             \
        (void)A, (void)B, (void)C;                                                                \
        return (value);                                                                           \
    }

OPERATIONS(FUNCTION_OF)

#define ENTRY_OF(name, operands, value) of_##name,

static double (*const function_of[])(double, double, double) = {OPERATIONS(ENTRY_OF)};

static void call(Code *c, const void *function)
{
    release_all(c);
    PUT(c, 0x48, 0xB8); /* mov rax, the function */
    bytes(c, function, sizeof(double (*)(double, double, double)));
    PUT(c, 0xFF, 0xD0); /* call rax */
}

static int called(Code *c, int operation, const int *operand)
{
    for (int i = 0; i < operands_of[operation]; i++)
        on_memory(c, LOAD, i, 0, operand[i]);
    call(c, &function_of[operation]);
    return 0;
}

#pragma GCC push_options
#pragma GCC target("avx")
#include "tapes/turned.h"

static void turn_batch(const int *at, int count, double *w, int sines, int cosines)
{
    turn(at, count, w, sines == NONE ? NULL : w + sines, cosines == NONE ? NULL : w + cosines);
}

#pragma GCC pop_options

static void turned(Code *c, const TapeStep *step)
{
    void (*const function)(const int *, int, double *, int, int) = turn_batch;
    const bool sines = step->operation == SIN_OPERATION;
    PUT(c, 0x48, 0xBF); /* mov rdi, */
    bytes(c, &step->operand, sizeof step->operand);
    PUT(c, 0xBE); /* mov esi, */
    bytes(c, &step->count, sizeof step->count);
    PUT(c, 0x48, 0x89, 0xDA); /* mov rdx, rbx */
    PUT(c, 0xB9); /* mov ecx, */
    bytes(c, sines ? &step->result : &step->other, sizeof step->result);
    PUT(c, 0x41, 0xB8); /* mov r8d, */
    bytes(c, sines ? &step->other : &step->result, sizeof step->result);
    call(c, &function);
}

static int looked_up(Code *c, const TapeStep *step)
{
    PUT(c, 0x48, 0xBF); /* mov rdi, */
    bytes(c, &step->operand, sizeof step->operand);
    PUT(c, 0x48, 0x89, 0xDE); /* mov rsi, rbx */
    call(c, &look_up[step->operation - CURVE_OPERATION]);
    return 0;
}

/* The register of the result. */
static int calculated(Code *c, int operation, const int *operand)
{
    const int y = take(c), a = operand[0];
    switch (operation) {
    case ADD_OPERATION:
        commuting(c, PLUS, y, a, operand[1]);
        break;
    case SUBTRACT_OPERATION:
        binary(c, MINUS, y, a, operand[1]);
        break;
    case MULTIPLY_OPERATION:
        commuting(c, TIMES, y, a, operand[1]);
        break;
    case DIVIDE_OPERATION:
        binary(c, OVER, y, a, operand[1]);
        break;
    case NEGATE_OPERATION:
        opposite(c, y, in_register(c, a, y));
        break;
    case MULTIPLY_ADD_OPERATION:
        commuting(c, TIMES, y, operand[1], operand[2]);
        combine(c, PLUS, y, y, a);
        break;
    case MULTIPLY_SUBTRACT_OPERATION:
        commuting(c, TIMES, y, operand[1], operand[2]);
        on_registers(c, MINUS, y, in_register(c, a, SCRATCH), y);
    }
    return y;
}

static void write_step(Code *c, const TapeStep *step)
{
    if (is_of_angles(step->operation))
        turned(c, step);
    else if (step->operation <= MULTIPLY_SUBTRACT_OPERATION)
        keep(c, calculated(c, step->operation, step->operand), step->result);
    else if (is_lookup(step->operation))
        keep(c, looked_up(c, step), step->result);
    else
        keep(c, called(c, step->operation, step->operand), step->result);
}

static void write_all(Code *c, const TapeStep *step, int count)
{
    PUT(c, 0x53, 0x48, 0x89, 0xF3); /* push rbx; mov rbx, rsi */
    for (; count; count--, step++)
        write_step(c, step);
    PUT(c, 0x5B, 0xC3); /* pop rbx; ret */
}

static bool translate(Machine *m, const TapeStep *step, int count, int slots)
{
    m->size = ((size_t)count + 1) * LONGEST;
    m->pages = platform_pages(m->size);
    Code c = {.at = m->pages, .sign = m->pages, .held = malloc((size_t)slots)};
    const bool made = m->pages && c.held;
    if (made) {
        memset(c.held, NONE, (size_t)slots);
        for (int i = 0; i < REGISTERS; i++)
            c.slot[i] = NONE;
        bytes(&c, (const double[]){-0.0, 0.0}, 2 * sizeof(double));
        void *const first = c.at;
        memcpy(&m->run, &first, sizeof first);
        write_all(&c, step, count);
    }
    free(c.held);
    if (!made)
        return false;
    const size_t page = platform_page(), used = ((size_t)(c.at - (uint8_t *)m->pages) + page - 1) / page * page;
    if (used < m->size)
        platform_unmap((uint8_t *)m->pages + used, m->size - used);
    m->size = used;
    return !platform_make_code(m->pages, used);
}

Machine *machine_new(const int *tape, int slots)
{
    if (!__builtin_cpu_supports("avx") || slots > MOST)
        return NULL;
    int count;
    TapeStep *const step = tape_steps(tape, slots, &count);
    Machine *m = step && count <= MOST ? calloc(1, sizeof *m) : NULL;
    if (m && !translate(m, step, count, slots)) {
        machine_free(m);
        m = NULL;
    }
    free(step);
    return m;
}

#else

Machine *machine_new(const int *tape, int slots)
{
    (void)tape, (void)slots;
    return NULL;
}

#endif

void *machine_function(const Machine *m)
{
    void *address;
    memcpy(&address, &m->run, sizeof address);
    return address;
}

/* -- of a kernel ------------------------------------------------------------------------------------------------------------- */

static void end(Kernel *k)
{
    for (Machine *m = k->machines, *next; m; m = next) {
        next = m->next;
        machine_free(m);
    }
    k->machines = NULL;
}

void *kernel_machine(Kernel *k, const int *tape, int slots)
{
    Machine *m = !tape || *tape == TAPE_END ? NULL : machine_new(tape, slots);
    if (!m)
        return machine_function(&(Machine){.run = tape_run});
    m->next = k->machines;
    k->machines = m;
    k->end_machines = end;
    return machine_function(m);
}
