/* Messages to the importer's logger. */
#include "runtime.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const category_names[CATEGORIES] = {"logEvents", "logStatusWarning", "logStatusDiscard", "logStatusError", "logStatusFatal"};

static void send(const Instance *instance, Status status, Category category, const char *format, va_list arguments)
{
    if (!instance->logged[category] && category < LOG_ERROR) /* errors cannot be silenced, as FMI 3 demands */
        return;
    char sentence[1024];
    vsnprintf(sentence, sizeof sentence, format, arguments);
    instance->log(instance, status, category_names[category], sentence);
}

/* One sentence about a status that is not OK; returns that status. */
Status report(const Instance *instance, Status status, const char *format, ...)
{
    static const Category category_of[] = {LOG_EVENTS, LOG_WARNING, LOG_DISCARD, LOG_ERROR, LOG_FATAL};
    va_list arguments;
    va_start(arguments, format);
    send(instance, status, category_of[status], format, arguments);
    va_end(arguments);
    return status;
}

void note_event(const Instance *instance, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    send(instance, OK, LOG_EVENTS, format, arguments);
    va_end(arguments);
}

Status unknown_reference(const Instance *instance, Reference reference)
{
    return report(instance, ERROR, "%s: the value reference %u is unknown; %s has 1 to %u", instance->name, reference, model.name,
                  last_reference(&model));
}

/* Reports the reference that is unknown, or that there was no memory for the list; returns false. */
bool refuse_references(const Instance *instance, const Reference *references, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (references[i] < 1 || references[i] > last_reference(&model)) {
            unknown_reference(instance, references[i]);
            return false;
        }
    report(instance, ERROR, "%s: memory for %lu value references is exhausted", instance->name, (unsigned long)count);
    return false;
}

/* Without categories, all of them; false where one is unknown. */
bool select_categories(Instance *instance, bool on, size_t count, const char *const *categories)
{
    bool known = true;
    for (size_t c = 0; c < CATEGORIES && count == 0; c++)
        instance->logged[c] = on;
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        for (size_t c = 0; c < CATEGORIES; c++)
            if (categories[i] && (!strcmp(categories[i], category_names[c]) || !strcmp(categories[i], "logAll"))) {
                instance->logged[c] = on;
                found = true;
            }
        known = known && found;
        if (!found)
            report(instance, ERROR, "%s: there is no log category '%s'; the model description lists all categories", instance->name,
                   categories[i] ? categories[i] : "(null)");
    }
    return known;
}

static const char *mode_name(Mode mode)
{
    switch (mode) {
    case INSTANTIATED: return "before initialisation";
    case CONFIGURATION: return "in Configuration Mode";
    case INITIALIZATION: return "in Initialization Mode";
    case EVENTS: return "in Event Mode";
    case CONTINUOUS: return "in Continuous-Time Mode";
    case STEPPING: return "between communication steps";
    case INTERMEDIATE: return "in Intermediate Update Mode";
    case STEP_FAILED: return "after a step that failed";
    default: return "after the end of the simulation";
    }
}

bool refuse_call(const Instance *instance, const char *function, unsigned modes)
{
    if (!(instance->progress.mode & modes))
        report(instance, ERROR, "%s: %s cannot be called %s", instance->name, function, mode_name(instance->progress.mode));
    else
        report(instance, ERROR, "%s: %s was called with a null pointer where it needs an array or an address", instance->name, function);
    return false;
}
