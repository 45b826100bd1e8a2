/* Decides which constraints are redundant, at states that satisfy them: at starts and after events, never at the stages of a step. */
#include "constraints/project.h"
#include "rank/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double DISPLACEMENT = 1e-3; /* along the freedoms: what repeats others there as well does so always */
static const double SINGULAR = 1e-3;     /* a pivot below may belong to a singular pose nearby */
static const double RISES = 10, RISEN = 1e-9; /* by this much it rises with the displacement, where it does, and at least to that */
static const double EXPLAINED = 1e-9;    /* how well velocities of constraints follow from their gradients */

enum { ATTEMPTS = 4 };

/* The constraints of a loop whose rank is in question, with their gradients and mobilities. */
typedef struct {
    int rows, *unknown, *row_of; /* row_of: by unknown, or -1 */
    int *velocity;               /* their slots, by unknown */
    Constraints given;
    int *integers;
    double *numbers, *gradient, *reading;
    int *start, *column, *joint, *group, *colour;
} Question;

static void end_question(Question *q)
{
    free(q->integers);
    free(q->numbers);
    *q = (Question){0};
}

/* Finds the slots of the velocities of a loop's constraints by unknown; false if some unknowns are no multipliers of constraints. */
static bool find_velocities(const Kernel *k, int loop, int *velocity)
{
    const Projection *p = k->projection;
    const Loop *l = &k->loops[loop];
    for (int i = 0; i < l->count; i++)
        velocity[i] = NONE;
    for (int i = 0; i < p->count; i++)
        if (p->constraint[i].loop == loop)
            velocity[p->constraint[i].unknown] = p->constraint[i].velocity;
    for (int i = 0; i < l->count; i++)
        if (velocity[i] == NONE || !l->joint || l->joint[i] < 0)
            return false;
    return true;
}

/* Begins with the rows for which `wanted` says so. */
static bool begin_question(Kernel *k, int loop, const bool *wanted, Question *q)
{
    const Loop *l = &k->loops[loop];
    const size_t n = (size_t)l->count, mobile = (size_t)l->mobile, entries = (size_t)l->mobile_start[l->mobile];
    q->integers = malloc((4 * n + 2 + entries + 2 * mobile + (size_t)k->states) * sizeof *q->integers);
    q->numbers = malloc((2 * entries + n + (size_t)k->states + 1) * sizeof *q->numbers);
    if (!q->integers || !q->numbers)
        return false;
    q->unknown = q->integers;
    q->row_of = q->unknown + n;
    q->joint = q->row_of + n;
    q->start = q->joint + n;
    q->column = q->start + n + 1;
    q->group = q->column + entries;
    q->colour = q->group + mobile;
    q->gradient = q->numbers + entries;
    q->reading = q->gradient + entries;
    q->rows = 0;
    for (int i = 0; i < l->count; i++) {
        q->row_of[i] = wanted[i] ? q->rows : -1;
        if (wanted[i])
            q->unknown[q->rows++] = i;
    }
    int joints = 0;
    for (int i = 0; i < q->rows; i++) {
        int same = 0;
        while (same < i && l->joint[q->unknown[same]] != l->joint[q->unknown[i]])
            same++;
        q->joint[i] = same < i ? q->joint[same] : joints++;
    }
    int groups = 0;
    for (int i = 0; i < l->mobile; i++) {
        int same = 0;
        while (same < i && k->projection->group[l->mobile_state[same]] != k->projection->group[l->mobile_state[i]])
            same++;
        q->group[i] = same < i ? q->group[same] : groups++;
    }
    q->given = (Constraints){.rows = q->rows,
                             .coordinates = l->mobile,
                             .joints = joints,
                             .groups = groups,
                             .joint = q->joint,
                             .group = q->group,
                             .gradient_start = q->start,
                             .gradient_column = q->column,
                             .gradient = q->gradient,
                             .mobility_start = q->start,
                             .mobility_column = q->column,
                             .mobility = q->numbers};
    return true;
}

