#include "platform/row_file.h"

#include "platform/platform.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 1 << 20 };
static const double SECONDS_BETWEEN_STORES = 10;

struct RowFile {
    int file, beside, width;
    size_t first, page;
    char *window;
    size_t offset, size; /* of the window in the file */
    double stored;       /* when all up to there was */
    int place[];
};

RowFile *row_file_begin(int file, int beside, size_t first, int width, const int *place)
{
    RowFile *rows = calloc(1, sizeof *rows + (size_t)width * sizeof *place);
    if (!rows)
        return NULL;
    *rows = (RowFile){.file = file, .beside = beside, .width = width, .first = first, .page = platform_page(), .stored = platform_seconds()};
    memcpy(rows->place, place, (size_t)width * sizeof *place);
    return rows;
}

static size_t offset_of(const RowFile *rows, long row)
{
    return rows->first + (size_t)row * (size_t)rows->width * sizeof(double);
}

static void close_window(RowFile *rows)
{
    if (rows->window)
        platform_unmap(rows->window, rows->size);
    rows->window = NULL;
    rows->size = 0;
}

/* Rows that are not written yet take their room in the file, so that to write them cannot fail. */
static int reserve(const RowFile *rows, size_t offset, size_t end)
{
    char unwritten[1 << 14];
    memset(unwritten, 0xFF, sizeof unwritten);
    int why = 0;
    for (size_t at = offset; at < end && !why; at += sizeof unwritten)
        why = platform_write(rows->file, at, unwritten, end - at < sizeof unwritten ? end - at : sizeof unwritten);
    if (why)
        platform_truncate(rows->file, offset);
    return why;
}

/* A window that begins on the page of an offset; where there is no room for a large one, one that has just room for a row. */
static int open_window(RowFile *rows, size_t offset)
{
    const size_t page = rows->page, at = offset / page * page, row = (size_t)rows->width * sizeof(double);
    const size_t least = (offset + row - at + page - 1) / page * page;
    close_window(rows);
    size_t size = least > WINDOW ? least : WINDOW;
    int why = reserve(rows, offset, at + size);
    if (why && size > least)
        why = reserve(rows, offset, at + (size = least));
    if (why)
        return why;
    rows->window = platform_map(rows->file, at, size);
    if (!rows->window)
        return ENOMEM;
    rows->offset = at;
    rows->size = size;
    return 0;
}

int row_file_write(RowFile *rows, long row, const double *values)
{
    const size_t offset = offset_of(rows, row), size = (size_t)rows->width * sizeof(double);
    if (!rows->window || offset + size > rows->offset + rows->size) {
        const int why = open_window(rows, offset);
        if (why)
            return why;
    }
    double *into = (double *)(void *)(rows->window + (offset - rows->offset));
    for (int i = 1; i < rows->width; i++)
        into[i] = values[rows->place[i]];
    uint64_t time;
    memcpy(&time, &values[rows->place[0]], sizeof time);
    __atomic_store_n((uint64_t *)(void *)into, time, __ATOMIC_RELEASE);
    const double now = platform_seconds();
    if (now - rows->stored < SECONDS_BETWEEN_STORES)
        return 0;
    rows->stored = now;
    const int why = rows->beside < 0 ? 0 : platform_store(rows->beside);
    return why ? why : platform_store(rows->file);
}

int row_file_forget(RowFile *rows, long count, long before)
{
    const size_t first = offset_of(rows, count), end = offset_of(rows, before);
    if (rows->window && first >= rows->offset && end <= rows->offset + rows->size) {
        memset(rows->window + (first - rows->offset), 0xFF, end - first);
        return 0;
    }
    close_window(rows);
    return platform_truncate(rows->file, first);
}

int row_file_time(const RowFile *rows, long row, double *time)
{
    const size_t offset = offset_of(rows, row);
    if (!rows->window || offset < rows->offset)
        return platform_read(rows->file, offset, time, sizeof *time);
    memcpy(time, rows->window + (offset - rows->offset), sizeof *time);
    return 0;
}

int row_file_end(RowFile *rows, long count)
{
    if (!rows)
        return 0;
    close_window(rows);
    const int why = platform_truncate(rows->file, offset_of(rows, count));
    free(rows);
    return why;
}
