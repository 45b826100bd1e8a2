/* What both harnesses check: each answer, and the sentence with which it is refused. */
#ifndef HARNESS_CHECKS_H
#define HARNESS_CHECKS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { OK, WARNING, DISCARD, ERROR, FATAL, PENDING } Answer; /* as both versions number them */

#define BIT(n) (1u << (n))
#define LENGTH(array) (sizeof(array) / sizeof *(array))

enum { MOST_FAILURES = 20 };

static struct {
    unsigned long calls, checks, failures;
} tally;

/* What the logger was told during the last call. */
typedef struct {
    unsigned named, answers;
    char text[2400];
} Heard;
static Heard heard;

static void listen(void)
{
    heard.named = heard.answers = 0;
    heard.text[0] = 0;
}

static void check(bool holds, const char *file, int line, const char *expectation, const char *found)
{
    tally.checks++;
    if (holds)
        return;
    fprintf(stderr, "%s:%d: expected %s%s%s (last message: %s)\n", file, line, expectation, *found ? ", found " : "", found, heard.text);
    if (++tally.failures >= MOST_FAILURES)
        exit(1);
}

#define CHECK(condition) check((condition), __FILE__, __LINE__, #condition, "")

static const char *name_of(int answer)
{
    static const char *const names[] = {"OK", "Warning", "Discard", "Error", "Fatal", "Pending"};
    return answer >= OK && answer <= PENDING ? names[answer] : "no status at all";
}

/* The instance's name is the environment that the importer hands over. */
static void hear(const char *name, int answer, const char *category, const char *message)
{
    static const char *const categories[] = {"logEvents", "logStatusWarning", "logStatusDiscard", "logStatusError", "logStatusFatal"};
    bool known = false;
    for (size_t c = 0; c < LENGTH(categories); c++)
        known = known || !strcmp(category, categories[c]);
    CHECK(known);
    heard.answers |= BIT(answer);
    heard.named += name && strstr(message, name) != NULL;
    snprintf(heard.text, sizeof heard.text, "%s", message);
}

/* Every refusal comes with a sentence that names the instance. */
static int conclude(int answer, unsigned allowed, bool spoken, const char *file, int line, const char *call)
{
    tally.calls++;
    check(answer >= OK && answer <= PENDING && (allowed & BIT(answer)), file, line, call, name_of(answer));
    if (spoken && (answer == DISCARD || answer == ERROR))
        check(heard.named > 0 && (heard.answers & BIT(answer)), file, line, "a message that names the instance", call);
    return answer;
}

#define CALL(allowed, spoken, call, text) (listen(), conclude((call), (allowed), (spoken), __FILE__, __LINE__, text))
#define EXPECT(answer, call) CALL(BIT(answer), true, call, #answer " from " #call)
#define EXPECT_EITHER(one, other, call) CALL(BIT(one) | BIT(other), true, call, #one " or " #other " from " #call)
#define ANY_STATUS (BIT(OK) | BIT(WARNING) | BIT(DISCARD) | BIT(ERROR))
#define EXPECT_ANY(call) CALL(ANY_STATUS, true, call, "a status from " #call)
#define EXPECT_UNHEARD(answer, call) CALL(BIT(answer), false, call, #answer " from " #call) /* nobody to tell, or nobody who tells */

#endif
