/* Limits of friction: what they are, by how much they follow what presses, and modes where they follow other multipliers of the same joint, such as the
 * load of the mesh whose loss they are. */
#include "events/switching.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIGNS = 6, MOST_ROUNDS = 30 };
static const double settled = 1e-9; /* of a limit */
static const double part = 1e-4;    /* of a multiplier: what it is moved by to see how limits follow */
static const double rounding = 64 * DBL_EPSILON / 1e-4; /* of a limit that is extrapolated by such a difference to another load */

typedef struct {
    double still[2], sliding[2];
} Limits;

int still_limit(const SwitchedRow *row, int way)
{
    const int forth = row->still == NONE ? row->limit : row->still, back = row->still_back == NONE ? row->back : row->still_back;
    return way && back != NONE ? back : forth;
}

static int sliding_limit(const SwitchedRow *row, int way)
{
    return way && row->back != NONE ? row->back : row->limit;
}

/* Gets the limits that the instance has now. */
static int get_limits(Kernel *k, const Item *item, Limits *l)
{
    int result = KERNEL_DONE;
    for (int way = 0; way < 2 && result == KERNEL_DONE; way++) {
        result = get_of(k, item, still_limit(item->row, way), &l->still[way]);
        result = result ? result : get_of(k, item, sliding_limit(item->row, way), &l->sliding[way]);
    }
    return result;
}

static int set_multiplier(Kernel *k, const Item *item, int reference, double value)
{
    const Reference multiplier = (Reference)reference;
    const Status status = instance_set_reals(k->parts[item->row->part].instance, &multiplier, 1, &value);
    place_instances(&k->phase, ASTRAY);
    return status > WARNING ? failed(k, KERNEL_FMU_FAILED, "setting a multiplier", item->row->part, status) : KERNEL_DONE;
}

int read_limit(Kernel *k, Item *item)
{
    const SwitchedRow *row = item->row;
    Limits at[2];
    if (row->kind != FRICTION)
        return KERNEL_DONE;
    const int points = row->normal == NONE ? 1 : 2;
    int result = KERNEL_DONE;
    for (int i = 0; i < points && result == KERNEL_DONE; i++) {
        result = points > 1 ? set_multiplier(k, item, row->multiplier, i) : KERNEL_DONE;
        result = result ? result : get_limits(k, item, &at[i]);
    }
    for (int way = 0; way < 2 && result == KERNEL_DONE; way++) {
        item->limit[way] = row->second == NONE ? at[0].still[way] : 0;
        item->sliding[way] = points > 1 ? item->limit[way] : at[0].sliding[way];
        item->mu[way] = points > 1 ? at[1].still[way] - at[0].still[way] : 0;
    }
    return result;
}

/* A multiplier that limits follow, as the small problem sees it: constant + by . lambda. */
typedef struct {
    int loop, unknown;
    double value, constant, *by;
} Followed;

typedef struct {
    Problem *p;
    int count, *first; /* first: by candidate, where its followed ones begin in `which` */
    int *which;
    Followed *followed;
    double *rates; /* by candidate, in slipping and at rest by direction, and in turn by candidate */
    Limits *at; /* by candidate, under the solution */
    double size;
} Following;

static void free_following(Following *f)
{
    for (int i = 0; f->followed && i < f->count; i++)
        free(f->followed[i].by);
    free(f->followed);
    free(f->first);
    free(f->rates);
    free(f->at);
}

static bool see_through(const Kernel *k, const Problem *p, Followed *f)
{
    const size_t rows = (size_t)k->loops[f->loop].count;
    f->by = calloc((size_t)p->count + 1, sizeof *f->by);
    if (!f->by)
        return false;
    f->constant = -p->own[f->loop][f->unknown];
    for (int c = 0; c < p->count; c++) {
        const SwitchedRow *row = k->switching->item[p->item[c]].row;
        const bool same = row->loop == f->loop && row->unknown == f->unknown;
        f->by[c] = same ? 1 : -p->response[f->loop][(size_t)c * rows + (size_t)f->unknown];
    }
    f->value = k->v[k->loops[f->loop].first + f->unknown];
    return true;
}

