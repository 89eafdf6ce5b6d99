"""Trains the embedding on invented pieces.

Each batch holds whole families, so that every kind meets its siblings. The loss pulls photographs of one kind together
and pushes all other kinds away (supervised contrastive loss, Khosla et al. 2020). With a teacher, a larger network, it
also pulls each spoiled photograph to where the teacher puts the unspoiled one.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from network import Embedding
from spoil import spoil_picture
from teacher import Teacher
from torch import nn

FAMILIES, VIEWS = 24, 3
TEMPERATURE = 0.07
HARDEST = 5
"""Other kinds that a photograph must fall below the bar for."""

ALSO = 0.5
"""Weight of the verdicts beside the contrast."""

HELD = 20
"""Families of each store that are never trained on."""

TOLD = 400
"""Steps between one report and the next."""

LIKE, LIKE_AT_LAST = 3.0, 0.5
"""Weight of being like the teacher, at the beginning and at the end: it knows much, and not all."""

ALL_SCORES = 3.0
"""Weight of the teacher's scores beside its vectors."""


def prepare_pictures(pictures: torch.Tensor) -> torch.Tensor:
    """uint8 N x H x W x 3 to float N x 6 x H x W, as `vision.recognition.embedding` does it."""
    planes = pictures.permute(0, 3, 1, 2).float() / 255
    even = planes / (planes.mean(dim=(2, 3), keepdim=True) + 0.02)
    return torch.cat([level_planes(planes, 0.02), level_planes(even, 0.1)], dim=1)


def level_planes(planes: torch.Tensor, quiet: float) -> torch.Tensor:
    """Every picture to mean 0 and spread 1 over all its channels; `quiet` keeps empty ones from blowing up."""
    centred = planes - planes.mean(dim=(1, 2, 3), keepdim=True)
    return centred / (centred.square().mean(dim=(1, 2, 3), keepdim=True).sqrt() + quiet)


def describe_pictures(network: nn.Module, pictures: torch.Tensor) -> torch.Tensor:
    """Unit vectors of uint8 N x H x W x 3; computed in bfloat16, given in full."""
    with torch.autocast("cpu", torch.bfloat16):
        vectors = network(prepare_pictures(pictures).contiguous(memory_format=torch.channels_last))
    return vectors.float()


def draw_photographs(families: list[np.ndarray], dice: np.random.Generator) -> torch.Tensor:
    """FAMILIES of them, VIEWS photographs of each kind, mirrored and turned. (N, H, W, 3), kind by kind."""
    chosen = dice.choice(len(families), FAMILIES, replace=False)
    shots = dice.choice(families[0].shape[1], VIEWS, replace=False)
    batch = torch.from_numpy(np.stack([families[number][:, shots] for number in chosen])).flatten(1, 2)
    return augment_families(batch, dice).flatten(0, 1).contiguous()


def augment_families(pictures: torch.Tensor, dice: np.random.Generator) -> torch.Tensor:
    """Whole families mirrored and turned by quarter turns: more kinds for nothing. (F, V', H, W, 3)."""
    turned = torch.stack([torch.rot90(family, int(dice.integers(4)), (1, 2)) for family in pictures])
    mirror = torch.from_numpy(dice.random(len(pictures)) < 0.5)
    return torch.where(mirror[:, None, None, None, None], turned.flip(3), turned)


