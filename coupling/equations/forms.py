"""Forms of the equations of motion: with multipliers, reduced to independent accelerations, and constraint by constraint."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import sympy

from coupling.equations.motion import Motion, motion_of
from coupling.equations.notation import latex_names
from coupling.equations.numbers import Evaluation, evaluation
from coupling.equations.short import product, short, short_matrix
from coupling.errors import AnalysisError
from coupling.plan.build import Built

_NOTHING = 1e-9
"""Share of the greatest coefficient up to which a coefficient counts as zero."""
_IDEAL = 1e-9
"""Relative difference up to which forces of joints count as those of ideal ones."""

_LONG = 80
"""Number of operations from which an entry of a matrix gets a name while constraints are eliminated."""

Lines = Iterator[tuple[str, sympy.Expr, sympy.Expr]]


@dataclass(frozen=True, kw_only=True, eq=False)
class EquationsOfMotion(ABC):
    """Equations of motion of a system, with expressions of SymPy named as the variables of the FMUs.

    ``print`` shows them as text; a notebook shows formulas.
    """

    motion: Motion = field(repr=False)
    matrices: Mapping[str, sympy.Matrix] = field(repr=False)
    definitions: Mapping[sympy.Symbol, sympy.Expr] = field(repr=False)
    """Entries of rotation matrices, and long entries of matrices: the expressions contain them by name."""

    @property
    def velocities(self) -> tuple[sympy.Symbol, ...]:
        return self.motion.velocities

    @property
    def accelerations(self) -> tuple[sympy.Symbol, ...]:
        return self.motion.accelerations

    @property
    def multipliers(self) -> tuple[sympy.Symbol, ...]:
        return self.motion.multipliers

    @property
    def inputs(self) -> tuple[sympy.Symbol, ...]:
        """Inputs that are driven."""
        return self.motion.inputs

    @property
    def values(self) -> dict[str, float]:
        """Values of parameters and start values of states, by name."""
        return {symbol.name: value for symbol, value in self.motion.values.items()}

    def __getattr__(self, name: str) -> sympy.Matrix:
        matrices = self.__dict__.get("matrices", {})
        if name not in matrices:
            raise AttributeError(f"these equations have no '{name}'; they have {', '.join(matrices)}")
        return matrices[name]

    def function(self) -> Evaluation:
        """Returns a function of NumPy: ``f({"rod.theta": 0.3})`` gives all matrices by name.

        States and parameters that it is not given have the values of the system. Driven inputs have to be given.
        """
        return evaluation(self.motion, self.matrices, self.definitions)

    @abstractmethod
    def lines(self) -> Lines:
        """Yields each equation: its heading, left and right side."""

    def __str__(self) -> str:
        found, heading = [f"Equations of motion of '{self.motion.name}'"], ""
        for title, left, right in self.lines():
            if title != heading:
                found.append(f"{title}:")
                heading = title
            found.append(f"    {left} = {right}")
        if self.definitions:
            found += ["where:", *(f"    {name} = {value}" for name, value in self.definitions.items())]
        return "\n".join(found)

    def _repr_latex_(self) -> str:
        lines = [(left, right) for _, left, right in self.lines()] + list(self.definitions.items())
        symbols = {symbol for left, right in lines for symbol in left.free_symbols | right.free_symbols}
        names = latex_names(symbols)
        rows = [f"{sympy.latex(left, symbol_names=names)} &= {sympy.latex(right, symbol_names=names)}" for left, right in lines]
        return "$$\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}$$"


@dataclass(frozen=True, kw_only=True, eq=False)
class LagrangeEquations(EquationsOfMotion):
    """Equations M a = h + G' lambda with the constraints G a = gamma, without stabilisation."""

    def lines(self) -> Lines:
        reactions = product(self.G.T, sympy.Matrix(len(self.multipliers), 1, self.multipliers))
        yield from _rows("M a = h + G' lambda", self.M, self.accelerations, self.h + reactions)
        yield from _rows("G a = gamma", self.G, self.accelerations, self.gamma)


