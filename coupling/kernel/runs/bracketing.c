/* State events that begin and end within one step: its ends do not show them, so indicators are sampled inside, and where those of
 * three instants bend towards zero, followed to their lowest point. */
#include "runs/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An indicator may bend more than observed so far, at most by this factor. */
static const double trust = 10;
/* Their parabola is followed where it promises so little of what has been seen, and so often. */
static const double promising = 0.5;
enum { MOST_FOLLOWED = 4, MOST_ROUNDS = 20, MOST_SAMPLES = 40, MOST_OF_TURNS = 100000 };
static const double apart = 0.35; /* rad: the greatest turn between two samples */

typedef struct {
    double t[3], z[3];
} Course;

/* The first indicator that has left its domain, positive or not, or -1. */
int crossed(const double *before, const double *now, int count, const double *arms)
{
    for (int i = 0; i < count; i++)
        if (arms && arms[i] > 0 ? before[i] > arms[i] && !(now[i] > 0) : (before[i] > 0) != (now[i] > 0))
            return i;
    return -1;
}

int kernel_watch_angles(Kernel *k, const int *angle, int count)
{
    Run *run = k->run;
    run->angle = angle;
    run->angles = count;
    run->angle_before = calloc((size_t)count + 1, sizeof *run->angle_before);
    return run->angle_before ? KERNEL_DONE : KERNEL_NO_MEMORY;
}

static double angle_at(Kernel *k, int i, double t)
{
    const int which = k->run->angle[i];
    return which >= 0 ? k->run->present[which] : drive_value(&k->drives[-1 - which], t, k->passed);
}

void note_angles(Kernel *k)
{
    for (int i = 0; i < k->run->angles; i++)
        k->run->angle_before[i] = angle_at(k, i, k->run->t);
}

/* Returns how many samples the turns of watched angles in the last step ask for. */
static int samples_of_turns(Kernel *k)
{
    const Run *run = k->run;
    double most = 0;
    for (int i = 0; i < run->angles; i++)
        most = fmax(most, fabs(angle_at(k, i, run->t) - run->angle_before[i]));
    return (int)fmin(MOST_OF_TURNS, most / apart);
}

/* An indicator that bends as in the step before, or some times more, could reach zero and return. */
static bool may_dip(const Run *run, int i)
{
    const double before = run->t_before - run->t_earlier, h = run->t - run->t_before;
    if (!(before > 0)) /* it is unknown, as after an event */
        return true;
    const double bend = 2 * ((run->z[i] - run->z_before[i]) / h - (run->z_before[i] - run->z_earlier[i]) / before) / (h + before);
    const double root = sqrt(fabs(run->z_before[i])) + sqrt(fabs(run->z[i]));
    return !(trust * fabs(bend) < 2 * root * root / (h * h));
}

int state_on_constraints(Kernel *k, double t, double *x)
{
    const int result = k->run->method->state(k, t, x);
    return result ? result : project_fully(k, t, x);
}

int probe_indicators(Kernel *k, double t, double *z)
{
    Run *run = k->run;
    int result = state_on_constraints(k, t, run->x);
    k->searching = k->resting;
    if (result == KERNEL_DONE && k->fused && k->fused->indicate)
        result = kernel_derivatives(k, t, run->x, run->slope);
    k->searching = false;
    if (result == KERNEL_DONE && !by_equations(&k->phase)) /* the instances answer: what their indicators depend on is passed on */
        result = kernel_evaluate(k, t, run->x);
    return result ? result : kernel_indicators(k, z);
}

/* The lowest point of the parabola through three points, and its value; infinite where it has none between them. */
static double lowest(const Course *c, double *z)
{
    const double left = c->t[1] - c->t[0], right = c->t[2] - c->t[1], sign = c->z[1] > 0 ? 1 : -1;
    const double fall = (c->z[1] - c->z[0]) / left, rise = (c->z[2] - c->z[1]) / right, bend = (rise - fall) / (left + right);
    const double t = c->t[1] - (fall * right + rise * left) / (left + right) / (2 * bend), past = t - c->t[1];
    *z = sign * bend > 0 && t > c->t[0] && t < c->t[2] ? fabs(c->z[1]) - sign * bend * past * past : INFINITY;
    return t;
}

/* Follows one indicator to its lowest point between three instants; `dipped` where it crosses zero there, at the time `*end`. */
static int follow(Kernel *k, int i, Course c, double *end, bool *dipped)
{
    Run *run = k->run;
    for (int count = 0; count < MOST_FOLLOWED; count++) {
        double promised;
        const double t = lowest(&c, &promised);
        if (!(promised < promising * fmin(fabs(c.z[0]), fmin(fabs(c.z[1]), fabs(c.z[2])))) || t == c.t[1])
            return KERNEL_DONE;
        const int result = probe_indicators(k, t, run->z_middle);
        if (result)
            return result;
        *dipped = crossed(run->z_before, run->z_middle, k->indicators, k->arms) >= 0;
        *end = t;
        if (*dipped)
            return KERNEL_DONE;
        const double z = run->z_middle[i];
        const int near = t < c.t[1] ? 0 : 2, far = 2 - near; /* the ends, as seen from the new point */
        const int replaced = fabs(z) < fabs(c.z[1]) ? far : near;
        if (replaced == far)
            c.t[far] = c.t[1], c.z[far] = c.z[1], c.t[1] = t, c.z[1] = z;
        else
            c.t[near] = t, c.z[near] = z;
    }
    return KERNEL_DONE;
}

