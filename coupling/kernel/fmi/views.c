#include "fmi/continuous.h"
#include "fmi/texts.h"

#include <stdlib.h>
#include <string.h>

/* An array is set and got as a whole: its elements are kept here as they were last set. */
typedef struct {
    Reference own;
    size_t size;
    double *value, *start; /* start: null where the FMU does not give it */
    bool known;
} Array;

typedef struct {
    Reference first, size, own;
    double factor, offset;
    Array *array; /* null for a scalar */
} View;

struct Views {
    int count, arrays, elements;
    View *view; /* by their references */
    Array *array;
    VectorRow *element; /* by their references */
    double *vector[VECTORS];
    size_t size[VECTORS];
    bool late;  /* the derivatives are asked for before any variable is read */
    bool stale; /* the time is set before any variable is read */
};

static int by_first(const void *a, const void *b)
{
    const Reference left = ((const View *)a)->first, right = ((const View *)b)->first;
    return (left > right) - (left < right);
}

static Array *array_of(Views *views, const ViewRow *row)
{
    for (int i = 0; i < views->arrays; i++)
        if (views->array[i].own == row->own)
            return &views->array[i];
    Array *added = &views->array[views->arrays++];
    const size_t size = row->size;
    *added = (Array){.own = row->own, .size = size, .value = calloc(size + 1, sizeof(double))};
    added->start = added->value && row->start ? malloc(size * sizeof(double)) : NULL;
    if (added->start)
        memcpy(added->start, row->start, size * sizeof(double));
    return added;
}

static int by_reference(const void *a, const void *b)
{
    const Reference left = ((const VectorRow *)a)->reference, right = ((const VectorRow *)b)->reference;
    return (left > right) - (left < right);
}

/* The elements in the order of their references, and room for each vector. */
static bool add_vectors(Views *views, const VectorRow *rows, int count)
{
    views->element = malloc(((size_t)count + 1) * sizeof *views->element);
    if (!views->element)
        return false;
    for (int i = 0; i < count; i++) {
        size_t *const size = &views->size[rows[i].vector];
        *size = (size_t)rows[i].place + 1 > *size ? (size_t)rows[i].place + 1 : *size;
        views->element[views->elements++] = rows[i];
    }
    qsort(views->element, (size_t)count, sizeof *views->element, by_reference);
    bool complete = true;
    for (int i = 0; i < VECTORS; i++) {
        views->vector[i] = calloc(views->size[i] + 1, sizeof(double));
        complete = complete && views->vector[i];
    }
    return complete;
}

Views *views_new(const ViewRow *rows, int count, const VectorRow *elements, int element_count)
{
    Views *views = calloc(1, sizeof *views);
    if (!views)
        return NULL;
    views->view = calloc((size_t)count + 1, sizeof *views->view);
    views->array = calloc((size_t)count + 1, sizeof *views->array);
    bool complete = views->view && views->array && add_vectors(views, elements, element_count);
    for (int i = 0; i < count && complete; i++) {
        Array *array = rows[i].array ? array_of(views, &rows[i]) : NULL;
        complete = !array || (array->value && (array->start || !rows[i].start));
        views->view[views->count++] = (View){rows[i].first, rows[i].size, rows[i].own, rows[i].factor, rows[i].offset, array};
    }
    if (!complete) {
        views_free(views);
        return NULL;
    }
    qsort(views->view, (size_t)count, sizeof *views->view, by_first);
    views_start(views);
    return views;
}

void views_free(Views *views)
{
    if (!views)
        return;
    for (int i = 0; i < views->arrays; i++)
        free(views->array[i].value), free(views->array[i].start);
    for (int i = 0; i < VECTORS; i++)
        free(views->vector[i]);
    free(views->view);
    free(views->array);
    free(views->element);
    free(views);
}

