/* The start closed at initialisation: positions by Newton's method with steps of least length, then velocities by impulses of the constraints,
 * so that masses measure what moves. Nothing is solved for but this. */
#include "whole.h"

#include "kernel/linear/linear.h"
#include "kernel/platform/turning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 200, AGO = 10 };
static const double exact = 1e-13, enough = 1e-9; /* violations that are not made smaller, and that must be reached */
static const double longest = 0.5;                /* step of positions, in rad and sizes of the mechanism */
static const double shortest = 1e-5;              /* share of a step */

typedef struct {
    Whole *w;
    bool positions;
    unsigned rows, columns; /* constraints, and what moves them */
    unsigned *row;          /* among the mechanism's constraints */
    int *pattern;
    double *off, *right, *step, *before; /* by row, row, column and state */
    double *square;                      /* by row and row */
    double *gradient;                    /* of positions: by column and row */
    double *motion;                      /* of velocities: by column and state */
} Closing;

static Reference level_of(const Closing *c, unsigned constraint)
{
    const Constraint *of = &mechanism.constraint[constraint];
    return c->positions ? of->position : of->velocity;
}

static bool begin(Closing *c, Whole *w, bool positions)
{
    const size_t most = mechanism.constraints, states = w->model.states;
    *c = (Closing){.w = w, .positions = positions, .row = calloc(most + 1, sizeof *c->row)};
    for (unsigned i = 0; i < most && c->row; i++)
        if (level_of(c, i))
            c->row[c->rows++] = i;
    c->columns = positions ? mechanism.moves : c->rows;
    const size_t rows = c->rows, columns = c->columns;
    c->pattern = calloc(rows * rows + 2 * rows + 1, sizeof *c->pattern);
    c->off = calloc(2 * rows + columns + states + rows * rows + columns * (positions ? rows : states) + 1, sizeof *c->off);
    if (!c->row || !c->pattern || !c->off)
        return false;
    c->right = c->off + rows;
    c->step = c->right + rows;
    c->before = c->step + columns;
    c->square = c->before + states;
    c->gradient = c->motion = c->square + rows * rows;
    return true;
}

static void end(Closing *c)
{
    free(c->row);
    free(c->pattern);
    free(c->off);
}

/* The length of all that is open, each constraint in its scale, and the greatest by its size. */
static double read_open(Closing *c, double *worst)
{
    double sum = *worst = 0;
    pass_values(c->w);
    for (unsigned i = 0; i < c->rows; i++) {
        const double value = c->w->v[level_of(c, c->row[i])];
        c->off[i] = value / mechanism.constraint[c->row[i]].scale;
        sum += c->off[i] * c->off[i];
        const double relative = fabs(value) / mechanism.constraint[c->row[i]].size;
        *worst = relative <= *worst ? *worst : relative;
    }
    return sqrt(sum);
}

/* -- how all moves ----------------------------------------------------------------------------------------------------------------------- */

static void stand_still(Whole *w)
{
    for (unsigned i = 0; i < mechanism.components; i++)
        member_rest(&w->members[i]);
    memset(w->moved_inputs, 0, (w->model.inputs + 1) * sizeof(double));
    memset(w->moved_multipliers, 0, w->model.variables * sizeof(double));
}

static void move_state(Whole *w, unsigned state, double by)
{
    const Reference place = w->model.state[state];
    Member *p = member_at(w, place);
    member_move(p, place - p->first, by);
}

static void follow(Closing *c, double *moved)
{
    Whole *w = c->w;
    system_follow_given(w->system, w->moved_inputs, w->moved_multipliers);
    for (unsigned i = 0; i < c->rows; i++) {
        const Reference place = level_of(c, c->row[i]);
        Member *p = member_at(w, place);
        moved[i] = member_follow(p, place - p->first) / mechanism.constraint[c->row[i]].scale;
    }
}

static void attitude(const Whole *w, unsigned state, double *q)
{
    for (unsigned i = 0; i < 4; i++)
        q[i] = w->v[w->model.state[state + i]];
}

