"""A painted face as a bad photograph of it: light, relief, gloss, shadow, a rough crop, blur, noise, JPEG."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
from designs import SIDE, Plane, Sheet

Image = npt.NDArray[np.uint8]

OUT = 64
"""Pixels along the edge of a photograph: what the network is shown."""


def lamp(noise: np.random.Generator) -> Plane:
    """Gains of blue, green and red: daylight to a warm bulb, more or less corrected by the camera."""
    warmth = noise.normal(0, noise.choice([0.08, 0.2, 0.35]))
    tint = noise.normal(0, 0.06)
    return np.exp(np.array([-warmth, tint, warmth], np.float32)).astype(np.float32)


def field(noise: np.random.Generator, cells: int) -> Plane:
    """Smooth noise over the face, unit variance."""
    rough = noise.standard_normal((cells, cells)).astype(np.float32)
    return np.asarray(cv2.resize(rough, (SIDE, SIDE), interpolation=cv2.INTER_CUBIC), np.float32)


def light_face(sheet: Sheet, noise: np.random.Generator) -> Plane:
    """Linear light from the face: one lamp or several of different colours, relief, shadow and highlight."""
    normal = normals(sheet, noise)
    lamps = [_lamplight(sheet, normal, noise) for _ in range(int(noise.choice([1, 2, 3], p=[0.5, 0.35, 0.15])))]
    light = np.sum(lamps, axis=0) / len(lamps)
    if noise.random() < 0.2 * (1 + sheet.gloss):
        light = light + _highlight(sheet, noise)
    return np.asarray(light, np.float32)


def normals(sheet: Sheet, noise: np.random.Generator) -> Plane:
    """Where the face looks, SIDE x SIDE x 3 (right, down, up): flat but for what is cut, and a little uneven."""
    ground = np.zeros((SIDE, SIDE), np.float32)
    if sheet.depth.max() > 0:
        ground = -cv2.GaussianBlur(sheet.depth, (0, 0), float(noise.uniform(0.6, 2.0))) * noise.uniform(0.5, 2.5)
    rough = field(noise, 5) * 0.8 * noise.uniform(0, 1) ** 2
    tilt = [cv2.Sobel(ground + rough, cv2.CV_32F, *axis) / 4 for axis in ((1, 0), (0, 1))]
    normal = np.stack([-tilt[0], -tilt[1], np.ones_like(ground)], axis=2)
    return np.asarray(normal / np.linalg.norm(normal, axis=2, keepdims=True), np.float32)


def _lamplight(sheet: Sheet, normal: Plane, noise: np.random.Generator) -> Plane:
    """What one lamp adds: matt paint (Lambert), a shadow's edge, and on a glossy face its mirror image (Blinn)."""
    angle, height = noise.uniform(0, 2 * np.pi), noise.uniform(0.4, 2.5)
    down, right = (np.mgrid[:SIDE, :SIDE] / SIDE - 0.5).astype(np.float32)
    far = noise.uniform(0.5, 3)
    towards = np.stack(
        [np.cos(angle) * far - right, np.sin(angle) * far - down, np.full_like(down, far * height)], axis=2
    )
    towards = towards / np.linalg.norm(towards, axis=2, keepdims=True)
    ambient = noise.uniform(0.1, 0.7)
    lambert = np.clip((normal * towards).sum(axis=2), 0, None)
    shade = ambient + (1 - ambient) * lambert / (lambert.mean() + 0.05)
    shade = shade * (1 - noise.uniform(0, 0.3) * np.clip(sheet.depth, 0, 1))
    if noise.random() < 0.25:
        slope = right * np.cos(angle) + down * np.sin(angle)
        edge = 1 / (1 + np.exp(-(slope + noise.uniform(-0.4, 0.4)) / noise.uniform(0.01, 0.2)))
        shade = shade * (1 - noise.uniform(0.2, 0.6) * edge)
    tint = lamp(noise)
    light = sheet.colour * shade[..., None] * tint
    if sheet.gloss > 0:
        halfway = towards + np.array([noise.normal(0, 0.15), noise.normal(0, 0.15), 1], np.float32)
        halfway = halfway / np.linalg.norm(halfway, axis=2, keepdims=True)
        mirror = np.clip((normal * halfway).sum(axis=2), 0, 1) ** float(np.exp(noise.uniform(1.5, 5.5)))
        light = light + (sheet.gloss * noise.uniform(0.1, 0.9) * mirror)[..., None] * tint
    return np.asarray(light, np.float32)


def _highlight(sheet: Sheet, noise: np.random.Generator) -> Plane:
    """A lamp or a window mirrored in the face; a cut breaks it up."""
    if noise.random() < 0.5:
        centre = noise.uniform(-0.1, 1.1, 2) * SIDE
        down, right = np.mgrid[:SIDE, :SIDE].astype(np.float32)
        stretch = noise.uniform(0.5, 2)
        far = ((right - centre[0]) * stretch) ** 2 + ((down - centre[1]) / stretch) ** 2
        glow = np.exp(-far / (2 * (SIDE * noise.uniform(0.05, 0.3)) ** 2))
    else:
        glow = np.clip(field(noise, 4) - 0.3, 0, 1.5)
    glow = glow * (1 - 0.6 * np.clip(sheet.depth, 0, 1))
    return np.asarray(noise.uniform(0.05, 0.5) * glow, np.float32)[..., None]