def show_photographs(pictures: torch.Tensor, dice: np.random.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """The sharpest photograph of each kind first, as its reference, the others spoiled; and all unspoiled.

    (N, H, W, 3) each, kind by kind.
    """
    kinds = pictures.numpy().reshape(-1, VIEWS, *pictures.shape[1:])
    for views in kinds:
        best = int(np.argmax([np.abs(np.diff(view[:, :, 1].astype(np.int16), axis=1)).sum() for view in views]))
        views[[0, best]] = views[[best, 0]]
    harmed = kinds.copy()
    for views in harmed:
        for number in range(1, VIEWS):
            views[number] = spoil_picture(views[number], dice)
    return torch.from_numpy(harmed.reshape(pictures.shape)), torch.from_numpy(kinds.reshape(pictures.shape))


def contrastive(cosines: torch.Tensor, kinds: torch.Tensor) -> torch.Tensor:
    """Every photograph against all others. Two spoiled ones of a kind need not agree with each other."""
    scores = cosines / TEMPERATURE
    own = torch.eye(len(kinds), dtype=torch.bool)
    same = (kinds[:, None] == kinds[None, :]) & ~own
    spoilt = torch.arange(len(kinds)) % VIEWS != 0
    idle = own | (same & spoilt[:, None] & spoilt[None, :])
    scores = scores.masked_fill(idle, -1e9)
    share = scores - scores.logsumexp(dim=1, keepdim=True)
    wanted = same & ~idle
    return -(share * wanted).sum(1).div(wanted.sum(1)).mean()


def verdicts(cosines: torch.Tensor, kinds: torch.Tensor, scale: torch.Tensor, bar: torch.Tensor) -> torch.Tensor:
    """One bar for all: each photograph with its own reference above it, with the HARDEST other references below.

    What the contrast does not ask for, and an unknown piece needs: that scores mean the same for every piece.
    """
    against = cosines[:, ::VIEWS]
    own = kinds[:, None] == kinds[None, ::VIEWS]
    query = torch.arange(len(kinds)) % VIEWS != 0
    right = against[own][query]
    wrong = against.masked_fill(own, -2.0)[query].topk(HARDEST, dim=1).values
    above = nn.functional.softplus(-scale * (right - bar)).mean()
    return above + nn.functional.softplus(scale * (wrong - bar)).mean()


def unlike(vectors: torch.Tensor, taught: torch.Tensor) -> torch.Tensor:
    """How far spoiled photographs are from where the teacher puts them unspoiled, and from its scores to references.

    Half way between what it says of the photograph and of all photographs of the kind: one alone may have bad light.
    """
    middle = taught.reshape(-1, VIEWS, taught.shape[1]).mean(1).repeat_interleave(VIEWS, dim=0)
    place = nn.functional.normalize(taught + middle)
    scores = vectors @ vectors[::VIEWS].T - place @ place[::VIEWS].T
    return (1 - (vectors * place).sum(1)).mean() + ALL_SCORES * scores.square().mean()


def accuracy(network: Embedding, pictures: np.ndarray) -> float:
    """One reference a kind, among all kinds given: share of the other photographs named right."""
    network.eval()
    families, siblings, shots = pictures.shape[:3]
    flat = torch.from_numpy(np.array(pictures)).reshape(-1, *pictures.shape[3:])
    with torch.no_grad():
        vectors = torch.cat([network(prepare_pictures(part)) for part in flat.split(256)])
    vectors = vectors.reshape(families * siblings, shots, -1)
    named = torch.einsum("ksd,rd->ksr", vectors[:, 1:], vectors[:, 0]).argmax(2)
    network.train()
    return float((named == torch.arange(families * siblings)[:, None]).float().mean())


def worse(pictures: np.ndarray) -> np.ndarray:
    """All photographs but the first of each kind spoiled, the same way each time."""
    dice = np.random.default_rng(5)
    harmed = np.array(pictures)
    for shots in harmed.reshape(-1, *pictures.shape[2:]):
        for number in range(1, len(shots)):
            shots[number] = spoil_picture(shots[number], dice)
    return harmed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("pictures", type=Path, nargs="+", help="a store named twice is shown twice as often")
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--resume", type=Path)
    parser.add_argument("--teacher", type=Path, help="a trained network that knows better, as ONNX")
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(given.threads)
    dice = np.random.default_rng(1)
    stores = {path: np.load(path, mmap_mode="r") for path in given.pictures}
    held = np.concatenate([store[:HELD] for store in stores.values()])
    harmed = worse(held)
    families = [family for path in given.pictures for family in stores[path][HELD:]]
    network = Embedding().to(memory_format=torch.channels_last)
    if given.resume:
        network.load_state_dict(torch.load(given.resume))
    teacher = Teacher(given.teacher).to(memory_format=torch.channels_last) if given.teacher else None
    scale, bar = nn.Parameter(torch.tensor(12.0)), nn.Parameter(torch.tensor(0.6))
    optimiser = torch.optim.AdamW([*network.parameters(), scale, bar], lr=given.rate, weight_decay=0.02)
    kinds = torch.arange(FAMILIES * held.shape[1]).repeat_interleave(VIEWS)
    began, step, running = time.time(), 0, 0.0
    while (done := (time.time() - began) / (60 * given.minutes)) < 1:
        for group in optimiser.param_groups:
            group["lr"] = given.rate * min(1, step / 200) * 0.5 * (1 + np.cos(np.pi * done))
        harm, clean = show_photographs(draw_photographs(families, dice), dice)
        vectors = describe_pictures(network, harm)
        cosines = vectors @ vectors.T
        loss = contrastive(cosines, kinds) + ALSO * verdicts(cosines, kinds, scale, bar)
        if teacher is not None:
            with torch.no_grad():
                taught = describe_pictures(teacher, clean)
            loss = loss + (LIKE + (LIKE_AT_LAST - LIKE) * done) * unlike(vectors, taught)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        step, running = step + 1, running + float(loss.detach())
        if step % TOLD == 0:
            print(
                f"{step:6d} {done:5.2f} loss {running / TOLD:.3f} held-out top1 {accuracy(network, held):.3f}"
                f" spoiled {accuracy(network, harmed):.3f} bar {bar.item():.2f} scale {scale.item():.1f}",
                flush=True,
            )
            running = 0.0
            torch.save(network.state_dict(), given.weights)
    torch.save(network.state_dict(), given.weights)


if __name__ == "__main__":
    main()
