"""Trains the embedding on invented pieces and writes it as ONNX.

Each batch holds whole families, so that every kind meets its siblings. The loss pulls photographs of one kind together
and pushes all other kinds away (supervised contrastive loss, Khosla et al. 2020).
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from network import Embedding

FAMILIES, VIEWS = 24, 3
TEMPERATURE = 0.07
HELD = 50
"""Families of the first store that are never trained on."""


def prepared(pictures: torch.Tensor) -> torch.Tensor:
    """uint8 N x H x W x 3 to float N x 6 x H x W, as `vision.recognition.embedding` does it."""
    planes = pictures.permute(0, 3, 1, 2).float() / 255
    even = planes / (planes.mean(dim=(2, 3), keepdim=True) + 0.02)
    return torch.cat([levelled(planes, 0.02), levelled(even, 0.1)], dim=1)


def levelled(planes: torch.Tensor, quiet: float) -> torch.Tensor:
    """Every picture to mean 0 and spread 1 over all its channels; `quiet` keeps empty ones from blowing up."""
    centred = planes - planes.mean(dim=(1, 2, 3), keepdim=True)
    return centred / (centred.square().mean(dim=(1, 2, 3), keepdim=True).sqrt() + quiet)


def augmented(pictures: torch.Tensor, dice: np.random.Generator) -> torch.Tensor:
    """Whole families mirrored and turned by quarter turns: more kinds for nothing. (F, V', H, W, 3)."""
    turned = torch.stack([torch.rot90(family, int(dice.integers(4)), (1, 2)) for family in pictures])
    mirror = torch.from_numpy(dice.random(len(pictures)) < 0.5)
    return torch.where(mirror[:, None, None, None, None], turned.flip(3), turned)


def covered(pictures: torch.Tensor, dice: np.random.Generator) -> torch.Tensor:
    """Every tenth photograph gets something over one of its edges. (N, H, W, 3), changed in place."""
    side = pictures.shape[1]
    for number in np.flatnonzero(dice.random(len(pictures)) < 0.1):
        width = int(dice.integers(side // 16, side // 4))
        tint = torch.from_numpy(dice.integers(0, 255, 3).astype(np.uint8))
        picture = torch.rot90(pictures[number], int(dice.integers(4)), (0, 1))
        picture[:width] = tint
    return pictures


def contrastive(vectors: torch.Tensor, kinds: torch.Tensor) -> torch.Tensor:
    scores = vectors @ vectors.T / TEMPERATURE
    own = torch.eye(len(kinds), dtype=torch.bool)
    scores = scores.masked_fill(own, -1e9)
    share = scores - scores.logsumexp(dim=1, keepdim=True)
    same = (kinds[:, None] == kinds[None, :]) & ~own
    return -(share * same).sum(1).div(same.sum(1)).mean()


def accuracy(network: Embedding, pictures: np.ndarray) -> float:
    """One reference a kind, among all kinds given: share of the other photographs named right."""
    network.eval()
    families, siblings, shots = pictures.shape[:3]
    flat = torch.from_numpy(np.array(pictures)).reshape(-1, *pictures.shape[3:])
    with torch.no_grad():
        vectors = torch.cat([network(prepared(part)) for part in flat.split(256)])
    vectors = vectors.reshape(families * siblings, shots, -1)
    named = torch.einsum("ksd,rd->ksr", vectors[:, 1:], vectors[:, 0]).argmax(2)
    network.train()
    return float((named == torch.arange(families * siblings)[:, None]).float().mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("pictures", type=Path, nargs="+")
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--resume", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(given.threads)
    dice = np.random.default_rng(1)
    stores = [np.load(path, mmap_mode="r") for path in given.pictures]
    held = stores[0][:HELD]
    families = [family for store in stores for family in store][HELD:]
    network = Embedding().to(memory_format=torch.channels_last)
    if given.resume:
        network.load_state_dict(torch.load(given.resume))
    optimiser = torch.optim.AdamW(network.parameters(), lr=given.rate, weight_decay=0.02)
    kinds = torch.arange(FAMILIES * held.shape[1]).repeat_interleave(VIEWS)
    began, step, running = time.time(), 0, 0.0
    while (done := (time.time() - began) / (60 * given.minutes)) < 1:
        for group in optimiser.param_groups:
            group["lr"] = given.rate * min(1, step / 200) * 0.5 * (1 + np.cos(np.pi * done))
        chosen = dice.choice(len(families), FAMILIES, replace=False)
        shots = dice.choice(held.shape[2], VIEWS, replace=False)
        batch = torch.from_numpy(np.stack([families[n][:, shots] for n in chosen])).flatten(1, 2)
        flat = covered(augmented(batch, dice).flatten(0, 1), dice)
        with torch.autocast("cpu", torch.bfloat16):
            vectors = network(prepared(flat).contiguous(memory_format=torch.channels_last))
        loss = contrastive(vectors.float(), kinds)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        step, running = step + 1, running + float(loss.detach())
        if step % 200 == 0:
            print(
                f"{step:6d} {done:5.2f} loss {running / 200:.3f} held-out top1 {accuracy(network, held):.3f}",
                flush=True,
            )
            running = 0.0
            torch.save(network.state_dict(), given.weights)
    torch.save(network.state_dict(), given.weights)


if __name__ == "__main__":
    main()
