"""What a kernel borrows must outlive its use; a kernel of which that is not proven does not compile.

Numba counts references to tables, but a record of a table, an array inside a record, and an array without an owner
(`jit.borrowed`) hold none. The table is let go after the last use *of its own name*, or when the name gets another
table, such as one that has grown: in `return items[k]["pair"]` between taking the record and reading its field. What is
read then is whatever lies there; it is the right value until the allocator gives the page back.

Claim: in a kernel that passes `Lifetimes`, nothing borrowed is used after the last reference to its memory is gone.
Proof: the pass sees the very code that is compiled, after Numba has put in where it lets go. Along every path it keeps
for each memory the names that hold a reference to it (`holders`), a lower bound: a name is added where it is given that
memory, and removed where it is let go or given another; where paths meet, names that hold it on all of them are left.
What borrows (`Value.claims`) may be used while each memory that it looks into has a holder. Memory of arguments is held
by the caller. What a kernel returns says of which arguments it borrows (`summary`), which its callers take up.

So there is one way: read the fields while the table is in use, or in a kernel of their own, whose caller holds it.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

from numba.core import ir, types
from numba.core.compiler_machinery import AnalysisPass, register_pass

from tocsin.compiler.emitting import Signature

VIEWS = {"view", "reshape", "T"}
"""Methods of an array that return the same memory."""


class UsedAfterItsTable(Exception):
    """A kernel uses a record, or an array without an owner, whose table may be gone."""


Memory: TypeAlias = tuple[Any, ...]
"""What a memory is called: by the argument that it came with, or by the place in the kernel where it was made."""


class Value(NamedTuple):
    """What is known of an array or a record: the memory it holds a reference to, and those it only looks into."""

    memory: Memory | None = None
    claims: frozenset[Memory] = frozenset()

    def record(self) -> "Value":
        """Return what a record of this array is: it looks into what the array holds or looks into."""
        return Value(None, self.claims if self.memory is None else self.claims | {self.memory})


NOTHING = Value()
Values: TypeAlias = "Value | tuple[Values, ...]"
"""A Value; of a tuple, the tuple of its parts'."""


def leaves(values: Values) -> Iterator[Value]:
    """Yield the arrays and records in a value."""
    if isinstance(values, Value):
        yield values
    else:
        for part in values:
            yield from leaves(part)


def mapped(change: Callable[[Value], Value], values: Values) -> Values:
    """Return a value with each array and record in it changed."""
    return change(values) if isinstance(values, Value) else tuple(mapped(change, part) for part in values)


def refilled(values: Values, others: Iterator[Value]) -> Values:
    """Return a value of the same parts, with other arrays and records in it."""
    return mapped(lambda leaf: next(others), values)


def shaped(kind: types.Type, make: Callable[[Memory], Value], place: Memory = ()) -> Values:
    """Return a value of a type, every array in it made anew."""
    if isinstance(kind, types.BaseTuple):
        parts: Any = kind
        return tuple(shaped(part, make, (*place, k)) for k, part in enumerate(parts))
    return make(place) if carries(kind) else NOTHING


def carries(kind: types.Type) -> bool:
    """Can a value of this type be or hold an array or a record?"""
    if isinstance(kind, types.BaseTuple):
        parts: Any = kind
        return any(map(carries, parts))
    if isinstance(kind, types.Optional):
        return carries(kind.type)
    if isinstance(kind, types.Pair):
        return carries(kind.first_type) or carries(kind.second_type)
    if isinstance(kind, types.RangeIteratorType):
        return False
    return isinstance(kind, types.Buffer | types.Record | types.BoundFunction | types.IteratorType)


def joined(values: Values) -> Value:
    """Return what is known of something that may be any part of a value, as if it borrowed all of them."""
    return Value(None, frozenset[Memory]().union(*(leaf.record().claims for leaf in leaves(values))))


