/* Predicts multipliers and inputs at the end of a step: polynomials through as many of the last points as would have been best for the
 * last step. */
#include "cosimulation/implicit.h"

#include <math.h>
#include <string.h>

size_t past_room(int width)
{
    return (size_t)3 * MOST_POINTS * (size_t)width;
}

void past_begin(Past *p, int size, int width, double *room)
{
    *p = (Past){.size = size, .width = width, .count = MOST_POINTS};
    for (int i = 0; i < MOST_POINTS; i++) {
        p->point[i] = room + (size_t)(3 * i) * (size_t)width;
        p->predicted[i] = p->point[i] + width;
        p->work[i] = p->predicted[i] + width;
    }
}

void past_forget(Past *p)
{
    p->known = p->predictions = 0;
}

double *past_add(Past *p, double time, bool led)
{
    double *const oldest = p->point[MOST_POINTS - 1];
    for (int i = MOST_POINTS - 1; i > 0; i--) {
        p->point[i] = p->point[i - 1];
        p->time[i] = p->time[i - 1];
        p->led[i] = p->led[i - 1];
    }
    p->point[0] = oldest;
    p->time[0] = time;
    p->led[0] = led;
    p->known += p->known < MOST_POINTS;
    return oldest;
}

static double distance(const double *a, const double *b, int size)
{
    double greatest = 0;
    for (int i = 0; i < size; i++)
        greatest = fmax(greatest, fabs(a[i] - b[i]));
    return greatest;
}

void past_compare(Past *p)
{
    if (!p->predictions || p->predicted_time != p->time[0])
        return;
    double least = INFINITY;
    for (int i = 0; i < p->predictions; i++) {
        const double off = distance(p->predicted[i], p->point[0], p->size);
        if (off < least) {
            least = off;
            p->count = i + 1;
        }
    }
}

/* Neville's scheme: what polynomials through the first point, the first two, and so on, have at a time. The last of them stays in the
 * first of the values, which are those of the points before. */
static void extrapolate(double t, const double *time, double *const *value, int known, int size, double *const *found)
{
    for (int width = 0; width < known; width++) {
        for (int i = 0; width && i < known - width; i++) {
            const double a = time[i], b = time[i + width];
            for (int j = 0; j < size; j++)
                value[i][j] = ((t - b) * value[i][j] - (t - a) * value[i + 1][j]) / (a - b);
        }
        if (found)
            memcpy(found[width], value[0], (size_t)size * sizeof **value);
    }
}

const double *past_predict(Past *p, double t)
{
    for (int i = 0; i < p->known; i++)
        memcpy(p->work[i], p->point[i], (size_t)p->size * sizeof **p->work);
    extrapolate(t, p->time, p->work, p->known, p->size, p->predicted);
    p->predictions = p->known;
    p->predicted_time = t;
    return p->predicted[(p->count < p->known ? p->count : p->known) - 1];
}

void past_predict_led(Past *p, double t, double *values)
{
    const size_t count = (size_t)(p->width - p->size);
    double time[MOST_POINTS] = {0};
    int known = 0;
    for (int i = 0; i < p->known && i < p->count; i++) {
        if (!p->led[i])
            continue;
        memcpy(p->work[known], p->point[i] + p->size, count * sizeof *values);
        time[known++] = p->time[i];
    }
    extrapolate(t, time, p->work, known, (int)count, NULL);
    if (known)
        memcpy(values, p->work[0], count * sizeof *values);
}

size_t past_size(const Past *p)
{
    return 1 + (size_t)MOST_POINTS * ((size_t)p->width + 2);
}

void past_copy(Past *p, double *copy, bool back)
{
    if (back)
        p->known = (int)*copy;
    *copy++ = p->known;
    for (int i = 0; i < p->known; i++, copy += 2 + p->width) {
        if (back) {
            p->time[i] = copy[0];
            p->led[i] = copy[1] != 0;
        }
        copy[0] = p->time[i];
        copy[1] = p->led[i];
        memcpy(back ? p->point[i] : copy + 2, back ? copy + 2 : p->point[i], (size_t)p->width * sizeof *copy);
    }
}
