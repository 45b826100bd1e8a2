/* The chain of masters.py run by nothing but calls of the FMU's functions: no master can be faster. */
#include "fmi2Functions.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void quiet(fmi2ComponentEnvironment e, fmi2String n, fmi2Status s, fmi2String c, fmi2String m, ...)
{
    (void)e, (void)n, (void)s, (void)c, (void)m;
}

/* Takes as many steps as `steps`, and one before and one behind them. `inputs` and `outputs` hold the start values of all instances, one
   row each; `outputs` returns the final ones. Returns the seconds of `steps`, negative where a call has failed. */
double run_chain(const char *path, int instances, int connections, int steps, double step_size, const double *inputs, double *outputs)
{
    void *library = dlopen(path, RTLD_NOW);
    if (!library)
        return -1;
    fmi2InstantiateTYPE *instantiate = (fmi2InstantiateTYPE *)dlsym(library, "fmi2Instantiate");
    fmi2SetupExperimentTYPE *setup = (fmi2SetupExperimentTYPE *)dlsym(library, "fmi2SetupExperiment");
    fmi2EnterInitializationModeTYPE *enter = (fmi2EnterInitializationModeTYPE *)dlsym(library, "fmi2EnterInitializationMode");
    fmi2ExitInitializationModeTYPE *leave = (fmi2ExitInitializationModeTYPE *)dlsym(library, "fmi2ExitInitializationMode");
    fmi2GetRealTYPE *get = (fmi2GetRealTYPE *)dlsym(library, "fmi2GetReal");
    fmi2SetRealTYPE *set = (fmi2SetRealTYPE *)dlsym(library, "fmi2SetReal");
    fmi2DoStepTYPE *step = (fmi2DoStepTYPE *)dlsym(library, "fmi2DoStep");
    fmi2FreeInstanceTYPE *free_instance = (fmi2FreeInstanceTYPE *)dlsym(library, "fmi2FreeInstance");

    fmi2CallbackFunctions callbacks = {quiet, calloc, free, NULL, NULL};
    fmi2ValueReference u[CHANNELS], y[CHANNELS];
    for (unsigned k = 0; k < CHANNELS; k++)
        u[k] = k, y[k] = CHANNELS + k;
    fmi2Component *link = calloc((size_t)instances, sizeof *link);
    double(*value)[CHANNELS] = calloc((size_t)instances, sizeof *value);
    int failed = !link || !value, n = failed ? 0 : instances;
    size_t connected = (size_t)connections;
    for (int i = 0; i < n; i++) {
        link[i] = instantiate("link", fmi2CoSimulation, GUID, NULL, &callbacks, fmi2False, fmi2False);
        failed |= !link[i] || set(link[i], y, CHANNELS, outputs + i * CHANNELS) || setup(link[i], fmi2False, 0, 0, fmi2False, 0) ||
                  enter(link[i]) || set(link[i], u, CHANNELS, inputs + i * CHANNELS) || leave(link[i]);
    }

    double began = 0, seconds = 0;
    for (int s = 0; s < steps + 2 && !failed; s++) {
        if (s == 1)
            began = now();
        if (s == steps + 1)
            seconds = now() - began;
        for (int i = 0; i < n - 1; i++)
            failed |= get(link[i], y, connected, value[i]);
        for (int i = 1; i < n; i++)
            failed |= set(link[i], u, connected, value[i - 1]);
        for (int i = 0; i < n; i++)
            failed |= step(link[i], s * step_size, step_size, fmi2True);
    }
    for (int i = 0; i < n; i++) {
        failed |= link[i] && get(link[i], y, CHANNELS, outputs + i * CHANNELS);
        if (link[i])
            free_instance(link[i]);
    }
    free(value);
    free(link);
    dlclose(library);
    return failed ? -1 : seconds;
}