class State:
    """What is known at one point of a kernel."""

    def __init__(self) -> None:
        self.names: dict[str, Values] = {}
        self.holders: dict[Memory, frozenset[str]] = {}

    def copy(self) -> "State":
        """Return the same, to be changed."""
        other = State()
        other.names, other.holders = dict(self.names), dict(self.holders)
        return other

    def let_go(self, name: str) -> None:
        """The name holds nothing any more."""
        if self.names.pop(name, None) is not None:
            for memory, names in self.holders.items():
                if name in names:
                    self.holders[memory] = names - {name}

    def bind(self, name: str, values: Values, like: str | None) -> None:
        """Give a name a value, and so a reference to what is in it: what `like` holds, if it is a copy of that."""
        self.let_go(name)
        self.names[name] = values
        for memory, names in self.holders.items():
            if like in names:
                self.holders[memory] = names | {name}
        for leaf in leaves(values):
            if leaf.memory is not None and not held_by_caller(leaf.memory):
                self.holders[leaf.memory] = self.holders.get(leaf.memory, frozenset()) | {name}

    def made(self, memory: Memory) -> Value:
        """Return memory made here; what was made here the last time round is another one, and called so."""
        if memory in self.holders:
            self.rename(memory, ("before", memory))
        self.holders[memory] = frozenset()
        return Value(memory)

    def rename(self, memory: Memory, other: Memory) -> None:
        """Call a memory by another name; if there is one of that name, both are held by what holds both."""
        names = self.holders.pop(memory)
        self.holders[other] = names & self.holders.get(other, names)

        def change(leaf: Value) -> Value:
            if leaf.memory != memory and memory not in leaf.claims:
                return leaf
            claims = frozenset(other if m == memory else m for m in leaf.claims)
            return Value(other if leaf.memory == memory else leaf.memory, claims)

        for name, values in self.names.items():
            self.names[name] = mapped(change, values)

    def gone(self, name: str) -> bool:
        """Does the name look into memory that may be gone?"""
        return any(
            not held_by_caller(memory) and not self.holders.get(memory)
            for leaf in leaves(self.names.get(name, NOTHING))
            for memory in leaf.claims
        )


def held_by_caller(memory: Memory) -> bool:
    """Is this the memory of an argument, or what an argument borrows that may have become this value (`passed`)?"""
    return memory[0] in ("argument", "passed")


def passed(leaf: Value) -> frozenset[Memory]:
    """Return what a value may look into that is an argument's own array: whatever that argument looks into."""
    if leaf.memory is None or not held_by_caller(leaf.memory):
        return leaf.claims
    return leaf.claims | {("passed", leaf.memory[1])}


def meet(label: int, a: State, b: State) -> State:
    """Return what is known where two paths meet."""
    a, b = a.copy(), b.copy()
    both = sorted(a.names.keys() & b.names.keys())
    for state in (a, b):  # what such a name held when the paths met before is another memory than it holds now
        for name in both:
            for k, leaf in enumerate(leaves(state.names[name])):
                if (label, name, k) in state.holders and leaf.memory != (label, name, k):
                    state.rename((label, name, k), ("before", (label, name, k)))
    out = State()
    out.names = a.names | b.names
    for memory in a.holders.keys() | b.holders.keys():
        found = [state.holders[memory] for state in (a, b) if memory in state.holders]
        out.holders[memory] = frozenset.intersection(*found)
    for name in both:
        if a.names[name] != b.names[name]:
            pairs = zip(leaves(a.names[name]), leaves(b.names[name]))
            flat = [_either(out, (label, name, k), a, one, b, other) for k, (one, other) in enumerate(pairs)]
            out.names[name] = refilled(a.names[name], iter(flat))
    return out