/* Differentiates positions: the square is that of the gradient with itself. */
static void differentiate_positions(Closing *c)
{
    Whole *w = c->w;
    memset(c->square, 0, (size_t)c->rows * c->rows * sizeof *c->square);
    for (unsigned k = 0; k < c->columns; k++) {
        const Move *move = &mechanism.move[k];
        double *const g = c->gradient + (size_t)k * c->rows;
        stand_still(w);
        if (move->axis < 0) {
            move_state(w, move->state, move->scale);
        } else {
            double q[4], along[3] = {0}, slope[4] = {0};
            attitude(w, move->state, q);
            along[move->axis] = 1;
            add_product(0, 0.5, along, q, slope);
            for (unsigned i = 0; i < 4; i++)
                move_state(w, move->state + i, slope[i]);
        }
        follow(c, g);
        for (unsigned i = 0; i < c->rows; i++)
            for (unsigned j = 0; j < c->rows && g[i] != 0; j++)
                c->square[(size_t)i * c->rows + j] += g[i] * g[j];
    }
}

/* Differentiates velocities by impulses: the effect of the constraints' forces on the states that may move. */
static void differentiate_velocities(Closing *c)
{
    Whole *w = c->w;
    const unsigned states = w->model.states;
    for (unsigned k = 0; k < c->columns; k++) {
        double *motion = c->motion + (size_t)k * states;
        stand_still(w);
        w->moved_multipliers[mechanism.constraint[c->row[k]].multiplier] = 1;
        follow(c, c->right);
        for (unsigned i = 0, state = 0; i < mechanism.components; i++)
            for (unsigned s = 0; s < w->members[i].model->states; s++)
                motion[state++] = member_follow(&w->members[i], w->members[i].model->derivative[s]);
        for (unsigned i = 0; i < mechanism.helds; i++)
            motion[mechanism.held[i]] = 0;
        stand_still(w);
        for (unsigned state = 0; state < states; state++)
            move_state(w, state, motion[state]);
        follow(c, c->right);
        for (unsigned i = 0; i < c->rows; i++)
            c->square[(size_t)i * c->rows + k] = c->right[i];
    }
}

/* -- steps ------------------------------------------------------------------------------------------------------------------------------- */

/* Solves the square system, with the solution of least length if many exist. */
static bool solve(Closing *c, double *b)
{
    const int n = (int)c->rows;
    int *const start = c->pattern, *const order = start + n + 1, *const column = order + n;
    int entries = 0;
    for (int i = 0; i < n; i++) {
        start[i] = entries;
        order[i] = i;
        for (int j = 0; j < n; j++) {
            const double value = c->square[(size_t)i * (size_t)n + (size_t)j];
            if (value == 0 && i != j)
                continue;
            c->square[entries] = value; /* all before has been read */
            column[entries++] = j;
        }
    }
    start[n] = entries;
    Linear *a = linear_new(n, start, column, order);
    const bool done = a && linear_factorise(a, c->square) >= 0;
    if (done)
        linear_solve(a, b);
    linear_free(a);
    return done;
}

static bool find_step(Closing *c)
{
    if (c->positions)
        differentiate_positions(c);
    else
        differentiate_velocities(c);
    for (unsigned i = 0; i < c->rows; i++)
        c->right[i] = -c->off[i];
    if (!solve(c, c->right))
        return false;
    for (unsigned k = 0; k < c->columns; k++) {
        c->step[k] = c->positions ? 0 : c->right[k];
        for (unsigned i = 0; i < c->rows && c->positions; i++)
            c->step[k] += c->gradient[(size_t)k * c->rows + i] * c->right[i];
    }
    return true;
}

static double longest_share(const Closing *c)
{
    double most = 0;
    for (unsigned k = 0; k < c->columns && c->positions; k++)
        most = fmax(most, fabs(c->step[k]));
    return most > longest ? longest / most : 1;
}

static void pass_states(Whole *w, double *x, bool back)
{
    for (unsigned s = 0; s < w->model.states; s++) {
        double *const place = &w->v[w->model.state[s]];
        *(back ? place : &x[s]) = *(back ? &x[s] : place);
    }
}

