/* Times a body's FMI functions against the bare arithmetic of the same equations; see runtime.py. */
#include "fmi2Functions.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "case.h" /* GUID, references, counts */

void bare(const double *parameters, const double *states, const double *inputs, double *outputs, double *derivatives);

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void quiet(fmi2ComponentEnvironment e, fmi2String n, fmi2Status s, fmi2String c, fmi2String m, ...)
{
    (void)e, (void)n, (void)s, (void)c;
    fprintf(stderr, "%s\n", m);
}

int main(int count, char **arguments)
{
    void *library = dlopen(arguments[1], RTLD_NOW);
    if (!library || count < 4)
        return 1;
    const char *mode = arguments[2];
    long rounds = atol(arguments[3]);
    fmi2InstantiateTYPE *instantiate = (fmi2InstantiateTYPE *)dlsym(library, "fmi2Instantiate");
    fmi2SetupExperimentTYPE *setup = (fmi2SetupExperimentTYPE *)dlsym(library, "fmi2SetupExperiment");
    fmi2EnterInitializationModeTYPE *enter = (fmi2EnterInitializationModeTYPE *)dlsym(library, "fmi2EnterInitializationMode");
    fmi2ExitInitializationModeTYPE *leave = (fmi2ExitInitializationModeTYPE *)dlsym(library, "fmi2ExitInitializationMode");
    fmi2EnterContinuousTimeModeTYPE *run = (fmi2EnterContinuousTimeModeTYPE *)dlsym(library, "fmi2EnterContinuousTimeMode");
    fmi2SetRealTYPE *set = (fmi2SetRealTYPE *)dlsym(library, "fmi2SetReal");
    fmi2GetRealTYPE *get = (fmi2GetRealTYPE *)dlsym(library, "fmi2GetReal");
    fmi2SetContinuousStatesTYPE *set_states = (fmi2SetContinuousStatesTYPE *)dlsym(library, "fmi2SetContinuousStates");
    fmi2GetDerivativesTYPE *get_derivatives = (fmi2GetDerivativesTYPE *)dlsym(library, "fmi2GetDerivatives");

    fmi2CallbackFunctions callbacks = {quiet, calloc, free, NULL, NULL};
    fmi2Component body = instantiate("body", fmi2ModelExchange, GUID, NULL, &callbacks, 0, 0);
    if (!body || setup(body, 0, 0, 0, 0, 0) || enter(body) || leave(body) || run(body))
        return 1;

    double states[STATES], inputs[INPUTS], outputs[OUTPUTS], derivatives[STATES], checksum = 0;
    for (int i = 0; i < STATES; i++)
        states[i] = 0.1 * (i + 1);
    for (int i = 0; i < INPUTS; i++)
        inputs[i] = 0.3 * (i + 1);
    int fmu = mode[0] == 'f', states_too = mode[1] == 's';
    if (set_states(body, states, STATES))
        return 1;
    double began = now();
    for (long round = 0; round < rounds; round++) {
        for (int i = 0; i < INPUTS; i++)
            inputs[i] += 1e-6;
        if (states_too)
            for (int i = 0; i < STATES; i++)
                states[i] += 1e-7;
        if (!fmu) {
            bare(parameters, states, inputs, outputs, derivatives);
        } else {
            if (states_too)
                set_states(body, states, STATES);
            set(body, input_references, INPUTS, inputs);
            get(body, output_references, OUTPUTS, outputs);
            if (states_too)
                get_derivatives(body, derivatives, STATES);
        }
        checksum += outputs[round % OUTPUTS];
    }
    printf("%.3f %.17g\n", 1e9 * (now() - began) / (double)rounds, checksum);
    return 0;
}