def _either(out: State, memory: Memory, a: State, one: Value, b: State, other: Value) -> Value:
    """Return what is known of an array that is the one or the other."""
    if one.memory == other.memory:
        return Value(one.memory, one.claims | other.claims)
    owned = [(state, leaf.memory) for state, leaf in ((a, one), (b, other)) if leaf.memory is not None]
    local = [state.holders.get(m, frozenset()) for state, m in owned if not held_by_caller(m)]
    if not local:
        return Value(None, one.record().claims | other.record().claims)
    out.holders[memory] = frozenset.intersection(*local)
    return Value(memory, passed(one) | passed(other))


def is_copy(of: ir.AbstractRHS) -> bool:
    """Is this another value, as it is?"""
    return isinstance(of, ir.Expr) and of.op in ("cast", "exhaust_iter")


class Walk:
    """One pass over a kernel after another, until what is known at the start of each block stays."""

    def __init__(self, state: Any) -> None:
        self.blocks = state.func_ir.blocks
        self.kinds = state.typemap
        self.calls = state.calltypes
        self.name = state.func_ir.func_id.func_qualname
        self.returned: Values | None = None

    def run(self) -> "Values | None":
        """Return the summary of what the kernel returns; raise where something is used after its table."""
        first = min(self.blocks)
        known = {first: State()}
        waiting = {first}
        while waiting:
            label = min(waiting)
            waiting.remove(label)
            after = self.block(label, known[label].copy())
            for target in self.blocks[label].terminator.get_targets():
                before = known.get(target)
                known[target] = after if before is None else meet(target, before, after)
                if before is None or vars(before) != vars(known[target]):
                    waiting.add(target)
        return self.returned

    def block(self, label: int, state: State) -> State:
        """Return what is known at the end of a block."""
        for k, statement in enumerate(self.blocks[label].body):
            if isinstance(statement, ir.Del):
                state.let_go(statement.value)
                continue
            target = statement.target.name if isinstance(statement, ir.Assign) else ""
            for var in statement.list_vars():
                if var.name != target and state.gone(var.name):
                    self.refuse(var.name, statement.loc)
            if isinstance(statement, ir.Return):
                self.take_return(state.names.get(statement.value.name, NOTHING), statement.loc)
            elif isinstance(statement, ir.Assign):
                kind = self.kinds[target]
                if carries(kind):
                    given: Any = statement.value
                    source = given.value if is_copy(given) else given
                    like = source.name if isinstance(source, ir.Var) and source.name != target else None
                    state.bind(target, self.value(state, (label, k), kind, statement.value), like)
        return state

    def refuse(self, name: str, where: ir.Loc) -> None:
        """Say what is wrong, and where."""
        what = "something borrowed" if name.startswith("$") else name.split(".")[0]
        raise UsedAfterItsTable(
            f"{self.name} uses {what} where the table that it looks into may be gone ({where}): read its fields while "
            f"the table is in use, or in a kernel of their own"
        )

    def take_return(self, values: Values, where: ir.Loc) -> None:
        """Add what is returned to the summary: (does it hold a reference, the arguments that it borrows)."""

        def of(leaf: Value) -> Value:
            if not all(map(held_by_caller, leaf.claims)):
                self.refuse("what it returns", where)
            return Value(leaf.memory and ("made",), frozenset(memory[:2] for memory in passed(leaf)))

        now = mapped(of, values)
        if self.returned is not None and now != self.returned:
            pairs = zip(leaves(now), leaves(self.returned))
            now = refilled(now, iter([Value(a.memory and b.memory, a.claims | b.claims) for a, b in pairs]))
        self.returned = now

    def value(self, state: State, site: Memory, kind: types.Type, of: ir.AbstractRHS) -> Values:
        """Return the value of what is assigned, as its type has parts."""
        found = self.expression(state, site, kind, of)
        if isinstance(kind, types.BaseTuple) and isinstance(found, Value):
            return shaped(kind, lambda place: found)
        return found

    def expression(self, state: State, site: Memory, kind: types.Type, of: ir.AbstractRHS) -> Values:
        """Return the value of what is assigned."""
        if isinstance(of, ir.Arg):
            return shaped(kind, lambda place: Value(("argument", of.index, place)))
        if isinstance(of, ir.Var):
            return state.names.get(of.name, NOTHING)
        if not isinstance(of, ir.Expr):
            return NOTHING  # constants stay
        if is_copy(of) or of.op == "getiter":
            return state.names.get(of.value.name, NOTHING)
        if of.op == "build_tuple":
            return tuple(state.names.get(item.name, NOTHING) for item in of.items)
        if of.op in ("getitem", "static_getitem", "typed_getitem", "getattr"):
            return self.part(state, kind, of)
        if of.op in ("iternext", "pair_first", "pair_second"):
            return joined(state.names.get(of.value.name, NOTHING))
        if of.op == "call":
            return self.call(state, site, kind, of)
        return shaped(kind, lambda place: state.made((*site, place)))

    def part(self, state: State, kind: types.Type, of: ir.Expr) -> Values:
        """Return a part of a tuple, an array or a record."""
        base: Any = self.kinds[of.value.name]
        whole = state.names.get(of.value.name, NOTHING)
        if isinstance(base, types.BaseTuple) and not isinstance(whole, Value):
            fields: Any = getattr(base, "fields", ())
            index = fields.index(of.attr) if of.op == "getattr" else getattr(of, "index", None)
            return whole[index] if isinstance(index, int) else joined(whole)
        if isinstance(base, types.Record) or isinstance(kind, types.Record):
            return joined(whole)
        return whole if isinstance(whole, Value) else joined(whole)

    def call(self, state: State, site: Memory, kind: types.Type, of: ir.Expr) -> Values:
        """Return what a call returns."""
        called: Any = self.kinds[of.func.name]
        given = [state.names.get(var.name, NOTHING) for var in of.args]
        if isinstance(called, types.NamedTupleClass):
            return tuple(given)
        if isinstance(called, types.BoundFunction):
            this = state.names.get(of.func.name, NOTHING)
            return this if str(called.typing_key).split(".")[-1] in VIEWS else state.made((*site, ()))
        given += [state.names.get(var.name, NOTHING) for _, var in of.kws]
        summary = self.summary(called, self.calls[of])
        if summary is None:  # not a kernel of ours: arrays are new, records and what is made of borrowed ones borrow
            claims = frozenset[Memory]().union(*(leaf.claims for values in given for leaf in leaves(values)))
            if lends(called):
                return joined(tuple(given))
            return shaped(kind, lambda place: state.made((*site, place))._replace(claims=claims))

        flat = []
        for k, leaf in enumerate(leaves(summary)):
            claims = frozenset[Memory]()
            for what, i in leaf.claims:
                for of_argument in leaves(given[i] if i < len(of.args) else tuple(given)):
                    claims |= of_argument.record().claims if what == "argument" else of_argument.claims
            flat.append((state.made((*site, k)) if leaf.memory else NOTHING)._replace(claims=claims))
        return refilled(summary, iter(flat))

    def summary(self, called: types.Type, signature: Signature) -> "Values | None":
        """Return the summary of a kernel that is called."""
        if not isinstance(called, types.Dispatcher):
            return None
        compiled = called.dispatcher.overloads.get(tuple(signature.args))
        return None if compiled is None else getattr(compiled.library, "summary", None)


def lends(called: types.Type) -> bool:
    """Does a function that is no kernel return arrays without owners (`jit.lending`)?"""
    return isinstance(called, types.Function) and getattr(called.typing_key, "lends", False)


@register_pass(mutates_CFG=False, analysis_only=True)
class Lifetimes(AnalysisPass):
    """Refuses kernels that use what they borrow after its table; leaves a summary for those who call this one."""

    _name = "tocsin_lifetimes"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Look at one kernel; nothing in it is changed."""
        state.library.summary = Walk(state).run()
        return False
