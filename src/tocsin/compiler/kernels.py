"""How kernels are compiled: each once for other kernels, and with a door for Python only where Python calls it.

Numba compiles every function as if Python would call it: a wrapper that unpacks Python's objects, another one for C,
machine code; and whatever the function calls is optimised again inside it, on every level up to the question that a
user asks. Most of our kernels are called by kernels only. So

* a kernel that another one calls is kept as optimised intermediate code, without wrappers and machine code (`_Inner`);
* its callers see its body where that is short enough to become a part of them, and its name where it is not; bodies
  are put together when a kernel is compiled for Python, where each becomes machine code once;
* constants between kernels have the type of their values: Numba would compile a callee again for each constant.

What is computed is the same to the bit, as fast as before: no pass of the compiler is left out of any function. The
core had 503 versions of its kernels and has 364; it compiles in half the time, all engines in less than half. And it is
the same code whatever was asked first: see `_Compiler`.
"""

import functools
import hashlib
import operator
import re
from pathlib import Path
from types import FunctionType
from typing import Any

from llvmlite import binding, ir
from numba.core import cgutils, compiler, sigutils, typed_passes, types
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[reportAttributeAccessIssue]
from numba.core.registry import CPUDispatcher

from tocsin.compiler.disk_cache import KernelCache, state
from tocsin.compiler.lifetimes import Lifetimes, Values

NEEDED: dict[Any, tuple[str, ...]] = {
    JITCodeLibrary: (
        "add_llvm_module", "enable_object_caching", "has_dynamic_globals", "serialize_using_object_code",
        "_finalize_dynamic_globals", "_finalize_final_module", "_get_compiled_object", "_get_module_for_linking",
        "_optimize_final_module", "_optimize_functions",
    ),
    JITCPUCodegen: ("set_env", "unserialize_library", "_function_pass_manager", "_module_pass_manager"),
    _FunctionCompiler: ("compile", "_compile_core"),
    CPUDispatcher: ("add_overload", "compile", "get_call_template"),
    compiler: ("compile_extra", "compile_result"),
    compiler.CompileResult: ("_find_referenced_environments", "_rebuild", "_reduce", "_replace"),
    cgutils: ("normalize_ir_text",),
    sigutils: ("normalize_signature",),
    binding: ("Linkage", "create_new_module_pass_manager", "parse_assembly", "parse_bitcode"),
    binding.ModulePassManager: ("add_global_dead_code_eliminate_pass",),
    binding.ValueRef: ("add_function_attribute", "arguments"),
}  # fmt: skip
"""What is used here of Numba's and LLVM's inner workings, which promise nothing to anybody."""


def missing() -> list[str]:
    """Return what of `NEEDED` is not there: then kernels are compiled Numba's way."""
    return [f"{place.__name__}.{name}" for place, names in NEEDED.items() for name in names if not hasattr(place, name)]


SHORT = 600
"""Instructions up to which callers see a kernel's body. LLVM itself inlines what has a tenth of that."""


WORTH = 16
"""Instructions for each word that a call hands on, up to which a kernel is a part of its callers: a world is 160 words,
the buffers of a question 360, all through memory, 0.1 to 0.2 µs. Edges of robots took 1.5 times as long where LLVM
alone decided; to make one function of all took more than twice as long to compile."""


DECLARED = re.compile(r'^declare .*?@"?([^"(]+)"?\(.*$', re.MULTILINE)
DEFINED = re.compile(r"(?:^; Function Attrs: (?P<attributes>.*)\n)?^define (?P<head>.*) \{$", re.MULTILINE)


