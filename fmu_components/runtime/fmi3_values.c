/* Getting and setting values in FMI 3.0, type by type, most of which no variable has. */
#include "fmi3_calls.h"

fmi3Status fmi3GetFloat64(fmi3Instance i, const fmi3ValueReference references[], size_t count, fmi3Float64 values[], size_t value_count)
{
    ENTER_IN(fmi3GetFloat64, READABLE, count == 0 || (references && values))
    Reference *all;
    const bool fits = spread(instance, &references, &count, value_count, &all);
    const Status status = fits ? get_values(instance, references, count, values, REAL) : ERROR;
    free(all);
    return (fmi3Status)status;
}

fmi3Status fmi3SetFloat64(fmi3Instance i, const fmi3ValueReference references[], size_t count, const fmi3Float64 values[],
                          size_t value_count)
{
    ENTER_IN(fmi3SetFloat64, WRITABLE, count == 0 || (references && values))
    Reference *all;
    const bool fits = spread(instance, &references, &count, value_count, &all);
    const Status status = fits ? set_values(instance, references, count, values, REAL) : ERROR;
    free(all);
    return (fmi3Status)status;
}

/* Integers and Booleans are doubles inside. */
#define WHOLE(Name, CType, TYPE)                                                                                                          \
    fmi3Status fmi3Get##Name(fmi3Instance i, const fmi3ValueReference references[], size_t count, CType values[], size_t value_count)     \
    {                                                                                                                                     \
        ENTER_IN(fmi3Get##Name, READABLE, count == 0 || (references && values))                                                           \
        Status status = same_count(instance, count, value_count) ? OK : ERROR;                                                            \
        for (size_t k = 0; k < count && status == OK; k++) {                                                                              \
            double value = 0;                                                                                                             \
            status = get_values(instance, references + k, 1, &value, TYPE);                                                               \
            if (status == OK)                                                                                                             \
                values[k] = (CType)whole(value);                                                                                          \
        }                                                                                                                                 \
        return (fmi3Status)status;                                                                                                        \
    }                                                                                                                                     \
    fmi3Status fmi3Set##Name(fmi3Instance i, const fmi3ValueReference references[], size_t count, const CType values[],                   \
                             size_t value_count)                                                                                          \
    {                                                                                                                                     \
        ENTER_IN(fmi3Set##Name, WRITABLE, count == 0 || (references && values))                                                           \
        Status status = same_count(instance, count, value_count) ? OK : ERROR;                                                            \
        for (size_t k = 0; k < count && status == OK; k++) {                                                                              \
            double value = (double)values[k];                                                                                             \
            status = set_values(instance, references + k, 1, &value, TYPE);                                                               \
        }                                                                                                                                 \
        return (fmi3Status)status;                                                                                                        \
    }

WHOLE(Int32, fmi3Int32, INTEGER)
WHOLE(Boolean, fmi3Boolean, BOOLEAN)

/* The type stands in the name of the function; of those of clocks it is said. */
static fmi3Status absent(Instance *instance, const char *function, unsigned modes, bool complete, size_t count, const char *type)
{
    if (!instance || !may_call(instance, function, modes, complete))
        return fmi3Error;
    return count == 0 ? fmi3OK
                      : (fmi3Status)report(instance, ERROR, "%s: %s has no variables of type %s", instance->name, model.name,
                                           type ? type : function + sizeof "fmi3Get" - 1);
}

#define ABSENT(Name, CType)                                                                                                               \
    fmi3Status fmi3Get##Name(fmi3Instance i, const fmi3ValueReference references[], size_t count, CType values[], size_t value_count)     \
    {                                                                                                                                     \
        (void)value_count;                                                                                                                \
        return absent(i, "fmi3Get" #Name, READABLE, count == 0 || (references && values), count, NULL);                                   \
    }                                                                                                                                     \
    fmi3Status fmi3Set##Name(fmi3Instance i, const fmi3ValueReference references[], size_t count, const CType values[],                   \
                             size_t value_count)                                                                                          \
    {                                                                                                                                     \
        (void)value_count;                                                                                                                \
        return absent(i, "fmi3Set" #Name, WRITABLE, count == 0 || (references && values), count, NULL);                                   \
    }

ABSENT(Float32, fmi3Float32)
ABSENT(Int8, fmi3Int8)
ABSENT(UInt8, fmi3UInt8)
ABSENT(Int16, fmi3Int16)
ABSENT(UInt16, fmi3UInt16)
ABSENT(UInt32, fmi3UInt32)
ABSENT(Int64, fmi3Int64)
ABSENT(UInt64, fmi3UInt64)
ABSENT(String, fmi3String)

fmi3Status fmi3GetBinary(fmi3Instance i, const fmi3ValueReference references[], size_t count, size_t sizes[], fmi3Binary values[],
                         size_t value_count)
{
    (void)value_count;
    return absent(i, "fmi3GetBinary", READABLE, count == 0 || (references && sizes && values), count, NULL);
}

fmi3Status fmi3SetBinary(fmi3Instance i, const fmi3ValueReference references[], size_t count, const size_t sizes[],
                         const fmi3Binary values[], size_t value_count)
{
    (void)value_count;
    return absent(i, "fmi3SetBinary", WRITABLE, count == 0 || (references && sizes && values), count, NULL);
}

/* All functions of clocks: none exist. */
#define CLOCKLESS(function, modes, ...)                                                                                                   \
    fmi3Status function(fmi3Instance i, const fmi3ValueReference references[], size_t count, __VA_ARGS__)                                 \
    {                                                                                                                                     \
        return absent(i, #function, modes, count == 0 || references, count, "Clock");                                                     \
    }

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
CLOCKLESS(fmi3GetClock, READABLE, fmi3Clock values[])
CLOCKLESS(fmi3SetClock, WRITABLE, const fmi3Clock values[])
CLOCKLESS(fmi3GetIntervalDecimal, READABLE, fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[])
CLOCKLESS(fmi3GetIntervalFraction, READABLE, fmi3UInt64 counters[], fmi3UInt64 resolutions[], fmi3IntervalQualifier qualifiers[])
CLOCKLESS(fmi3GetShiftDecimal, READABLE, fmi3Float64 shifts[])
CLOCKLESS(fmi3GetShiftFraction, READABLE, fmi3UInt64 counters[], fmi3UInt64 resolutions[])
CLOCKLESS(fmi3SetIntervalDecimal, WRITABLE, const fmi3Float64 intervals[])
CLOCKLESS(fmi3SetIntervalFraction, WRITABLE, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
CLOCKLESS(fmi3SetShiftDecimal, WRITABLE, const fmi3Float64 shifts[])
CLOCKLESS(fmi3SetShiftFraction, WRITABLE, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance i, fmi3ValueReference reference, size_t *count)
{
    (void)reference;
    ENTER(fmi3GetNumberOfVariableDependencies, count)
    return not_offered(instance, "fmi3GetNumberOfVariableDependencies", "the model description lists all dependencies");
}

fmi3Status fmi3GetVariableDependencies(fmi3Instance i, fmi3ValueReference dependent, size_t elements_of_dependent[],
                                       fmi3ValueReference independents[], size_t elements_of_independents[], fmi3DependencyKind kinds[],
                                       size_t count)
{
    (void)dependent;
    (void)elements_of_dependent;
    (void)independents;
    (void)elements_of_independents;
    (void)kinds;
    (void)count;
    ENTER(fmi3GetVariableDependencies, true)
    return not_offered(instance, "fmi3GetVariableDependencies", "the model description lists all dependencies");
}
