/* Messages of FMUs. Some FMUs pass an environment of their own making to their callbacks, such as 1: an instance is known by the list of those that exist,
 * by its name, or by its call, if that fails. */
#include "fmi/instance.h"
#include "fmi/texts.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static Instance *existing;
static atomic_flag listing = ATOMIC_FLAG_INIT;
_Thread_local Instance *instance_stepping;

enum { ROOM = 1024 };
static _Thread_local char unclaimed[ROOM];

static void lock(void)
{
    while (atomic_flag_test_and_set(&listing)) /* runs of several threads, and FMUs that log in threads of their own */
        ;
}

static void unlock(void)
{
    atomic_flag_clear(&listing);
}

void instance_enlist(Instance *instance)
{
    lock();
    instance->next = existing;
    if (existing)
        existing->previous = instance;
    existing = instance;
    unlock();
}

void instance_strike(Instance *instance)
{
    lock();
    if (instance->next)
        instance->next->previous = instance->previous;
    *(instance->previous ? &instance->previous->next : &existing) = instance->next;
    if (!existing)
        texts_forget();
    unlock();
    if (instance_stepping == instance)
        instance_stepping = NULL;
}

/* The instance that an environment is; else the only one of a name, if there is a name. */
Instance *instance_of(const void *environment, const char *name)
{
    Instance *found = NULL, *named = NULL;
    int namesakes = 0;
    lock();
    for (Instance *each = existing; each && !found; each = each->next) {
        if (each == environment)
            found = each;
        else if (name && strcmp(each->name, name) == 0)
            named = each, namesakes++;
    }
    unlock();
    return found ? found : namesakes == 1 ? named : NULL;
}

/* Adds a message to those of the same call. */
void instance_says(Instance *instance, const char *message)
{
    enum { SIZE = sizeof instance->message, LAST = 8 }; /* the last few are for the dots where there is no room */
    size_t length = strlen(message), used = instance->called ? 0 : strlen(instance->message);
    while (length && (message[length - 1] == '\n' || message[length - 1] == ' '))
        length--;
    instance->called = false;
    if (used && strstr(instance->message, message))
        return;
    if (used + length + LAST < SIZE)
        snprintf(instance->message + used, SIZE - used, "%s%.*s", used ? "; " : "", (int)length, message);
    else if (!used)
        snprintf(instance->message, SIZE, "%.*s ...", (int)(SIZE - LAST), message);
    else if (strcmp(instance->message + used - 3, "...") != 0)
        snprintf(instance->message + used, SIZE - used, "; ...");
}

static void instance_logs(Instance *instance, Status status, const char *category, const char *message)
{
    static const char *const words[] = {"ok", "warning", "discard", "error", "fatal", "pending"};
    if (!message)
        return;
    if (instance->logs)
        fprintf(stderr, "'%s' %s [%s] %s\n", instance->name, (unsigned)status <= PENDING ? words[status] : "?", category ? category : "",
                message);
    if (status != OK)
        instance_says(instance, message);
}

static void log_of(Instance *instance, Status status, const char *category, const char *message)
{
    if (instance)
        instance_logs(instance, status, category, message);
    else if (status > WARNING && message)
        snprintf(unclaimed, sizeof unclaimed, "%s", message);
}

/* Takes over messages of an unknown instance since the last failure: its call has just failed. */
static void instance_claim(Instance *instance)
{
    if (*unclaimed)
        instance_says(instance, unclaimed);
    *unclaimed = '\0';
}

void instance_log_2(void *environment, const char *name, Status status, const char *category, const char *message, ...)
{
    if (!message)
        return;
    char text[ROOM];
    va_list arguments;
    va_start(arguments, message);
    vsnprintf(text, sizeof text, message, arguments);
    va_end(arguments);
    log_of(instance_of(environment, name), status, category, text);
}

void instance_log_3(void *environment, Status status, const char *category, const char *message)
{
    log_of(instance_of(environment, NULL), status, category, message);
}

const char *instance_message(const Instance *instance)
{
    return instance->message;
}

const char *instance_said(const Instance *instance)
{
    return instance->called ? "" : instance->message;
}

Status instance_heard(Instance *instance, Status status)
{
    if ((unsigned)status <= WARNING)
        return status;
    if (instance->called) { /* it did not say anything, or not as whom */
        instance->message[0] = '\0';
        instance_claim(instance);
    }
    if ((unsigned)status <= (instance->library->version == 2 ? PENDING : FATAL))
        return status;
    char text[100];
    snprintf(text, sizeof text, "it returned the status %d, which FMI %d does not have", (int)status, instance->library->standard);
    instance_says(instance, text);
    return ERROR;
}
