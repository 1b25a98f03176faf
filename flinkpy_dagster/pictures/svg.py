"""A small writer of SVG: shapes as text, texts measured well enough to put boxes around them."""

import base64
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

FONT = "Inter, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"
INK, SOFT, LINE, GROUND, CARD = "#1f2937", "#6b7280", "#cbd5e1", "#ffffff", "#f8fafc"
PALETTE = (
    "#4f6df5", "#0ea5a4", "#f59e0b", "#e0567a", "#8b5cf6", "#22a06b", "#d97757", "#64748b", "#0284c7", "#a3a300",
)  # fmt: skip
BAD, GOOD = "#dc2626", "#16a34a"
_NARROW, _WIDE = frozenset("iljtfr.,:;|'!()[]{} -"), frozenset("mwMWGOQ@%")


def text_width(text: str, size: float) -> float:
    """Roughly, in pixels, of a sans-serif font of ``size`` pixels."""
    units = sum(
        0.34 if each in _NARROW else 0.86 if each in _WIDE else 0.62 if each.isupper() else 0.55
        for each in text
    )
    return units * size


def fitted(text: str, size: float, width: float) -> str:
    """``text``, cut with an ellipsis where it is wider than ``width`` pixels."""
    if text_width(text, size) <= width:
        return text
    while text and text_width(f"{text}…", size) > width:
        text = text[:-1]
    return f"{text.rstrip()}…"


def number(value: float) -> str:
    """``1,234``; from a million on ``1.2 M``."""
    for limit, unit in ((1e9, "G"), (1e6, "M")):
        if abs(value) >= limit:
            return f"{value / limit:.1f} {unit}"
    return f"{value:,.0f}"


@dataclass
class Svg:
    """One picture. Coordinates are pixels, the origin is at the upper left."""

    width: float
    height: float
    title: str
    _parts: list[str] = field(default_factory=list)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str = CARD,
        stroke: str = "none",
        radius: float = 4,
        hint: str = "",
        opacity: float = 1,
    ) -> None:
        """``x`` and ``y`` are its upper left corner; ``hint`` appears under the mouse."""
        shown = f"<title>{escape(hint)}</title>" if hint else ""
        faded = f' opacity="{opacity:g}"' if opacity != 1 else ""
        self._parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(0.0, width):.1f}" height="{max(0.0, height):.1f}" '
            f'rx="{radius:g}" fill="{fill}" stroke="{stroke}"{faded}>{shown}</rect>'
        )

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float = 12,
        fill: str = INK,
        anchor: str = "start",
        weight: int = 400,
    ) -> None:
        """``y`` is the base line."""
        self._parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" fill="{fill}" text-anchor="{anchor}" '
            f'font-weight="{weight}">{escape(text)}</text>'
        )

    def line(
        self, x1: float, y1: float, x2: float, y2: float, stroke: str = LINE, width: float = 1, dash: str = ""
    ) -> None:
        """From one point to the other; ``dash``: lengths of strokes and gaps."""
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self._parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{stroke}" '
            f'stroke-width="{width:g}"{dashed}/>'
        )

    def curve(
        self, points: Sequence[tuple[float, float]], stroke: str = SOFT, dash: str = "", arrow: bool = True
    ) -> None:
        """Through the points, leaving and arriving level."""
        (x, y), *rest = points
        path = [f"M{x:.1f},{y:.1f}"]
        for to_x, to_y in rest:
            middle = (x + to_x) / 2
            path.append(f"C{middle:.1f},{y:.1f} {middle:.1f},{to_y:.1f} {to_x:.1f},{to_y:.1f}")
            x, y = to_x, to_y
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        marker = ' marker-end="url(#arrow)"' if arrow else ""
        self._parts.append(
            f'<path d="{" ".join(path)}" fill="none" stroke="{stroke}" stroke-width="1.6"{dashed}{marker}/>'
        )

    def path(self, points: Iterable[tuple[float, float]], stroke: str, width: float = 1.8) -> None:
        """Straight from point to point."""
        text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._parts.append(
            f'<polyline points="{text}" fill="none" stroke="{stroke}" stroke-width="{width:g}" '
            'stroke-linejoin="round"/>'
        )

    def dot(self, x: float, y: float, radius: float, fill: str, hint: str = "") -> None:
        """Around ``x`` and ``y``."""
        shown = f"<title>{escape(hint)}</title>" if hint else ""
        self._parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{fill}">{shown}</circle>')

    def __str__(self) -> str:
        arrow = (
            '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            f'orient="auto"><path d="M0,0.5 L7.5,4 L0,7.5 z" fill="{SOFT}"/></marker></defs>'
        )
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width:.0f}" height="{self.height:.0f}" '
            f'viewBox="0 0 {self.width:.0f} {self.height:.0f}" font-family="{FONT}" role="img">'
        )
        ground = f'<rect width="100%" height="100%" rx="8" fill="{GROUND}"/>'
        return "\n".join(
            [head, f"<title>{escape(self.title)}</title>", arrow, ground, *self._parts, "</svg>"]
        )


def scaled(svg: str, widest: float) -> str:
    """The picture at most so many pixels wide, smaller as a whole if it was wider."""
    found = re.search(r'width="(\d+)" height="(\d+)"', svg)
    if found is None or float(found[1]) <= widest:
        return svg
    height = float(found[2]) * widest / float(found[1])
    return svg.replace(found[0], f'width="{widest:.0f}" height="{height:.0f}"', 1)


def data_uri(svg: str) -> str:
    """For an ``<img>``, or for Markdown."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