/* The mobilities at the point of the last linearisation, by rows. */
static void take_mobilities(const Loop *l, Question *q)
{
    const double *mobility = l->term + l->first_mobility;
    memset(q->start, 0, ((size_t)q->rows + 1) * sizeof *q->start);
    for (int s = 0; s < l->mobile; s++)
        for (int e = l->mobile_start[s]; e < l->mobile_start[s + 1]; e++)
            if (q->row_of[l->mobile_column[e]] >= 0)
                q->start[q->row_of[l->mobile_column[e]] + 1]++;
    for (int i = 0; i < q->rows; i++)
        q->start[i + 1] += q->start[i];
    for (int s = 0; s < l->mobile; s++)
        for (int e = l->mobile_start[s]; e < l->mobile_start[s + 1]; e++) {
            const int row = q->row_of[l->mobile_column[e]];
            if (row < 0)
                continue;
            q->column[q->start[row]] = s;
            q->numbers[q->start[row]++] = mobility[e];
        }
    for (int i = q->rows; i > 0; i--)
        q->start[i] = q->start[i - 1];
    q->start[0] = 0;
}

/* Velocity states in as few colours as no two of which have a row in common. Returns how many there are. */
static int colour_states(const Loop *l, Question *q)
{
    int colours = 0;
    for (int s = 0; s < l->mobile; s++) {
        bool taken = true;
        for (q->colour[s] = 0; taken; q->colour[s] += taken) {
            taken = false;
            for (int e = l->mobile_start[s]; e < l->mobile_start[s + 1] && !taken; e++) {
                const int row = q->row_of[l->mobile_column[e]];
                for (int f = row < 0 ? 0 : q->start[row]; row >= 0 && f < q->start[row + 1] && !taken; f++)
                    taken = q->column[f] < s && q->colour[q->column[f]] == q->colour[s];
            }
        }
        colours = q->colour[s] >= colours ? q->colour[s] + 1 : colours;
    }
    return colours;
}

/* The gradients: velocities of constraints are affine in those of bodies, and are read for one colour of these at a time. Whether all
 * that depends on all of them has been found is seen from a reading with all of them. */
static int find_gradients(Kernel *k, int loop, const double *x, Question *q, bool *found)
{
    const Loop *l = &k->loops[loop];
    double *moved = k->projection->trial, speed = 1;
    const int colours = colour_states(l, q);
    for (int s = 0; s < l->mobile; s++)
        speed = fmax(speed, fabs(x[l->mobile_state[s]]));
    *found = false;
    int result = read_constraints(k, x);
    for (int i = 0; i < q->rows; i++)
        q->reading[i] = k->v[q->velocity[q->unknown[i]]];
    for (int c = 0; c <= colours && result == KERNEL_DONE; c++) {
        memcpy(moved, x, (size_t)k->states * sizeof *x);
        for (int s = 0; s < l->mobile; s++)
            if (c == colours || q->colour[s] == c)
                moved[l->mobile_state[s]] += speed;
        result = read_constraints(k, moved);
        for (int i = 0; i < q->rows && result == KERNEL_DONE; i++) {
            const double change = (k->v[q->velocity[q->unknown[i]]] - q->reading[i]) / speed;
            double sum = 0, terms = 0;
            for (int e = q->start[i]; e < q->start[i + 1]; e++) {
                if (c < colours && q->colour[q->column[e]] == c)
                    q->gradient[e] = change;
                sum += q->gradient[e];
                terms += fabs(q->gradient[e]);
            }
            if (c == colours && !(fabs(change - sum) <= EXPLAINED * terms))
                return KERNEL_DONE;
        }
    }
    *found = result == KERNEL_DONE;
    return result;
}

/* Decides at the point of the last linearisation. The rank is null if nothing can be decided there. */
static int ask(Kernel *k, int loop, const double *x, Question *q, Rank **rank)
{
    bool found;
    *rank = NULL;
    take_mobilities(&k->loops[loop], q);
    const int result = find_gradients(k, loop, x, q, &found);
    if (result == KERNEL_DONE && found && rank_decide(&q->given, rank) == RANK_NO_MEMORY)
        return KERNEL_NO_MEMORY;
    return result;
}

