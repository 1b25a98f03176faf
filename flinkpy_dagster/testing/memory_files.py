"""A file system in memory, for state in tests."""

from flinkpy_dagster.state.files import Files


class MemoryFiles(Files):
    """Files by absolute path; folders are there as soon as they were made."""

    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}
        self.folders: set[str] = {""}

    def read(self, path: str) -> bytes:
        if path not in self.contents:
            raise FileNotFoundError(path)
        return self.contents[path]

    def view(self, path: str) -> memoryview:
        return memoryview(self.read(path))

    def write(self, path: str, data: bytes, is_synced: bool = True) -> None:
        if folder_of(path) not in self.folders:
            raise FileNotFoundError(path)
        self.contents[path] = data

    def rename(self, source: str, target: str) -> None:
        if source in self.contents:
            self.contents[target] = self.contents.pop(source)
            return
        if source not in self.folders:
            raise FileNotFoundError(source)
        for path in [path for path in self.contents if path.startswith(f"{source}/")]:
            self.contents[target + path[len(source) :]] = self.contents.pop(path)
        moved = {path for path in self.folders if path == source or path.startswith(f"{source}/")}
        self.folders = (self.folders - moved) | {target + path[len(source) :] for path in moved}

    def make_folder(self, path: str) -> None:
        if path in self.folders:
            raise FileExistsError(path)
        while path not in self.folders:
            self.folders.add(path)
            path = folder_of(path)

    def exists(self, path: str) -> bool:
        return path in self.contents or path in self.folders

    def names(self, path: str) -> list[str]:
        below = [each for each in (*self.contents, *self.folders) if each and folder_of(each) == path]
        return sorted(each[len(path) + 1 :] for each in below)

    def size(self, path: str) -> int:
        return len(self.read(path))

    def copy(self, source: str, target: str) -> None:
        if folder_of(target) not in self.folders:
            self.make_folder(folder_of(target))
        self.write(target, self.read(source))

    def delete(self, path: str) -> None:
        for each in [each for each in self.contents if each == path or each.startswith(f"{path}/")]:
            del self.contents[each]
        self.folders = {each for each in self.folders if each != path and not each.startswith(f"{path}/")}

    def sync_folder(self, path: str) -> None:
        """Everything is as durable as it gets."""


def folder_of(path: str) -> str:
    """What a path is in."""
    return path.rpartition("/")[0]
