/* Finds the constraints that hold: unilateral ones and friction on small dense matrices, where a = S lambda + b are accelerations, or
 * velocities where lambda are impulses.
 *
 *   unilateral  0 <= lambda, 0 <= a, lambda a = 0
 *   friction    -limit[0] <= lambda <= limit[1] where a = 0; else lambda = -limit[0] where a > 0, limit[1] where a < 0
 *
 * The limit of friction in a contact is mu times the multiplier of a unilateral; others may follow any of the multipliers. */
#ifndef KERNEL_MODES_H
#define KERNEL_MODES_H

#include <stdbool.h>

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility push(hidden)
#endif

typedef enum { UNILATERAL, FRICTION } SwitchKind;

/* mode: of a unilateral 0 open, 1 closed; of friction 0 sticks, else the sign of its slip. The solution is searched for from the modes as they
 * are; what is `due` changes first, and back only where its new mode is surely wrong: at the instant of an event both pass any tolerance. */
typedef struct {
    int kind;
    int normal, second; /* unilaterals that press on a friction, or -1 */
    double mu[2], limit[2], sliding[2]; /* against a positive slip and a negative one; sliding: in slipping, at most the limit at rest */
    const double *follows[2], *rests[2]; /* growth of the limits in slipping and at rest with each multiplier, by item; null: none */
    double restitution; /* restitution of a unilateral */
    int mode, due;
} Switched;

typedef enum {
    MODES_FOUND,
    MODES_NO_MEMORY, /* also where a value is not finite */
    MODES_UNSETTLED, /* rounds without end */
    MODES_NONE       /* no forces satisfy the contacts: Lemke's method ends on a ray */
} ModesStatus;

/* slack: an acceleration that is no violation. Block pivoting (Judice and Pires, A Block Principal Pivoting Algorithm for Large-Scale Strictly Monotone Linear Complementarity Problems,
 * 1994) where all limits are given, else Lemke's method; where limits follow multipliers, by cases. Modes, multipliers and accelerations come out; S by rows. */
int modes_find(int count, const double *S, const double *b, Switched *, double slack, double *lambda, double *a, int *rounds);

/* Says whether friction that is not to stick slips no further, since what is closed or sticks in these modes holds it. */
bool modes_held(int count, const double *S, const Switched *, int which);

/* The multipliers of some modes, of least length where they are not determined, and the accelerations. */
int modes_solve(int count, const double *S, const double *b, const Switched *, double *lambda, double *a);

/* Lemke's method (Bimatrix Equilibrium Points and Mathematical Programming, 1965), in which a unilateral carries at least `least` (null: 0). */
int modes_lemke(int count, const double *S, const double *b, const Switched *, const double *least, double *lambda, int *pivots);

/* Impulses. Velocities of the constraints come in and out. Without friction Newton's law of impact, else Poisson's, which never creates energy.
 * sequential: the greatest approach first, equal ones together, else all at once; a contact that would separate slower than `rest` stays closed. */
typedef struct {
    int count;
    const double *S;
    const Switched *item;
    bool sequential, newton; /* newton: with friction too */
    double rest;
    double *velocity, *impulse;
    int rounds;
} Impact;

int modes_impact(Impact *);

#if defined(__ELF__) && !defined(KERNEL_EXPORTED)
#pragma GCC visibility pop
#endif

#endif
