"""Network namespaces on one machine: processes in them have an address, ports and a loopback of their own."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass


class NoNamespaces(Exception):
    """Why there are none, in a sentence."""


@dataclass(frozen=True)
class Host:
    """A namespace; processes started with ``prefix`` before their command live in it."""

    name: str
    address: str

    @property
    def prefix(self) -> list[str]:
        return ["ip", "netns", "exec", self.name]


@contextmanager
def hosts(number: int) -> Iterator[tuple[str, list[Host]]]:
    """The address of this machine towards so many hosts, and these, all on one bridge. Raises NoNamespaces."""
    if shutil.which("ip") is None:
        raise NoNamespaces("the command ip is not installed (apt-get install iproute2)")
    name = f"fp{os.getpid() % 100000}"
    subnet = f"10.{200 + os.getpid() // 250 % 50}.{os.getpid() % 250}"
    with ExitStack() as stack:
        stack.callback(_ip, "link", "del", name, is_checked=False)
        _ip("link", "add", name, "type", "bridge")
        _ip("addr", "add", f"{subnet}.1/24", "dev", name)
        _ip("link", "set", name, "up")
        made = []
        for place in range(number):
            host = Host(f"{name}n{place}", f"{subnet}.{place + 2}")
            stack.callback(_ip, "netns", "del", host.name, is_checked=False)
            _join(host, bridge=name, cable=f"{name}v{place}")
            made.append(host)
        yield f"{subnet}.1", made


def _join(host: Host, bridge: str, cable: str) -> None:
    _ip("netns", "add", host.name)
    _ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", host.name)
    _ip("link", "set", cable, "master", bridge, "up")
    _ip("-n", host.name, "addr", "add", f"{host.address}/24", "dev", "eth0")
    for device in ("eth0", "lo"):
        _ip("-n", host.name, "link", "set", device, "up")


def _ip(*words: str, is_checked: bool = True) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, timeout=30, check=False)
    if is_checked and done.returncode:
        raise NoNamespaces(f"'ip {' '.join(words)}' is not permitted: {done.stderr.strip()}")
