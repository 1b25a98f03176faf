"""What stands before a keyed operator and decides what it meets, and when."""

from flinkpy_dagster.operators.elements.keyed_operator import KeyedOperator
from flinkpy_dagster.operators.operator import Operator, Output, Setup


class KeyedInput(Operator):
    """Begins and ends with the operator behind it, whose results are its own."""

    def __init__(self, operator: KeyedOperator):
        super().__init__()
        self.operator = operator

    @property
    def output(self) -> Output:
        """Where the operator behind it pushes its results."""
        return self.operator.output

    @output.setter
    def output(self, output: Output) -> None:
        self.operator.output = output

    def open(self, setup: Setup) -> None:
        super().open(setup)
        self.operator.open(setup)

    def finish(self) -> None:
        self.operator.finish()

    def close(self) -> None:
        self.operator.close()
