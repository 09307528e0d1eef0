"""A figure, as data, on Matplotlib axes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypedDict

import numpy as np

_MARKERS = {"circle": "o", "triangle": "^", "square": "s", "plus": "P", "diamond": "D", "triangle_down": "v", "cross": "x"}
_DASHES = {"solid": "-", "dashed": "--", "dotted": ":"}
# Where a text stands: horizontal and vertical alignment, and how many points off.
_SIDES = {"centre": ("center", "center", 0, 0), "above": ("center", "bottom", 0, 4), "below": ("center", "top", 0, -4), "right": ("left", "center", 4, 0), "left": ("right", "center", -4, 0)}


_COLOUR = re.compile("#[0-9a-fA-F]{6}")


class Style(TypedDict, total=False):
    """Looks that differ from a figure's own, see `Summary.plot`."""

    color: Any
    label: str | None
    alpha: float | None
    linewidth: float | None


def draw(figure: Mapping[str, Any], ax: Any = None, style: Style | None = None) -> Any:
    """Draws the panels of a figure; on `ax` when there is one panel, on an array of axes when there are several, on new ones without it."""
    look: Style = dict(style or {})  # type: ignore[assignment]
    label = look.get("label")
    if label is not None and look.get("color") is None:
        look["color"] = f"C{0 if ax is None else _named(np.ravel(np.asarray(ax, dtype=object))[0])}"
    if look.get("color") is not None and not _is_coloured(figure["panels"]):
        figure = _in_colour(figure, look["color"])
    figure = _styled(figure, look)
    panels = figure["panels"]
    if ax is None:
        import matplotlib.pyplot as plt

        columns = min(figure["columns"], len(panels))
        rows = -(-len(panels) // columns)
        first = next(panel for panel in panels if panel is not None)
        size = (columns * first["width"] / 80, rows * first["height"] / 80)
        _, ax = plt.subplots(rows, columns, figsize=size, squeeze=len(panels) == 1, layout="constrained")
    axes = np.ravel(np.asarray(ax, dtype=object))
    if len(axes) < len(panels):
        raise ValueError(f"the figure has {len(panels)} panels, ax has {len(axes)}\nhint: give an array of as many axes, or none")
    for axis, panel in zip(axes, panels):
        if panel is None:
            axis.set_axis_off()
        else:
            _panel(axis, panel)
    for axis in axes[len(panels) :]:
        axis.set_axis_off()
    if label is None:
        _legend(axes[0], figure["legend"])
    else:
        axes[0].plot([], [], color=look["color"], label=label)
        axes[0].legend(frameon=False, fontsize=8)
    return ax


def _named(ax: Any) -> int:
    """How many figures on these axes have a name in the legend: the next one takes the next colour."""
    return len(ax.get_legend_handles_labels()[1])


def _styled(part: Any, look: Style) -> Any:
    """The figure, or a part of it, in other looks. Grey stays grey: it is what does not belong to the estimate."""
    if isinstance(part, list):
        return [_styled(one, look) for one in part]
    if isinstance(part, str):
        return _recoloured(part, look.get("color")) if _COLOUR.fullmatch(part) else part
    if not isinstance(part, Mapping):
        return part
    found = {name: _styled(one, look) for name, one in part.items()}
    if look.get("alpha") is not None and "opacity" in found:
        found["opacity"] *= look["alpha"]
    if look.get("linewidth") is not None and "dash" in found:
        found["width"] = look["linewidth"]
    return found


def _recoloured(colour: str, wanted: Any) -> str:
    if wanted is None or _is_grey(colour):
        return colour
    return _hex(wanted)


def _is_grey(colour: str) -> bool:
    parts = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    return max(parts) - min(parts) <= 40


def _is_coloured(part: Any) -> bool:
    """Whether there is a colour that is not grey."""
    if isinstance(part, str):
        return _COLOUR.fullmatch(part) is not None and not _is_grey(part)
    inner = part.values() if isinstance(part, Mapping) else part if isinstance(part, list) else ()
    return any(_is_coloured(one) for one in inner)


def _in_colour(figure: Mapping[str, Any], colour: Any) -> dict[str, Any]:
    """A figure in black and grey, with its lines and areas in a colour."""

    def painted(panel: Mapping[str, Any] | None) -> dict[str, Any] | None:
        if panel is None:
            return None
        layers = [_painted(layer, colour) if layer["layer"] in ("line", "area") else layer for layer in panel["layers"]]
        return {**panel, "layers": layers}

    return {**figure, "panels": [painted(panel) for panel in figure["panels"]]}


def _painted(part: Any, colour: Any) -> Any:
    """A part in which every colour is this one."""
    if isinstance(part, Mapping):
        return {name: _painted(one, colour) for name, one in part.items()}
    return _hex(colour) if isinstance(part, str) and _COLOUR.fullmatch(part) else part


def _hex(colour: Any) -> str:
    from matplotlib import colors

    return str(colors.to_hex(colour))


def _panel(ax: Any, panel: Mapping[str, Any]) -> None:
    before = {name: getattr(ax, f"get_{name}lim")() for name in "xy"} if ax.has_data() else {}
    for order, layer in enumerate(panel["layers"]):
        _layer(ax, layer, 2 + order / 1000, panel)
    for name, axis in (("x", panel["x"]), ("y", panel["y"])):
        if axis["scale"] == "log":
            getattr(ax, f"set_{name}scale")("log")
        low, high = before.get(name, (axis["low"], axis["high"]))
        getattr(ax, f"set_{name}lim")(min(low, axis["low"]), max(high, axis["high"]))
        getattr(ax, f"set_{name}label")(axis["label"])
        ticks = axis["ticks"]
        if ticks == "hidden":
            getattr(ax, f"set_{name}ticks")([])
        elif isinstance(ticks, dict):
            getattr(ax, f"set_{name}ticks")([tick["at"] for tick in ticks["at"]], [tick["text"] for tick in ticks["at"]])
    if panel["title"]:
        ax.set_title(panel["title"])


def _line(stroke: Mapping[str, Any]) -> dict[str, Any]:
    return {"color": stroke["color"], "linewidth": stroke["width"], "alpha": stroke["opacity"], "linestyle": _DASHES[stroke["dash"]]}


def _layer(ax: Any, layer: Mapping[str, Any], order: float, panel: Mapping[str, Any]) -> None:
    kind = layer["layer"]
    if kind == "dots":
        at = np.asarray(layer["at"], dtype=float).reshape(-1, 2)
        look = {"color": layer["color"], "alpha": layer["opacity"], "marker": _MARKERS[layer["marker"]], "s": (1.5 * layer["radius"]) ** 2}
        ax.scatter(at[:, 0], at[:, 1], zorder=order, linewidths=1 if layer["marker"] == "cross" else 0, **look)
    elif kind == "line":
        path = np.asarray(layer["path"], dtype=float).reshape(-1, 2)
        ax.plot(path[:, 0], path[:, 1], zorder=order, **_line(layer["stroke"]))
    elif kind == "area":
        _area(ax, layer, order)
    elif kind == "rug":
        values = np.asarray(layer["values"], dtype=float)
        ax.vlines(values, 0, 0.03, transform=ax.get_xaxis_transform(), color=layer["color"], linewidth=0.6, zorder=order)
    elif kind == "shades":
        from matplotlib.colors import LinearSegmentedColormap

        colours = LinearSegmentedColormap.from_list("shades", ["white", layer["color"]])
        x, y = panel["x"], panel["y"]
        ax.imshow(np.asarray(layer["rows"], dtype=float), cmap=colours, vmin=0, vmax=1, aspect="auto", zorder=order, extent=(x["low"], x["high"], y["low"], y["high"]))
    elif kind == "rule":
        (direction, value), = layer["at"].items()
        (ax.axvline if direction == "x" else ax.axhline)(value, zorder=order, **_line(layer["stroke"]))
    elif kind == "text":
        horizontal, vertical, dx, dy = _SIDES[layer["side"]]
        where = {"xytext": (dx, dy), "textcoords": "offset points", "ha": horizontal, "va": vertical}
        ax.annotate(layer["text"], layer["at"], color=layer["color"], fontsize=8, zorder=order, clip_on=True, **where)


def _area(ax: Any, layer: Mapping[str, Any], order: float) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    points, codes = [], []
    for ring in layer["rings"]:
        if len(ring) > 2:
            points += [*ring, ring[0]]
            codes += [Path.MOVETO, *[Path.LINETO] * (len(ring) - 1), Path.CLOSEPOLY]
    if not points:
        return
    shape = Path(points, codes)
    ax.add_patch(PathPatch(shape, facecolor=layer["fill"]["color"], alpha=layer["fill"]["opacity"], edgecolor="none", zorder=order))
    if layer["outline"] is not None:
        ax.add_patch(PathPatch(shape, fill=False, zorder=order, edgecolor=layer["outline"]["color"], linewidth=layer["outline"]["width"], alpha=layer["outline"]["opacity"]))


def _legend(ax: Any, entries: list[Mapping[str, Any]]) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = []
    for entry in entries:
        (kind, look), = entry["key"].items()
        if kind == "point":
            marker, color = look
            handles.append(Line2D([], [], linestyle="", marker=_MARKERS[marker], color=color, label=entry["text"]))
        elif kind == "line":
            handles.append(Line2D([], [], label=entry["text"], **_line(look)))
        else:
            handles.append(Patch(facecolor=look["color"], alpha=look["opacity"], label=entry["text"]))
    if handles:
        ax.legend(handles=handles, frameon=False, fontsize=8)