def backdrop(noise: np.random.Generator) -> Plane:
    """What lies around the piece: cloth, wood or paper of any colour."""
    base = noise.uniform(0, 0.8) * np.clip(1 + 0.4 * noise.standard_normal(3), 0.1, 2)
    rough = field(noise, int(noise.integers(3, 48)))[..., None]
    return np.asarray(np.clip(base * (1 + noise.uniform(0, 0.4) * rough), 0, 1), np.float32)


def outline(form: str) -> Plane:
    """Where the piece is on its sheet: all of it, or a disc, or a rounded square."""
    plane = np.zeros((SIDE, SIDE), np.float32)
    if form == "disc":
        cv2.circle(plane, (SIDE // 2, SIDE // 2), SIDE // 2, 1.0, -1, cv2.LINE_AA)
    elif form == "rounded":
        corner = SIDE // 8
        plane[corner:-corner, :] = 1
        plane[:, corner:-corner] = 1
        for x in (corner, SIDE - corner - 1):
            for y in (corner, SIDE - corner - 1):
                cv2.circle(plane, (x, y), corner, 1.0, -1, cv2.LINE_AA)
    else:
        plane[:] = 1
    return plane


def crop(noise: np.random.Generator, turn: float, zoom: float) -> npt.NDArray[np.float32]:
    """Homography from the sheet to a rough crop of it: off centre, tilted, a little in perspective."""
    size = SIDE * zoom * np.exp(noise.normal(0, 0.03, 2) + noise.normal(0, 0.045))
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32) * size / 2
    corners = corners + noise.normal(0, 0.012, (4, 2)) * SIDE
    angle = np.deg2rad(turn + noise.uniform(-7, 7) + np.clip(noise.normal(0, 2), -4, 4))
    spin = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    shift = np.clip(noise.normal(0, 0.03, 2), -0.08, 0.08) * SIDE
    target = corners @ spin + SIDE / 2 + shift
    sheet = np.array([[0, 0], [SIDE, 0], [SIDE, SIDE], [0, SIDE]], np.float32)
    return np.asarray(cv2.getPerspectiveTransform(sheet, target.astype(np.float32)), np.float32)


def develop(light: Plane, noise: np.random.Generator) -> Image:
    """Exposure, tone curve, blur, resolution, noise and JPEG."""
    picture = light
    if noise.random() < 0.5:
        picture = cv2.GaussianBlur(picture, (0, 0), float(noise.uniform(0.4, 1.8)))
    if noise.random() < 0.08:
        length = int(noise.integers(3, 9))
        kernel = np.zeros((length, length), np.float32)
        kernel[length // 2, :] = 1 / length
        picture = cv2.filter2D(picture, -1, kernel if noise.random() < 0.5 else kernel.T)
    if noise.random() < 0.25:
        size = int(noise.integers(24, 64))
        picture = cv2.resize(picture, (size, size), interpolation=cv2.INTER_AREA)
    bright = np.percentile(picture, 95) + 1e-3
    gain = min(noise.uniform(0.35, 1.1) / bright, 2.0 ** noise.normal(0, 0.7) * 6)
    picture = np.clip(picture * gain, 0, 1) ** (1 / noise.uniform(1.7, 2.6))
    if noise.random() < 0.3:
        gray = picture.mean(axis=2, keepdims=True)
        picture = gray + (picture - gray) * noise.uniform(0.6, 1.3)
    picture = picture + noise.standard_normal(picture.shape) * noise.choice([0.004, 0.01, 0.025])
    image = np.clip(picture * 255, 0, 255).astype(np.uint8)
    if noise.random() < 0.5:
        quality = int(noise.integers(25, 95))
        image = cv2.imdecode(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], cv2.IMREAD_COLOR)
    shrinks = image.shape[0] >= OUT
    return cv2.resize(image, (OUT, OUT), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)


def turn_photograph(image: Image, turn: float) -> Image:
    """A photograph turned as enrolment turns its references: what comes in at the edges repeats them."""
    middle = OUT / 2 - 0.5
    matrix = cv2.getRotationMatrix2D((middle, middle), -turn, 1.0)
    return cv2.warpAffine(image, matrix, (OUT, OUT), borderMode=cv2.BORDER_REPLICATE)


def photograph(sheet: Sheet, form: str, turn: float, zoom: float, noise: np.random.Generator) -> Image:
    """One rough crop of the piece, OUT x OUT x 3, BGR. Form "full": the piece fills the crop."""
    matrix = crop(noise, turn, zoom)
    light = light_face(sheet, noise)
    if form == "full":
        seen = cv2.warpPerspective(light, matrix, (SIDE, SIDE), borderMode=cv2.BORDER_REPLICATE)
        return develop(seen, noise)
    cover = outline(form)
    seen = cv2.warpPerspective(light * cover[..., None], matrix, (SIDE, SIDE))
    inside = cv2.warpPerspective(cover, matrix, (SIDE, SIDE))[..., None]
    return develop(np.asarray(seen + backdrop(noise) * (1 - inside), np.float32), noise)