class _Library(JITCodeLibrary):
    """Intermediate code of a kernel: its own, and the short bodies that it calls."""

    def add_ir_module(self, ir_module: ir.Module) -> None:
        """Add code; callees whose bodies are left out are declared with all that is known of them."""
        heads: dict[str, str] = {}
        for library in self._linking_libraries:
            if isinstance(library, InnerLibrary):
                heads |= library.head
        text = DECLARED.sub(lambda found: heads.get(found[1], found[0]), cgutils.normalize_ir_text(str(ir_module)))
        module = binding.parse_assembly(text)
        module.name = ir_module.name
        module.verify()
        self.add_llvm_module(module)

    def _optimize_functions(self, ll_module: binding.ModuleRef) -> None:
        """Run the passes on each function; Numba runs them on declarations too, of which there are more."""
        ll_module.data_layout = self._codegen._data_layout
        for function in ll_module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)

    def _optimize_with_callees(self) -> None:
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            if not isinstance(library, InnerLibrary):
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)
            elif library.short:
                self._final_module.link_in(library.module, preserve=True)
        self._optimize_final_module()
        self._final_module.verify()

    def _link_all(self, module: binding.ModuleRef) -> None:
        """Add to a module the bodies of all that this library can reach, callers first.

        The linker leaves a body out that nothing in the module calls yet, and does not come back for it: `_callees`.
        """
        for library in self._callees():
            module.link_in(library.reached(), preserve=library.everything is None)
        self._check_bodies(module)

    def _callees(self) -> "list[InnerLibrary]":
        """Return the libraries that this one can reach, each after all that call it.

        Depth first, and backwards by the end of each visit: when a library ends, what it can reach has ended.
        """
        ended: dict[_Library, None] = {}
        started: set[_Library] = set()
        waiting: list[_Library] = [self]
        while waiting:
            library = waiting[-1]
            if library in started:
                ended.setdefault(waiting.pop())
                continue
            started.add(library)
            called = [other for other in library._linking_libraries if isinstance(other, InnerLibrary)]
            waiting.extend(other for other in called if other not in started)
        return [library for library in reversed(ended) if isinstance(library, InnerLibrary) and library is not self]

    def _check_bodies(self, module: binding.ModuleRef) -> None:
        """Raise if the module calls a kernel that it has no body of: such a call ends the process."""
        names = {library.symbol for library in self._callees()}
        missing = [f.name for f in module.functions if f.is_declaration and f.name in names]
        if missing:
            raise RuntimeError(f"kernels without a body: {', '.join(missing)}")


class InnerLibrary(_Library):
    """What callers link; there is no machine code of it."""

    short: bool
    symbol: str
    """The kernel's name in machine code."""
    head: dict[str, str]
    """By that name its declaration, with what the compiler has found out about it."""
    module: binding.ModuleRef
    """The kernel's body, and bodies of short ones it calls; only names of others."""
    everything: bytes | None = None
    """All that the kernel can reach, where it comes from disk."""
    summary: "Values | None" = None
    """Of which arguments the kernel's result borrows (`lifetimes`)."""

    def finalize(self) -> None:
        """Optimise the kernel."""
        self._optimize_with_callees()
        self._finalize_dynamic_globals()
        self._publish(self._final_module)

    def _publish(self, module: binding.ModuleRef) -> None:
        for function in module.functions:
            if not function.is_declaration and function.linkage == binding.Linkage.external:
                function.linkage = "linkonce_odr"
        self.module = module
        self._finalized = True

    def measure(self, name: str, inlined: bool) -> None:
        """Find out whether the kernel of this name is short, or `inlined` anyway, and how it is declared."""
        self.symbol = name
        function = self.module.get_function(name)
        lines = str(function).count("\n")
        if inlined or lines <= WORTH * len(list(function.arguments)):
            function.add_function_attribute("alwaysinline")
        text = str(function)
        found = DEFINED.search(text)
        attributes = (found and found["attributes"]) or ""
        head = re.sub(r"^(?:linkonce_odr |dso_local |hidden )*| #\d+", "", found["head"] if found else "")
        try:
            binding.parse_assembly(f"declare {head} {attributes}")
            self.head = {name: f"declare {head} {attributes}"}
        except RuntimeError:
            self.head = {}  # callers then know no more of it than its arguments
        self.short = "alwaysinline" in attributes or lines <= SHORT

    def reached(self) -> binding.ModuleRef:
        """Return the kernel's module; where it comes from disk, a new one with all that the kernel can reach."""
        return self.module if self.everything is None else binding.parse_bitcode(self.everything)

    def _get_module_for_linking(self) -> binding.ModuleRef:
        """Return all that the kernel can reach, for libraries that are not ours."""
        if self._shared_module is None:
            self._shared_module = self.module.clone() if self.everything is None else self.reached()
            self._link_all(self._shared_module)
        return self._shared_module

    def to_disk(self) -> tuple[object, ...]:
        """Return what `from_disk` needs."""
        code = self.module.as_bitcode(), self._get_module_for_linking().as_bitcode()
        return self.name, self.short, self.symbol, self.head, self.summary, *code

    @classmethod
    def from_disk(
        cls,
        codegen: JITCPUCodegen,
        name: str,
        short: bool,
        symbol: str,
        head: dict[str, str],
        summary: "Values | None",
        *code: bytes,
    ) -> "InnerLibrary":
        """Return a library as it was."""
        self = cls(codegen, name)
        self.short, self.symbol, self.head, self.summary = short, symbol, head, summary
        self._publish(binding.parse_bitcode(code[0]))
        self.everything = code[1]
        return self


