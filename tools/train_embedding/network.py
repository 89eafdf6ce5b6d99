"""The network: 64 x 64 x 6 in, a unit vector out. Small enough for a Raspberry Pi Zero 2 W."""

from __future__ import annotations

import torch
from torch import nn

WIDTH = 128
"""Length of the vector."""


def block(into: int, out: int, stride: int, size: int = 3) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(into, out, size, stride, size // 2, bias=False), nn.BatchNorm2d(out), nn.ReLU(inplace=True)
    )


class Embedding(nn.Module):
    """Sees each picture twice: as it is, and with every channel over its mean."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            block(6, 24, 2, 5),
            block(24, 48, 2),
            block(48, 96, 2),
            block(96, 96, 1),
            block(96, 128, 2),
            nn.Dropout2d(0.05),
        )
        self.head = nn.Linear(128 * 16, WIDTH)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        return nn.functional.normalize(self.head(self.body(pictures).flatten(1)))
