/* The functions of FMI 3, in a host. */
#include "hosts/proxy.h"

#define CALL(member) CALL_NUMBER(Fmi3, member)

static Component instantiate_3(const char *name, const char *token, const char *resources, bool visible, bool logs, void *environment, Fmi3Log log)
{
    (void)visible, (void)log;
    Instance *const instance = environment;
    const uint64_t words[5] = {proxy_library(instance), 0, logs};
    return proxy_made(instance, name, token, resources, words, NULL, 0, NULL);
}

static Component instantiate_stepped_3(const char *name, const char *token, const char *resources, bool visible, bool logs, bool events,
                                       bool returns_early, const Reference *inputs, size_t count, void *environment, Fmi3Log log,
                                       Fmi3Update update)
{
    (void)visible, (void)log;
    Instance *const instance = environment;
    const uint64_t words[5] = {proxy_library(instance), 1, logs, events, returns_early};
    return proxy_made(instance, name, token, resources, words, inputs, count, update);
}

static Status enter_initialization_3(Component r, bool tolerates, double tolerance, double start, bool stops, double stop)
{
    Record c = {.call = CALL(enter_initialization), .flag = {tolerates, stops}, .real = {tolerance, start, stop}};
    return proxy_exchange(r, &c);
}

static Status do_step_3(Component r, double time, double size, bool last_word, bool *event, bool *terminate, bool *early, double *reached)
{
    Record c = {.call = CALL(do_step), .flag = {[5] = last_word}, .real = {time, size, *reached}};
    const Status status = proxy_exchange(r, &c);
    *event = c.flag[0], *terminate = c.flag[1], *early = c.flag[2], *reached = c.real[2];
    return status;
}

static Status count_states_3(Component r, size_t *count)
{
    Record c = {.call = CALL(count_states), .count = {*count}};
    const Status status = proxy_exchange(r, &c);
    *count = c.count[0];
    return status;
}

static Status update_discrete_3(Component r, bool *again, bool *terminate, bool *nominals, bool *states, bool *next_defined, double *next)
{
    Record c = {.call = CALL(update_discrete), .real = {*next}};
    const Status status = proxy_exchange(r, &c);
    *again = c.flag[0], *terminate = c.flag[1], *nominals = c.flag[2], *states = c.flag[3], *next_defined = c.flag[4];
    *next = c.real[0];
    return status;
}

static Status completed_step_3(Component r, bool final, bool *event, bool *terminate)
{
    Record c = {.call = CALL(completed_step), .flag = {[5] = final}};
    const Status status = proxy_exchange(r, &c);
    *event = c.flag[0], *terminate = c.flag[1];
    return status;
}

static Status directional_3(Component r, const Reference *unknowns, size_t n, const Reference *knowns, size_t m, const double *seed,
                            size_t seeds, double *result, size_t results)
{
    return proxy_derivatives(r, CALL(directional), unknowns, n, knowns, m, seed, seeds, result, results);
}

void together_3(Component r, const Directional *asked, size_t count)
{
    proxy_together(r, CALL(directional), asked, count);
}

static Status adjoint_3(Component r, const Reference *unknowns, size_t n, const Reference *knowns, size_t m, const double *seed, size_t seeds,
                        double *result, size_t results)
{
    return proxy_derivatives(r, CALL(adjoint), unknowns, n, knowns, m, seed, seeds, result, results);
}

static Status set_string_3(Component r, const Reference *references, size_t count, const char *const *texts, size_t values)
{
    return proxy_set_texts(r, CALL(set_string), references, count, NULL, (const void *const *)texts, values);
}

static Status get_string_3(Component r, const Reference *references, size_t count, const char **texts, size_t values)
{
    return proxy_get_texts(r, CALL(get_string), references, count, NULL, (const void **)texts, values);
}

static Status set_binary_3(Component r, const Reference *references, size_t count, const size_t *size, const unsigned char *const *byte,
                           size_t values)
{
    return proxy_set_texts(r, CALL(set_binary), references, count, size, (const void *const *)byte, values);
}

static Status get_binary_3(Component r, const Reference *references, size_t count, size_t *size, const unsigned char **byte, size_t values)
{
    return proxy_get_texts(r, CALL(get_binary), references, count, size, (const void **)byte, values);
}

#define ACCESS_3(type, name, c)                                                                                                  \
    static Status get_3_##type(Component r, const Reference *references, size_t n, void *values, size_t count)                     \
    {                                                                                                                              \
        return proxy_access(r, CALL(get[type]), references, n, values, count, sizeof(c), false);                                  \
    }                                                                                                                              \
    static Status set_3_##type(Component r, const Reference *references, size_t n, const void *values, size_t count)               \
    {                                                                                                                              \
        return proxy_access(r, CALL(set[type]), references, n, (void *)values, count, sizeof(c), true);                           \
    }

#define MODE_3(member)                     \
    static Status member##_3(Component r)  \
    {                                      \
        return proxy_plain(r, CALL(member));     \
    }
MODE_3(enter_configuration)
MODE_3(exit_configuration)
MODE_3(enter_step)
BOTH(3)
FMI3_TYPES(ACCESS_3)

#define NAMED_3(member, symbol, result, arguments) .member = member##_3,
#define TYPED_3(type, name, c) .get[type] = get_3_##type, .set[type] = set_3_##type,
const Fmi3 proxies_3 = {FMI3_FUNCTIONS(NAMED_3, NAMED_3, NAMED_3, NAMED_3) FMI3_TYPES(TYPED_3)};
