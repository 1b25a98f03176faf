"""What becomes of every public name of PyFlink here, found out from the code: supported, refused, without effect.

PyFlink's names are those of ``tests/api/pyflink_public_names.json``, recorded from PyFlink itself. A method is refused
when all it does is raise; a setting is without effect when the keys it sets are read by nobody who runs anything.
What the code cannot tell by itself is in ``pyflink_reasons.py``, each entry with a check.
"""

import ast
import inspect
import json
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from pyflink_reasons import ABSENT_METHODS, DEFAULTS_ANYWAY, IDLE, SETTINGS, UNUSABLE, sample

from flinkpy_dagster.api.pyflink_names import MODULES
from flinkpy_dagster.config.options import option_of
from flinkpy_dagster.errors import FlinkpyError, UnsupportedFeature
from flinkpy_dagster.programs.pyflink_alias import missing

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "tests" / "api" / "pyflink_public_names.json"
SETTERS = ("api/environment_settings.py", "api/execution_config.py", "api/checkpoint_config.py")
CONFIGURED = ("StreamExecutionEnvironment", "ExecutionConfig", "CheckpointConfig")
NO_EFFECT_DOC = "Accepted for programs that set it, without effect: "


@dataclass(frozen=True)
class Verdict:
    """``kind``: supported, refused, refused by PyFlink too, without effect. ``reason``: one sentence."""

    name: str
    kind: str
    reason: str = ""


@cache
def recorded() -> dict[str, dict[str, dict[str, str] | None]]:
    """Module -> class or function -> methods with their parameters (None: a function)."""
    return json.loads(RECORD.read_text(encoding="utf-8"))


def homes() -> dict[str, list[str]]:
    """Module -> the names that belong to it; a name that several modules show belongs to the innermost."""
    home: dict[str, str] = {}
    for module in sorted(recorded(), key=lambda name: (name.count("."), name)):
        for name in recorded()[module]:
            if module in MODULES or name not in home:
                home[name] = module
    return {
        module: sorted(n for n, at in home.items() if at == module) for module in sorted(set(home.values()))
    }


def absent_modules() -> list[Verdict]:
    """Modules of PyFlink that do not exist here, with the sentence of their ImportError."""
    return [Verdict(name, "refused", missing(name)) for name in sorted(recorded()) if name not in MODULES]


def verdicts_of(module: str, name: str) -> list[Verdict]:
    """What becomes of a class and its methods, or of a function. ``module`` exists here."""
    if name not in MODULES[module]:
        return [Verdict(name, "refused", missing(f"{module}.{name}"))]
    ours = here(module, name)
    if not inspect.isclass(ours):
        return [Verdict(name, "supported")]
    refusal = refusal_of(ours.__init__, ours)
    if refusal is not None:
        return [refused(name, refusal)]
    if name in UNUSABLE:
        return [Verdict(name, "refused", UNUSABLE[name])]
    if name in IDLE:
        return [idle(name)]
    methods = [method for method in recorded()[module][name] or {} if method != "__init__"]
    found = [Verdict(name, "supported")] + [method_verdict(ours, name, method) for method in methods]
    return found + [verdict for verdict in nested_verdicts(ours, name) if verdict.kind != "supported"]


def here(module: str, name: str) -> Any:
    """Our object of that name."""
    place, _, attribute = MODULES[module][name].partition(":")
    return getattr(import_module(place), attribute)


def method_verdict(owner: type, name: str, method: str) -> Verdict:
    """What becomes of a method; ``name`` is how programs call its class."""
    full = f"{name}.{method}"
    if not hasattr(owner, method):
        return Verdict(full, "refused", f"AttributeError: {ABSENT_METHODS[full]}")
    function = getattr(owner, method)
    refusal = refusal_of(function) or refusal_passed_on(owner, method)
    if refusal is not None:
        return refused(full, refusal)
    if full in UNUSABLE:
        return Verdict(full, "refused", UNUSABLE[full])
    if full in IDLE or f"*.{method}" in IDLE:
        return idle(full, full if full in IDLE else f"*.{method}")
    if name in CONFIGURED and (keys := keys_set_by(owner, method)) and not any(map(is_read, keys)):
        return Verdict(full, "without effect", reason_of(keys))
    if statements(function) == ["return self"] and full not in DEFAULTS_ANYWAY:
        return Verdict(full, "without effect", first_sentence(function) or first_sentence(owner))
    return Verdict(full, "supported")


def nested_verdicts(owner: type, name: str) -> Iterator[Verdict]:
    """Builders and their kin: PyFlink's record has no methods of nested classes, ours are looked at instead."""
    for nested_name, nested in vars(owner).items():
        if inspect.isclass(nested) and not nested_name.startswith("_") and nested.__name__ == nested_name:
            methods = [each for each, _ in inspect.getmembers(nested, callable) if not each.startswith("_")]
            yield from (method_verdict(nested, f"{name}.{nested_name}", method) for method in methods)


