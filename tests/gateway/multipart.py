"""Multipart bodies written by hand, so that they can be wrong."""

TYPE = "multipart/form-data; boundary=edge"


def part(name: str, content: bytes, file_name: str | None = None) -> bytes:
    """One part; without a file name it is a field."""
    where = f'; filename="{file_name}"' if file_name is not None else ""
    head = f'--edge\r\nContent-Disposition: form-data; name="{name}"{where}\r\n\r\n'
    return head.encode("utf-8", "surrogateescape") + content + b"\r\n"


def body(*parts: bytes) -> bytes:
    return b"".join(parts) + b"--edge--\r\n"


def uploaded(client, path: str, data: bytes, kind: str = TYPE):
    """The answer."""
    return client.post(path, content=data, headers={"Content-Type": kind})