static bool new_following(const Kernel *k, Problem *p, Following *f)
{
    const int *number = k->switching->rows.number;
    const size_t n = (size_t)p->count;
    int total = 0;
    for (size_t c = 0; c < n; c++)
        total += k->switching->item[p->item[c]].row->followed;
    *f = (Following){.p = p};
    f->first = malloc((n + 1 + (size_t)total) * sizeof *f->first);
    f->followed = calloc((size_t)total + 1, sizeof *f->followed);
    f->rates = calloc(4 * n * n + 1, sizeof *f->rates);
    f->at = calloc(n + 1, sizeof *f->at);
    if (!f->first || !f->followed || !f->rates || !f->at)
        return false;
    f->which = f->first + n + 1;
    f->first[0] = 0;
    for (size_t c = 0; c < n; c++) {
        const SwitchedRow *row = k->switching->item[p->item[c]].row;
        f->first[c + 1] = f->first[c] + row->followed;
        for (int i = 0; i < row->followed; i++) {
            const int loop = number[row->follow_loop + i], unknown = number[row->follow_unknown + i];
            int at = 0;
            while (at < f->count && !(f->followed[at].loop == loop && f->followed[at].unknown == unknown))
                at++;
            if (at == f->count) {
                f->followed[f->count++] = (Followed){.loop = loop, .unknown = unknown};
                if (!see_through(k, p, &f->followed[at]))
                    return false;
            }
            f->which[f->first[c] + i] = at;
            f->size = fmax(f->size, fabs(f->followed[at].value));
        }
    }
    for (int i = 0; i < f->count; i++)
        f->size = fmax(f->size, fabs(f->followed[i].constant));
    f->size = f->size > 0 ? f->size : 1;
    return true;
}

/* Limits of candidate c under the multipliers as they are tried. */
static int limits_of(Kernel *k, const Following *f, int c, Limits *limits)
{
    const Item *item = &k->switching->item[f->p->item[c]];
    const int *reference = k->switching->rows.number + item->row->follow_reference;
    int result = KERNEL_DONE;
    for (int i = 0; i < item->row->followed && result == KERNEL_DONE; i++)
        result = set_multiplier(k, item, reference[i], f->followed[f->which[f->first[c] + i]].value);
    return result ? result : get_limits(k, item, limits);
}

static double *rates_of(const Following *f, int c, bool still, int way)
{
    const size_t n = (size_t)f->p->count;
    return f->rates + ((size_t)c * 4 + (size_t)(2 * still + way)) * n;
}

/* Adds the effect of one multiplier to the limits of candidate c: `rate` times its value. */
static void add_rate(const Following *f, int c, const Followed *by, const Limits *rate)
{
    Switched *given = &f->p->given[c];
    for (int way = 0; way < 2; way++) {
        given->limit[way] += rate->still[way] * (by->constant - by->value);
        given->sliding[way] += rate->sliding[way] * (by->constant - by->value);
        for (int j = 0; j < f->p->count; j++) {
            rates_of(f, c, true, way)[j] += rate->still[way] * by->by[j];
            rates_of(f, c, false, way)[j] += rate->sliding[way] * by->by[j];
        }
    }
}

/* Linearises the limits at the multipliers that are tried. */
static int straighten(Kernel *k, const Following *f)
{
    Problem *p = f->p;
    int result = KERNEL_DONE;
    memset(f->rates, 0, 4 * (size_t)p->count * (size_t)p->count * sizeof *f->rates);
    for (int c = 0; c < p->count && result == KERNEL_DONE; c++) {
        Limits here, there[2];
        if (f->first[c + 1] == f->first[c])
            continue;
        result = limits_of(k, f, c, &here);
        for (int way = 0; way < 2; way++) {
            p->given[c].limit[way] = here.still[way];
            p->given[c].sliding[way] = here.sliding[way];
            p->given[c].follows[way] = rates_of(f, c, false, way);
            p->given[c].rests[way] = rates_of(f, c, true, way);
        }
        for (int i = f->first[c]; i < f->first[c + 1] && result == KERNEL_DONE; i++) {
            Followed *by = &f->followed[f->which[i]];
            const double value = by->value, step = part * (value != 0 ? fabs(value) : f->size);
            for (int side = 0; side < 2 && result == KERNEL_DONE; side++) {
                by->value = value + (2 * side - 1) * step;
                result = limits_of(k, f, c, &there[side]);
            }
            by->value = value;
            Limits rate;
            for (int way = 0; way < 2; way++) {
                rate.still[way] = (there[1].still[way] - there[0].still[way]) / (2 * step);
                rate.sliding[way] = (there[1].sliding[way] - there[0].sliding[way]) / (2 * step);
            }
            if (result == KERNEL_DONE)
                add_rate(f, c, by, &rate);
        }
        for (int way = 0; way < 2; way++) { /* what a difference of limits leaves is rounding */
            p->given[c].limit[way] = fabs(p->given[c].limit[way]) > rounding * here.still[way] ? p->given[c].limit[way] : 0;
            p->given[c].sliding[way] = fabs(p->given[c].sliding[way]) > rounding * here.sliding[way] ? p->given[c].sliding[way] : 0;
        }
    }
    return result;
}