# -- refusals


def statements(function: Any) -> list[str]:
    """The statements of a function without its docstring, as source; [] for what is not written in Python."""
    try:
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    except (OSError, TypeError, ValueError, SyntaxError):
        return []
    if not isinstance(tree, ast.FunctionDef):
        return []
    body = tree.body[1:] if ast.get_docstring(tree) else tree.body
    return [ast.unparse(statement) for statement in body]


def refusal_of(function: Any, owner: type | None = None) -> Exception | None:
    """The error of a function that does nothing but refuse, of a constructor with its class; None for all others."""
    body = statements(function)
    if len(body) != 1 or not body[0].startswith("raise "):
        return None
    needed = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    arguments = [None for p in needed if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    try:
        if owner is not None:
            owner(*arguments[1:])
        else:
            function(*arguments)
    except NotImplementedError as error:  # of a method: users override it
        return error if owner is not None else None
    except FlinkpyError as error:
        return error
    except Exception:  # it is about the values, not about being called
        return None
    return None


def refusal_passed_on(owner: type, method: str) -> Exception | None:
    """The error of a method that only calls the method of a base class, which refuses: ``KeyedStream.add_sink``."""
    body = statements(getattr(owner, method))
    if len(body) != 1 or f".{method}(" not in body[0]:
        return None
    bases = [base for base in owner.__mro__[1:] if method in vars(base)]
    return refusal_of(getattr(bases[0], method)) if bases else None


def refused(name: str, error: Exception) -> Verdict:
    """UnsupportedFeature is ours; InvalidProgram is what makes no sense in Flink either."""
    is_ours = isinstance(error, UnsupportedFeature | NotImplementedError)
    instead = getattr(error, "instead", "")
    reason = instead[:1].upper() + instead[1:] if instead else str(error)
    return Verdict(name, "refused" if is_ours else "refused by PyFlink too", reason)


# -- without effect


def idle(name: str, entry: str = "") -> Verdict:
    """An entry of IDLE, whose witness must be absent: a word that code acting upon it could not do without."""
    witness, reason = IDLE[entry or name]
    readers = [path for path, words in words_of_engine().items() if witness in words]
    if readers:
        raise AssertionError(f"{name} is said to be without effect, but '{witness}' occurs in {readers[0]}.")
    return Verdict(name, "without effect", reason)


def keys_set_by(owner: type, method: str) -> set[str]:
    """The configuration keys that a setting writes, by calling it."""
    if not method.startswith(("set_", "enable_", "disable_", "add_", "register_")):
        return set()
    configured = owner()
    before = configured._recording.configuration.to_dict()
    names = list(inspect.signature(getattr(owner, method)).parameters.values())[1:]
    getattr(configured, method)(*(sample(p.name, p.annotation) for p in names if p.default is p.empty))
    after = configured._recording.configuration.to_dict()
    return {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}


def reason_of(keys: set[str]) -> str:
    """Why nobody reads the keys: the option's own words, else those for its family."""
    for key in sorted(keys):
        option = option_of(key)
        if option is not None and option.doc.startswith(NO_EFFECT_DOC):
            reason = option.doc.removeprefix(NO_EFFECT_DOC)
            return reason[:1].upper() + reason[1:]
        for family, reason in SETTINGS.items():
            if key.startswith(family):
                return reason
    raise KeyError(f"docs/pyflink_reasons.py does not say why {sorted(keys)} has no effect.")


def is_read(key: str) -> bool:
    """Does any code but the setters mention the key, or its family as a prefix?"""
    constants = constants_of_engine()
    return key in constants or any(
        text.endswith(".") and len(text) > 8 and key.startswith(text) for text in constants
    )


@cache
def engine() -> dict[str, ast.Module]:
    """All code that could act upon a setting: not the settings, the options, the names, nor what only shows them."""
    package = ROOT / "flinkpy_dagster"
    sources = {path.relative_to(package).as_posix(): path for path in package.rglob("*.py")}
    skipped = (*SETTERS, "api/pyflink_names.py", "orchestration/programs/config_schema.py")
    return {
        name: ast.parse(path.read_text(encoding="utf-8"))
        for name, path in sorted(sources.items())
        if name not in skipped and not name.startswith(("config/", "gateway/"))
    }


@cache
def constants_of_engine() -> frozenset[str]:
    """All texts in the code."""
    nodes = (node for tree in engine().values() for node in ast.walk(tree))
    return frozenset(n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str))


@cache
def words_of_engine() -> dict[str, frozenset[str]]:
    """Names and attributes used below and above the API (``api`` itself only builds and stores)."""
    return {
        path: frozenset(_words(tree))
        for path, tree in engine().items()
        if not path.startswith(("api/", "testing/", "graph/"))
    }


def _words(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Name):
            yield node.id


def first_sentence(documented: Any) -> str:
    """The first line of a docstring."""
    return (inspect.getdoc(documented) or "").partition("\n")[0]
