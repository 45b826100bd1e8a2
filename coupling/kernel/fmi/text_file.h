#ifndef TEXT_FILE_H
#define TEXT_FILE_H

/* Texts that go into a file when a row names them for the first time: the number of each, the size of its bytes, and the bytes. */
typedef struct TextFile TextFile;

/* place: numbers of rows that stand for texts, and after the first `texts` of them, for whole numbers; copied. The file is empty, or has
 * complete texts. NULL: no memory. */
TextFile *text_file_begin(int file, int texts, int count, const int *place);
int text_file_write(TextFile *, const double *row); /* before the row itself is written; the error's number, or 0 */
int text_file_number(const TextFile *);             /* that of the open file; -1 for none */
void text_file_end(TextFile *);

#endif
