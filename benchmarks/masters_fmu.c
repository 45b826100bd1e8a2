/* The link of the chain in masters.py: an FMI 2.0 Co-Simulation FMU of first-order lags, y' = rate (u - y), one for each channel.

   It integrates by one explicit Euler step in each communication step, so that whatever a step costs beyond a few nanoseconds is the
   master's. GUID, CHANNELS and RATES come from the command line. */
#include "fmi2Functions.h"

#include <stdlib.h>
#include <string.h>

static const double rate[CHANNELS] = {RATES};

typedef struct {
    double u[CHANNELS], y[CHANNELS]; /* value references count through both */
} Link;

static double *variable(Link *link, fmi2ValueReference r)
{
    return r < CHANNELS ? link->u + r : r < 2 * CHANNELS ? link->y + (r - CHANNELS) : NULL;
}

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char *fmi2GetVersion(void) { return fmi2Version; }
fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]) { return fmi2OK; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    return type == fmi2CoSimulation && !strcmp(guid, GUID) ? calloc(1, sizeof(Link)) : NULL;
}
void fmi2FreeInstance(fmi2Component c) { free(c); }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start, fmi2Boolean has_stop,
                               fmi2Real stop)
{
    return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2Terminate(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2Reset(fmi2Component c)
{
    *(Link *)c = (Link){0};
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Real value[])
{
    for (size_t i = 0; i < n; i++) {
        const double *from = variable(c, r[i]);
        if (!from)
            return fmi2Error;
        value[i] = *from;
    }
    return fmi2OK;
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Real value[])
{
    for (size_t i = 0; i < n; i++) {
        double *to = variable(c, r[i]);
        if (!to)
            return fmi2Error;
        *to = value[i];
    }
    return fmi2OK;
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean final)
{
    Link *link = c;
    for (int k = 0; k < CHANNELS; k++)
        link->y[k] += h * rate[k] * (link->u[k] - link->y[k]);
    return fmi2OK;
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    if (!*state && !(*state = malloc(sizeof(Link))))
        return fmi2Error;
    memcpy(*state, c, sizeof(Link));
    return fmi2OK;
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    memcpy(c, state, sizeof(Link));
    return fmi2OK;
}
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    free(*state);
    *state = NULL;
    return fmi2OK;
}

/* Whatever else the standard has is there, and refuses where there is anything to refuse. */
#define NOTHING(type, Type) \
    fmi2Status fmi2Get##Type(fmi2Component c, const fmi2ValueReference r[], size_t n, type value[]) { return n ? fmi2Error : fmi2OK; } \
    fmi2Status fmi2Set##Type(fmi2Component c, const fmi2ValueReference r[], size_t n, const type value[]) { return n ? fmi2Error : fmi2OK; }
NOTHING(fmi2Integer, Integer)
NOTHING(fmi2Boolean, Boolean)
NOTHING(fmi2String, String)

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size) { return fmi2Error; }
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) { return fmi2Error; }
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state) { return fmi2Error; }
fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference u[], size_t nu, const fmi2ValueReference k[], size_t nk,
                                        const fmi2Real seed[], fmi2Real value[])
{
    return fmi2Error;
}
fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Integer order[],
                                       const fmi2Real value[])
{
    return fmi2Error;
}
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Integer order[],
                                        fmi2Real value[])
{
    return fmi2Error;
}
fmi2Status fmi2CancelStep(fmi2Component c) { return fmi2Error; }
fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value) { return fmi2Discard; }
fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) { return fmi2Discard; }
fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value) { return fmi2Discard; }
fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) { return fmi2Discard; }
fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value) { return fmi2Discard; }
