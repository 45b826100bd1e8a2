/* The sequence in which unknowns are eliminated: minimum degree on a quotient graph, with exact degrees, absorption of elements and mass
 * elimination (George and Liu, The Evolution of the Minimum Degree Ordering Algorithm, SIAM Review 31, 1989). */
#include "linear/linear.h"

#include <stdlib.h>
#include <string.h>

typedef enum { VARIABLE, ELEMENT, GONE } Kind;

/* Each variable has elements, then variables beside it, from `start` on: together they never become more. An element has the variables
 * that its elimination has connected. */
typedef struct {
    int count;
    int *start, *elements, *variables, *beside;
    int **connected, *size;
    Kind *kind;
    int *mark, stamp, *list, *copy;
    int *degree, *head, *tail, *next, *previous; /* variables by degree, those that have had it longest first */
} Graph;

static void graph_free(Graph *g)
{
    for (int i = 0; i < g->count && g->connected; i++)
        free(g->connected[i]);
    free(g->start); /* with all integers */
    free(g->beside);
    free(g->connected);
    free(g->kind);
}

static bool graph_new(Graph *g, int count, const int *row_start)
{
    const size_t n = (size_t)count + 1;
    *g = (Graph){.count = count};
    int **const arrays[] = {&g->start, &g->elements, &g->variables, &g->size, &g->mark, &g->list, &g->copy, &g->degree, &g->head, &g->tail, &g->next, &g->previous};
    const size_t many = sizeof arrays / sizeof *arrays;
    int *block = calloc(many * n, sizeof *block);
    g->beside = malloc((2 * (size_t)row_start[count] + 1) * sizeof *g->beside);
    g->connected = calloc(n, sizeof *g->connected);
    g->kind = calloc(n, sizeof *g->kind);
    if (!block || !g->beside || !g->connected || !g->kind) {
        free(block);
        return false;
    }
    for (size_t i = 0; i < many; i++)
        *arrays[i] = block + i * n;
    return true;
}

/* Finds the neighbours in the pattern together with its mirror image, each once. */
static void find_neighbours(Graph *g, const int *row_start, const int *column)
{
    for (int i = 0; i < g->count; i++)
        for (int e = row_start[i]; e < row_start[i + 1]; e++)
            if (column[e] != i) {
                g->variables[i]++;
                g->variables[column[e]]++;
            }
    for (int i = 0; i < g->count; i++)
        g->start[i + 1] = g->start[i] + g->variables[i];
    memset(g->variables, 0, (size_t)g->count * sizeof *g->variables);
    for (int i = 0; i < g->count; i++)
        for (int e = row_start[i]; e < row_start[i + 1]; e++)
            if (column[e] != i) {
                const int j = column[e];
                g->beside[g->start[i] + g->variables[i]++] = j;
                g->beside[g->start[j] + g->variables[j]++] = i;
            }
    for (int i = 0; i < g->count; i++) {
        int *const own = g->beside + g->start[i], given = g->variables[i];
        g->stamp++;
        g->variables[i] = 0;
        for (int m = 0; m < given; m++)
            if (g->mark[own[m]] != g->stamp) {
                g->mark[own[m]] = g->stamp;
                own[g->variables[i]++] = own[m];
            }
    }
}

/* The last of its degree: so chains are eliminated from both ends, and neither end waits for the other. */
static void file(Graph *g, int i)
{
    const int degree = g->degree[i], last = g->tail[degree];
    g->next[i] = -1;
    g->previous[i] = last;
    if (last >= 0)
        g->next[last] = i;
    else
        g->head[degree] = i;
    g->tail[degree] = i;
}

static void unfile(Graph *g, int i)
{
    const int degree = g->degree[i], before = g->previous[i], after = g->next[i];
    if (before >= 0)
        g->next[before] = after;
    else
        g->head[degree] = after;
    if (after >= 0)
        g->previous[after] = before;
    else
        g->tail[degree] = before;
}

