"""What ``import pyflink`` means in a program that this package runs: a finder that answers with our own API.

It comes first, so an installed PyFlink is never loaded. Every alias module counts as a package: that way the import
system asks this finder for a name that a module does not have, and the ImportError can say what there is instead.
Installing costs nothing: the API is loaded by the first import of ``pyflink``. Workers install it too, for functions of
the program that import.
"""

import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

ROOT = "pyflink"


class PyflinkFinder(MetaPathFinder, Loader):
    """Finds the modules of the table ``MODULES``, refuses everything else below ``pyflink``."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of an alias module; None outside of ``pyflink``. Raises ImportError for what does not exist here."""
        if fullname != ROOT and not fullname.startswith(ROOT + "."):
            return None
        from flinkpy_dagster.api.pyflink_names import MODULES  # not before somebody imports pyflink

        if fullname not in MODULES:
            raise ImportError(missing(fullname), name=fullname)
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """None: an ordinary empty module."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Fills the module with the names of the table."""
        from flinkpy_dagster.api.pyflink_names import MODULES

        module.__doc__ = f"flinkpy-dagster in place of {module.__name__}."
        for name, place in MODULES[module.__name__].items():
            source, _, attribute = place.partition(":")
            setattr(module, name, getattr(import_module(source), attribute or name))
        module.__dict__["__all__"] = list(MODULES[module.__name__])


def missing(fullname: str) -> str:
    """The sentence about a name of PyFlink that is not here."""
    from flinkpy_dagster.api.pyflink_names import INSTEAD

    if fullname not in INSTEAD and (meant := _meant(fullname)):
        return f"flinkpy-dagster does not have {fullname}: did you mean {meant}?"
    parents = [fullname.rsplit(".", count)[0] for count in range(fullname.count(".") + 1)]
    hint = next((INSTEAD[name] for name in parents if name in INSTEAD), "docs/cli.md says what there is.")
    return f"flinkpy-dagster does not have {fullname}: {hint}"


def _meant(fullname: str) -> str | None:
    """Of a module that is here: the same name in another module, or one that is almost this."""
    from flinkpy_dagster.api.pyflink_names import MODULES

    module, _, name = fullname.rpartition(".")
    if module not in MODULES:
        return None
    elsewhere = sorted((other for other, names in MODULES.items() if name in names), key=len)
    if elsewhere:
        return f"{elsewhere[0]}.{name}"
    near = get_close_matches(name, MODULES[module], n=1, cutoff=0.8)
    return f"{module}.{near[0]}" if near else None


def install() -> None:
    """Makes ``import pyflink`` mean this package, in this process; done twice it is done once."""
    if not any(isinstance(finder, PyflinkFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, PyflinkFinder())


def uninstall() -> None:
    """Takes the alias and its modules out of the process again."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, PyflinkFinder)]
    for name in [name for name in list(sys.modules) if name == ROOT or name.startswith(ROOT + ".")]:
        del sys.modules[name]
