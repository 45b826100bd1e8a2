/* Where an instance finds its model: the FMU has a single one, which the compiler knows. An FMU that is composed of several models
 * brings another file of this name. */
#ifndef THIS_MODEL_H
#define THIS_MODEL_H

static inline Model *model_new(void)
{
    return (Model *)&model; /* it is never written to */
}

static inline void model_free(Model *only)
{
    (void)only;
}

/* What an importer counts in is where a variable stands. */
static inline bool to_places(Model *only, const Reference **references, size_t count, unsigned which)
{
    (void)only;
    (void)references;
    (void)count;
    (void)which;
    return true;
}

static inline Reference reference_of(const Model *only, Reference place)
{
    (void)only;
    return place;
}

static inline Reference last_reference(const Model *only)
{
    return only->time;
}

#endif
