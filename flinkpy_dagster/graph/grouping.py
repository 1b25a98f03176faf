"""Connected components."""

from collections.abc import Hashable, Iterable
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def grouped(members: Iterable[T], connections: Iterable[tuple[T, T]]) -> list[list[T]]:
    """The members in groups of those that are connected, directly or not; order of members is kept."""
    parents = {member: member for member in members}

    def root(member: T) -> T:
        while parents[member] != member:
            parents[member] = parents[parents[member]]
            member = parents[member]
        return member

    for one, other in connections:
        parents[root(other)] = root(one)
    groups: dict[T, list[T]] = {}
    for member in parents:
        groups.setdefault(root(member), []).append(member)
    return list(groups.values())
