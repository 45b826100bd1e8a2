/* The functions of FMI 2, in a host. */
#include "hosts/proxy.h"

#define CALL(member) CALL_NUMBER(Fmi2, member)

static Component instantiate_2(const char *name, int stepped, const char *token, const char *resources, const Fmi2Callbacks *callbacks,
                               int visible, int logs)
{
    (void)visible;
    Instance *const instance = callbacks->environment;
    const uint64_t words[5] = {proxy_library(instance), (uint64_t)stepped, (uint64_t)logs};
    return proxy_made(instance, name, token, resources, words, NULL, 0, NULL);
}

static Status set_up_2(Component r, int tolerates, double tolerance, double start, int stops, double stop)
{
    Record c = {.call = CALL(set_up), .flag = {tolerates, stops}, .real = {tolerance, start, stop}};
    return proxy_exchange(r, &c);
}

static Status set_input_derivatives_2(Component r, const Reference *references, size_t count, const int *orders, const double *values)
{
    const size_t first = whole_eights(count * sizeof *references), second = first + whole_eights(count * sizeof *orders);
    Record *const c = proxy_begin(r, CALL(set_input_derivatives), second + count * sizeof *values);
    if (!c)
        return FATAL;
    c->count[0] = count;
    proxy_put(proxy_arrays(c), references, count * sizeof *references);
    proxy_put(proxy_arrays(c) + first, orders, count * sizeof *orders);
    proxy_put(proxy_arrays(c) + second, values, count * sizeof *values);
    return proxy_ask(r); /* an FMU that takes no derivatives of an order says so, and is given lines instead */
}

static Status real_status_2(Component r, int kind, double *value)
{
    Record c = {.call = CALL(real_status), .flag = {kind}, .real = {*value}};
    const Status status = proxy_exchange(r, &c);
    *value = c.real[0];
    return status;
}

static Status boolean_status_2(Component r, int kind, int *value)
{
    Record c = {.call = CALL(boolean_status), .flag = {kind, *value}};
    const Status status = proxy_exchange(r, &c);
    *value = c.flag[1];
    return status;
}

static Status do_step_2(Component r, double time, double size, int last_word)
{
    Record c = {.call = CALL(do_step), .flag = {last_word}, .real = {time, size}};
    return proxy_exchange(r, &c);
}

static Status update_discrete_2(Component r, Fmi2EventInfo *info)
{
    Record *const c = proxy_begin(r, CALL(update_discrete), sizeof *info);
    if (!c)
        return FATAL;
    proxy_put(proxy_arrays(c), info, sizeof *info);
    const Status status = proxy_ask(r);
    proxy_put((unsigned char *)info, proxy_arrays(c), sizeof *info);
    return status;
}

static Status completed_step_2(Component r, int final, int *event, int *terminate)
{
    Record c = {.call = CALL(completed_step), .flag = {final, *event, *terminate}};
    const Status status = proxy_exchange(r, &c);
    *event = c.flag[1], *terminate = c.flag[2];
    return status;
}

static Status directional_2(Component r, const Reference *unknowns, size_t n, const Reference *knowns, size_t m, const double *seed, double *result)
{
    return proxy_derivatives(r, CALL(directional), unknowns, n, knowns, m, seed, m, result, n);
}

void together_2(Component r, const Directional *asked, size_t count)
{
    proxy_together(r, CALL(directional), asked, count);
}

static Status set_string_2(Component r, const Reference *references, size_t count, const char *const *texts)
{
    return proxy_set_texts(r, CALL(set_string), references, count, NULL, (const void *const *)texts, count);
}

static Status get_string_2(Component r, const Reference *references, size_t count, const char **texts)
{
    return proxy_get_texts(r, CALL(get_string), references, count, NULL, (const void **)texts, count);
}

#define ACCESS_2(type, name, c)                                                                                         \
    static Status get_2_##type(Component r, const Reference *references, size_t n, void *values)                          \
    {                                                                                                                     \
        return proxy_access(r, CALL(get[type]), references, n, values, n, sizeof(c), false);                             \
    }                                                                                                                     \
    static Status set_2_##type(Component r, const Reference *references, size_t n, const void *values)                    \
    {                                                                                                                     \
        return proxy_access(r, CALL(set[type]), references, n, (void *)values, n, sizeof(c), true);                      \
    }

static Status enter_initialization_2(Component r)
{
    return proxy_plain(r, CALL(enter_initialization));
}

BOTH(2)
FMI2_TYPES(ACCESS_2)

#define NAMED_2(member, symbol, result, arguments) .member = member##_2,
#define TYPED_2(type, name, c) .get[type] = get_2_##type, .set[type] = set_2_##type,
const Fmi2 proxies_2 = {FMI2_FUNCTIONS(NAMED_2, NAMED_2, NAMED_2, NAMED_2) FMI2_TYPES(TYPED_2)};
