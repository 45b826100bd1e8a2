/* Impacts: velocities of constraints that jump by impulses, by Newton's law without friction and by Poisson's with it. With friction Newton's can
 * create energy (Stronge, Rigid Body Collisions with Friction, 1990). */
#include "complementarity/modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 100 };
static const double equal = 1e-9;  /* of approaches, which go together then */
static const double nothing = 1e-12; /* of the greatest velocity: no approach */

/* Some of the items, with matrices of their own. */
typedef struct {
    int count, *which;
    Switched *item;
    double *S, *velocity, *b, *impulse, *least;
} Group;

static bool new_group(Group *g, int count)
{
    const size_t n = (size_t)count + 1;
    g->which = malloc(n * sizeof *g->which);
    g->item = malloc(n * sizeof *g->item);
    g->S = malloc((n * n + 4 * n) * sizeof *g->S);
    if (!g->which || !g->item || !g->S)
        return false;
    g->velocity = g->S + n * n;
    g->b = g->velocity + n;
    g->impulse = g->b + n;
    g->least = g->impulse + n;
    return true;
}

static void free_group(Group *g)
{
    free(g->which);
    free(g->item);
    free(g->S);
}

/* The group holds the items with `in`. Friction is in with the item that presses it; friction with a limit of its own always is. */
static void gather(const Impact *m, const bool *in, bool plastic, Group *g)
{
    g->count = 0;
    for (int i = 0; i < m->count; i++) {
        const Switched *s = &m->item[i];
        const bool along = s->kind == FRICTION && (s->normal < 0 || in[s->normal] || (s->second >= 0 && in[s->second]));
        if (!(s->kind == UNILATERAL ? in[i] : along))
            continue;
        g->which[g->count] = i;
        g->item[g->count] = *s;
        g->item[g->count].due = 0;
        g->item[g->count].follows[0] = g->item[g->count].follows[1] = NULL; /* impulses come round by round */
        g->item[g->count].rests[0] = g->item[g->count].rests[1] = NULL;
        g->item[g->count].mode = s->kind == UNILATERAL && m->velocity[i] < 0;
        if (plastic || -m->velocity[i] * s->restitution < m->rest)
            g->item[g->count].restitution = 0;
        g->count++;
    }
    for (int i = 0; i < g->count; i++) {
        const Switched *s = &m->item[g->which[i]];
        const int by[] = {s->normal, s->second};
        int *const own[] = {&g->item[i].normal, &g->item[i].second};
        int found = 0;
        *own[0] = *own[1] = -1;
        for (int j = 0; j < g->count; j++) {
            g->S[i * g->count + j] = m->S[g->which[i] * m->count + g->which[j]];
            if (s->kind == FRICTION && (by[0] == g->which[j] || by[1] == g->which[j]))
                *own[found++] = j;
        }
        g->velocity[i] = m->velocity[g->which[i]];
    }
}

static void take(Impact *m, const Group *g)
{
    for (int j = 0; j < g->count; j++) {
        m->impulse[g->which[j]] += g->impulse[j];
        for (int i = 0; i < m->count; i++)
            m->velocity[i] += m->S[i * m->count + g->which[j]] * g->impulse[j];
    }
}

/* Each separates with so much of its approach. */
static int strike_newton(Impact *m, Group *g)
{
    int rounds;
    for (int i = 0; i < g->count; i++)
        g->b[i] = g->velocity[i] + (g->item[i].kind == UNILATERAL ? g->item[i].restitution * fmin(g->velocity[i], 0) : 0);
    const int result = modes_find(g->count, g->S, g->b, g->item, 0, g->impulse, g->least, &rounds);
    if (result == MODES_FOUND)
        take(m, g);
    return result;
}

/* Compression until no contact approaches, then a share of its impulses again. */
static int strike_poisson(Impact *m, Group *g)
{
    int rounds;
    bool expands = false;
    int result = modes_lemke(g->count, g->S, g->velocity, g->item, NULL, g->impulse, &rounds);
    if (result)
        return result;
    take(m, g);
    for (int i = 0; i < g->count; i++) {
        g->least[i] = g->item[i].kind == UNILATERAL ? g->item[i].restitution * g->impulse[i] : 0;
        expands = expands || g->least[i] > 0;
        g->b[i] = m->velocity[g->which[i]];
    }
    if (!expands)
        return MODES_FOUND;
    result = modes_lemke(g->count, g->S, g->b, g->item, g->least, g->impulse, &rounds);
    if (result == MODES_FOUND)
        take(m, g);
    return result;
}

static int strike(Impact *m, const bool *in, bool plastic, Group *g)
{
    bool rubs = false;
    gather(m, in, plastic, g);
    for (int i = 0; i < g->count; i++)
        rubs = rubs || (g->item[i].kind == FRICTION && g->item[i].normal >= 0);
    return rubs && !m->newton ? strike_poisson(m, g) : strike_newton(m, g);
}

/* The greatest approach; 0 where nothing approaches. */
static double fastest(const Impact *m, double size)
{
    double found = 0;
    for (int i = 0; i < m->count; i++)
        if (m->item[i].kind == UNILATERAL && -m->velocity[i] > nothing * size)
            found = fmax(found, -m->velocity[i]);
    return found;
}

int modes_impact(Impact *m)
{
    Group g = {0};
    bool *in = malloc((size_t)m->count + 1);
    int result = in && new_group(&g, m->count) ? MODES_FOUND : MODES_NO_MEMORY;
    double size = 0;
    for (int i = 0; i < m->count; i++) {
        size = fmax(size, fabs(m->velocity[i]));
        m->impulse[i] = 0;
    }
    m->rounds = 0;
    do {
        const double approach = fastest(m, size);
        if (result || (m->rounds && !(approach > 0)))
            break;
        bool plastic = approach < m->rest || m->rounds >= MOST_ROUNDS;
        bool all = plastic || !m->sequential || !(approach > 0);
        for (int i = 0; i < m->count; i++)
            in[i] = m->item[i].kind == UNILATERAL && (all || -m->velocity[i] >= approach * (1 - equal));
        for (int i = 0; i < m->count && !all; i++) /* what is plastic goes together */
            for (int j = 0; in[i] && m->item[i].restitution == 0 && j < m->count; j++)
                in[j] = in[j] || (m->item[j].kind == UNILATERAL && m->item[j].restitution == 0);
        result = strike(m, in, plastic, &g);
    } while (m->rounds++ <= MOST_ROUNDS);
    free_group(&g);
    free(in);
    return result;
}