/* Keeps the rates of the bodies that the constraints allow. They take the place of the velocities among some states. */
static int project_rates(Kernel *k, const double *x, double *rates)
{
    Projection *p = k->projection;
    double *still = p->trial;
    memcpy(still, x, (size_t)k->states * sizeof *x);
    for (int i = 0; i < k->loop_count; i++)
        for (int s = 0; s < k->loops[i].mobile; s++)
            still[k->loops[i].mobile_state[s]] = 0;
    int result = read_constraints(k, still);
    for (int i = 0; i < p->count; i++)
        p->rest[i] = p->constraint[i].velocity == NONE ? 0 : k->v[p->constraint[i].velocity];
    if (result == KERNEL_DONE)
        result = read_constraints(k, rates);
    for (int i = 0; i < p->count; i++)
        if (p->constraint[i].velocity != NONE)
            k->v[p->constraint[i].velocity] -= p->rest[i];
    for (int i = 0; i < k->loop_count && result == KERNEL_DONE; i++)
        correct(k, i, k->v, false, rates);
    return result;
}

/* The velocity state of a coordinate that can be displaced, or -1. */
static int rate_of(const Kernel *k, const Loop *l, int mobile)
{
    return has_position(k->projection, l->mobile_state[mobile]) ? l->mobile_state[mobile] : -1;
}

/* States a little away along the freedoms, on the constraints again: first the way that the mechanism moves, then in directions of no
 * particular kind. `moved` says whether there are any; near a singular pose a direction may lead back to it. */
static int displace(Kernel *k, double t, const double *x, double *displaced, bool *moved)
{
    Projection *p = k->projection;
    unsigned long long random = 1;
    int result = KERNEL_DONE;
    *moved = false;
    for (int attempt = 0; attempt < ATTEMPTS && !*moved && result == KERNEL_DONE; attempt++) {
        double *rates = p->before, greatest = 0, far = 0;
        memcpy(rates, x, (size_t)k->states * sizeof *x);
        for (int i = 0; i < k->loop_count && attempt > 0; i++)
            for (int s = 0; s < k->loops[i].mobile; s++) {
                random = random * 6364136223846793005u + 1442695040888963407u;
                rates[k->loops[i].mobile_state[s]] = rate_of(k, &k->loops[i], s) < 0 ? 0 : random >> 63 ? 1 : -1;
            }
        if (attempt > 0)
            result = linearise_constraints(k, t, x);
        if (result == KERNEL_DONE)
            result = project_rates(k, x, rates);
        for (int i = 0; i < k->loop_count; i++)
            for (int s = 0; s < k->loops[i].mobile; s++)
                greatest = fmax(greatest, rate_of(k, &k->loops[i], s) < 0 ? 0 : fabs(rates[rate_of(k, &k->loops[i], s)]));
        if (result || !(greatest > SINGULAR))
            continue;
        memcpy(displaced, x, (size_t)k->states * sizeof *x);
        for (int i = 0; i < k->states; i++)
            move_position(p, i, DISPLACEMENT / greatest * rates[i], displaced);
        turn_all(p, displaced);
        result = project_positions(k, t, displaced, moved);
        for (int i = 0; i < k->loop_count; i++)
            for (int s = 0; s < k->loops[i].mobile; s++) {
                const int state = p->position_of[k->loops[i].mobile_state[s]];
                far = fmax(far, state < 0 ? 0 : fabs(displaced[state] - x[state]));
            }
        for (int i = 0; i < 4 * p->turns; i++) {
            const int state = p->turn[i / 4].q + i % 4;
            far = fmax(far, 2 * fabs(displaced[state] - x[state]));
        }
        *moved = *moved && far > DISPLACEMENT / 2;
    }
    return result == KERNEL_DONE && *moved ? linearise_constraints(k, t, displaced) : result;
}

