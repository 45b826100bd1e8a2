/* Finds the active rows: rows with pivots, and candidates that are independent, one after the other. */
#include "rank/rank_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ELIMINATIONS = 4 };

static Owned *owned_new(int rows)
{
    Owned *owned = calloc(1, sizeof *owned);
    if (!owned)
        return NULL;
    Rank *r = &owned->rank;
    const size_t n = (size_t)rows;
    r->rows = rows;
    r->status = arena_take(&owned->memory, n, sizeof *r->status);
    r->pivot = arena_take(&owned->memory, n, sizeof *r->pivot);
    r->eta = arena_take(&owned->memory, n, sizeof *r->eta);
    r->light = arena_take(&owned->memory, n, sizeof *r->light);
    r->heavy = arena_take(&owned->memory, n, sizeof *r->heavy);
    r->light_mobility = arena_take(&owned->memory, n, sizeof *r->light_mobility);
    r->heavy_mobility = arena_take(&owned->memory, n, sizeof *r->heavy_mobility);
    r->relation = arena_take(&owned->memory, n, sizeof *r->relation);
    return owned;
}

void rank_free(Rank *rank)
{
    if (rank)
        arena_give_back(&((Owned *)rank)->memory);
    free(rank);
}

/* The row that has been judged last is independent. Without any pivot left it cannot join: that is beyond what double precision carries. */
static bool settle_independent(Decision *d, Rank *rank, int row)
{
    rank->status[row] = d->own < RANK_CANDIDATE ? RANK_BADLY_SCALED : RANK_ACTIVE;
    rank->pivot[row] = fmax(d->own, 0);
    if (d->own > RANK_NOTHING && !rank_join(d, row))
        return false;
    if (rank->status[row] == RANK_BADLY_SCALED) {
        rank->badly_scaled++;
        rank->heavy[row] = rank_greatest_group(d, &rank->heavy_mobility[row]);
        memset(d->c, 0, (size_t)d->rows * sizeof *d->c);
        rank_subtract(d, row);
        rank->light[row] = rank_greatest_group(d, &rank->light_mobility[row]);
    }
    return true;
}

/* Judges the candidates: that of the greatest eta joins the active rows, if it is independent, then again. An eta of before something
 * joined serves until it is the greatest. False where memory lacks. */
static bool judge_candidates(Decision *d, Owned *owned)
{
    Rank *rank = &owned->rank;
    const size_t rows = (size_t)d->rows;
    bool *open = arena_take(&d->memory, rows, sizeof *open);
    int *judged = arena_take(&d->memory, rows, sizeof *judged); /* how many had joined then */
    if (!open || !judged)
        return false;
    for (int i = 0; i < d->rows; i++) {
        rank->eta[i] = INFINITY;
        rank->light[i] = rank->heavy[i] = judged[i] = -1;
        open[i] = true;
    }
    for (int k = 0; k < d->base; k++) {
        open[d->pivot_row[k]] = false;
        rank->pivot[d->pivot_row[k]] = d->pivot[k];
        rank->eta[d->pivot_row[k]] = 1;
    }
    for (int last = -1;;) {
        int best = -1;
        for (int i = 0; i < d->rows; i++)
            if (open[i] && (best < 0 || rank->eta[i] > rank->eta[best]))
                best = i;
        if (best < 0 || (judged[best] == d->joined && rank->eta[best] <= RANK_REPEATS))
            break;
        const bool judged_before = judged[best] == d->joined;
        if (!judged_before || last != best) {
            rank_judge(d, best);
            rank->eta[best] = d->eta;
            judged[best] = d->joined;
            last = best;
        }
        if (judged_before) {
            open[best] = false;
            if (!settle_independent(d, rank, best))
                return false;
        }
    }
    return rank_relate(d, owned, open);
}

RankOutcome rank_decide(const Constraints *given, Rank **result)
{
    RankOutcome outcome;
    *result = NULL;
    Decision *d = rank_prepare(given, &outcome);
    Owned *owned = d ? owned_new(given->rows) : NULL;
    if (!owned) {
        rank_release(d);
        return outcome;
    }
    bool complete = !owned->memory.lacking && rank_eliminate(d);
    for (int again = 1; complete && again < MOST_ELIMINATIONS && rank_uncover(d) > 0; again++)
        complete = rank_eliminate(d);
    complete = complete && judge_candidates(d, owned);
    rank_release(d);
    if (!complete) {
        rank_free(&owned->rank);
        return RANK_NO_MEMORY;
    }
    *result = &owned->rank;
    return RANK_DECIDED;
}
