#!/usr/bin/python3
"""Draws how time follows fragments and threads, as SVG, from the results of `make bench`.

    bench_graph.py RESULTS THREADS
"""
import math
import sys

from bench_figures import COUNTS, TASKS, least, load

WIDTH, HEIGHT, LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT = 960, 400, 70, 50, 340, 270
COLOURS = ["#0b6e99", "#c2571a", "#3d7a35", "#7a3d78"]


def text(x, y, words, anchor="middle", size=12, colour="#222"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}">{words}</text>'


def line(x1, y1, x2, y2, colour="#ddd"):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def curve(points, colour):
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in points]
    return [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>', *dots]


class Plot:
    """A plot with logarithmic axes."""

    def __init__(self, left, xs, ys):
        self.left, self.xs, self.ys = left, xs, ys

    def x(self, value):
        low, high = math.log10(self.xs[0]), math.log10(self.xs[-1])
        return self.left + PLOT_WIDTH * (math.log10(value) - low) / (high - low)

    def y(self, value):
        low, high = math.log10(self.ys[0]), math.log10(self.ys[-1])
        return TOP + PLOT_HEIGHT * (1 - (math.log10(value) - low) / (high - low))

    def frame(self, title, below):
        bottom = TOP + PLOT_HEIGHT
        out = [text(self.left + PLOT_WIDTH / 2, TOP - 22, title, size=14)]
        for value in self.ys:
            out += [line(self.left, self.y(value), self.left + PLOT_WIDTH, self.y(value)),
                    text(self.left - 8, self.y(value) + 4, f"{value:g}", "end")]
        for value in self.xs:
            out += [line(self.x(value), TOP, self.x(value), bottom), text(self.x(value), bottom + 18, f"{value:,}")]
        return out + [text(self.left + PLOT_WIDTH / 2, bottom + 38, below)]

    def curves(self, curves):
        out = []
        for number, (name, points) in enumerate(curves):
            colour = COLOURS[number % len(COLOURS)]
            points = [(self.x(x), self.y(min(max(y, self.ys[0]), self.ys[-1]))) for x, y in points if y]
            out += curve(points, colour)
            x, y = self.left, TOP + PLOT_HEIGHT + 58 + 16 * number
            out += [line(x, y - 4, x + 18, y - 4, colour), text(x + 24, y, name, "start", 11)]
        return out


def decades(values):
    values = [value for value in values if value]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return [10.0**n for n in range(low, max(high, low + 1) + 1)]


def fragments(rows):
    def points(contestant, task, measure, scale):
        wanted = dict(workload="w6", contestant=contestant, task=task)
        return [(n, (least(rows, measure, suffix=f"_{n}", **wanted) or 0) * scale) for n in COUNTS]

    curves = [
        ("libcfa: open, ms CPU", points("libcfa", "open", "cpu", 1e3)),
        ("libcfa: open and read one, ms CPU", points("libcfa", "slab", "cpu", 1e3)),
        ("libcfa: memory, MB", points("libcfa", "slab", "rss_kb", 1 / 1024)),
        ("C loop: open and read one, ms CPU", points("cloop", "slab", "cpu", 1e3)),
    ]
    plot = Plot(LEFT, COUNTS, decades([y for _, points in curves for _, y in points]))
    return plot.frame("Fragments of the file", "fragments") + plot.curves(curves)


def threads(rows):
    curves = []
    for workload, task, name, *_ in TASKS:
        points = [(n, (least(rows, "wall", workload=workload, task=task, threads=n) or 0) * 1e3) for n in (1, 2, 4)]
        if points[0][1]:
            curves.append((name.split(", ")[0].replace("&", "&amp;"), points))
    plot = Plot(LEFT + PLOT_WIDTH + 120, [1, 2, 4], decades([y for _, points in curves for _, y in points]))
    return plot.frame("Threads: wall time of a read, ms", "threads") + plot.curves(curves)


def main():
    body = fragments(load(sys.argv[1])) + threads(load(sys.argv[2]))
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT + 40}" font-family="sans-serif">')
    print(f'<rect width="{WIDTH}" height="{HEIGHT + 40}" fill="white"/>')
    print("\n".join(body))
    print("</svg>")


main()
