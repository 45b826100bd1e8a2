#ifndef ROW_FILE_H
#define ROW_FILE_H

#include <stddef.h>

/* Rows that go into a file while they are made. The file is mapped, a window at a time: a row is in the file once it is written, whatever becomes of
 * this process. Unwritten rows have times with all bits set, and the time of a row is written last. */
typedef struct RowFile RowFile;

/* beside: another open file, which is stored whenever this one is, or -1. first: where rows begin. place: for each number of a row in the file, its number in the rows that are given; copied. NULL: no memory. */
RowFile *row_file_begin(int file, int beside, size_t first, int width, const int *place);
int row_file_write(RowFile *, long row, const double *values); /* the error's number, or 0 */
int row_file_forget(RowFile *, long rows, long before); /* all after the first so many, of so many as there were before */
int row_file_time(const RowFile *, long row, double *time);
int row_file_end(RowFile *, long rows); /* the file ends after so many */

#endif
