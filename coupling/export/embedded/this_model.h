/* An instance finds its model here. In an FMU that is composed of several models, each instance puts together its own. */
#ifndef THIS_MODEL_H
#define THIS_MODEL_H

#if defined(__ELF__)
#pragma GCC visibility push(hidden)
#endif

#define model (*instance->own)

Model *model_new(void);
void model_free(Model *);

/* references.c: the importer counts what is shown, the model counts all places */
bool to_places(Model *, const Reference **references, size_t count, unsigned which); /* false for unknown ones, and where memory lacks */
Reference reference_of(const Model *, Reference place);
Reference last_reference(const Model *);

#if defined(__ELF__)
#pragma GCC visibility pop
#endif

#endif
