/* Slots of a workspace, by which arrays say where values are. */
#ifndef KERNEL_SLOTS_H
#define KERNEL_SLOTS_H

/* -1 is a zero, and what is below the opposite of what a slot has. */
#define NEGATIVE(slot) (-2 - (slot))

static inline double slot_value(const double *w, int slot)
{
    return slot >= 0 ? w[slot] : slot == -1 ? 0 : -w[NEGATIVE(slot)];
}

#endif