/* Computes the multipliers of a solution, and says whether the limits there agree with their linearisation. */
static int compare(Kernel *k, Following *f, bool *same)
{
    const Problem *p = f->p;
    int result = KERNEL_DONE;
    *same = true;
    for (int i = 0; i < f->count; i++) {
        Followed *by = &f->followed[i];
        by->value = by->constant;
        for (int c = 0; c < p->count; c++)
            by->value += by->by[c] * p->lambda[c];
    }
    for (int c = 0; c < p->count && result == KERNEL_DONE; c++) {
        if (f->first[c + 1] == f->first[c])
            continue;
        const Switched *given = &p->given[c];
        result = limits_of(k, f, c, &f->at[c]);
        const Limits limits = f->at[c];
        for (int way = 0; way < 2; way++) {
            double still = given->limit[way], sliding = given->sliding[way];
            for (int j = 0; j < p->count; j++) {
                still += given->rests[way][j] * p->lambda[j];
                sliding += given->follows[way][j] * p->lambda[j];
            }
            const double size = settled * fmax(fabs(limits.still[0]), fabs(limits.still[1]));
            *same = *same && fabs(limits.still[way] - still) <= size && fabs(limits.sliding[way] - sliding) <= size;
        }
    }
    return result;
}

/* Iterates by Newton's method from the multipliers that are tried. Each round is solved for its modes. */
static int follow_from(Kernel *k, Following *f, const Switched *given, double slack, int *status)
{
    Problem *p = f->p;
    bool same = false;
    int result = KERNEL_DONE, rounds;
    for (int round = 0; round < MOST_ROUNDS && !same && result == KERNEL_DONE; round++) {
        memcpy(p->given, given, (size_t)p->count * sizeof *given);
        result = straighten(k, f);
        if (result)
            break;
        *status = modes_find(p->count, p->S, p->b, p->given, slack, p->lambda, p->a, &rounds);
        if (*status)
            return KERNEL_DONE;
        result = compare(k, f, &same);
    }
    *status = same ? MODES_FOUND : MODES_UNSETTLED;
    return result;
}

/* Starts from the present multipliers, then from all signs that they can have: with given signs, limits such as the loss of a mesh are linear. */
static int find_following(Kernel *k, Following *f, double slack, int *status)
{
    Problem *p = f->p;
    Switched *const given = malloc(((size_t)p->count + 1) * sizeof *given);
    int result = given ? KERNEL_DONE : KERNEL_NO_MEMORY;
    if (given)
        memcpy(given, p->given, (size_t)p->count * sizeof *given);
    result = result ? result : follow_from(k, f, given, slack, status);
    for (int signs = 0; result == KERNEL_DONE && *status && f->count <= MOST_SIGNS && signs < 1 << f->count; signs++) {
        for (int i = 0; i < f->count; i++)
            f->followed[i].value = signs >> i & 1 ? -f->size : f->size;
        result = follow_from(k, f, given, slack, status);
    }
    for (int c = 0; c < p->count; c++)
        for (int way = 0; way < 2 && f->first[c + 1] > f->first[c]; way++) { /* limits as numbers again */
            p->given[c].follows[way] = p->given[c].rests[way] = NULL;
            p->given[c].limit[way] = f->at[c].still[way];
            p->given[c].sliding[way] = f->at[c].sliding[way];
        }
    free(given);
    return result;
}

int find_limited(Kernel *k, Problem *p, double slack, int *status)
{
    bool any = false;
    int rounds;
    for (int c = 0; c < p->count; c++)
        any = any || k->switching->item[p->item[c]].row->followed;
    if (!any) {
        *status = modes_find(p->count, p->S, p->b, p->given, slack, p->lambda, p->a, &rounds);
        return *status == MODES_NO_MEMORY ? KERNEL_NO_MEMORY : KERNEL_DONE;
    }
    Following f;
    int result = new_following(k, p, &f) ? find_following(k, &f, slack, status) : KERNEL_NO_MEMORY;
    free_following(&f);
    return result == KERNEL_DONE && *status == MODES_NO_MEMORY ? KERNEL_NO_MEMORY : result;
}
