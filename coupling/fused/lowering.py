"""A built system as one expression graph: its equations from the declarations of components, its connections from the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce

from coupling.fmus.views import subscripts
from coupling.fused.equations import DISCRETE, ClassEquations, NoEquations, Role, equations_of
from coupling.fused.expressions import Graph, Op
from coupling.fused.gradients import is_piecewise_affine, tangent
from coupling.fused.guesses import guess, guessed
from coupling.fused.islands import check_loops, check_order
from coupling.fused.linear_forms import Affine, Names, Value
from coupling.fused.lowered import Lowered, LoweredLoop
from coupling.fused.not_fused import NotFused
from coupling.memory import without_collection
from coupling.plan.build import Built
from coupling.plan.graph import Address, Part, type_code
from coupling.plan.jacobian import pattern_of
from coupling.plan.schedule import ScheduledLoop


def lower(built: Built, calls: bool = False) -> Lowered:
    """Returns the graph of a system of this library's components, integrated together, and affine in what is solved for. ``calls``: FMUs of
    other tools may be among them, without a part in what is solved for."""
    with without_collection():
        return _System(built, calls).lowered()


def lower_variables(built: Built, wanted: Sequence[Address]) -> Lowered:
    """Returns the graph of some variables of such a system alone, for which nothing has to be solved."""
    with without_collection():
        return _System(built).recorded(wanted)


class _System:
    """Values of variables on demand, each once."""

    def __init__(self, built: Built, calls: bool = False) -> None:
        self.built, self.parts = built, built.parts
        self.wiring = built.schedule.graph
        self.graph = Graph()
        self.result = Lowered(built, self.graph)
        self.classes = self._classes(calls)
        self.values: list[dict[int, Value]] = [{} for _ in self.parts]
        """Values of each part's variables by place."""
        self.local: list[dict[int, Value]] = [{} for _ in self.parts]
        """Values of the nodes of each part's class."""
        self.numbers: dict[Address, int] = {}
        """Numbers of unknowns."""
        self.names = Names(self.graph, self.result.unknowns)
        self.solved = False
        """True if unknowns are leaves; otherwise they are affine forms of themselves."""
        self._torn = {address for loop in built.schedule.loops for address in loop.unknowns[len(loop.unknowns) - loop.torn :]}
        self._inputs: dict[tuple[int, int], Address | None] = {}
        views: dict[int, dict[int, tuple[int, float, float]]] = {}
        self._seen = [views.setdefault(id(part.fmu), {}) for part in self.parts]
        """Place and conversion of a variable by part and by reference; all parts with the same FMU share them."""

    def _classes(self, calls: bool) -> dict[int, ClassEquations]:
        """Returns the equations by part, of the parts whose equations are known."""
        known: dict[tuple[object, bool], ClassEquations] = {}
        found, unknown = {}, ""
        for number, part in enumerate(self.parts):
            if part.stepped:
                raise NotFused(f"'{part.name}' runs in Co-Simulation, where its equations are its own")
            key = part.fmu, part.dae is not None
            if key not in known:
                try:
                    known[key] = equations_of(*key)
                except NoEquations as error:
                    unknown = f"'{part.name}' {error}"
                    self.result.foreign += (number,)
                    continue
            found[number] = known[key]
        if unknown and not (calls and found):
            raise NotFused(unknown)
        return found

    # -- the whole ---------------------------------------------------------------------------------------------------

    def recorded(self, wanted: Sequence[Address]) -> Lowered:
        self._number_unknowns()
        self._solve()
        values = [self._recorded(address) for address in wanted]
        self.result.recorded = tuple(node for node in values if isinstance(node, int))
        self._sort_by_part(Op.PARAMETER, self.result.parameters)
        self._sort_by_part(Op.DISCRETE, self.result.discrete)
        return self.result

    def _recorded(self, address: Address) -> Value:
        part, equations = address.part, self.classes.get(address.part)
        variable = self.parts[part].fmu.by_reference.get(address.reference)
        place = equations.places.get(variable.name.rpartition("[")[0]) if equations and variable else None
        if equations and variable and place is not None and equations.variables[place].shape:
            first = self._node(part, place)
            return self.graph.leaf(Op.PARAMETER, int(self.graph.value[first]) + self.result.elements[part, variable.name][1])
        part, place, factor, offset = self._variable_of(address)
        self._visit([(part, place)])
        return self._scaled(part, self.values[part][place], factor, offset)

    def _number_unknowns(self) -> None:
        addresses = (address for loop in self.built.schedule.loops for address in loop.unknowns)
        self.numbers = {address: number for number, address in enumerate(addresses)}

    def lowered(self) -> Lowered:
        schedule = self.built.schedule
        self._number_unknowns()
        check_loops(self.built, self.result.foreign)
        self._visit([need for loop in schedule.loops for address in loop.residuals for need in self._residual_needs(address)])
        off = self._off()
        first, loops = 0, []
        for loop in schedule.loops:
            loops.append(self._loop(loop, first, off))
            first += len(loop.unknowns)
        self.result.loops, self.result.switched = tuple(loops), tuple(off)
        self._solve()
        self.result.derivatives = tuple(self._derivative(self.wiring.addresses[each]) for each in self.wiring.derivatives)
        self.result.readings = self._readings()
        if not any(self.parts[number].structure.indicators for number in self.result.foreign):
            self.result.indicators = self._nodes(
                (number, place) for number in self.classes for place in self._indicators(number, self.parts[number])
            )
        self.result.leaving = self._leaving()
        check_order(self.result)
        self._sort_by_part(Op.PARAMETER, self.result.parameters)
        self._sort_by_part(Op.DISCRETE, self.result.discrete)
        return self.result

    def _nodes(self, wanted: Iterable[tuple[int, int]]) -> tuple[int, ...]:
        """Returns the nodes of variables, with unknowns as leaves."""
        listed = list(wanted)
        self._visit(listed)
        found = [self.values[part][place] for part, place in listed]
        assert self.solved
        return tuple(node for node in found if isinstance(node, int))

    def _derivative(self, address: Address) -> int:
        if address.part in self.result.foreign:
            return self._from_foreign(address)
        part, place, _, _ = self._variable_of(address)
        return self._node(part, place)

    def _from_foreign(self, address: Address) -> int:
        known = self.result.arriving
        if address not in known:
            known.append(address)
        return self.graph.leaf(Op.DRIVE, len(self.built.drives) + known.index(address))

    def _leaving(self) -> tuple[tuple[Address, int], ...]:
        """Returns the sources of the inputs of FMUs without known equations, with their nodes."""
        fed = [sources for target, sources in self.wiring.wires.items() if target.part in self.result.foreign]
        found = {}
        for source in (each for sources in fed for each in sources if each.part in self.classes):
            part, place, factor, offset = self._variable_of(source)
            value = self._scaled(part, self._node(part, place), factor, offset)
            assert isinstance(value, int)
            found[source] = value
        return tuple(found.items())

    def _indicators(self, number: int, part: Part) -> list[int]:
        """Returns the indicators in the order of the FMU; FMI 2 does not say which variables they are."""
        found = self.classes[number]
        if part.fmu.version == 3:
            return [found.places[part.fmu.by_reference[each.reference].name] for each in part.structure.indicators]
        return [place for place, variable in enumerate(found.variables) if variable.role is Role.INDICATOR]

    def _readings(self) -> tuple[tuple[int | None, int | None], ...]:
        reading = self.built.reading
        if reading is None:
            return ()
        nodes = dict(zip(reading.outputs, self._nodes(self._variable_of(a)[:2] for a in reading.outputs.values()), strict=True))

        def read(slot: int | None) -> int | None:
            return None if slot is None else nodes[slot]

        return tuple((read(held.position), read(held.velocity)) for held in reading.constraints)

    def _sort_by_part(self, op: Op, listed: list[tuple[int, str]]) -> None:
        """Renumbers leaves by part: like instances then have their parameters at like distances, independent of the order of requests."""
        elements = self.result.elements
        order = sorted(range(len(listed)), key=lambda i: (listed[i][0], *elements.get(listed[i], (listed[i][1], 0))))
        self.graph.renumber(op, {old: new for new, old in enumerate(order)})
        listed[:] = [listed[old] for old in order]

    def _solve(self) -> None:
        """Makes unknowns leaves; values that depend on them are computed anew."""
        self.solved = True
        every = (value for known in (*self.values, *self.local) for value in known.values() if isinstance(value, int))
        bent = guessed(self.graph, every) if self.result.bends else set()
        for known in (*self.values, *self.local):
            for key in [key for key, value in known.items() if type(value) is Affine or value in bent]:
                del known[key]

    def _residual_needs(self, address: Address) -> Iterable[tuple[int, int]]:
        sources = self.wiring.wires.get(address, ()) if address in self._torn else [address]
        return [self._variable_of(source)[:2] for source in sources]

    def _off(self) -> dict[int, int]:
        """Returns nodes by number of an unknown that are true while its mode has its constraint not in force. Friction keeps a law
        instead."""
        modes = {}
        for each in self.built.switched:
            if each.given.kind != "friction":
                part = self.parts[each.part]
                number = self.numbers[self.built.schedule.loops[each.loop].unknowns[each.unknown]]
                modes[number] = each.part, self.classes[each.part].places[part.fmu.by_reference[each.given.mode.reference].name]
        return {number: self.graph.apply(Op.EQUAL, self._node(*mode), self.graph.zero) for number, mode in modes.items()}

    def _node(self, part: int, place: int) -> int:
        """Returns the node of a variable that no unknown enters."""
        self._visit([(part, place)])
        node = self.values[part][place]
        assert isinstance(node, int)
        self.graph.owner_now = part
        return node

    def _in_force(self, entry: int, row: int, column: int, off: Mapping[int, int]) -> int:
        """Returns an entry, or that of the identity where its row or column is off."""
        for number in sorted({row, column} & off.keys()):
            entry = self.graph.select(off[number], self.graph.one if row == column else self.graph.zero, entry)
        return entry

    def _loop(self, loop: ScheduledLoop, first: int, off: Mapping[int, int]) -> LoweredLoop:
        row_start, every_column = pattern_of(self.wiring, loop)
        graph, entries, residuals = self.graph, [], []
        values = [self._residual(address) for address in loop.residuals]
        rows = self.names.put_away([value.slopes if isinstance(value, Affine) else {} for value in values])
        for row, (address, value, slopes) in enumerate(zip(loop.residuals, values, rows, strict=True)):
            graph.owner_now = address.part
            base = value.base if isinstance(value, Affine) else value
            odd = next((n for n in slopes if not first <= n < first + len(loop.unknowns)), None)
            if odd is not None:
                other = next(a for a, n in self.numbers.items() if n == odd)
                raise NotFused(
                    f"'{self.built.named(address.part, address.reference)}' depends on '{self.built.named(other.part, other.reference)}', which is solved for apart"
                )
            residuals.append(graph.select(off[first + row], graph.zero, base) if first + row in off else base)
            columns = every_column[row_start[row] : row_start[row + 1]]
            entries += [self._in_force(slopes.get(first + column, graph.zero), first + row, first + column, off) for column in columns]
        return LoweredLoop(first, tuple(loop.unknowns), tuple(row_start), tuple(every_column), tuple(entries), tuple(residuals))

    def _residual(self, address: Address) -> Value:
        if address not in self._torn:
            part, place, _, _ = self._variable_of(address)
            return self.values[part][place]
        arriving = self._arriving(address)
        return self._affine(Op.SUBTRACT, address.part, (arriving, Affine(self.graph.zero, {self.numbers[address]: self.graph.one})))

    # -- variables ---------------------------------------------------------------------------------------------------

    def _variable_of(self, address: Address) -> tuple[int, int, float, float]:
        """Returns part and place of a variable, and factor and offset by which the value at the address follows from it."""
        part, reference = address.part, address.reference
        seen = self._seen[part]
        if reference not in seen:
            fmu = self.parts[part].fmu
            own, factor, offset = reference, 1.0, 0.0
            view = next((view for view in fmu.views if 0 <= reference - view.first < view.size), None)
            if view is not None:
                own, factor, offset = fmu.own(reference), view.factor, view.offset
            seen[reference] = self.classes[part].places[fmu.by_reference[own].name], factor, offset
        return part, *seen[reference]

    def _address(self, part: int, place: int) -> Address | None:
        """Returns the address under which a variable is fed or solved for; None where it is neither."""
        key = part, place
        if key not in self._inputs:
            fmu = self.parts[part].fmu
            variable = fmu.variables[self.classes[part].variables[place].name]
            kind = type_code(variable, fmu.version)
            seen = [Address(part, kind, fmu.seen(variable, base)) for base in (False, True)]
            wiring = self.wiring
            self._inputs[key] = next((a for a in seen if a in self.numbers or a in wiring.wires or a in wiring.drives), None)
        return self._inputs[key]

    def _visit(self, wanted: Sequence[tuple[int, int]]) -> None:
        """Computes variables, each after what it needs; along chains of instances this goes deeper than functions may call each other."""
        values = self.values
        stack = [(part, place, False) for part, place in reversed(wanted)]
        open_now: set[tuple[int, int]] = set()
        while stack:
            part, place, ready = stack.pop()
            if ready:
                open_now.discard((part, place))
                self.graph.owner_now = part
                values[part][place] = self._value(part, place)
            elif place not in values[part]:
                if (part, place) in open_now:
                    name = self.classes[part].variables[place].name
                    raise NotFused(f"'{self.parts[part].name}.{name}' depends on itself in a way that only some of its equations show")
                open_now.add((part, place))
                stack.append((part, place, True))
                own = values[part]
                if self._is_calculated(part, place):
                    stack += [(part, need, False) for need in self.classes[part].needs[place] if need not in own]
                else:
                    stack += [(*need, False) for need in self._needs(part, place) if need[1] not in values[need[0]]]

    def _is_calculated(self, part: int, place: int) -> bool:
        """Says whether a variable has an equation, which is prepared then."""
        equations = self.classes[part]
        if place not in equations.root and equations.calculated(place):
            try:
                equations.prepare(place)
            except NoEquations as error:
                raise NotFused(f"'{self.parts[part].name}' {error}") from None
        return place in equations.root

    def _needs(self, part: int, place: int) -> list[tuple[int, int]]:
        equations = self.classes[part]
        if equations.variables[place].role is not Role.INPUT:
            return []
        address = self._address(part, place)
        if address is None or address in self.numbers:
            return []
        return [self._variable_of(source)[:2] for source in self.wiring.wires.get(address, ()) if source.part in self.classes]

    def _value(self, part: int, place: int) -> Value:
        equations, graph = self.classes[part], self.graph
        if place in equations.root:
            return self._calculated(part, place)
        variable = equations.variables[place]
        if variable.role is Role.STATE:
            return graph.leaf(Op.STATE, self.parts[part].first_state + self._state(self.parts[part], variable.name))
        if variable.role is Role.TIME:
            return graph.leaf(Op.TIME)
        if variable.role in DISCRETE:
            return self._listed(self.result.discrete, Op.DISCRETE, part, variable.name)
        address = self._address(part, place) if variable.role in (Role.INPUT, Role.ALGEBRAIC) else None
        if address is None:
            return self._listed(self.result.parameters, Op.PARAMETER, part, variable.name, variable.shape)
        if address in self.numbers:
            number = self.numbers[address]
            return graph.leaf(Op.UNKNOWN, number) if self.solved else Affine(graph.zero, {number: graph.one})
        arriving = self._arriving(address)
        _, _, factor, offset = self._variable_of(address)
        return self._scaled(part, arriving, 1 / factor, -offset / factor)

    def _state(self, part: Part, name: str) -> int:
        return part.states.index(part.fmu.variables[name].reference)

    def _listed(self, known: list[tuple[int, str]], op: Op, part: int, name: str, shape: tuple[int, ...] = ()) -> int:
        """Returns the leaf of a variable; that of an array stands for its first element, after which the others are listed."""
        node = self.graph.leaf(op, len(known))
        names = [f"{name}{each}" for each in subscripts(shape)] if shape else [name]
        known += ((part, each) for each in names)
        self.result.variables |= {(part, each): self.classes[part].declared[name] for each in names}
        if shape:
            self.result.elements |= {(part, each): (name, place) for place, each in enumerate(names)}
        return node

    def _arriving(self, address: Address) -> Value:
        """Returns the value of an input: the sum of its sources."""
        total: Value = self.graph.zero
        for source in self.wiring.wires.get(address, ()):
            if source.part in self.classes:
                part, place, factor, offset = self._variable_of(source)
                given = self._scaled(part, self.values[part][place], factor, offset)
            else:
                given = self._from_foreign(source)
            total = self._applied(Op.ADD, address.part, (total, given))
        number = self.wiring.drives.get(address)
        return total if number is None else self._applied(Op.ADD, address.part, (total, self.graph.leaf(Op.DRIVE, number)))

    def _scaled(self, part: int, value: Value, factor: float, offset: float) -> Value:
        if factor != 1:
            value = self._applied(Op.MULTIPLY, part, (self.graph.constant(factor), value))
        return value if offset == 0 else self._applied(Op.ADD, part, (value, self.graph.constant(offset)))

    # -- equations ---------------------------------------------------------------------------------------------------

    def _calculated(self, part: int, place: int) -> Value:
        equations, known, values, graph = self.classes[part], self.local[part], self.values[part], self.graph
        op, args, value = equations.graph.op, equations.graph.args, equations.graph.value
        try:
            for node in equations.code[place]:
                if node in known:
                    continue
                operands = args[node]
                if operands:
                    known[node] = self._applied(op[node], part, [known[a] for a in operands])
                elif op[node] is _VARIABLE:
                    known[node] = values[int(value[node])]
                else:
                    known[node] = graph.constant(value[node])
        except _NotAffine:
            name = f"{self.parts[part].name}.{equations.variables[place].name}"
            raise NotFused(f"'{name}' is not affine in the unknowns of the system") from None
        return known[equations.root[place]]

    def _applied(self, op: Op, part: int, values: Sequence[Value]) -> Value:
        for value in values:
            if type(value) is Affine:
                return self._affine(op, part, values)
        return self.graph.apply(op, *values)  # type: ignore[arg-type]  # nodes alone

    def _affine(self, op: Op, part: int, values: Sequence[Value]) -> Affine | int:
        g = self.graph
        a, b = (*values, g.zero)[:2]
        if op is Op.NEGATE:
            return _mapped(a, g.neg)
        if op is Op.ADD:
            return self._sum(a, b, g.add)
        if op is Op.SUBTRACT:
            return self._sum(a, b, g.sub)
        if op is Op.MULTIPLY and isinstance(a, int):
            return self._weighted(b, lambda n: g.mul(a, n))
        if op is Op.MULTIPLY and isinstance(b, int):
            return self._weighted(a, lambda n: g.mul(n, b))
        if op is Op.DIVIDE and isinstance(b, int):
            return self._weighted(a, lambda n: g.div(n, b))
        if op is Op.SELECT and isinstance(a, int):
            return self._sum(values[1], values[2], lambda yes, no: g.select(a, yes, no))
        cleared = [self._cleared(value) for value in values]
        return self._applied(op, part, cleared) if cleared != list(values) else self._bent(op, values)

    def _bent(self, op: Op, values: Sequence[Value]) -> Affine | int:
        """Returns the tangent of an operation at a guess of the unknowns."""
        g = self.graph
        if self.result.unknowns > _MOST:
            raise _NotAffine
        self.result.bends = True
        self.result.curved = self.result.curved or not is_piecewise_affine(op)
        slopes = [self.names.put_away([value.slopes])[0] if isinstance(value, Affine) else {} for value in values]
        bases = (value.base if isinstance(value, Affine) else value for value in values)
        starts = [self._at_guess(base, own) for base, own in zip(bases, slopes, strict=True)]
        found = g.apply(op, *starts)
        bent = tangent(g, found, op, starts, slopes)
        return Affine(self._at_guess(found, {unknown: g.neg(slope) for unknown, slope in bent.items()}), bent) if bent else found

    def _at_guess(self, base: int, slopes: Mapping[int, int]) -> int:
        """Returns an affine value at the guess."""
        return reduce(lambda total, each: self.graph.add(total, self.graph.mul(each[1], guess(self.graph, each[0]))), slopes.items(), base)

    def _cleared(self, value: Value) -> Value:
        """Returns a node where unknowns cancel each other, else the value itself."""
        if isinstance(value, int) or any(self.names.put_away([value.slopes])):
            return value
        return value.base

    def _weighted(self, value: Value, operation: Callable[[int], int]) -> Value:
        """Returns a product, or a quotient."""
        assert isinstance(value, Affine)
        return _mapped(Affine(value.base, self.names.of(value.slopes)), operation)

    def _sum(self, a: Value, b: Value, operation: Callable[[int, int], int]) -> Value:
        """Applies an operation to each unknown's slopes and to the part that is free of unknowns."""
        left, right = (each if isinstance(each, Affine) else Affine(each, {}) for each in (a, b))
        zero, slopes = self.graph.zero, {}
        for unknown in (*left.slopes, *(each for each in right.slopes if each not in left.slopes)):
            slope = operation(left.slopes.get(unknown, zero), right.slopes.get(unknown, zero))
            if slope != zero:
                slopes[unknown] = slope
        base = operation(left.base, right.base)
        return Affine(base, slopes) if slopes else base


_VARIABLE = Op.VARIABLE
_MOST = 60
"""Largest number of unknowns of equations that are solved again and again, since they are not affine."""


class _NotAffine(Exception):
    pass


def _mapped(value: Value, operation: Callable[[int], int]) -> Value:
    assert isinstance(value, Affine)
    return Affine(operation(value.base), {unknown: operation(slope) for unknown, slope in value.slopes.items()})