@dataclass(frozen=True, kw_only=True, eq=False)
class ReducedEquations(EquationsOfMotion):
    """Equations M a = h of independent accelerations; all accelerations are D a + b."""

    independent: tuple[sympy.Symbol, ...]
    redundant: tuple[sympy.Symbol, ...] = ()
    """Multipliers of constraints that repeat others at the start."""

    def lines(self) -> Lines:
        yield from _rows("M a = h", self.M, self.independent, self.h)
        own = sympy.Matrix(self.independent)
        for i, acceleration in enumerate(self.accelerations):
            if acceleration not in self.independent:
                yield "all accelerations", acceleration, product(self.D[i, :], own)[0] + self.b[i]


@dataclass(frozen=True, kw_only=True, eq=False)
class SymbolicStage:
    """One constraint after those before it, as in the paper on the successive algorithm."""

    multiplier: sympy.Symbol
    redundant: bool
    beta: sympy.Matrix
    H: sympy.Matrix
    D: sympy.Matrix
    C: sympy.Matrix
    f: sympy.Matrix
    b: sympy.Matrix = field(repr=False)
    """Accelerations that the constraints prescribe: all accelerations are D a + b."""
    independent: tuple[sympy.Symbol, ...]
    """Accelerations of the free directions."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SuccessiveEquations(EquationsOfMotion):
    """Equations A a = h + r of the free system, and what each constraint adds; the matrices of stage k are C[k], f[k] and so on."""

    stages: tuple[SymbolicStage, ...] = field(repr=False)

    def lines(self) -> Lines:
        reactions = [sympy.Symbol(f"reaction({each.name})", real=True) for each in self.accelerations]
        yield from _rows("A a = h + r", self.A, self.accelerations, self.h + sympy.Matrix(reactions))
        for k, stage in enumerate(self.stages):
            title = f"stage {k + 1}, {stage.multiplier}, "
            yield from _rows(f"{title}G a = gamma", self.G[k, :], self.accelerations, self.gamma[k, :])
            yield from _rows(f"{title}D' r = 0", stage.D.T, reactions, sympy.zeros(stage.D.cols, 1))
            yield from _rows(f"{title}C a = f", stage.C, self.accelerations, stage.f)


def _rows(title: str, matrix: sympy.Matrix, unknowns: Sequence[sympy.Symbol], right: sympy.Matrix) -> Lines:
    for i in range(matrix.rows):
        yield title, sympy.Add(*(matrix[i, j] * unknown for j, unknown in enumerate(unknowns))), right[i]


# -- making them -------------------------------------------------------------------------------------------------------------------------


def lagrange(motion: Motion) -> LagrangeEquations:
    matrices = {"M": motion.M, "h": motion.h, "G": motion.G, "gamma": motion.gamma}
    return LagrangeEquations(motion=motion, matrices=matrices, definitions=motion.definitions)


def reduced(motion: Motion) -> ReducedEquations:
    """Returns equations of as many accelerations as the system has freedoms."""
    names = _Names(motion.definitions)
    stages = _stages(motion, names)
    size = len(motion.accelerations)
    D, b, independent = (
        (stages[-1].D, stages[-1].b, stages[-1].independent) if stages else (sympy.eye(size), sympy.zeros(size, 1), motion.accelerations)
    )
    matrices = {"M": short_matrix(product(D.T, product(motion.M, D))), "h": short_matrix(product(D.T, motion.h - product(motion.M, b)))}
    matrices |= {"D": D, "b": b}
    redundant = tuple(stage.multiplier for stage in stages if stage.redundant)
    return ReducedEquations(motion=motion, matrices=matrices, definitions=names.definitions, independent=independent, redundant=redundant)


def successive(motion: Motion) -> SuccessiveEquations:
    names = _Names(motion.definitions)
    stages = _stages(motion, names)
    matrices = {"A": motion.M, "h": motion.h, "G": motion.G, "gamma": motion.gamma}
    for k, stage in enumerate(stages, start=1):
        matrices |= {f"{name}[{k}]": getattr(stage, name) for name in ("beta", "H", "D", "C", "f")}
    return SuccessiveEquations(motion=motion, matrices=matrices, definitions=names.definitions, stages=tuple(stages))


class _Names:
    """Names of long entries of matrices, by which expressions grow in proportion to the number of constraints."""

    def __init__(self, definitions: Mapping[sympy.Symbol, sympy.Expr]) -> None:
        self.definitions = dict(definitions)

    def put(self, name: str, matrix: sympy.Matrix) -> sympy.Matrix:
        """Returns the matrix in short entries, long ones by name."""
        return sympy.Matrix(matrix.rows, matrix.cols, lambda i, j: self._entry(f"{name}[{i + 1},{j + 1}]", short(matrix[i, j])))

    def _entry(self, name: str, entry: sympy.Expr) -> sympy.Expr:
        if sympy.count_ops(entry) <= _LONG:
            return entry
        symbol = sympy.Symbol(name, real=True)
        self.definitions[symbol] = entry
        return symbol


def _stages(motion: Motion, names: _Names) -> list[SymbolicStage]:
    """Takes constraints one after the other. Each makes an acceleration dependent: one whose coefficient is a number if possible, else the
    one with the greatest coefficient at the start."""
    numbers = _numbers(motion, {"G": motion.G})["G"]
    size = len(motion.accelerations)
    D, b, kept, numeric = sympy.eye(size), sympy.zeros(size, 1), list(range(size)), np.eye(size)
    C, f, found = motion.M, motion.h, []
    for k, multiplier in enumerate(motion.multipliers):
        beta, sizes = names.put(f"beta{k + 1}", product(motion.G[k, :], D)), np.abs(numbers[k] @ numeric)
        redundant = not len(sizes) or bool(sizes.max() <= _NOTHING * np.abs(numbers[k]).max())
        H = sympy.eye(len(kept))
        if not redundant:
            pivot = max(range(len(kept)), key=lambda i: (beta[i].is_Number and sizes[i] > 0, sizes[i]))
            step = (motion.gamma[k] - product(motion.G[k, :], b)[0]) / beta[pivot]
            b = names.put(f"b{k + 1}", b + product(D[:, pivot], sympy.Matrix([[step]])))
            weights = numbers[k] @ numeric
            for i in range(len(kept)):
                H[pivot, i] -= beta[i] / beta[pivot]
            H.col_del(pivot)
            numeric = np.delete(numeric - np.outer(numeric[:, pivot], weights / weights[pivot]), pivot, axis=1)
            del kept[pivot]
        D, C, f = (
            names.put(f"{name}{k + 1}", each) for name, each in (("D", product(D, H)), ("C", product(H.T, C)), ("f", product(H.T, f)))
        )
        independent = tuple(motion.accelerations[i] for i in kept)
        found.append(SymbolicStage(multiplier=multiplier, redundant=redundant, beta=beta, H=H, D=D, C=C, f=f, b=b, independent=independent))
    return found


def _numbers(motion: Motion, matrices: Mapping[str, sympy.Matrix]) -> dict[str, np.ndarray]:
    """Returns numbers at the start; driven inputs have any value."""
    return evaluation(motion, matrices, motion.definitions)({symbol.name: 0.5 for symbol in motion.inputs})


_FORMS = {"lagrange": lagrange, "reduced": reduced, "successive": successive}


def equations_of_motion(built: Built, form: str) -> EquationsOfMotion:
    """Returns the equations of a built system in one form."""
    if form not in _FORMS:
        raise AnalysisError(f"equations: form = {form!r} is refused; choose {', '.join(map(repr, _FORMS))}")
    motion = motion_of(built)
    tidied = {name: short_matrix(getattr(motion, name)) for name in ("M", "h", "G", "gamma")}
    motion = replace(motion, **tidied)
    _check_ideal(motion)
    return _FORMS[form](motion)


def _check_ideal(motion: Motion) -> None:
    """Refuses joints whose forces are not G' lambda."""
    found = _numbers(motion, {"G": motion.G, "given": motion.given})
    off = np.abs(found["given"] - found["G"].T)
    if off.size and off.max() > _IDEAL * max(1.0, np.abs(found["G"]).max()):
        row, column = np.unravel_index(off.argmax(), off.shape)
        raise AnalysisError(
            f"equations: the force of '{motion.multipliers[column]}' by '{motion.velocities[row]}' is not that of an ideal constraint, which the "
            "equations assume"
        )
