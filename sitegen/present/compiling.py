"""Templates compiled to code that escapes into plain text: the same bytes as Jinja2's own code, in half the time.

Jinja2 makes an object of a class of its own for every value that it prints, looks every attribute up through a function
that also tries subscripts, and matches the arguments of every macro anew. Pages here are made of records, so an
attribute is an attribute; a value that is printed becomes escaped text at once; and a macro is called as a function.
Templates of the owner are compiled the same way: a name that is not there is an error, as it was.

This leans on the inner methods of Jinja2's compiler, so that its version is locked, and a test holds the output of both
against each other.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from keyword import iskeyword
from typing import Any, TypeGuard

from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.runtime import Macro, markup_join
from jinja2.utils import missing
from markupsafe import Markup, escape

from sitegen.present.visible import finalize, visible

try:
    from markupsafe._speedups import _escape_inner as escaped
except ImportError:  # a build of markupsafe without its C code
    from markupsafe._native import _escape_inner as escaped

_HERE = "from sitegen.present.compiling import Fragment as Macro, joined, pieces, printed"
_MOST_FRAGMENTS = 4096
_SHORT = 4000  # characters; together with the number of fragments this bounds the memory

_made: dict[tuple[object, ...], str] = {}


def printed(value: object) -> str:
    """Return what a template prints for ``value``: visible and escaped, or the markup that it is."""
    kind = type(value)
    text: Any = value
    if kind is str:
        return escaped(text if text.isprintable() else visible(text))
    if kind is Markup:
        markup: str = text
        return markup
    if kind is int:
        return str(value)
    return value if isinstance(value, Markup) else str(escape(finalize(value)))


def joined(parts: tuple[object, ...]) -> str:
    """Return what ``~`` makes of its operands: plain text where all of them are, else markup."""
    if {*map(type, parts)} == {str}:
        texts: Any = parts
        return "".join(texts)
    return markup_join(parts)


class Fragment(Macro):
    """A macro that is called with its arguments in their places, without matching of names.

    Its code returns the pieces of its markup. What prints the markup takes these over as they are: a page is joined
    once and not at every macro on the way.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> str:
        """Return the markup."""
        left = self._argument_count - len(args)
        if kwargs or left < 0 or self.catch_varargs or self.catch_kwargs or self.caller:
            return super().__call__(*args, **kwargs)
        return str.__new__(Markup, "".join(self._func(*args, *(missing,) * left)))  # the text is no object to ask

    def pieces(self, arguments: tuple[Any, ...]) -> Sequence[str]:
        """Return the pieces of the markup."""
        left = self._argument_count - len(arguments)
        if left < 0 or self.catch_varargs or self.catch_kwargs or self.caller:
            return (self(*arguments),)
        code: Any = self._func
        found: list[str] = code(*arguments, *(missing,) * left)
        return found

    def _invoke(self, arguments: list[Any], autoescape: bool) -> str:
        return str.__new__(Markup, "".join(self._func(*arguments)))


def pieces(function: Any, *args: Any, **kwargs: Any) -> Sequence[str]:
    """Return what a template prints for a call, in pieces where it is one of a macro."""
    if type(function) is Fragment and not kwargs:
        return function.pieces(args)
    return (printed(function(*args, **kwargs)),)


def once(fragment: Fragment, *arguments: Any) -> str:
    """Return the markup of a macro that depends on its arguments alone, made once for the same ones while it is short.

    The runs of one protocol show the same questions, and mostly the same answers.
    """
    key = (fragment, *arguments)
    found = _made.get(key)
    if found is None:
        found = fragment(*arguments)
        if len(found) <= _SHORT:
            if len(_made) >= _MOST_FRAGMENTS:
                _made.clear()
            _made[key] = found
    return found


