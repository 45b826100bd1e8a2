/* Outputs of all types that change at t = 0.5 s, inputs of the same types, and outputs that repeat the inputs. A state x has the rate 1. In FMI 2 only
 * the types of that version exist. References: 1 to 20 are outputs, 101 to 120 the inputs, 201 to 220 the repeated inputs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if VERSION == 2
#include "fmi2FunctionTypes.h"
#define F(name) fmi2##name
typedef fmi2Status Status;
#else
#include "fmi3FunctionTypes.h"
#define F(name) fmi3##name
typedef fmi3Status Status;
#endif

enum { TEXT = 1, COUNT, TRUTH, MODE, BLOB, F32, I8, U8, I16, U16, I32, U32, U64, TEXTS, MATRIX, KINDS };
enum { SETS = 21, X = 22, DX = 23, LONG = 24, BYTES = 64, ROOM = 1 << 22 };

typedef struct {
    char text[BYTES], texts[2][BYTES];
    long long whole[KINDS]; /* of whole numbers and truths */
    unsigned long long unsigned64;
    float f32;
    double matrix[4];
    unsigned char blob[BYTES];
    size_t bytes;
} Values;

typedef struct {
    double time, x;
    int phase, sets, slave, running;
    Values own, in;
    const char *shown;
    char *large;
} Model;

static void produce(Model *m)
{
    const int p = m->phase;
    Values *const o = &m->own;
    strcpy(o->text, p ? "l\xC3\xA4uft" : "idle");
    strcpy(o->texts[0], "a"), strcpy(o->texts[1], p ? "c" : "b");
    o->whole[COUNT] = VERSION == 2 ? 7 + p : (1ll << 60) + 1 + p;
    o->whole[TRUTH] = p, o->whole[MODE] = 1 + p;
    o->whole[I8] = -128 + p, o->whole[U8] = 255 - p, o->whole[I16] = -32768 + p, o->whole[U16] = 65535 - p;
    o->whole[I32] = -2147483647 - 1 + p, o->whole[U32] = 4294967295ll - p;
    o->unsigned64 = 18446744073709551615ull - (unsigned)p;
    o->f32 = 0.1f + (float)p;
    for (int i = 0; i < 4; i++)
        o->matrix[i] = 10 * p + i;
    o->blob[0] = 0, o->blob[1] = 255, o->blob[2] = (unsigned char)p, o->bytes = 3;
}

static void *make(int slave)
{
    Model *m = calloc(1, sizeof *m);
    m->slave = slave;
    strcpy(m->in.text, "none");
    m->in.whole[MODE] = 1;
    produce(m);
    return m;
}

static Values *values(Model *m, unsigned reference)
{
    return reference > 100 ? &m->in : &m->own;
}

static double *real(Model *m, unsigned reference)
{
    return reference == X ? &m->x : reference == 0 ? &m->time : NULL;
}

#define M Model *m = c;
#define FREE void F(FreeInstance)(void *c) { M free(m->large); free(m); }
FREE
Status F(SetDebugLogging)(void *c, BOOLEAN on, size_t n, const char *const s[]) { return 0; }
Status F(ExitInitializationMode)(void *c) { M m->running = 1; return 0; }
Status F(Terminate)(void *c) { return 0; }
Status F(Reset)(void *c)
{
    Model *m = c, *fresh = make(m->slave);
    free(m->large);
    *m = *fresh;
    free(fresh);
    return 0;
}
Status F(SetTime)(void *c, double t) { M m->time = t; return 0; }
Status F(SetContinuousStates)(void *c, const double x[], size_t n) { M m->x = x[0]; return 0; }
Status F(GetContinuousStates)(void *c, double x[], size_t n) { M x[0] = m->x; return 0; }
Status F(EnterEventMode)(void *c) { return 0; }
Status F(EnterContinuousTimeMode)(void *c) { return 0; }
Status F(CompletedIntegratorStep)(void *c, BOOLEAN final, BOOLEAN *event, BOOLEAN *end) { *event = *end = 0; return 0; }
Status F(GetEventIndicators)(void *c, double z[], size_t n) { return 0; }

static int decide(Model *m)
{
    const int phase = m->time >= 0.5 - 1e-9;
    m->phase = phase;
    produce(m);
    return !phase;
}

static void step(Model *m, double t, double h)
{
    m->time = t + h, m->x += h;
    decide(m);
}

/* A long text of as many bytes as the input `count` says, for FMUs that ask for one. */
static const char *long_text(Model *m)
{
    const size_t size = (size_t)m->in.whole[COUNT];
    m->large = realloc(m->large, size + 1);
    memset(m->large, 'x', size);
    m->large[size] = 0;
    return m->large;
}