void views_start(Views *views)
{
    for (int i = 0; i < views->arrays; i++) {
        Array *array = &views->array[i];
        array->known = array->start != NULL;
        if (array->known)
            memcpy(array->value, array->start, array->size * sizeof *array->value);
    }
}

void views_doubt(Views *views)
{
    for (int i = 0; i < views->arrays; i++)
        views->array[i].known = false;
}

static const View *find(const Views *views, Reference reference)
{
    int low = 0, high = views->count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (views->view[middle].first <= reference)
            low = middle + 1;
        else
            high = middle;
    }
    const View *view = low ? &views->view[low - 1] : NULL;
    return view && reference - view->first < view->size ? view : NULL;
}

/* -- values -------------------------------------------------------------------------------------------------------------- */

/* All elements of an array of FMI 3, through a buffer of its type. */
static Status access_whole(Instance *instance, Type type, const Array *array, double *values, bool setting)
{
    const Fmi3 *f = &instance->library->fmi3;
    const Reference own = array->own;
    const size_t size = array->size;
    Status status = ERROR;
    if (type >= TYPES)
        return texts_access(instance, type, &own, 1, values, size, setting);
#define CONVERTED(type, name, c)                                                                                 \
    case type: {                                                                                                 \
        c *buffer = malloc((size + 1) * sizeof *buffer);                                                         \
        for (size_t i = 0; buffer && setting && i < size; i++)                                                   \
            buffer[i] = OF_DOUBLE(c, values[i]);                                                                            \
        if (buffer && (setting ? (bool)f->set[type] : (bool)f->get[type]))                                       \
            status = setting ? f->set[type](instance->component, &own, 1, buffer, size)                          \
                             : f->get[type](instance->component, &own, 1, buffer, size);                         \
        for (size_t i = 0; !setting && status <= WARNING && i < size; i++)                                       \
            values[i] = TO_DOUBLE(buffer[i]);                                                                       \
        free(buffer);                                                                                            \
        break;                                                                                                   \
    }
    switch (type) {
        FMI3_TYPES(CONVERTED)
    default:
        break;
    }
#undef CONVERTED
    return instance_heard(instance, status);
}

/* Elements of one array that are neighbours in a call. */
static Status access_elements(Instance *instance, Type type, const Reference *references, size_t count, double *values, bool setting)
{
    Array *const array = find(instance->views, references[0])->array;
    Status status = OK;
    if (!setting || (!array->known && count < array->size)) {
        status = access_whole(instance, type, array, array->value, false);
        if (status > WARNING)
            return status;
        array->known = true;
    }
    for (size_t i = 0; i < count; i++) {
        const View *view = find(instance->views, references[i]);
        double *const element = &array->value[references[i] - view->first];
        if (setting)
            *element = (values[i] - view->offset) / view->factor;
        else
            values[i] = view->factor * *element + view->offset;
    }
    if (!setting)
        return status;
    array->known = true;
    return access_whole(instance, type, array, array->value, true);
}

static Status access_scalar(Instance *instance, Type type, const View *view, double *value, bool setting)
{
    double own = setting ? (*value - view->offset) / view->factor : 0;
    const Status status = instance_access(instance, type, &view->own, 1, &own, setting);
    if (!setting && status <= WARNING)
        *value = view->factor * own + view->offset;
    return status;
}

Status views_access_variables(Instance *instance, Type type, const Reference *references, size_t count, double *values, bool setting)
{
    for (size_t from = 0, to; from < count; from = to) {
        const View *view = find(instance->views, references[from]), *next = view;
        for (to = from + 1; to < count; to++) {
            next = find(instance->views, references[to]);
            if (view ? !next || !view->array || next->array != view->array : next != NULL)
                break;
        }
        const Status status = !view         ? instance_access(instance, type, references + from, to - from, values + from, setting)
                              : view->array ? access_elements(instance, type, references + from, to - from, values + from, setting)
                                            : access_scalar(instance, type, view, values + from, setting);
        if (status > WARNING)
            return status;
    }
    return OK;
}