/* Adds to the list what is not marked yet, and marks it. */
static int gather(Graph *g, const int *from, int count, int *list, int found)
{
    for (int m = 0; m < count; m++)
        if (g->kind[from[m]] == VARIABLE && g->mark[from[m]] != g->stamp) {
            g->mark[from[m]] = g->stamp;
            list[found++] = from[m];
        }
    return found;
}

/* Variable p becomes an element, which absorbs those beside it; what it connects is marked. False where memory lacks. */
static bool eliminate(Graph *g, int p)
{
    const int *const own = g->beside + g->start[p];
    g->kind[p] = ELEMENT;
    g->stamp++;
    int found = gather(g, own + g->elements[p], g->variables[p], g->list, 0);
    for (int m = 0; m < g->elements[p]; m++) {
        const int e = own[m];
        if (g->kind[e] != ELEMENT)
            continue;
        found = gather(g, g->connected[e], g->size[e], g->list, found);
        g->kind[e] = GONE;
        free(g->connected[e]);
        g->connected[e] = NULL;
    }
    g->connected[p] = malloc(((size_t)found + 1) * sizeof **g->connected);
    if (!g->connected[p])
        return false;
    memcpy(g->connected[p], g->list, (size_t)found * sizeof *g->list);
    g->size[p] = found;
    return true;
}

/* Updates the remaining neighbours of a variable that element p connects. */
static void update(Graph *g, int i, int p)
{
    int *const own = g->beside + g->start[i];
    const int elements = g->elements[i], all = elements + g->variables[i];
    int *const copy = g->copy, kept = 0;
    memcpy(copy, own, (size_t)all * sizeof *copy);
    for (int m = 0; m < elements; m++)
        if (g->kind[copy[m]] == ELEMENT)
            own[kept++] = copy[m];
    own[kept++] = p;
    g->elements[i] = kept;
    for (int m = elements; m < all; m++)
        if (g->kind[copy[m]] == VARIABLE && g->mark[copy[m]] != g->stamp)
            own[kept++] = copy[m];
    g->variables[i] = kept - g->elements[i];
}

static int degree_of(Graph *g, int i)
{
    const int *const own = g->beside + g->start[i];
    g->stamp++;
    g->mark[i] = g->stamp;
    int found = gather(g, own + g->elements[i], g->variables[i], g->list, 0);
    for (int m = 0; m < g->elements[i]; m++)
        found = gather(g, g->connected[own[m]], g->size[own[m]], g->list, found);
    return found;
}

int linear_order(int count, const int *row_start, const int *column, int *order)
{
    Graph graph, *const g = &graph;
    if (!graph_new(g, count, row_start)) {
        graph_free(g);
        return -1;
    }
    find_neighbours(g, row_start, column);
    for (int d = 0; d < count; d++)
        g->head[d] = g->tail[d] = -1;
    for (int i = 0; i < count; i++) {
        g->degree[i] = g->variables[i];
        file(g, i);
    }
    int ordered = 0, least = 0;
    while (ordered < count) {
        while (g->head[least] < 0)
            least++;
        const int p = g->head[least];
        unfile(g, p);
        if (!eliminate(g, p)) {
            graph_free(g);
            return -1;
        }
        order[ordered++] = p;
        int *const connected = g->connected[p], size = g->size[p];
        for (int m = 0; m < size; m++)
            update(g, connected[m], p);
        int kept = 0;
        for (int m = 0; m < size; m++) { /* what has nothing else beside it comes next: it fills nothing in */
            const int i = connected[m];
            unfile(g, i);
            if (g->elements[i] == 1 && g->variables[i] == 0)
                order[ordered++] = i; /* no list names it any more */
            else
                connected[kept++] = i;
        }
        g->size[p] = kept;
        for (int m = 0; m < kept; m++) {
            const int i = connected[m];
            g->degree[i] = degree_of(g, i);
            file(g, i);
            least = g->degree[i] < least ? g->degree[i] : least;
        }
    }
    graph_free(g);
    return 0;
}
