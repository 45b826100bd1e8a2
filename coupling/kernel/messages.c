#include "instance.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

static void log_message(Instance *instance, Status status, const char *category, const char *message)
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

void instance_log_2(void *environment, const char *name, Status status, const char *category, const char *message, ...)
{
    (void)name;
    if (!environment || !message)
        return;
    char text[1024];
    va_list arguments;
    va_start(arguments, message);
    vsnprintf(text, sizeof text, message, arguments);
    va_end(arguments);
    log_message(environment, status, category, text);
}

void instance_log_3(void *environment, Status status, const char *category, const char *message)
{
    if (environment)
        log_message(environment, status, category, message);
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
    if (instance->called) /* it did not say anything */
        instance->message[0] = '\0';
    if ((unsigned)status <= (instance->library->version == 2 ? PENDING : FATAL))
        return status;
    char text[100];
    snprintf(text, sizeof text, "it returned the status %d, which FMI %d does not have", (int)status, instance->library->version);
    instance_says(instance, text);
    return ERROR;
}
