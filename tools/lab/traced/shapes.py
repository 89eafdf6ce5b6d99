"""Bodies as triangles: discs with rounded rims and cut faces, bowed cards, hands.

A mesh is (points N x 3 in millimetres, triangles M x 3, normals N x 3, places on its print N x 2 from 0 to 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import numpy as np

Mesh: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]

ARM_MM = 430.0


def quads(rows: int, columns: int, *, around: bool = False) -> np.ndarray:
    """Triangles over a grid of points, whose columns close to a ring if asked."""
    across = columns if around else columns - 1
    row, column = np.mgrid[0 : rows - 1, 0:across]
    a, b = row * columns + column, row * columns + (column + 1) % columns
    c, d = a + columns, b + columns
    return np.concatenate([np.stack([a, c, b], -1).reshape(-1, 3), np.stack([b, c, d], -1).reshape(-1, 3)])


def with_normals(points: np.ndarray, triangles: np.ndarray, uv: np.ndarray) -> Mesh:
    """Normals averaged over the triangles at a point."""
    a, b, c = (points[triangles[:, corner]] for corner in range(3))
    facing = np.cross(b - a, c - a)
    normals = np.zeros_like(points)
    for corner in range(3):
        np.add.at(normals, triangles[:, corner], facing)
    return points, triangles, normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12), uv


def disc(radius: float, thick: float, rim: float, cut: np.ndarray | None = None, deep: float = 0.0) -> Mesh:
    """A disc that stands on z = 0, with rounded rims. cut: where its upper face is cut in, 0 to 1, so deep;
    then that takes the left half of its print, and all else the right one."""
    bend = np.linspace(0, np.pi / 2, 7)[1:]
    flat = np.linspace(0.02, radius - rim, 110)
    r = np.concatenate([flat, radius - rim + rim * np.sin(bend), radius - rim + rim * np.cos(bend), [0.02]])
    z = np.concatenate([np.full(110, thick), thick - rim + rim * np.cos(bend), rim - rim * np.sin(bend), [0.0]])
    turn = np.linspace(0, 2 * np.pi, 260, endpoint=False)
    x, y = np.outer(r, np.cos(turn)), np.outer(r, np.sin(turn))
    height = np.repeat(z[:, None], 260, axis=1)
    uv = np.stack([0.5 + x / (2 * radius), 0.5 + y / (2 * radius)], -1)
    half = uv * [0.5, 1]
    half[110:, :, 0] += 0.5
    if cut is not None:
        side = cut.shape[0] - 1
        rows, columns = np.int32((1 - uv[:110, :, 1]) * side + 0.5), np.int32(uv[:110, :, 0] * side + 0.5)
        height[:110] -= deep * cut[rows, columns]
    points = np.stack([x, y, height], -1).reshape(-1, 3)
    return with_normals(points, quads(len(r), 260, around=True), (uv if cut is None else half).reshape(-1, 2))


def sheet(wide: float, tall: float, bow: float) -> Mesh:
    """A card about the middle of z = 0. bow: how much higher its short ends are than its middle."""
    u, v = np.meshgrid(np.linspace(0, 1, 33), np.linspace(0, 1, 33))
    z = bow * ((2 * v - 1) ** 2) - min(bow, 0.0)
    points = np.stack([(u - 0.5) * wide, (v - 0.5) * tall, z], -1).reshape(-1, 3)
    triangles = quads(33, 33)[:, ::-1]
    return with_normals(points, triangles, np.stack([u, v], -1).reshape(-1, 2))


def pile(wide: float, tall: float, bow: float, step: float, lies: Sequence[Sequence[float]]) -> tuple[Mesh, Mesh]:
    """The upper faces and the edges of such cards, from z = 0 up. lies: x, y and turn of each, the lowest first."""
    high = sheet(wide, tall, bow)
    rim = np.arange(33 * 33).reshape(33, 33)
    rims = [rim[0], rim[:, -1], rim[-1, ::-1], rim[::-1, 0]]
    faces, edges = [], []
    for number, (x, y, turn) in enumerate(lies):
        c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
        points = high[0] @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) + [x, y, step * (number + 1)]
        faces.append(with_normals(points, high[1], high[3]))
        for side in rims:
            wall = np.concatenate([points[side] - [0, 0, step], points[side]])
            edges.append(with_normals(wall, quads(2, 33), np.zeros((66, 2))))
    return join_meshes(faces), join_meshes(edges)


def join_meshes(meshes: Sequence[Mesh]) -> Mesh:
    """Side by side in one."""
    first = np.cumsum([0, *(len(mesh[0]) for mesh in meshes[:-1])])
    points, triangles, normals, uv = zip(*meshes, strict=True)
    together = np.concatenate([one + by for one, by in zip(triangles, first, strict=True)])
    return np.concatenate(points), together, np.concatenate(normals), np.concatenate(uv)


KNUCKLES = {"index": (20, -44, 62), "middle": (6, -37, 66), "ring": (-8, -42, 62), "little": (-20, -52, 55)}
TIPS = {"index": (19, 3, 7), "middle": (9, 17, 8), "ring": (-6, 6, 26), "little": (-14, -12, 28)}
THICK = {"index": 8.5, "middle": 8.8, "ring": 8.3, "little": 7.2}


def bones(spread: float) -> list[tuple[np.ndarray, np.ndarray, float, float]]:
    """A right hand that holds something of 2 * spread mm at the origin: from, to, and the thickness at both ends."""
    wrist = np.array([0.0, -118, 62])
    parts = []
    for name, knuckle in KNUCKLES.items():
        base, tip = np.array(knuckle, float), np.array(TIPS[name], float)
        tip[0] += (spread - 17) * (name in ("index", "middle"))
        middle = (base + tip) / 2 + np.array([0.0, 16, 20])
        last = tip + 0.45 * (middle - tip) + np.array([0.0, 5, 4])
        wide = THICK[name]
        parts += [(base, middle, wide * 1.15, wide), (middle, last, wide, wide * 0.93), (last, tip, wide * 0.93, 6.3)]
        parts.append((wrist, base, 17, 12))
    thumb = [np.array(each, float) for each in ((-14, -100, 55), (-34, -62, 42), (-31, -27, 26), (-spread - 4, -4, 8))]
    parts += [(one, other, 13.5 - 2 * i, 11.5 - 2 * i) for i, (one, other) in enumerate(pairwise(thumb))]
    return [*parts, (wrist, np.array([0.0, -ARM_MM, 96]), 24, 40)]


def hand(spread: float) -> Mesh:
    """The skin over those bones: the level of a smooth union of capsules."""
    step = 3.0
    low, high = np.array([-64.0, -230, -4]), np.array([64.0, 40, 112])
    axes = [np.arange(low[i], high[i], step) for i in range(3)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), -1)
    near = np.zeros(grid.shape[:3])
    for a, b, one, other in bones(spread):
        along = b - a
        share = np.clip((grid - a) @ along / (along @ along), 0, 1)
        off = np.linalg.norm(grid - a - share[..., None] * along, axis=-1) - (one + (other - one) * share)
        near += np.exp(-off / 2.6)
    return surface(-2.6 * np.log(np.maximum(near, 1e-30)), low, step)


def sleeve() -> Mesh:
    """Cloth about the arm, with folds."""
    y, turn = np.linspace(-205, -ARM_MM, 60), np.linspace(0, 2 * np.pi, 72, endpoint=False)
    wide = 39 + (-205 - y) * 0.06
    folds = 1 + 0.035 * np.sin(0.22 * y[:, None] + 1.3 * np.sin(turn + 0.03 * y[:, None]))
    x = wide[:, None] * folds * np.cos(turn)
    z = 72 - (y[:, None] + 118) * 0.11 + 0.9 * wide[:, None] * folds * np.sin(turn)
    points = np.stack([x, np.repeat(y[:, None], 72, axis=1), z], -1).reshape(-1, 3)
    return with_normals(points, quads(60, 72, around=True)[:, ::-1], np.zeros((len(points), 2)))


def surface(level: np.ndarray, low: np.ndarray, step: float) -> Mesh:
    """Where a level on a grid is 0, by surface nets: one point in each cell that it crosses."""
    inside = level < 0
    corners = [(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    shape = tuple(side - 1 for side in level.shape)

    def shift_array(array: np.ndarray, by: tuple[int, int, int]) -> np.ndarray:
        return array[tuple(slice(off, off + side) for off, side in zip(by, shape, strict=True))]

    total, count = np.zeros((*shape, 3)), np.zeros(shape)
    for one in corners:
        for axis in range(3):
            if one[axis]:
                continue
            other = tuple(off + (place == axis) for place, off in enumerate(one))
            a, b = shift_array(level, one), shift_array(level, other)
            crossed = (a < 0) != (b < 0)
            share = np.where(crossed, a / np.where(crossed, a - b, 1), 0)
            where = np.array(one, float) + share[..., None] * np.eye(3)[axis]
            total += where * crossed[..., None]
            count += crossed
    used = count > 0
    number = np.full(shape, -1)
    number[used] = np.arange(used.sum())
    cells = np.argwhere(used)
    points = (cells + total[used] / count[used][:, None]) * step + low
    faces = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        here = np.argwhere(inside != np.roll(inside, -1, axis))
        here = here[np.all((here > 0) & (here < np.array(shape)), axis=1)]
        back = np.eye(3, dtype=int)
        ring = [number[tuple((here - off).T)] for off in (0 * back[0], back[u], back[u] + back[v], back[v])]
        out = inside[tuple(here.T)]
        a, b, c, d = ring
        b, d = np.where(out, b, d), np.where(out, d, b)
        faces += [np.stack([a, b, c], -1), np.stack([a, c, d], -1)]
    triangles = np.concatenate(faces)
    triangles = triangles[(triangles >= 0).all(axis=1)]
    return with_normals(points, triangles, np.zeros((len(points), 2)))


def write(mesh: Mesh, path: Path) -> None:
    """As PLY, which every renderer reads."""
    points, triangles, normals, uv = mesh
    names = "".join(f"property float {name}\n" for name in ("x", "y", "z", "nx", "ny", "nz", "u", "v"))
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n{names}"
    head += f"element face {len(triangles)}\nproperty list uchar int vertex_indices\nend_header\n"
    rows = np.empty(len(triangles), dtype=[("n", "u1"), ("at", "<i4", 3)])
    rows["n"], rows["at"] = 3, triangles
    path.write_bytes(head.encode() + np.hstack([points, normals, uv]).astype("<f4").tobytes() + rows.tobytes())
