"""The network: 64 x 64 x 6 in, a unit vector out. Small enough for a Raspberry Pi Zero 2 W."""

from __future__ import annotations

import torch
from torch import nn

WIDTH = 128
"""Length of the vector."""


def block(into: int, out: int, stride: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(into, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU(inplace=True))


class Embedding(nn.Module):
    """Sees each picture twice: as it is, and with every channel over its mean.

    Plain convolutions: separable ones need fewer multiplications, but learn half as much in an hour of one core, and
    are slower with OpenCV 4.
    """

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            block(6, 16, 2), block(16, 32, 2), block(32, 64, 2), block(64, 64, 1), block(64, 128, 2)
        )
        self.head = nn.Linear(128 * 16, WIDTH)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        return nn.functional.normalize(self.head(self.body(pictures).flatten(1)))