#if VERSION == 2
#define STATE(verb, rest) fmi2##verb##FMUstate##rest
#define fmi2DeserializeFMUstate fmi2DeSerializeFMUstate
#else
#define STATE(verb, rest) fmi3##verb##FMUState##rest
#endif
Status STATE(Get, )(void *c, void **s) { *s = *s ? *s : malloc(sizeof(Model)); memcpy(*s, c, sizeof(Model)); return 0; }
Status STATE(Set, )(void *c, void *s)
{
    M char *const large = m->large;
    memcpy(m, s, sizeof *m);
    m->large = large;
    return 0;
}
Status STATE(Free, )(void *c, void **s) { free(*s); *s = NULL; return 0; }
Status STATE(Serialized, Size)(void *c, void *s, size_t *size) { *size = sizeof(Model); return 0; }
Status STATE(Serialize, )(void *c, void *s, unsigned char bytes[], size_t n) { memcpy(bytes, s, n); return 0; }
Status STATE(Deserialize, )(void *c, const unsigned char bytes[], size_t n, void **s) { *s = malloc(n); memcpy(*s, bytes, n); return 0; }

static Status get_texts(Model *m, const unsigned r[], size_t n, const char *value[])
{
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        Values *const v = values(m, r[i]);
        if (r[i] == LONG)
            value[at++] = long_text(m);
        else if (r[i] % 100 == TEXTS)
            value[at++] = v->texts[0], value[at++] = v->texts[1];
        else
            value[at++] = v->text;
    }
    return 0;
}

static Status set_texts(Model *m, const unsigned r[], size_t n, const char *const value[])
{
    size_t at = 0;
    m->sets++;
    for (size_t i = 0; i < n; i++)
        if (r[i] % 100 == TEXTS)
            for (int j = 0; j < 2; j++)
                snprintf(m->in.texts[j], BYTES, "%s", value[at++]);
        else
            snprintf(m->in.text, BYTES, "%s", value[at++]);
    return 0;
}