/* Keeps the rows that are worst scaled, as states of the bodies between which they are. */
static void note_scales(Kernel *k, int loop, const Question *q, const Rank *rank)
{
    Projection *p = k->projection;
    const Loop *l = &k->loops[loop];
    for (int i = 0; i < rank->rows; i++) {
        if (rank->status[i] != RANK_BADLY_SCALED || rank->light[i] < 0 || rank->heavy[i] < 0 || !(rank->pivot[i] < p->pivot))
            continue;
        p->pivot = rank->pivot[i];
        p->ratio = rank->light_mobility[i] / rank->heavy_mobility[i];
        for (int s = l->mobile - 1; s >= 0; s--) {
            p->light = q->group[s] == rank->light[i] ? l->mobile_state[s] : p->light;
            p->heavy = q->group[s] == rank->heavy[i] ? l->mobile_state[s] : p->heavy;
        }
    }
}

typedef struct {
    Question question;
    Rank *here, *there;
    double *share;  /* by unknown, here */
    bool *redundant;
    bool asked;
} Verdict;

/* Decides for a loop at the given states; whether that has to be seen again at others. */
static int judge(Kernel *k, int loop, const double *x, Verdict *v, bool *again)
{
    Loop *l = &k->loops[loop];
    const size_t n = (size_t)l->count + 1;
    const double *share = linear_shares(l->linear);
    int *velocity = malloc(n * sizeof *velocity);
    v->share = malloc(n * sizeof *v->share);
    v->redundant = calloc(2 * n, sizeof *v->redundant);
    if (!velocity || !v->share || !v->redundant) {
        free(velocity);
        return KERNEL_NO_MEMORY;
    }
    int result = KERNEL_DONE;
    bool *wanted = v->redundant + n, near = false, candidate = false;
    v->question.velocity = velocity;
    v->asked = share && l->mobile && find_velocities(k, loop, velocity);
    if (v->asked) {
        bool all = false;
        memcpy(v->share, share, (size_t)l->count * sizeof *share);
        for (int i = 0; i < l->count; i++) {
            near = near || (l->cycle[i] >= 0 && share[i] < SINGULAR);
            candidate = candidate || share[i] < RANK_CANDIDATE;
            all = all || (l->cycle[i] < 0 && share[i] < RANK_CANDIDATE);
        }
        for (int i = 0; i < l->count; i++)
            wanted[i] = !l->off[i] && !l->lawful[i] && (all || l->cycle[i] >= 0);
        if (candidate && !begin_question(k, loop, wanted, &v->question))
            result = KERNEL_NO_MEMORY;
        if (candidate && result == KERNEL_DONE)
            result = ask(k, loop, x, &v->question, &v->here);
        if (candidate && result == KERNEL_DONE && v->here)
            note_scales(k, loop, &v->question, v->here);
        v->asked = !candidate || v->here;
        *again = *again || (v->asked && near);
    }
    return result;
}

/* Drops constraints that repeat earlier ones, by the relations found. */
static int drop(Kernel *k, int loop, const Question *q, const Rank *rank, double t)
{
    const Loop *l = &k->loops[loop];
    const int count = rank ? rank->redundant : 0;
    double *relations = calloc((size_t)count * (size_t)l->count + 1, sizeof *relations);
    if (!relations)
        return KERNEL_NO_MEMORY;
    for (int r = 0; r < count; r++)
        for (int m = 0; m < rank->relation[r].count; m++)
            relations[r * l->count + q->unknown[rank->relation[r].member[m]]] = rank->relation[r].factor[m];
    const int result = drop_redundant(k, loop, relations, count, t);
    free(relations);
    return result;
}