/* An indicator that rises inside a step is armed from there on: the search starts again. */
static bool arm(const Kernel *k, const double *z)
{
    const Run *run = k->run;
    bool armed = false;
    for (int i = 0; i < k->indicators && k->arms; i++)
        armed = armed || (k->arms[i] > 0 && z[i] > k->arms[i] && !(run->z_before[i] > k->arms[i]));
    if (armed)
        memcpy(run->z_before, z, (size_t)k->indicators * sizeof *z);
    return armed;
}

/* Returns how many samples are taken between the ends of the search. A step that has grown gets more of them, up to half as densely as the step
 * before; a step in which a watched angle turns gets one for each share of a turn. */
static int samples_of(const Run *run, int of_turns)
{
    const double before = run->t_before - run->t_earlier, h = run->t - run->t_before;
    const int own = run->method->samples, turns = (int)ceil(of_turns * (run->end - run->t_before) / h);
    const int found = before > 0 ? (int)fmax(own, fmin(MOST_SAMPLES, ceil((own + 1) * h / (2 * before)) - 1)) : own;
    return turns > found ? turns : found;
}

/* The samples of the step as far as its end is known, and what they promise; `dipped` where an indicator has crossed at the time `*end`. */
static int search(Kernel *k, int of_turns, double *end, bool *dipped)
{
    Run *run = k->run;
    const int count = samples_of(run, of_turns), m = k->indicators;
    const double h = run->end - run->t_before;
    if (count + 2 > run->room) {
        double *const more = realloc(run->z_inside, (size_t)(count + 2) * (size_t)m * sizeof *more);
        if (!more)
            return KERNEL_NO_MEMORY;
        run->z_inside = more;
        run->room = count + 2;
    }
    for (int j = 0; j <= count + 1; j++) {
        double *z = run->z_inside + j * m;
        if (j == 0 || j > count) {
            memcpy(z, j == 0 ? run->z_before : run->z, (size_t)m * sizeof *z);
            continue;
        }
        *end = run->t_before + h * j / (count + 1);
        const int result = probe_indicators(k, *end, z);
        *dipped = result == KERNEL_DONE && crossed(run->z_before, z, m, k->arms) >= 0;
        if (*dipped)
            memcpy(run->z_middle, z, (size_t)m * sizeof *z);
        if (result || *dipped)
            return result;
        if (arm(k, z))
            run->from = *end;
    }
    for (int j = 1; j <= count; j++) {
        if (run->t_before + h * (j - 1) / (count + 1) < run->from)
            continue;
        for (int i = 0; i < m; i++) {
            Course c;
            for (int p = 0; p < 3; p++) {
                c.t[p] = run->t_before + h * (j - 1 + p) / (count + 1);
                c.z[p] = run->z_inside[(j - 1 + p) * m + i];
            }
            if ((c.z[2] > 0) != (c.z[1] > 0)) /* it crosses at the end anyway */
                continue;
            const int result = follow(k, i, c, end, dipped);
            if (result || *dipped)
                return result;
        }
    }
    return KERNEL_DONE;
}

/* A found crossing moves the end of the search, before which another indicator may have crossed and returned. */
static int search_all(Kernel *k, int of_turns)
{
    Run *run = k->run;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        bool dipped = false;
        double end;
        const int result = search(k, of_turns, &end, &dipped);
        if (result || !dipped)
            return result;
        run->end = end;
        memcpy(run->z, run->z_middle, (size_t)k->indicators * sizeof *run->z);
    }
    return KERNEL_DONE;
}

/* Says whether instances that events do not concern are left alone. Their equations have to be known. */
static bool may_rest(const Kernel *k)
{
    return k->quiet && k->fused && k->fused->record && !k->sensitivity;
}

void rest(Kernel *k)
{
    k->resting = may_rest(k);
    if (k->resting)
        memcpy(k->run->x, k->run->present, (size_t)k->states * sizeof *k->run->x);
}

int look_inside(Kernel *k)
{
    Run *run = k->run;
    run->end = run->t;
    run->from = run->t_before;
    int i = 0;
    while (i < k->indicators && !may_dip(run, i))
        i++;
    const int of_turns = k->indicators ? samples_of_turns(k) : 0;
    if ((i == k->indicators && !of_turns) || !k->indicators || run->near || !(run->t > run->t_before))
        return KERNEL_DONE;
    keep_unknowns(k, run->unknowns);
    begin_from(k, run->unknowns_before);
    const long by_instances = k->statistics.way[BY_INSTANCES].made;
    rest(k);
    int result = search_all(k, of_turns);
    begin_from(k, run->unknowns);
    k->resting = k->resting && k->statistics.way[BY_INSTANCES].made == by_instances; /* otherwise all may have been moved */
    if (result == KERNEL_DONE && run->listens) /* an instance that listens hears of the step's end */
        result = kernel_evaluate(k, run->t, run->present);
    k->resting = false;
    return result;
}