/* -- elements of vectors ------------------------------------------------------------------------------------------------- */

/* Returns whether the binary has the function of a vector; some binaries lack functions that their tools do not need. */
static bool is_given(const Library *l, int which)
{
#define THERE(function) (l->version == 3 ? (bool)l->fmi3.function : (bool)l->fmi2.function)
    return which == VECTOR_OF_STATES ? THERE(get_states) : which == VECTOR_OF_DERIVATIVES ? THERE(get_derivatives) : THERE(get_indicators);
#undef THERE
}

static const VectorRow *element_of(const Instance *instance, Reference reference)
{
    const Views *const views = instance->views;
    const VectorRow key = {.reference = reference};
    const VectorRow *const found = bsearch(&key, views->element, (size_t)views->elements, sizeof key, by_reference);
    return found && is_given(instance->library, found->vector) ? found : NULL;
}

static Status get_vector(Instance *instance, int which)
{
    const Library *l = instance->library;
    double *const x = instance->views->vector[which];
    const size_t size = instance->views->size[which];
    instance->called = true;
#define ASK(function)                                                                                                                    \
    do {                                                                                                                                 \
        ENTERS_BOTH(function);                                                                                                           \
        return heard(instance, l->version == 3 ? l->fmi3.function(instance->component, x, size)                                          \
                                               : l->fmi2.function(instance->component, x, size));                                        \
    } while (0)
    if (which == VECTOR_OF_STATES)
        ASK(get_states);
    if (which == VECTOR_OF_DERIVATIVES)
        ASK(get_derivatives);
    ASK(get_indicators);
#undef ASK
}

/* Reads variables; some FMUs compute them anew only where time or states were set since the derivatives were asked for. */
static Status read_variables(Instance *instance, Type type, const Reference *references, size_t count, double *values)
{
    if (instance->views->stale) {
        const Status status = instance_set_time(instance, instance->time);
        if (status > WARNING)
            return status;
    }
    return views_access_variables(instance, type, references, count, values, false);
}

/* The functions of vectors are those to be believed: FMUs may bring the variables of the same names up to date in no other call. */
Status views_access(Instance *instance, Type type, const Reference *references, size_t count, double *values, bool setting)
{
    Views *const views = instance->views;
    const bool vectors = instance->running || instance->library->standard == 1; /* FMI 1 has no other variables for them */
    if (setting || !views->elements || !vectors)
        return views_access_variables(instance, type, references, count, values, setting);
    bool known[VECTORS] = {false};
    Status status = OK;
    if (views->late && is_given(instance->library, VECTOR_OF_DERIVATIVES)) {
        status = get_vector(instance, VECTOR_OF_DERIVATIVES);
        known[VECTOR_OF_DERIVATIVES] = true;
    }
    for (size_t from = 0, to; from < count && status <= WARNING; from = to) {
        const VectorRow *const element = type == FLOAT64 ? element_of(instance, references[from]) : NULL;
        to = from + 1;
        if (element) {
            if (!known[element->vector])
                status = get_vector(instance, element->vector);
            known[element->vector] = true;
            values[from] = element->factor * views->vector[element->vector][element->place] + element->offset;
            continue;
        }
        while (to < count && !(type == FLOAT64 && element_of(instance, references[to])))
            to++;
        status = read_variables(instance, type, references + from, to - from, values + from);
    }
    return status;
}

void views_read_late(Views *views)
{
    views->late = true;
}

void views_read_anew(Views *views)
{
    views->stale = true;
}

/* -- derivatives --------------------------------------------------------------------------------------------------------- */

/* References that the FMU receives in place of a list: its own, each once, and the place of each listed value. */
typedef struct {
    Reference *own;
    size_t count, values, *place;
    double *value;
} Asked;

