#include "fmi/text_file.h"

#include "fmi/texts.h"
#include "platform/platform.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double number;
    uint64_t size;
} Head;

struct TextFile {
    int file, texts, count;
    size_t end;
    double *written; /* numbers of the texts in the file, scattered; 0 where none is */
    size_t room, used;
    double *last; /* values of the row before */
    int place[];
};

TextFile *text_file_begin(int file, int texts, int count, const int *place)
{
    TextFile *of = calloc(1, sizeof *of + (size_t)count * sizeof *place);
    if (!of)
        return NULL;
    *of = (TextFile){.file = file, .texts = texts, .count = count, .end = platform_size(file), .room = 64};
    memcpy(of->place, place, (size_t)count * sizeof *place);
    of->written = calloc(of->room, sizeof *of->written);
    of->last = calloc((size_t)count + 1, sizeof *of->last);
    if (of->written && of->last)
        return of;
    text_file_end(of);
    return NULL;
}

void text_file_end(TextFile *of)
{
    if (!of)
        return;
    free(of->written);
    free(of->last);
    free(of);
}

int text_file_number(const TextFile *of)
{
    return of ? of->file : -1;
}

/* The place of a number, or the free one where it belongs. */
static double *place_of(double *written, size_t room, double number)
{
    size_t at = (size_t)number & (room - 1); /* numbers of texts are scattered already */
    while (written[at] != 0 && written[at] != number)
        at = (at + 1) & (room - 1);
    return &written[at];
}

static bool grow(TextFile *of)
{
    const size_t room = 2 * of->room;
    double *const bigger = calloc(room, sizeof *bigger);
    if (!bigger)
        return false;
    for (size_t i = 0; i < of->room; i++)
        if (of->written[i] != 0)
            *place_of(bigger, room, of->written[i]) = of->written[i];
    free(of->written);
    of->written = bigger;
    of->room = room;
    return true;
}

static int append(TextFile *of, double number)
{
    Head head = {.number = number};
    size_t size;
    const unsigned char *const bytes = text_bytes(number, &size);
    if (!bytes)
        return 0;
    head.size = size;
    int why = platform_write(of->file, of->end, &head, sizeof head);
    if (!why)
        why = platform_write(of->file, of->end + sizeof head, bytes, size);
    of->end += why ? 0 : sizeof head + size;
    return why;
}

/* Writes a text unless it is there. */
static int keep(TextFile *of, double number)
{
    double *place = place_of(of->written, of->room, number);
    if (*place == number)
        return 0;
    if (4 * (of->used + 1) > 3 * of->room) {
        if (!grow(of))
            return ENOMEM;
        place = place_of(of->written, of->room, number);
    }
    const int why = append(of, number);
    if (!why) {
        *place = number;
        of->used++;
    }
    return why;
}

int text_file_write(TextFile *of, const double *row)
{
    for (int i = 0; i < of->count; i++) {
        const double value = row[of->place[i]];
        if (value == of->last[i])
            continue;
        const double number = i < of->texts ? value : digits_number(value);
        const int why = number > 0 ? keep(of, number) : 0;
        if (why)
            return why;
        of->last[i] = value;
    }
    return 0;
}
