"""A file system in memory that dies at a given operation, and forgets what was not made durable."""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from flinkpy_dagster.state.files import Files, ObjectFiles, VersionChanged


class Crash(BaseException):
    """The process is dead: no handler of ours runs after it."""


@dataclass
class Tree:
    """Files by path; folders."""

    files: dict[str, bytes] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)

    def copy(self) -> "Tree":
        return Tree(dict(self.files), set(self.folders))


def parent(path: str) -> str:
    return path.rpartition("/")[0]


class CrashingFiles(Files):
    """``crash_at``: the number of the operation, from 0, at which it dies; ``how`` far the operation gets before."""

    def __init__(self, tree: Tree | None = None):
        self.tree = tree or Tree()
        self.durable = self.tree.copy()
        self.waiting: list[tuple[str, Callable[[Tree], None]]] = []
        self.operations = 0
        self.crash_at = -1
        self.how = "before"

    def _step(
        self, folder: str, change: Callable[[Tree], None], torn: Callable[[Tree], None] | None = None
    ) -> None:
        """One operation that changes something in a folder."""
        dies = self.operations == self.crash_at
        self.operations += 1
        if dies and self.how == "before":
            raise Crash
        if dies and self.how == "torn" and torn is not None:
            change = torn
        change(self.tree)
        self.waiting.append((folder, change))
        if dies:
            raise Crash

    def after_power_loss(self, survives: Callable[[], bool]) -> Tree:
        """What is found later: of what no ``sync_folder`` followed, each change has happened or not."""
        tree = self.durable.copy()
        for _, change in self.waiting:
            if survives():
                with suppress(OSError, KeyError):  # what it would change did not survive
                    change(tree)
        return tree

    # --- operations

    def read(self, path: str) -> bytes:
        if path not in self.tree.files:
            raise FileNotFoundError(path)
        return self.tree.files[path]

    def view(self, path: str) -> memoryview:
        return memoryview(self.read(path))

    def write(self, path: str, data: bytes, is_synced: bool = True) -> None:
        if parent(path) not in self.tree.folders:
            raise FileNotFoundError(path)
        self._step(
            parent(path),
            lambda tree: tree.files.__setitem__(path, data),
            lambda tree: tree.files.__setitem__(path, data[: len(data) // 2]),
        )

    def rename(self, source: str, target: str) -> None:
        if source not in self.tree.files and source not in self.tree.folders:
            raise FileNotFoundError(source)
        data = self.tree.files.get(source)
        self._step(parent(target), lambda tree: renamed(tree, source, target, data))

    def make_folder(self, path: str) -> None:
        if path in self.tree.folders:
            raise FileExistsError(path)
        above = path
        missing = []
        while above and above not in self.tree.folders:
            missing.append(above)
            above = parent(above)
        for folder in reversed(missing):
            self._step(parent(folder), lambda tree, folder=folder: tree.folders.add(folder))

    def exists(self, path: str) -> bool:
        return path in self.tree.files or path in self.tree.folders

    def names(self, path: str) -> list[str]:
        return sorted(
            each[len(path) + 1 :] for each in (*self.tree.files, *self.tree.folders) if parent(each) == path
        )

    def size(self, path: str) -> int:
        return len(self.read(path))

    def copy(self, source: str, target: str) -> None:
        if parent(target) not in self.tree.folders:
            self.make_folder(parent(target))
        self.write(target, self.read(source))

    def delete(self, path: str) -> None:
        for each in sorted((*self.tree.files, *self.tree.folders), reverse=True):
            if each == path or each.startswith(f"{path}/"):
                self._step(parent(each), lambda tree, each=each: removed(tree, each))

    def sync_folder(self, path: str) -> None:
        self._step("", lambda tree: None)
        for folder, change in self.waiting:
            if folder == path:
                with suppress(OSError, KeyError):
                    change(self.durable)
        self.waiting = [each for each in self.waiting if each[0] != path]


def renamed(tree: Tree, source: str, target: str, data: bytes | None) -> None:
    """The name is what may get lost; the bytes of a file were made durable when it was written."""
    if data is not None:
        tree.files.pop(source, None)
        tree.files[target] = data
        return
    for each in sorted(tree.folders | tree.files.keys()):
        if each == source or each.startswith(f"{source}/"):
            moved = target + each[len(source) :]
            if each in tree.files:
                tree.files[moved] = tree.files.pop(each)
            else:
                tree.folders.discard(each)
                tree.folders.add(moved)


def removed(tree: Tree, path: str) -> None:
    tree.files.pop(path, None)
    tree.folders.discard(path)


class CrashingObjects(CrashingFiles, ObjectFiles):
    """An object store of that kind: what is written is whole and durable; no folders, no renames in one step.

    ``losing``: numbers of operations whose answer gets lost: they happen, and raise OSError.
    """

    losing: frozenset[int] = frozenset()

    def _happen(self, change: Callable[[Tree], None]) -> None:
        is_lost = self.operations in self.losing
        self._step("", change, lambda tree: None)
        self.durable = self.tree.copy()
        self.waiting.clear()
        if is_lost:
            raise OSError("connection reset")

    def write(self, path: str, data: bytes, is_synced: bool = True) -> None:
        self._happen(lambda tree: tree.files.__setitem__(path, data))

    def put(self, path: str, data: bytes) -> None:
        self.write(path, data)

    def versioned(self, path: str) -> tuple[bytes, str]:
        data = self.read(path)
        return data, hashlib.md5(data).hexdigest()

    def swap(self, path: str, data: bytes, version: str | None) -> str:
        found = self.versioned(path)[1] if path in self.tree.files else None
        if found != version:
            raise VersionChanged(path)
        self.write(path, data)
        return hashlib.md5(data).hexdigest()

    def rename(self, source: str, target: str) -> None:
        for path in [each for each in self.tree.files if each == source or each.startswith(f"{source}/")]:
            self.write(target + path[len(source) :], self.read(path))
            self.delete(path)

    def make_folder(self, path: str) -> None:
        """There are none."""

    def exists(self, path: str) -> bool:
        return any(each == path or each.startswith(f"{path}/") for each in self.tree.files)

    def names(self, path: str) -> list[str]:
        below = [each[len(path) + 1 :] for each in self.tree.files if each.startswith(f"{path}/")]
        return sorted({each.partition("/")[0] for each in below})

    def delete(self, path: str) -> None:
        for each in [each for each in self.tree.files if each == path or each.startswith(f"{path}/")]:
            self._happen(lambda tree, each=each: removed(tree, each))

    def sync_folder(self, path: str) -> None:
        """Nothing waits."""


KINDS = {"renames": CrashingFiles, "swaps": CrashingObjects}
kind: type[CrashingFiles] = CrashingFiles
"""Which one tests run on now: the fixture of this name sets it."""


def files_on(tree: Tree) -> CrashingFiles:
    """What finds this after a crash."""
    return kind(tree)


def new_files(folder: str) -> CrashingFiles:
    """An empty file system with one folder."""
    return kind(Tree(folders={"", folder}))
