"""A point on the time line (PyFlink's ``pyflink.common.time.Instant``)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, repr=False)
class Instant:
    """``seconds`` since the epoch plus ``nanos`` (0 to 999,999,999) after them."""

    seconds: int
    nanos: int

    def to_epoch_milli(self) -> int:
        """Milliseconds since the epoch, rounded down."""
        return self.seconds * 1000 + self.nanos // 1_000_000

    @staticmethod
    def of_epoch_milli(epoch_milli: int) -> "Instant":
        seconds, milliseconds = divmod(epoch_milli, 1000)
        return Instant(seconds, milliseconds * 1_000_000)

    def __repr__(self) -> str:
        return f"Instant<{self.seconds}, {self.nanos}>"
