"""Geometry of plots: from values to coordinates of an SVG picture. Templates draw them.

A plot is a frozen dataclass; a template writes its numbers into SVG attributes. So all colours are
in the stylesheet, and the template engine escapes all texts.
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
from concord.plots.histograms import Bar, HistogramPanel, histogram_panels
from concord.plots.intervals import IntervalMark, IntervalScale
from concord.plots.lines import LinePlot, line_plot
from concord.plots.matrices import MatrixPlot, matrix_plot
from concord.plots.scatter import (
    Point,
    ScatterPlane,
    Square,
    density_squares,
    scatter_plane,
    scatter_points,
)

__all__ = [
    "Axis",
    "Bar",
    "CurveDot",
    "CurvePlot",
    "Frame",
    "HistogramPanel",
    "IntervalMark",
    "IntervalScale",
    "LinePlot",
    "MatrixPlot",
    "Point",
    "ScatterPlane",
    "Square",
    "Tick",
    "density_squares",
    "histogram_panels",
    "line_plot",
    "matrix_plot",
    "precision_recall_plot",
    "reliability_plot",
    "roc_plot",
    "scatter_plane",
    "scatter_points",
]
