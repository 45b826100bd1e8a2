#include "fmi/text_file.h"
#include "platform/row_file.h"
#include "runs/sensitivity.h"
#include "platform/visit.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int kernel_set_record(Kernel *k, const Rows *rows)
{
    Record *record = calloc(1, sizeof *record);
    if (!record)
        return KERNEL_NO_MEMORY;
    k->record = record;
    k->end_record = kernel_end_record;
    record->columns = rows->record->columns;
    record->slot = record->columns ? rows->number + rows->record->slot : NULL;
    record->unread = record->columns ? rows->number + rows->record->unread : NULL;
    return KERNEL_DONE;
}

const Record *kernel_record_kept(const Kernel *k)
{
    return k->record;
}

void kernel_end_record(Kernel *k)
{
    if (k->record) {
        kernel_end_rows_file(k);
        free(k->record->values);
    }
    free(k->record);
    k->record = NULL;
}

/* Numbers in a row. Sensitivities follow the values, all columns of one parameter after the other. */
static size_t width_of(const Kernel *k)
{
    return (size_t)k->record->columns * (size_t)(1 + (k->sensitivity ? k->sensitivity->rows.parameters : 0)) + 1;
}

static const size_t LARGEST_AT_ONCE = (size_t)4 << 20;

/* Returns the number of rows by which the record grows: all rows that the run still needs, unless these are many. */
static long block_of(const Kernel *k, size_t width)
{
    const Record *record = k->record;
    const long quarter = record->capacity / 4 > 64 ? record->capacity / 4 : 64; /* large blocks are moved without being copied */
    if (record->file)
        return quarter;
    if (!k->run)
        return record->capacity ? quarter : 1; /* the start */
    const long asked = k->run->outputs - k->run->next_output + 1;
    return asked > quarter && (size_t)asked * width * sizeof(double) <= LARGEST_AT_ONCE ? asked : quarter;
}

double *record_place(Kernel *k)
{
    Record *record = k->record;
    const size_t width = width_of(k);
    const long kept = record->file ? 0 : record->rows;
    if (kept == record->capacity) {
        const long block = block_of(k, width);
        double *bigger = realloc(record->values, (size_t)(record->capacity + block) * width * sizeof *bigger);
        if (!bigger)
            return NULL;
        record->values = bigger;
        record->capacity += block;
    }
    return record->values + (size_t)kept * width + 1;
}

int record_placed(Kernel *k, double *values)
{
    Record *record = k->record;
    values[-1] = k->t;
    const int result = k->sensitivity ? sensitivity_record(k, record->slot, record->columns, values + record->columns) : KERNEL_DONE;
    if (result == KERNEL_DONE && record->texts && (record->error = text_file_write(record->texts, values - 1)))
        return KERNEL_NO_ROOM;
    if (result == KERNEL_DONE && record->file && (record->error = row_file_write(record->file, record->rows, values - 1)))
        return KERNEL_NO_ROOM;
    record->rows += result == KERNEL_DONE;
    return result;
}

void copy_values(const Kernel *k, double *values)
{
    for (int i = 0; i < k->record->columns; i++)
        values[i] = k->v[k->record->slot[i]];
}

/* The values as they stand. */
int kernel_record(Kernel *k)
{
    const Record *record = k->record;
    double *values = record_place(k);
    if (!values)
        return KERNEL_NO_MEMORY;
    copy_values(k, values);
    const bool finite = are_finite(values, record->columns);
    for (int i = 0; i < record->columns && !finite; i++)
        if (!isfinite(values[i]) && !record->unread[i]) {
            const int result = failed(k, KERNEL_NOT_FINITE, "recording", -1, OK);
            k->failure.slot = record->slot[i];
            return result;
        }
    return record_placed(k, values);
}

/* Rows in a file stay there: only their number is passed on. Until their file is given, that is an error. */
void record_visit(Kernel *k, Visit *v)
{
    Record *record = k->record;
    bool elsewhere = record->file || record->apart;
    visit_same(v, (long)width_of(k));
    VISIT(v, record->rows);
    VISIT(v, elsewhere);
    if (!visit_truths(v, &elsewhere, 1) || !visit_check(v, record->rows >= 0 && (!elsewhere || record->rows < INT_MAX)) || elsewhere) {
        record->rows = v->result == VISITED ? record->rows : 0;
        record->error = elsewhere && !record->file && !record->apart ? ENOENT : record->error;
        return;
    }
    size_t room = (size_t)record->capacity;
    record->values = visit_array(v, record->values, &room, (size_t)record->rows, width_of(k) * sizeof *record->values);
    record->capacity = (long)room;
    record->rows = v->result == VISITED ? record->rows : 0;
}

int kernel_begin_texts_file(Kernel *k, int file, int texts, int count, const int *place)
{
    k->record->texts = text_file_begin(file, texts, count, place);
    return k->record->texts ? KERNEL_DONE : KERNEL_NO_MEMORY;
}

int kernel_begin_rows_file(Kernel *k, int file, long first, int width, const int *place)
{
    k->record->error = 0;
    k->record->file = row_file_begin(file, text_file_number(k->record->texts), (size_t)first, width, place);
    return k->record->file ? KERNEL_DONE : KERNEL_NO_MEMORY;
}

long kernel_end_rows_file(Kernel *k)
{
    Record *record = k->record;
    const int error = row_file_end(record->file, record->rows);
    record->error = record->error ? record->error : error;
    record->file = NULL;
    text_file_end(record->texts);
    record->texts = NULL;
    const long rows = record->rows;
    record->rows = 0;
    return rows;
}

int kernel_rows_file_error(const Kernel *k)
{
    return k->record->error;
}

void kernel_forget_rows(Kernel *k, long rows)
{
    if (!k->record || rows >= k->record->rows)
        return;
    if (k->record->file)
        k->record->error = row_file_forget(k->record->file, rows, k->record->rows);
    k->record->rows = rows;
}

long kernel_take_record(Kernel *k, double **values)
{
    Record *record = k->record;
    const long rows = record->rows;
    const size_t size = (size_t)rows * width_of(k) * sizeof **values;
    double *fitting = rows ? realloc(record->values, size) : NULL;
    *values = fitting ? fitting : record->values;
    record->values = NULL;
    record->rows = record->capacity = 0;
    return rows;
}

const double *kernel_last_row(const Kernel *k)
{
    const Record *record = k->record;
    return record->rows ? record->values + (record->file ? 0 : (size_t)(record->rows - 1) * width_of(k)) : NULL;
}

void kernel_leave_rows(Kernel *k, bool apart)
{
    k->record->apart = apart;
}

int kernel_put_rows(Kernel *k, long rows, const double *values)
{
    Record *record = k->record;
    const size_t size = width_of(k) * sizeof *values;
    if (rows > record->capacity) {
        double *bigger = realloc(record->values, (size_t)rows * size);
        if (!bigger)
            return KERNEL_NO_MEMORY;
        record->values = bigger;
        record->capacity = rows;
    }
    if (rows)
        memcpy(record->values, values, (size_t)rows * size);
    record->rows = rows;
    return KERNEL_DONE;
}

double kernel_recorded_until(const Kernel *k)
{
    const Record *record = k->record;
    double time = NAN;
    if (record->file)
        return record->rows && !row_file_time(record->file, record->rows - 1, &time) ? time : NAN;
    return record->rows ? record->values[(size_t)(record->rows - 1) * width_of(k)] : time;
}

void kernel_free_record(double *values)
{
    free(values);
}