static Asked ask(const Views *views, const Reference *references, size_t count)
{
    Asked asked = {.own = malloc((count + 1) * sizeof *asked.own), .place = malloc(2 * (count + 1) * sizeof *asked.place)};
    size_t *const begin = asked.place ? asked.place + count + 1 : NULL;
    for (size_t i = 0; asked.own && asked.place && i < count; i++) {
        const View *view = find(views, references[i]);
        const Reference own = view ? view->own : references[i];
        size_t j = 0;
        while (j < asked.count && asked.own[j] != own)
            j++;
        if (j == asked.count) {
            asked.own[asked.count++] = own;
            begin[j] = asked.values;
            asked.values += view && view->array ? view->array->size : 1;
        }
        asked.place[i] = begin[j] + (view && view->array ? references[i] - view->first : 0);
    }
    asked.value = calloc(asked.values + 1, sizeof *asked.value);
    return asked;
}

static bool complete(const Asked *asked)
{
    return asked->own && asked->place && asked->value;
}

static void end(Asked *asked)
{
    free(asked->own);
    free(asked->place);
    free(asked->value);
}

static double factor_of(const Views *views, Reference reference)
{
    const View *view = find(views, reference);
    return view ? view->factor : 1;
}

Status views_directional(Instance *instance, const Reference *unknowns, size_t unknown_count, const Reference *knowns, size_t known_count,
                         const double *seed, double *sensitivity)
{
    const Library *l = instance->library;
    Asked rows = ask(instance->views, unknowns, unknown_count), columns = ask(instance->views, knowns, known_count);
    Status status = ERROR;
    if (complete(&rows) && complete(&columns)) {
        for (size_t i = 0; i < known_count; i++)
            columns.value[columns.place[i]] += seed[i] / factor_of(instance->views, knowns[i]);
        ENTERS_BOTH(directional);
        if (l->version == 3 && l->fmi3.directional)
            status = l->fmi3.directional(instance->component, rows.own, rows.count, columns.own, columns.count, columns.value, columns.values,
                                         rows.value, rows.values);
        else if (l->version == 2 && l->fmi2.directional)
            status = l->fmi2.directional(instance->component, rows.own, rows.count, columns.own, columns.count, columns.value, rows.value);
        LEAVES();
        for (size_t i = 0; i < unknown_count; i++)
            sensitivity[i] = factor_of(instance->views, unknowns[i]) * rows.value[rows.place[i]];
    }
    end(&rows);
    end(&columns);
    return instance_heard(instance, status);
}

Status views_adjoint(Instance *instance, const Reference *unknowns, size_t unknown_count, const Reference *knowns, size_t known_count,
                     const double *seed, double *sensitivity)
{
    const Library *l = instance->library;
    Asked rows = ask(instance->views, unknowns, unknown_count), columns = ask(instance->views, knowns, known_count);
    Status status = ERROR;
    if (complete(&rows) && complete(&columns)) {
        for (size_t i = 0; i < unknown_count; i++)
            rows.value[rows.place[i]] += seed[i] * factor_of(instance->views, unknowns[i]);
        ENTERS(0, CALL_NUMBER(Fmi3, adjoint));
        status = l->fmi3.adjoint(instance->component, rows.own, rows.count, columns.own, columns.count, rows.value, rows.values, columns.value,
                                 columns.values);
        LEAVES();
        for (size_t i = 0; i < known_count; i++)
            sensitivity[i] = columns.value[columns.place[i]] / factor_of(instance->views, knowns[i]);
    }
    end(&rows);
    end(&columns);
    return instance_heard(instance, status);
}

size_t views_own(const Views *views, const Reference *references, size_t count, Reference *own)
{
    Asked asked = ask(views, references, count);
    const size_t found = complete(&asked) ? asked.count : 0;
    if (found)
        memcpy(own, asked.own, found * sizeof *own);
    end(&asked);
    return found;
}

Reference views_slope(const Views *views, Reference reference, double *slope)
{
    const View *view = find(views, reference);
    if (!view)
        return reference;
    *slope /= view->factor;
    return view->own;
}