class Compiler(CodeGenerator):
    """Jinja2's compiler with other code for what is printed, for attributes and for calls."""

    environment: PlainEnvironment
    _taken_over: nodes.Call | None = None

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802 (Jinja2's name)
        """Write the module, and the names that its code needs."""
        super().visit_Template(node, frame)
        self.writeline(_HERE)

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802 (Jinja2's name)
        """Write an attribute as an attribute."""
        if iskeyword(node.attr):
            super().visit_Getattr(node, frame)
            return
        self.write("(")
        self.visit(node.node, frame)
        self.write(f").{node.attr}")

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802 (Jinja2's name)
        """Write a call as a call; no function of ours asks for the context."""
        if forward_caller or node.dyn_args is not None or node.dyn_kwargs is not None:
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.write("*pieces(" if node is self._taken_over else "(")
        self.visit(node.node, frame)
        self.write(", " if node is self._taken_over else ")(")
        for argument in (*node.args, *node.kwargs):
            self.visit(argument, frame)
            self.write(", ")
        self.write(")")

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802 (Jinja2's name)
        """Write ``~`` as a join."""
        if not self._is_plain(frame):
            super().visit_Concat(node, frame)
            return
        self.write("joined((")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write("))")

    def visit_Output(self, node: nodes.Output, frame: Frame) -> None:  # noqa: N802 (Jinja2's name)
        """Write what stands between two statements of a block as one piece: each piece passes through every parent."""
        if frame.buffer is not None or frame.require_output_check or len(node.nodes) == 1:
            self._many = len(node.nodes) > 1
            super().visit_Output(node, frame)
            return
        self._many = True
        frame.buffer = self.temporary_identifier()
        self.writeline(f"{frame.buffer} = []")
        super().visit_Output(node, frame)
        self.writeline(f"yield concat({frame.buffer})")
        frame.buffer = None

    def return_buffer_contents(self, frame: Frame, force_unescaped: bool = False) -> None:
        """Write the end of a macro, which returns its pieces, or of a block that is set to a name."""
        if force_unescaped:
            self.writeline(f"return {frame.buffer}")
        else:
            super().return_buffer_contents(frame)

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if not self._is_plain(frame):
            super()._output_child_pre(node, frame, finalize)
        elif self._many and frame.buffer is not None and self._is_plain_call(node):
            self._taken_over = node
        else:
            self.write("(" if self._prints_itself(node) else "printed(")

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if node is self._taken_over:
            self._taken_over = None
        elif self._is_plain(frame):
            self.write(")")
        else:
            super()._output_child_post(node, frame, finalize)

    def _prints_itself(self, node: nodes.Expr | None) -> bool:
        """Tell whether a value is sure to be text that needs no escape: ours, or made of a number."""
        if isinstance(node, nodes.CondExpr):
            return self._prints_itself(node.expr1) and self._prints_itself(node.expr2)
        if isinstance(node, nodes.Const):
            return isinstance(node.value, str) and printed(node.value) == node.value
        if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name):
            return node.node.name in self.environment.makers_of_markup
        return isinstance(node, nodes.Filter) and node.name in self.environment.filters_of_numbers

    def _is_plain_call(self, node: nodes.Expr) -> TypeGuard[nodes.Call]:
        """Tell whether a call may be one of a macro, and names its arguments one by one."""
        plain = isinstance(node, nodes.Call) and node.dyn_args is None and node.dyn_kwargs is None
        return plain and not self._prints_itself(node)

    @staticmethod
    def _is_plain(frame: Frame) -> bool:
        return bool(frame.eval_ctx.autoescape) and not frame.eval_ctx.volatile


class PlainEnvironment(Environment):
    """An environment whose templates go through :class:`Compiler`.

    ``filters_of_numbers`` are names of filters that take numbers only and give text without markup, and
    ``makers_of_markup`` those of functions whose result is markup.
    """

    code_generator_class = Compiler
    filters_of_numbers: frozenset[str] = frozenset()
    makers_of_markup: frozenset[str] = frozenset()

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return a template's globals as one dictionary: Jinja2's chain of two is walked anew for every page."""
        return {**self.globals, **(d or {})}