#define WHOLE(name, c_type, VALUES)                                                              \
    Status F(Get##name)(void *c, const unsigned r[], size_t n, c_type value[] VALUES)            \
    {                                                                                            \
        M for (size_t i = 0; i < n; i++)                                                         \
            value[i] = r[i] == SETS ? m->sets : (c_type)values(m, r[i])->whole[r[i] % 100];      \
        return 0;                                                                                \
    }                                                                                            \
    Status F(Set##name)(void *c, const unsigned r[], size_t n, const c_type value[] VALUES)      \
    {                                                                                            \
        M for (size_t i = 0; i < n; i++)                                                         \
            m->in.whole[r[i] % 100] = value[i];                                                  \
        return 0;                                                                                \
    }

#if VERSION == 2
const char *fmi2GetVersion(void) { return "2.0"; }
const char *fmi2GetTypesPlatform(void) { return "default"; }
void *fmi2Instantiate(const char *name, fmi2Type type, const char *guid, const char *resources, const fmi2CallbackFunctions *f, int visible, int logs)
{
    return make(type == fmi2CoSimulation);
}
Status fmi2SetupExperiment(void *c, int a, double b, double t, int d, double e) { M m->time = t; return 0; }
Status fmi2EnterInitializationMode(void *c) { return 0; }
Status fmi2GetReal(void *c, const unsigned r[], size_t n, double value[])
{
    M for (size_t i = 0; i < n; i++)
        value[i] = real(m, r[i]) ? *real(m, r[i]) : 1;
    return 0;
}
Status fmi2SetReal(void *c, const unsigned r[], size_t n, const double value[]) { M m->x = value[0]; return 0; }
WHOLE(Integer, int, )
WHOLE(Boolean, int, )
Status fmi2GetString(void *c, const unsigned r[], size_t n, const char *value[]) { return get_texts(c, r, n, value); }
Status fmi2SetString(void *c, const unsigned r[], size_t n, const char *const value[]) { return set_texts(c, r, n, value); }
Status fmi2GetDerivatives(void *c, double x[], size_t n) { x[0] = 1; return 0; }
Status fmi2GetNominalsOfContinuousStates(void *c, double x[], size_t n) { x[0] = 1; return 0; }
Status fmi2NewDiscreteStates(void *c, fmi2EventInfo *e)
{
    memset(e, 0, sizeof *e);
    e->nextEventTimeDefined = decide(c);
    e->nextEventTime = 0.5;
    return 0;
}
Status fmi2DoStep(void *c, double t, double h, int final) { step(c, t, h); return 0; }
#else
#define N , size_t nv
const char *fmi3GetVersion(void) { return "3.0"; }
void *fmi3InstantiateModelExchange(const char *a, const char *b, const char *d, _Bool e, _Bool f, void *g, fmi3LogMessageCallback h) { return make(0); }
void *fmi3InstantiateCoSimulation(const char *a, const char *b, const char *d, _Bool e, _Bool f, _Bool events, _Bool g, const unsigned r[], size_t n,
                                  void *h, fmi3LogMessageCallback i, fmi3IntermediateUpdateCallback j)
{
    return make(1);
}
Status fmi3EnterInitializationMode(void *c, _Bool a, double b, double t, _Bool d, double e) { M m->time = t; return 0; }
Status fmi3GetFloat64(void *c, const unsigned r[], size_t n, double value[] N)
{
    size_t at = 0;
    M for (size_t i = 0; i < n; i++)
        for (int j = 0; j < (r[i] % 100 == MATRIX ? 4 : 1); j++)
            value[at++] = r[i] % 100 == MATRIX ? values(m, r[i])->matrix[j] : real(m, r[i]) ? *real(m, r[i]) : 1;
    return 0;
}
Status fmi3SetFloat64(void *c, const unsigned r[], size_t n, const double value[] N)
{
    M for (size_t i = 0, at = 0; i < n; i++)
        for (int j = 0; j < (r[i] % 100 == MATRIX ? 4 : 1); j++, at++)
            *(r[i] % 100 == MATRIX ? &m->in.matrix[j] : &m->x) = value[at];
    return 0;
}
Status fmi3GetFloat32(void *c, const unsigned r[], size_t n, float value[] N)
{
    M for (size_t i = 0; i < n; i++)
        value[i] = values(m, r[i])->f32;
    return 0;
}
Status fmi3SetFloat32(void *c, const unsigned r[], size_t n, const float value[] N) { M m->in.f32 = value[0]; return 0; }
WHOLE(Int8, int8_t, N)
WHOLE(UInt8, uint8_t, N)
WHOLE(Int16, int16_t, N)
WHOLE(UInt16, uint16_t, N)
WHOLE(Int32, int32_t, N)
WHOLE(UInt32, uint32_t, N)
WHOLE(Int64, int64_t, N)
WHOLE(Boolean, _Bool, N)
Status fmi3GetUInt64(void *c, const unsigned r[], size_t n, uint64_t value[] N)
{
    M for (size_t i = 0; i < n; i++)
        value[i] = values(m, r[i])->unsigned64;
    return 0;
}
Status fmi3SetUInt64(void *c, const unsigned r[], size_t n, const uint64_t value[] N) { M m->in.unsigned64 = value[0]; return 0; }
Status fmi3GetString(void *c, const unsigned r[], size_t n, const char *value[] N) { return get_texts(c, r, n, value); }
Status fmi3SetString(void *c, const unsigned r[], size_t n, const char *const value[] N) { return set_texts(c, r, n, value); }
Status fmi3GetBinary(void *c, const unsigned r[], size_t n, size_t size[], const unsigned char *value[] N)
{
    M for (size_t i = 0; i < n; i++)
        value[i] = values(m, r[i])->blob, size[i] = values(m, r[i])->bytes;
    return 0;
}
Status fmi3SetBinary(void *c, const unsigned r[], size_t n, const size_t size[], const unsigned char *const value[] N)
{
    M for (size_t i = 0; i < n; i++) {
        m->in.bytes = size[i] < BYTES ? size[i] : BYTES;
        memcpy(m->in.blob, value[i], m->in.bytes);
    }
    return 0;
}
Status fmi3GetContinuousStateDerivatives(void *c, double x[], size_t n) { x[0] = 1; return 0; }
Status fmi3GetNominalsOfContinuousStates(void *c, double x[], size_t n) { x[0] = 1; return 0; }
Status fmi3GetNumberOfContinuousStates(void *c, size_t *n) { *n = 1; return 0; }
Status fmi3GetNumberOfEventIndicators(void *c, size_t *n) { *n = 0; return 0; }
Status fmi3UpdateDiscreteStates(void *c, _Bool *again, _Bool *end, _Bool *nominals, _Bool *states, _Bool *defined, double *next)
{
    *again = *end = *nominals = *states = 0;
    *defined = decide(c);
    *next = 0.5;
    return 0;
}
Status fmi3EnterStepMode(void *c) { return 0; }
Status fmi3DoStep(void *c, double t, double h, _Bool final, _Bool *event, _Bool *end, _Bool *early, double *last)
{
    *event = *end = *early = 0;
    step(c, t, h);
    *last = t + h;
    return 0;
}
#endif