class InnerCache(KernelCache):
    """What is kept of a kernel that other kernels call."""

    kind = "inner"

    def reduce(self, result: Any) -> tuple[Any, ...]:
        """Return the intermediate code and what belongs to it."""
        result.fndesc.typemap = result.fndesc.calltypes = None
        environments = tuple(result._find_referenced_environments())
        kept = result.library.to_disk()
        return kept, result.fndesc, result.environment, result.signature, result.reload_init, environments

    def rebuild(self, target_context: Any, payload: tuple[Any, ...]) -> Any:
        """Return a kernel as it was."""
        kept, fndesc, environment, signature, reload_init, environments = payload
        return compiler.compile_result(
            target_context=target_context, typing_context=target_context.typing_context, fndesc=fndesc,
            library=InnerLibrary.from_disk(target_context.codegen(), *kept), environment=environment,
            entry_point=object(), signature=signature, objectmode=False, lifted=(), reload_init=reload_init,
            referenced_envs=environments,
        )  # fmt: skip


class EntryLibrary(_Library):
    """Machine code of a kernel that Python calls, and of all that it can reach."""

    def finalize(self) -> None:
        """Optimise the kernel and its wrapper, add what is called, and compile."""
        self._optimize_with_callees()
        self._link_all(self._final_module)
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage != binding.Linkage.external:
                function.linkage = "internal"  # each question has its own: no other one's code is taken by its name
        passes = binding.create_new_module_pass_manager()
        passes.add_global_dead_code_eliminate_pass()
        _, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)
        self._final_module.verify()
        self._finalize_final_module()

    def serialize_using_object_code(self) -> tuple[object, ...]:
        """Return the machine code, and of the intermediate code the names: nobody links it."""
        functions = [f for f in self._final_module.functions if f.linkage == binding.Linkage.external]
        names = [function.name for function in functions if not function.is_declaration]
        named = binding.parse_assembly("".join(f'define void @"{name}"() {{ ret void }}\n' for name in names))
        return self.name, "object", (self._get_compiled_object(), named.as_bitcode())


class _Flags(compiler.Flags):
    """Numba's own, with a mark for names in machine code.

    Numba's names count functions and types of records as a process has met them; two processes may count alike and
    mean different code, and what both have kept is linked by its names. The mark says what a kernel was compiled from.
    They are compared without asking for each of thirty values: Numba does that for every function that is called, and a
    fifteenth of all compiling went there.
    """

    __slots__ = ("mark",)

    mark: str

    def __init__(self, copy_from: compiler.Flags | None = None) -> None:
        super().__init__(copy_from)
        self.mark = getattr(copy_from, "mark", "")

    def get_mangle_string(self) -> str:
        """Return the mark, which copies keep: Numba makes one for what it compiles of its own inside a kernel."""
        return self.mark or super().get_mangle_string()

    def __hash__(self) -> int:
        return NAMES

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, compiler.Flags) and self._values == other._values) or super().__eq__(other)


NAMES = hash(compiler.Flags())
"""Numba takes the names of the options for this, not their values."""


class _Pipeline(compiler.Compiler):
    """Numba's passes, and `Lifetimes` once it is known where references are let go."""

    def define_pipelines(self) -> Any:
        (passes,) = super().define_pipelines()
        passes.add_pass_after(Lifetimes, typed_passes.IRLegalization)
        passes.finalize()
        return [passes]


