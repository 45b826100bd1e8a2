/* Newton's moves of multipliers over a step, from the Jacobians of their loops, which give the response of accelerations to them. */
#include "cosimulation/implicit.h"

#include <stdlib.h>
#include <string.h>

bool spreads(const ConstraintLevel *level)
{
    return level->spread[0] != 0 || level->spread[1] != 0;
}

/* Gathers the constraints of a loop that are known to answer; false where memory lacks. */
static bool gather(Moves *m, const Loop *l, int number)
{
    int known = 0, holonomic = 0;
    for (int c = 0; c < m->count; c++)
        if (m->constraint[c].loop == number && m->constraint[c].known) {
            known++;
            holonomic += m->constraint[c].holonomic;
        }
    if (!known)
        return true;
    LoopMoves *moves = &m->loop[m->loops++];
    *moves = (LoopMoves){.loop = number, .constraint = malloc((size_t)known * sizeof *moves->constraint)};
    if (!moves->constraint)
        return false;
    for (int c = 0; c < m->count; c++)
        if (m->constraint[c].loop == number && m->constraint[c].known)
            moves->constraint[moves->count++] = c;
    if (!spreads(m->level) || !holonomic || holonomic == known)
        return true;
    moves->holonomic = linear_new(l->count, l->row_start, l->column, l->order);
    moves->entries = malloc((size_t)(l->row_start[l->count] + 1) * sizeof *moves->entries);
    return moves->holonomic && moves->entries;
}

bool moves_begin(Moves *m, const Kernel *k, const ImplicitConstraint *constraint, int count, const ConstraintLevel *level)
{
    int most = 0;
    for (int n = 0; n < k->loop_count; n++)
        most = k->loops[n].count > most ? k->loops[n].count : most;
    *m = (Moves){.count = count, .constraint = constraint, .level = level};
    m->loop = calloc((size_t)k->loop_count + 1, sizeof *m->loop);
    m->right = malloc(((size_t)most + 1) * sizeof *m->right);
    for (int n = 0; n < k->loop_count && m->loop && m->right; n++)
        if (!gather(m, &k->loops[n], n))
            return false;
    return m->loop && m->right;
}

void moves_end(Moves *m)
{
    for (int i = 0; i < m->loops; i++) {
        free(m->loop[i].constraint);
        free(m->loop[i].entries);
        linear_free(m->loop[i].holonomic);
    }
    free(m->loop);
    free(m->right);
}

/* Multipliers of velocity constraints have one value for a step. They are held where multipliers spread. */
static int hold_others(const Moves *m, const LoopMoves *moves, const Loop *l)
{
    memcpy(moves->entries, l->term + l->first_entry, (size_t)l->row_start[l->count] * sizeof *moves->entries);
    for (int i = 0; i < moves->count; i++) {
        const ImplicitConstraint *c = &m->constraint[moves->constraint[i]];
        for (int e = l->row_start[c->place]; e < l->row_start[c->place + 1] && !c->holonomic; e++)
            moves->entries[e] = l->column[e] == c->place;
    }
    return linear_factorise(moves->holonomic, moves->entries) < 0 ? KERNEL_NO_MEMORY : KERNEL_DONE;
}

int moves_linearise(Moves *m, Kernel *k)
{
    int result = KERNEL_DONE;
    for (int i = 0; i < m->loops && result == KERNEL_DONE; i++) {
        result = kernel_loop_linearise(k, m->loop[i].loop);
        if (result == KERNEL_DONE && m->loop[i].holonomic)
            result = hold_others(m, &m->loop[i], &k->loops[m->loop[i].loop]);
    }
    return result;
}

/* The right sides of a loop's equations: what accelerations answer to; all else in the loop follows. */
static void put_right_side(const Moves *m, const LoopMoves *moves, int unknowns, bool spread, const double *violation, double h)
{
    memset(m->right, 0, (size_t)unknowns * sizeof *m->right);
    for (int i = 0; i < moves->count; i++) {
        const int c = moves->constraint[i];
        const ImplicitConstraint *constraint = &m->constraint[c];
        if (spread && !constraint->holonomic)
            continue;
        const double *share = spread ? m->level->spread : m->level->mean[constraint->holonomic];
        m->right[constraint->place] = share[0] * violation[c] / (h * h) + share[1] * violation[m->count + c] / h;
    }
}

void moves_find(const Moves *m, Kernel *k, const double *violation, double h, double *move)
{
    for (int n = 0; n < m->loops; n++) {
        const LoopMoves *moves = &m->loop[n];
        const int unknowns = k->loops[moves->loop].count;
        put_right_side(m, moves, unknowns, false, violation, h);
        kernel_loop_solve_linear(k, moves->loop, m->right);
        for (int i = 0; i < moves->count; i++) {
            const int c = moves->constraint[i];
            move[c] = move[m->count + c] = -m->right[m->constraint[c].place];
        }
        if (!spreads(m->level))
            continue;
        put_right_side(m, moves, unknowns, true, violation, h);
        if (moves->holonomic)
            linear_solve(moves->holonomic, m->right);
        else
            kernel_loop_solve_linear(k, moves->loop, m->right);
        for (int i = 0; i < moves->count; i++) {
            const int c = moves->constraint[i];
            move[c] += m->right[m->constraint[c].place];
            move[m->count + c] -= m->right[m->constraint[c].place];
        }
    }
}