/* A share of the step, from where the states were. */
static void go(Closing *c, double share)
{
    Whole *w = c->w;
    const Reference *state = w->model.state;
    pass_states(w, c->before, true);
    for (unsigned k = 0; k < c->columns; k++) {
        const double by = share * c->step[k];
        for (unsigned s = 0; s < w->model.states && !c->positions; s++)
            w->v[state[s]] += by * c->motion[(size_t)k * w->model.states + s];
        if (!c->positions || mechanism.move[k].axis > 0)
            continue;
        const Move *move = &mechanism.move[k];
        if (move->axis < 0) {
            w->v[state[move->state]] += by * move->scale;
            continue;
        }
        const double d[] = {by, share * c->step[k + 1], share * c->step[k + 2]};
        double q[4];
        attitude(w, move->state, q);
        turn_by(d, q);
        for (unsigned i = 0; i < 4; i++)
            w->v[state[move->state + i]] = q[i];
    }
}

/* Closes the constraints of a level step by step, and returns whether they hold in the end. */
static bool close_level(Closing *c)
{
    double sizes[AGO], worst, size = read_open(c, &worst);
    for (int i = 0; i < AGO; i++)
        sizes[i] = INFINITY;
    for (int step = 0; worst > exact && size < 0.9 * sizes[step % AGO] && step < MOST_STEPS; step++) {
        sizes[step % AGO] = size;
        if (!find_step(c))
            break;
        pass_states(c->w, c->before, false);
        double share = longest_share(c), now, there;
        for (go(c, share); !((now = read_open(c, &there)) <= (1 - share / 4) * size) && share > shortest; go(c, share))
            share /= 2;
        if (!(now <= (1 - share / 4) * size)) {
            go(c, 0);
            read_open(c, &worst);
            break;
        }
        size = now;
        worst = there;
    }
    return isfinite(size) && worst <= enough;
}

const char *describe_open(Whole *w, int first, int last, double allowed, bool says, const char *head, const char *tail)
{
    double least = 0; /* what the first of them is allowed */
    const Variable *const variable = w->model.variable;
    size_t length = 0;
    unsigned shown = 0, open = 0;
    for (unsigned i = 0; i < mechanism.constraints; i++) {
        const Reference levels[] = {mechanism.constraint[i].position, mechanism.constraint[i].velocity};
        for (int level = first; level <= last; level++) {
            const Reference r = levels[level];
            const double most = allowed * mechanism.constraint[i].size;
            if (!r || fabs(w->v[r]) <= most)
                continue;
            least = open++ ? least : most;
            if (length < sizeof w->sentence / 2) {
                const char *unit = variable_unit(&w->model, &variable[r]);
                length += (size_t)snprintf(w->sentence + length, sizeof w->sentence - length, "%s%s = %.4g%s%s", shown ? ", " : head,
                                           variable_name(&w->model, &variable[r]), w->v[r], *unit ? " " : "", unit);
                shown++;
            }
        }
    }
    if (open > shown)
        length += (size_t)snprintf(w->sentence + length, sizeof w->sentence - length, " and %u more", open - shown);
    if (says)
        length += (size_t)snprintf(w->sentence + length, sizeof w->sentence - length, " (at most %.4g is allowed)", least);
    snprintf(w->sentence + length, sizeof w->sentence - length, "%s", tail);
    return open ? w->sentence : NULL;
}

const char *close_start(Whole *w)
{
    static const char *const head[] = {"the start cannot be assembled at velocity level: ", "the start cannot be assembled: "};
    static const char *const tail[] = {
        " cannot be closed; hold fewer velocities, or start with such as do not contradict each other",
        " cannot be closed from these start values; give lengths that fit together, values nearer to a pose, or hold less",
    };
    const char *open = NULL;
    pass_states(w, w->projected_states, false);
    for (int positions = 1; positions >= 0 && !open; positions--) {
        Closing c;
        if (!begin(&c, w, positions))
            open = "the start cannot be assembled: memory is lacking";
        else if (!close_level(&c) && !(open = describe_open(w, !positions, !positions, enough, false, head[positions], tail[positions])))
            open = "the start cannot be assembled: a value is not a finite number";
        end(&c);
    }
    if (open)
        pass_states(w, w->projected_states, true);
    pass_values(w);
    return open;
}
