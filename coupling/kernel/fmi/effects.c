#define _GNU_SOURCE
#include "fmi/effects.h"
#include "fmi/instance.h"

#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Thread_local unsigned float_expected;

unsigned float_restore(void)
{
    if (!float_expected)
        float_expected = float_control();
    if (float_control() == float_expected)
        return 0;
#ifdef __SSE__
    __builtin_ia32_ldmxcsr(float_expected);
#endif
    return EFFECT_FLOAT;
}

struct Surroundings {
    char *locale;
    int folder;
    struct stat place;
    sigset_t signals;
};

Surroundings *surroundings_of(void)
{
    float_expected = float_control();
    Surroundings *const s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    const char *const locale = setlocale(LC_ALL, NULL);
    s->locale = locale ? strdup(locale) : NULL;
    s->folder = open(".", O_PATH | O_CLOEXEC);
    if (s->folder >= 0 && fstat(s->folder, &s->place)) {
        close(s->folder);
        s->folder = -1;
    }
    pthread_sigmask(SIG_SETMASK, NULL, &s->signals);
    return s;
}

static bool moved(const Surroundings *s)
{
    struct stat now;
    return stat(".", &now) || now.st_dev != s->place.st_dev || now.st_ino != s->place.st_ino;
}

unsigned surroundings_restore(Surroundings *s)
{
    unsigned changed = float_restore();
    if (!s)
        return changed;
    const char *const locale = setlocale(LC_ALL, NULL);
    if (s->locale && locale && strcmp(s->locale, locale) != 0 && setlocale(LC_ALL, s->locale))
        changed |= EFFECT_LOCALE;
    if (s->folder >= 0 && moved(s) && !fchdir(s->folder))
        changed |= EFFECT_FOLDER;
    sigset_t signals;
    pthread_sigmask(SIG_SETMASK, NULL, &signals);
    for (int i = 1; i < NSIG; i++)
        if (sigismember(&signals, i) != sigismember(&s->signals, i)) {
            pthread_sigmask(SIG_SETMASK, &s->signals, NULL);
            changed |= EFFECT_SIGNALS;
            break;
        }
    if (s->folder >= 0)
        close(s->folder);
    free(s->locale);
    free(s);
    return changed;
}

/* -- of instances --------------------------------------------------------------------------------------------------------------- */

int instance_effects(const Instance *instance)
{
    return (int)(instance->effects | instance->library->effects);
}

void instance_settle(Instance *instance)
{
    instance->effects |= float_restore();
}

Surroundings *instance_surroundings(const Instance *instance)
{
    return instance->library->foreign ? surroundings_of() : NULL;
}

void instance_surrounded(Instance *instance, Surroundings *before)
{
    if (before)
        instance->effects |= surroundings_restore(before);
}
