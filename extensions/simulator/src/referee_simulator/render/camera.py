"""The virtual camera, which renders the true table and hands."""

from __future__ import annotations

import math
from collections.abc import Iterable

import cv2
import msgspec
import numpy as np

from referee_simulator.render import effects, pieces
from referee_simulator.render import hand as hands
from referee_simulator.render.background import background, light_field
from referee_simulator.render.hand import Hand
from referee_simulator.render.light import Sensor
from referee_simulator.render.optics import Optics, look_at
from referee_simulator.table.ground_truth import Body, Shape, Truth, stack_bodies, under
from referee_simulator.table.scenes import Scene
from vision.camera import Frame, Image
from vision.mat import Mat
from vision.overlay import FAINT_SCALE, least_scale

SIZE = (1280, 720)


def optics_of(mat: Mat, scene: Scene, size: tuple[int, int] = SIZE) -> Optics:
    """Return the scene's camera, less tilted where the table would ask for it (`vision.overlay.hints`)."""

    def optics_at(tilt_deg: float, size: tuple[int, int]) -> Optics:
        return look_at(
            mat.size_mm,
            size,
            tilt_deg=tilt_deg,
            tilt_to_deg=scene.tilt_to_deg,
            roll_deg=scene.roll_deg,
            aside_deg=scene.aside_deg,
            k1=scene.k1,
        )

    tilt_deg = scene.tilt_deg
    while tilt_deg and least_scale(optics_at(tilt_deg, SIZE).flat, mat) < FAINT_SCALE:
        tilt_deg = max(0.0, tilt_deg - 1.0)
    return optics_at(tilt_deg, size)


class Renderer:
    def __init__(self, mat: Mat, scene: Scene, size: tuple[int, int] = SIZE, *, look: int = 0) -> None:
        """look: seed of the pieces' grain and wear."""
        self._look = look
        self.scene = scene
        self.optics = optics_of(mat, scene, size)
        self._light = light_field(self.optics, scene)
        self._sharp = background(mat, self.optics, scene)
        self._sensor = Sensor(scene, size)
        self._resting: tuple[Body, ...] | None = None
        self._laid = self._soft(self._sharp)

    @property
    def mirrored_at_mm(self) -> tuple[float, float]:
        """Place on the mat that mirrors the lamp."""
        x, y = self.optics.back(self._sensor.mirrored_at[None])[0].tolist()
        return x, y

    def picture(
        self, truth: Truth, over: Iterable[Hand], at: float, serial: int, glare: float = 0.0, dimmed: float = 0.0
    ) -> Image:
        """Render a frame, H x W x 3 BGR. glare, dimmed: see `Sensor.expose`."""
        lying = tuple(b for b in truth.bodies if not b.held)
        canvas = self._table(lying).copy()
        held = [msgspec.structs.replace(b, lift_mm=b.lift_mm + under(b, lying)) for b in truth.bodies if b.held]
        above = tuple(over)
        self._shadows(canvas, held, above)
        for body in held:
            self._piece(canvas, body)
        for one in above:
            hands.draw(canvas, one, self.optics, self._brightness(one.x, one.y))
        canvas = effects.tremble(canvas, self.scene, serial, moving=bool(above))
        covered = hands.cover(above, self.optics) if self.scene.lamp_below and above else None
        stops = effects.answered_stops(self.scene, self._laid, canvas)
        return self._sensor.expose(canvas, at, serial, glare, dimmed - stops, covered)

    def frame(self, truth: Truth, over: Iterable[Hand], at: float, serial: int, glare: float = 0.0) -> Frame:
        """Render a frame with the motion gate's gray picture."""
        image = self.picture(truth, over, at, serial, glare)
        return Frame.of(serial, at, image)

    def _table(self, lying: tuple[Body, ...]) -> Image:
        if lying != self._resting:
            canvas = self._sharp.copy()
            blocks = stack_bodies(lying)
            if blocks:
                falls = [self.optics.project(pieces.shadow(body, self.scene.light_deg)) for body in blocks]
                pieces.shade(canvas, falls, self.scene.shadow, softness=3.0)
            for body in self._draw_order(blocks):
                self._piece(canvas, body)
            self._resting, self._laid = lying, self._soft(canvas)
        return self._laid

    def _soft(self, picture: Image) -> Image:
        return np.asarray(cv2.GaussianBlur(picture, (0, 0), max(0.2, self.scene.soften)), dtype=np.uint8)

    def _piece(self, canvas: Image, body: Body) -> None:
        pieces.draw(canvas, body, self.optics, self._brightness(body.x, body.y), self._look)

    def _brightness(self, x: float, y: float) -> float:
        px, py = self.optics.project(np.array([[x, y, 0.0]]))[0]
        height, width = self._light.shape
        return float(self._light[int(np.clip(py, 0, height - 1)), int(np.clip(px, 0, width - 1))])

    def _distance(self, body: Body) -> float:
        eye = self.optics.eye
        return float((body.x - eye[0]) ** 2 + (body.y - eye[1]) ** 2)

    def _draw_order(self, lying: tuple[Body, ...]) -> list[Body]:
        order: list[Body] = []
        for body in lying:
            far = self._distance(body)
            under = [
                n for n, b in enumerate(order) if math.hypot(b.x - body.x, b.y - body.y) < (_reach(b) + _reach(body))
            ]
            place = next((n for n, b in enumerate(order) if self._distance(b) < far), len(order))
            order.insert(max(place, under[-1] + 1 if under else 0), body)
        return order

    def _shadows(self, canvas: Image, held: list[Body], above: tuple[Hand, ...]) -> None:
        away = np.radians(self.scene.light_deg) + np.pi
        flat = np.array([[np.cos(away), np.sin(away)]]) * 0.5
        for body in held:
            fall = self.optics.project(pieces.shadow(body, self.scene.light_deg))
            pieces.shade(canvas, [fall], self.scene.shadow * 0.8, softness=6.0)
        for one in above:
            edges = [hands.outline(limb, self.optics, flat) for limb in hands.visible_limbs(one, self.optics)]
            pieces.shade(canvas, edges, self.scene.shadow, softness=10.0)


def _reach(body: Body) -> float:
    return body.width / 2 if body.shape is Shape.DISC else math.hypot(body.width, body.height) / 2
