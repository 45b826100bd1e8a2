/* Nanoseconds of a pair of calls, set continuous states and get derivatives, and of a step of Co-Simulation, of an FMU of FMI 2.
 *
 *     exported_host LIBRARY GUID STATES EVALUATIONS ROUNDS STEP STEPS RUNS
 *
 * Both are the least of some repetitions; 0 of these leaves one out. */
#include "fmi2Functions.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void tell(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category, fmi2String format, ...)
{
    (void)environment, (void)name, (void)category;
    va_list values;
    va_start(values, format);
    if (status > fmi2Warning)
        vfprintf(stderr, format, values);
    va_end(values);
}

static void *library;

static void *function(const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "there is no %s\n", name);
        exit(1);
    }
    return found;
}

#define FUNCTION(name) name##TYPE *const call_##name = (name##TYPE *)function(#name)

static void check(fmi2Status status, const char *what)
{
    if (status > fmi2Warning) {
        fprintf(stderr, "%s failed\n", what);
        exit(1);
    }
}

static const fmi2CallbackFunctions callbacks = {tell, calloc, free, NULL, NULL};

static fmi2Component started(fmi2Type type, const char *guid)
{
    FUNCTION(fmi2Instantiate);
    FUNCTION(fmi2SetupExperiment);
    FUNCTION(fmi2EnterInitializationMode);
    FUNCTION(fmi2ExitInitializationMode);
    const fmi2Component c = call_fmi2Instantiate("host", type, guid, "", &callbacks, fmi2False, fmi2False);
    if (!c)
        exit(1);
    check(call_fmi2SetupExperiment(c, fmi2False, 0, 0, fmi2False, 0), "fmi2SetupExperiment");
    check(call_fmi2EnterInitializationMode(c), "fmi2EnterInitializationMode");
    check(call_fmi2ExitInitializationMode(c), "fmi2ExitInitializationMode");
    return c;
}

/* The least of some rounds, at states that differ a little, so that nothing is known from the call before. */
static double evaluate(const char *guid, size_t states, int evaluations, int rounds)
{
    FUNCTION(fmi2EnterContinuousTimeMode);
    FUNCTION(fmi2GetContinuousStates);
    FUNCTION(fmi2SetContinuousStates);
    FUNCTION(fmi2GetDerivatives);
    FUNCTION(fmi2FreeInstance);
    const fmi2Component c = started(fmi2ModelExchange, guid);
    double *x = calloc(3 * states, sizeof *x), *const shifted = x + states, *const dx = shifted + states, least = 1e300;
    check(call_fmi2EnterContinuousTimeMode(c), "fmi2EnterContinuousTimeMode");
    check(call_fmi2GetContinuousStates(c, x, states), "fmi2GetContinuousStates");
    for (int round = 0; round < rounds; round++) {
        const double began = now();
        for (int i = 0; i < evaluations; i++) {
            for (size_t s = 0; s < states; s++)
                shifted[s] = x[s] * (1 + 1e-9 * i);
            check(call_fmi2SetContinuousStates(c, shifted, states), "fmi2SetContinuousStates");
            check(call_fmi2GetDerivatives(c, dx, states), "fmi2GetDerivatives");
        }
        const double took = (now() - began) / evaluations;
        least = took < least ? took : least;
    }
    call_fmi2FreeInstance(c);
    free(x);
    return least;
}

static double step(const char *guid, double size, int steps)
{
    FUNCTION(fmi2DoStep);
    FUNCTION(fmi2FreeInstance);
    const fmi2Component c = started(fmi2CoSimulation, guid);
    const double began = now();
    for (int i = 0; i < steps; i++)
        check(call_fmi2DoStep(c, i * size, size, fmi2True), "fmi2DoStep");
    const double took = (now() - began) / steps;
    call_fmi2FreeInstance(c);
    return took;
}

int main(int count, char **words)
{
    library = count == 9 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        fprintf(stderr, "usage: exported_host LIBRARY GUID STATES EVALUATIONS ROUNDS STEP STEPS RUNS\n");
        return 1;
    }
    double least = 1e300;
    for (int run = 0; run < atoi(words[8]); run++) {
        const double took = step(words[2], atof(words[6]), atoi(words[7]));
        least = took < least ? took : least;
    }
    printf("%.1f %.1f\n", evaluate(words[2], (size_t)atol(words[3]), atoi(words[4]), atoi(words[5])), least);
    return 0;
}