/* Gives a loop only rows that are redundant at the displaced states too. A row that is singular here and not there is sound. */
static int tell(Kernel *k, int loop, const Verdict *v, bool moved, double t)
{
    Loop *l = &k->loops[loop];
    const Question *q = &v->question;
    double *peak = linear_peaks(l->linear);
    const double *there = moved ? linear_shares(l->linear) : NULL;
    const Rank *rank = v->there ? v->there : v->here;
    const Rank *named = rank && v->here->redundant == rank->redundant ? v->here : rank; /* factors turn with the bodies */
    for (int i = 0; rank && i < q->rows; i++)
        v->redundant[q->unknown[i]] = rank->status[i] == RANK_REDUNDANT;
    for (int i = 0; there && i < l->count; i++) {
        const bool rises = there[i] > RISEN && RISES * v->share[i] < there[i];
        if (l->cycle[i] >= 0)
            peak[i] = fmax(peak[i], rises ? 1 : fmin(v->share[i], 1));
    }
    const int result = k->ordered && l->sequence ? drop(k, loop, q, named, t) : KERNEL_DONE;
    if (linear_decide(l->linear, k->ordered && l->sequence ? (bool *)memset(v->redundant, 0, (size_t)l->count * sizeof(bool)) : v->redundant))
        l->worst.count = l->passed.count = 0; /* what was seen before was not known to be redundant or passing */
    return result;
}

int decide_rank(Kernel *k, double t, const double *x)
{
    Projection *p = k->projection;
    if (!p || !p->group || !k->loop_count)
        return KERNEL_DONE;
    Verdict *verdict = calloc((size_t)k->loop_count, sizeof *verdict);
    double *displaced = malloc(((size_t)k->states + 1) * sizeof *displaced);
    bool again = false, moved = false;
    p->pivot = INFINITY;
    for (int i = 0; i < k->loop_count; i++) {
        if (rests(k, i))
            continue;
        linear_expose(k->loops[i].linear, true);
        k->loops[i].dropped_count = k->loops[i].repeated_count = 0;
    }
    int result = verdict && displaced ? linearise_constraints(k, t, x) : KERNEL_NO_MEMORY;
    for (int i = 0; i < k->loop_count && result == KERNEL_DONE; i++)
        result = rests(k, i) ? KERNEL_DONE : judge(k, i, x, &verdict[i], &again);
    if (result == KERNEL_DONE && again) {
        result = displace(k, t, x, displaced, &moved);
        for (int i = 0; i < k->loop_count && result == KERNEL_DONE && moved; i++)
            if (verdict[i].here && verdict[i].here->redundant)
                result = ask(k, i, displaced, &verdict[i].question, &verdict[i].there);
    }
    for (int i = 0; i < k->loop_count; i++)
        linear_expose(k->loops[i].linear, false);
    for (int i = 0; i < k->loop_count && verdict; i++) {
        Verdict *v = &verdict[i];
        if (result == KERNEL_DONE && v->asked)
            result = tell(k, i, v, moved, t);
        free(v->question.velocity);
        end_question(&v->question);
        rank_free(v->here);
        rank_free(v->there);
        free(v->share);
        free(v->redundant);
    }
    free(verdict);
    free(displaced);
    place_instances(&k->phase, ASTRAY);
    return result;
}

int kernel_find_repeated(Kernel *k, const Rows *rows, double t, const double *x, bool *repeated)
{
    const Statistics before = k->statistics;
    const bool borrowed = !k->projection;
    const size_t bytes = (size_t)k->slots * sizeof(double);
    double *const values = malloc(bytes);
    if (!values || (borrowed && kernel_set_projection(k, rows, true))) {
        free(values);
        return KERNEL_NO_MEMORY;
    }
    memcpy(values, k->v, bytes); /* a decision looks at poses elsewhere, too */
    const int result = decide_rank(k, t, x);
    memcpy(k->v, values, bytes);
    free(values);
    for (int i = 0; i < k->loop_count; repeated += k->loops[i++].count) {
        if (result == KERNEL_DONE)
            linear_redundant(k->loops[i].linear, repeated);
        if (borrowed)
            linear_decide(k->loops[i].linear, NULL);
    }
    if (borrowed)
        kernel_set_projection(k, rows, false);
    k->statistics = before;
    return result;
}

double kernel_worst_scaled(const Kernel *k, int *light, int *heavy, double *ratio)
{
    const Projection *p = k->projection;
    *light = p ? p->light : -1;
    *heavy = p ? p->heavy : -1;
    *ratio = p ? p->ratio : 1;
    return p && p->light >= 0 ? p->pivot : 1;
}