class _Compiler(_FunctionCompiler):
    """Compiles a function into a library of ours.

    Numba is not told which functions are `inlined`: what it compiles while it types the body of one inherits that it is
    to be a part of its callers, however large it is. Whether a kernel was hung on which question a machine had asked
    first, and stayed so on disk: the same text was up to 1.7 times as fast. Now its size decides, and what its calls
    hand on (`WORTH`).
    """

    def __init__(self, dispatcher: CPUDispatcher, library: type[_Library]) -> None:
        super().__init__(
            dispatcher.py_func, dispatcher.targetdescr, dispatcher.targetoptions, dispatcher.locals, _Pipeline
        )
        self.library: Any = library

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        flags: Any = _Flags()
        flags.mark = mark(self.py_func, args)
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions | {"forceinline": False})
        target = self.targetdescr.target_context
        flags.no_cfunc_wrapper = True
        inner = self.library is InnerLibrary
        flags.no_cpython_wrapper = flags.no_compile = inner
        library = self.library(target.codegen(), self.py_func.__qualname__)
        if not inner:
            library.enable_object_caching()
        result: Any = compiler.compile_extra(
            self.targetdescr.typing_context, target, self.py_func, args=args, return_type=return_type, flags=flags,
            locals=self.locals, library=library, pipeline_class=self.pipeline_class,
        )  # fmt: skip
        if result.typing_error is not None:
            raise result.typing_error
        if inner:
            library.finalize()
            library.measure(result.fndesc.llvm_func_name, self.targetoptions["forceinline"])
            result = result._replace(entry_point=object())
            target.insert_user_function(result.entry_point, result.fndesc, [library])
        else:
            for environment in result._find_referenced_environments():
                target.codegen().set_env(environment.env_name, environment)
        return result


def mark(function: FunctionType, args: object) -> str:
    """Return a name for what a kernel is compiled from: the text of all it can reach, and its arguments' types."""
    file = Path(function.__code__.co_filename)
    text = state(file) if file.is_file() else None
    closed = [cell.cell_contents for cell in function.__closure__ or ()]
    return hashlib.blake2b(repr((text, closed, str(args))).encode(), digest_size=10).hexdigest()


def plain(kind: types.Type) -> types.Type:
    """Return the type for which a kernel is compiled when another one calls it with an argument of this type.

    Constants are of the type of their values, and integers have 64 bits: arithmetic on smaller ones has them anyway.
    """
    kind = types.unliteral(kind)
    if kind in types.signed_domain:
        return types.int64
    if isinstance(kind, types.Tuple | types.UniTuple):
        return types.Tuple([plain(part) for part in kind])
    return kind


class _Inner(CPUDispatcher):
    """A kernel as other kernels call it."""

    def __init__(self, function: FunctionType, options: dict[str, bool]) -> None:
        super().__init__(function, targetoptions=options)
        self._compiler = _Compiler(self, InnerLibrary)
        self._cache = InnerCache(function)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return super().get_call_template(tuple(map(plain, args)), {key: plain(kind) for key, kind in kws.items()})

    def add_overload(self, cres: Any) -> None:
        self.overloads[tuple(cres.signature.args)] = cres

    def compile(self, sig: Any) -> Any:
        """As Numba does, without taking the time of it, which took a tenth of the time."""
        args, return_type = sigutils.normalize_signature(sig)
        existing = self.overloads.get(tuple(args))
        if existing is not None:
            return existing.entry_point
        with global_compiler_lock, self._compiling_counter:
            cres: Any = self._cache.load_overload(sig, self.targetctx)
            if cres is None:
                cres = self._compiler.compile(args, return_type)
                self.add_overload(cres)
                self._cache.save_overload(sig, cres)
            else:
                self.targetctx.insert_user_function(cres.entry_point, cres.fndesc, [cres.library])
                self.add_overload(cres)
            return cres.entry_point


class _Entry(CPUDispatcher):
    """A kernel as Python calls it."""

    def __init__(self, function: FunctionType, options: dict[str, bool]) -> None:
        super().__init__(function, targetoptions=options)
        self._compiler = _Compiler(self, EntryLibrary)
        self._cache = KernelCache(function)


class Kernel:
    """A kernel: `entry` for Python, `inner` for other kernels, each made when it is first needed.

    To make them for all kernels of an import took half of our share of it.
    """

    entry: _Entry
    inner: _Inner

    def __init__(self, function: FunctionType, options: dict[str, bool]) -> None:
        functools.update_wrapper(self, function)  # type: ignore[reportArgumentType]
        self.py_func = function
        self._options = options

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in ("entry", "inner"):
            return getattr(self.entry, name)
        made = (_Entry if name == "entry" else _Inner)(self.py_func, self._options)
        return self.__dict__.setdefault(name, made)

    __call__ = property(operator.attrgetter("entry"))  # without a frame of Python's: 30 ns

    @property
    def _numba_type_(self) -> types.Type:
        """What kernels see where they name this one."""
        return types.Dispatcher(self.inner)
