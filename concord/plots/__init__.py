"""Geometry of the plots: numbers in, places on an SVG canvas out. Templates draw them.

No Django in here, and no markup: a plot is a frozen dataclass whose numbers a template puts into
SVG attributes, so that colours come from one stylesheet and texts are escaped in one way.
"""

from concord.plots.axes import Axis, Tick
from concord.plots.curves import (
    CurveDot,
    CurvePlot,
    precision_recall_plot,
    reliability_plot,
    roc_plot,
)
from concord.plots.frames import Frame
from concord.plots.histograms import Bar, Panel, panels
from concord.plots.intervals import IntervalMark, IntervalScale
from concord.plots.lines import LinePlot, line_plot
from concord.plots.matrices import MatrixPlot, matrix_plot
from concord.plots.scatter import Point, ScatterPlane, Square, density, points, scatter_plane

__all__ = [
    "Axis",
    "Bar",
    "CurveDot",
    "CurvePlot",
    "Frame",
    "IntervalMark",
    "IntervalScale",
    "LinePlot",
    "MatrixPlot",
    "Panel",
    "Point",
    "ScatterPlane",
    "Square",
    "Tick",
    "density",
    "line_plot",
    "matrix_plot",
    "panels",
    "points",
    "precision_recall_plot",
    "reliability_plot",
    "roc_plot",
    "scatter_plane",
]
