"""Mitsuba's part: a room, a mat and what lies on it become light. Nothing here is the referee's own code."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import mitsuba as mi
import numpy as np
import shapes
from prints import CARDS, Prints
from rooms import Room, glow, planks, surroundings, wood
from sensor import WIDER

mi.set_variant("llvm_ad_rgb")
T = mi.ScalarTransform4f

SIZE = (1280, 720)
RAYS = 18
SHADOW_MM = 26.0
CARD_MM, DISC_RIM_MM = 0.3, 0.7
THICK = {"printed": 8.0, "engraved": 10.0}
EDGE = (0.66, 0.64, 0.6)
"""What the cut edges of cards reflect."""

FLAT = {"counters": 3.0, "fence-markers": 3.0, "fence-figures": 4.0}


@dataclass(frozen=True)
class Body:
    """A piece in space: its middle on the mat (y down), what it stands on, angle clockwise; tip: turned about the line
    left to right of whoever sits below, 180 is face down. bow: of a card. under: the cards of a pile below it, from
    the mat up: how far each lies from it, in its own millimetres, and is turned against it."""

    kind: str
    set: str
    x: float
    y: float
    z: float
    angle: float
    tip: float = 0.0
    bow: float = 0.0
    under: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True)
class Hand:
    """Where its finger tips are (y down), from which side it reaches (0 from below, clockwise), and its colours."""

    x: float
    y: float
    z: float
    side: float
    spread: float = 17.0
    skin: tuple[float, float, float] = (0.48, 0.29, 0.21)
    cloth: tuple[float, float, float] = (0.1, 0.13, 0.25)


class Studio:
    """One table. It is traced once without pieces; for each picture only what is about pieces and hands."""

    def __init__(self, prints: Prints, mat: str, make: str, room: Room) -> None:
        self._prints, self._make, self._room = prints, make, room
        self.size_mm = prints.geometry(mat)["size_mm"]
        self._folder = Path(tempfile.mkdtemp(prefix="traced"))
        self._known: dict = {}
        self._view, self._rest = self._sensor(), self._still_life(mat)
        self.empty = self._trace({}, None, 0, RAYS)

    def close(self) -> None:
        """Removes the meshes."""
        shutil.rmtree(self._folder)

    def light(self, bodies: Sequence[Body], hands: Sequence[Hand] = (), seed: int = 0, rays: int = RAYS) -> np.ndarray:
        """Linear light, a little more than the picture shows; red first."""
        light, there = self.empty.copy(), {}
        for number, body in enumerate(bodies):
            there |= self._piece(f"piece{number}", body)
        for number, hand in enumerate(hands):
            there |= self._hand(f"hand{number}", hand)
        for number, (left, top, right, bottom) in enumerate(self._windows(bodies, hands)):
            window = (left, top, right - left, bottom - top)
            light[top:bottom, left:right] = self._trace(there, window, 64 * seed + number + 1, rays)
        return light

    def _trace(self, there: dict, window: tuple[int, int, int, int] | None, seed: int, rays: int) -> np.ndarray:
        film = dict(self._view["film"])
        if window is not None:
            film |= dict(zip(("crop_offset_x", "crop_offset_y", "crop_width", "crop_height"), window, strict=True))
        scene = self._rest | there | {"sensor": self._view | {"film": film}}
        return np.array(mi.render(mi.load_dict(scene), spp=rays, seed=seed))[..., :3].astype(np.float32)

    def _windows(self, bodies: Sequence[Body], hands: Sequence[Hand]) -> list[tuple[int, int, int, int]]:
        """What shows pieces and hands, and what they throw shadows on, in pixels: left, top, right, bottom; apart."""
        boxes = []
        for body in bodies:
            reach = max(self._prints.describe_set(body.set)["size_mm"]) / 2 + SHADOW_MM + 2.5 * body.z
            corners = [(body.x + i * reach, -body.y + j * reach, k) for i in (-1, 1) for j in (-1, 1) for k in (0, 20)]
            boxes.append(self._box(corners))
        for hand in hands:
            turn = np.radians(-hand.side)
            shape = [(i, j, k) for i in (-110, 110) for j in (70, -shapes.ARM_MM) for k in (0, 110)]
            corners = [
                (
                    hand.x + x * np.cos(turn) - y * np.sin(turn),
                    -hand.y + x * np.sin(turn) + y * np.cos(turn),
                    hand.z + z,
                )
                for x, y, z in shape
            ]
            boxes.append(self._box(corners))
        apart: list[tuple[int, int, int, int]] = []
        for new in (box for box in boxes if box[0] < box[2] and box[1] < box[3]):
            box = new
            while any(met := [b for b in apart if b[0] < box[2] and box[0] < b[2] and b[1] < box[3] and box[1] < b[3]]):
                every = [*met, box]
                apart = [each for each in apart if each not in met]
                box = (*(min(b[i] for b in every) for i in (0, 1)), *(max(b[i] for b in every) for i in (2, 3)))
            apart.append(box)
        return apart

    def _box(self, corners: Sequence[tuple[float, float, float]]) -> tuple[int, int, int, int]:
        """The pixels that show those points, within the picture."""
        wide, high = self._view["film"]["width"], self._view["film"]["height"]
        ahead = (self._at - self._eye) / np.linalg.norm(self._at - self._eye)
        left = np.cross(self._up, ahead) / np.linalg.norm(np.cross(self._up, ahead))
        off = np.array(corners) - self._eye
        scale = wide / 2 / np.tan(np.radians(self._view["fov"] / 2)) / np.maximum(off @ ahead, 40)
        x, y = wide / 2 - off @ left * scale, high / 2 - off @ np.cross(ahead, left) * scale
        low, most = (max(0, int(x.min())), max(0, int(y.min()))), (min(wide, int(x.max())), min(high, int(y.max())))
        return (*low, *most)

    def _sensor(self) -> dict:
        """A thin lens over the mat's middle, as far away as it must be to show all of it."""
        room, (wide, tall) = self._room, self.size_mm
        half = np.tan(np.radians(room.fov / 2))
        far = (
            room.slack * max(wide / 2, tall / 2 * SIZE[0] / SIZE[1]) / half * (1 + 0.35 * np.sin(np.radians(room.lean)))
        )
        lean, towards, roll = np.radians(room.lean), np.radians(room.towards), np.radians(room.roll)
        out = np.array([np.sin(lean) * np.cos(towards), np.sin(lean) * np.sin(towards), np.cos(lean)])
        self._at, self._up = np.array([wide / 2, -tall / 2, 0.0]), np.array([-np.sin(roll), np.cos(roll), 0.0])
        self._eye = self._at + far * out
        traced = [round(side * WIDER / 2) * 2 for side in SIZE]
        return {
            "type": "thinlens",
            "aperture_radius": room.aperture_mm,
            "focus_distance": float(far * room.focus),
            "fov": float(np.degrees(2 * np.arctan(half * traced[0] / SIZE[0]))),
            "to_world": T().look_at(origin=list(self._eye), target=list(self._at), up=list(self._up)),
            "film": {"type": "hdrfilm", "width": traced[0], "height": traced[1], "rfilter": {"type": "box"}},
            "sampler": {"type": "multijitter"},
        }

    def _still_life(self, mat: str) -> dict:
        room, (wide, tall), middle = self._room, self.size_mm, self._at
        scene = {
            "type": "scene",
            "integrator": {"type": "path", "max_depth": 4},
            "around": {
                "type": "envmap",
                "bitmap": mi.Bitmap(surroundings(room)),
                "to_world": T().rotate([1, 0, 0], 90),
            },
            "table": {
                "type": "rectangle",
                "to_world": T().translate([wide / 2, -tall / 2, -0.6]).scale([900, 900, 1]),
                "bsdf": varnish(planks(room), room.gloss),
            },
            "mat": {
                "type": "cube",
                "to_world": T().translate([wide / 2, -tall / 2, -0.3]).scale([wide / 2, tall / 2, 0.3]),
                "bsdf": {"type": "diffuse"},
            },
            "print": {
                "type": "rectangle",
                "to_world": T().translate([wide / 2, -tall / 2, 0.02]).scale([wide / 2, tall / 2, 1]),
                "bsdf": varnish(self._prints.mat(mat), 0.45),
            },
        }
        for number, lamp in enumerate(room.lamps):
            at = middle + np.array(lamp.at)
            bright = lamp.watts * glow(lamp.kelvin) * 2.2e6 / lamp.radius**2
            scene[f"lamp{number}"] = {
                "type": "disk",
                "to_world": T().look_at(origin=list(at), target=list(middle), up=[0, 0.6, 0.8]).scale(lamp.radius),
                "emitter": {"type": "area", "radiance": {"type": "rgb", "value": list(bright)}},
            }
        return {name: mi.load_dict(one) if isinstance(one, dict) else one for name, one in scene.items()}

    def _piece(self, name: str, body: Body) -> dict:
        wide, tall = self._prints.describe_set(body.set)["size_mm"]
        card = body.set in CARDS
        high = CARD_MM if card else FLAT.get(body.set, THICK[self._make])
        place = T().translate([body.x, -body.y, body.z + high / 2])
        if card:
            return self._card(name, body, place.rotate([0, 0, 1], -body.angle), (wide, tall))
        pose = place.rotate([1, 0, 0], body.tip).rotate([0, 0, 1], -body.angle).translate([0, 0, -high / 2])
        if body.set == "stones" and self._make == "engraved":
            return {name: self._engrave(body.kind, wide / 2, high, pose)}
        rim = min(DISC_RIM_MM, high / 3)
        cork = self._paint("base" + body.set, lambda: varnish(self._sawn(body.set), 0.25))
        base = self._mesh(f"base-{body.set}", lambda: shapes.disc(wide / 2, high, rim))
        face = self._mesh(f"face-{body.set}", lambda: shapes.disc(wide / 2 - 0.35, 0.25, 0.1))
        parts = {name: {"type": "ply", "filename": base, "to_world": pose, "bsdf": cork}}
        for side, kind, turned in (("up", body.kind, 0), ("down", "", 180)):
            lie = pose.translate([0, 0, high / 2]).rotate([1, 0, 0], turned).translate([0, 0, high / 2 - 0.15])
            paper = self._paper(body.set, kind)
            parts[name + side] = {"type": "ply", "filename": face, "to_world": lie, "bsdf": paper}
        return parts

    def _card(self, name: str, body: Body, place: T, size: tuple[float, float]) -> dict:
        down = round(body.tip) % 360 == 180
        path = self._mesh(f"sheet{body.bow:.2f}", lambda: shapes.sheet(*size, body.bow))
        bsdf = {"type": "twosided", "bsdf": self._paper(body.set, "" if down else body.kind)}
        card = {name: {"type": "ply", "filename": path, "to_world": place, "bsdf": bsdf}}
        return card | self._pile(name, body, place, size) if body.under else card

    def _pile(self, name: str, body: Body, place: T, size: tuple[float, float]) -> dict:
        """What lies under a pile's uppermost card: of the cards' faces only a hair at their rims is seen."""
        meshes = shapes.pile(*size, body.bow, body.z / len(body.under), body.under)
        paths = [self._mesh(f"{part}{hash(body)}", lambda i=i: meshes[i]) for i, part in enumerate(("faces", "edges"))]
        lie = place.translate([0, 0, -body.z - CARD_MM / 2])
        kind = "" if round(body.tip) % 360 == 180 else body.kind
        papers = (self._paper(body.set, kind), {"type": "diffuse", "reflectance": {"type": "rgb", "value": list(EDGE)}})
        return {
            name + part: {"type": "ply", "filename": path, "to_world": lie, "bsdf": {"type": "twosided", "bsdf": paper}}
            for part, path, paper in zip(("faces", "edges"), paths, papers, strict=True)
        }

    def _engrave(self, kind: str, radius: float, high: float, pose: T) -> dict:
        """Cut in and burnt brown; the back is plain."""
        print_ = self._prints.faces("stones")[kind].mean(axis=2)
        mask = np.clip((np.median(print_) - print_) / (np.median(print_) - print_.min()), 0, 1)
        y, x = np.mgrid[0 : mask.shape[0], 0 : mask.shape[1]] / mask.shape[0] - 0.5
        mask = cv2.GaussianBlur(np.float32(mask * (x * x + y * y < 0.46**2)), (0, 0), mask.shape[0] / 34 * 0.12)
        path = self._mesh(f"cut-{kind}", lambda: shapes.disc(radius, high, 1.6, mask, 0.8))
        grain = cv2.resize(self._sawn(kind), mask.shape[::-1])
        burnt = grain * (1 - mask[..., None] * np.array([0.72, 0.8, 0.85], np.float32))
        bsdf = self._paint(f"cut-{kind}", lambda: varnish(np.hstack([burnt, grain[:, ::-1]]), 0.16))
        return {"type": "ply", "filename": path, "to_world": pose, "bsdf": bsdf}

    def _sawn(self, name: str) -> np.ndarray:
        """Wood of its own for each piece, of one tree for a set."""
        tree = {"printed": (0.35, 0.22, 0.12), "engraved": (0.58, 0.42, 0.26)}[self._make]
        return wood(np.random.default_rng(list(name.encode())), np.array(tree), 0.22, 256)

    def _paper(self, of: str, kind: str) -> mi.BSDF:
        return self._paint(f"{of}-{kind}", lambda: varnish(self._prints.faces(of)[kind], 0.12))

    def _hand(self, name: str, hand: Hand) -> dict:
        pose = T().translate([hand.x, -hand.y, hand.z]).rotate([0, 0, 1], -hand.side)
        colour = {"type": "rgb", "value": list(hand.skin)}
        skin = {"type": "roughplastic", "alpha": 0.4, "diffuse_reflectance": colour}
        cloth = {"type": "diffuse", "reflectance": {"type": "rgb", "value": list(hand.cloth)}}
        both = {"type": "twosided"}
        path = self._mesh(f"hand{hand.spread:.0f}", lambda: shapes.hand(hand.spread))
        arm = self._mesh("sleeve", shapes.sleeve)
        return {
            name: {"type": "ply", "filename": path, "to_world": pose, "bsdf": both | {"bsdf": skin}},
            name + "arm": {
                "type": "ply",
                "filename": arm,
                "to_world": pose,
                "bsdf": both | {"bsdf": cloth},
            },
        }

    def _mesh(self, name: str, make) -> str:
        path = self._folder / f"{name}.ply"
        if not path.exists():
            shapes.write(make(), path)
        return str(path)

    def _paint(self, name: str, make) -> mi.BSDF:
        if name not in self._known:
            self._known[name] = mi.load_dict(make())
        return self._known[name]


def varnish(colour: np.ndarray, alpha: float) -> dict:
    """A print or wood under a clear coat; the smaller alpha, the sharper lamps are mirrored in it."""
    upright = np.ascontiguousarray(colour[::-1])
    bitmap = {"type": "bitmap", "bitmap": mi.Bitmap(upright), "raw": True, "wrap_mode": "clamp"}
    return {"type": "roughplastic", "distribution": "ggx", "alpha": float(alpha), "diffuse_reflectance": bitmap}
