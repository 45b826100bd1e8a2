/* Where an instance finds its model: in an FMU that is composed of several, each instance puts together its own. */
#ifndef THIS_MODEL_H
#define THIS_MODEL_H

#if defined(__ELF__)
#pragma GCC visibility push(hidden)
#endif

#define model (*instance->own)

Model *model_new(void);
void model_free(Model *);

#if defined(__ELF__)
#pragma GCC visibility pop
#endif

#endif
