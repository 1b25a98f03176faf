"""Names of side outputs."""

from flinkpy_dagster.types import TypeInformation, Types


class OutputTag:
    """Names a side output and its type (``pyflink.datastream.output_tag.OutputTag``).

    Two tags with one ``tag_id`` are one side output. ``type_info`` None means pickled; a list of types means
    a row of them.
    """

    def __init__(self, tag_id: str, type_info: TypeInformation | list | None = None):
        if not tag_id:
            raise ValueError("OutputTag tag_id cannot be None or empty string")
        self.tag_id = tag_id
        if type_info is None:
            self.type_info = Types.PICKLED_BYTE_ARRAY()
        elif isinstance(type_info, list):
            self.type_info = Types.ROW(type_info)
        elif isinstance(type_info, TypeInformation):
            self.type_info = type_info
        else:
            raise TypeError("OutputTag type_info must be None, list or TypeInformation")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OutputTag) and other.tag_id == self.tag_id

    def __hash__(self) -> int:
        return hash(self.tag_id)

    def __repr__(self) -> str:
        return f"OutputTag({self.tag_id!r}, {self.type_info})"
