"""A trained network as `export.py` writes it, to learn from."""

from __future__ import annotations

from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from torch import nn


class Teacher(nn.Module):
    """Convolutions with ReLU, one after the other, and one matrix product."""

    def __init__(self, model: Path) -> None:
        super().__init__()
        graph = onnx.load(model).graph
        values = {part.name: torch.from_numpy(numpy_helper.to_array(part).copy()) for part in graph.initializer}
        layers: list[nn.Module] = []
        for node in graph.node:
            if node.op_type == "Conv":
                weight = values[node.input[1]]
                given = {one.name: list(one.ints) for one in node.attribute if one.ints}
                into, out, side = weight.shape[1], weight.shape[0], weight.shape[2]
                layer = nn.Conv2d(into, out, side, given["strides"][0], given["pads"][0])
            elif node.op_type == "Gemm":
                weight = values[node.input[1]]
                layers.append(nn.Flatten())
                layer = nn.Linear(weight.shape[1], weight.shape[0])
            else:
                continue
            layer.weight.data, layer.bias.data = weight, values[node.input[2]]
            layers += [layer, nn.ReLU()] if node.op_type == "Conv" else [layer]
        self.body = nn.Sequential(*layers).requires_grad_(False)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        return nn.functional.normalize(self.body(pictures))
