/* Integrates the model in one communication step per size, with any tolerance, which importers cannot choose freely:
 *
 *     probe tolerance size count [name=value ...]
 *
 * prints the number of internal steps, and the states at the end. */
#include "fmi2Functions.h"
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long accepted_steps;

static bool count_steps(Instance *instance, double time, bool accepted)
{
    (void)instance;
    (void)time;
    accepted_steps += accepted;
    return false;
}

static void say(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category, fmi2String message, ...)
{
    (void)environment, (void)name, (void)status, (void)category;
    fprintf(stderr, "%s\n", message);
}

static bool set(Instance *instance, const char *assignment)
{
    const char *value = strchr(assignment, '=');
    for (Reference r = 0; value && r < model.variables; r++) {
        const char *name = variable_name(&model, &model.variable[r]);
        if (!strncmp(name, assignment, (size_t)(value - assignment)) && !name[value - assignment]) {
            instance->v[r] = atof(value + 1);
            return true;
        }
    }
    return false;
}

int main(int count, char **words)
{
    const fmi2CallbackFunctions functions = {.logger = say};
    Instance *instance = count < 4 ? NULL : fmi2Instantiate("probe", fmi2CoSimulation, model.token, "", &functions, 0, 0);
    if (!instance)
        return 2;
    for (int i = 4; i < count; i++)
        if (!set(instance, words[i]))
            return 3;
    fmi2EnterInitializationMode(instance);
    Status status = (Status)fmi2ExitInitializationMode(instance);
    instance->progress.tolerance = atof(words[1]);
    const double size = atof(words[2]);
    for (int i = 0; i < atoi(words[3]) && status == OK; i++) {
        Step step = {.observe = count_steps};
        status = begin_step(instance, &step, i * size, size);
        if (status == OK)
            status = advance(instance, &step);
    }
    printf("%lu\n", accepted_steps);
    for (unsigned i = 0; i < model.states; i++)
        printf("%.17g\n", instance->v[model.state[i]]);
    fmi2FreeInstance(instance);
    return status != OK;
}
