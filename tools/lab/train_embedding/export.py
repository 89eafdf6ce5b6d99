"""Writes trained weights as ONNX, batch normalisation folded in, for cv2.dnn."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
import torch
from network import WIDTH, Embedding
from onnx import TensorProto, helper, numpy_helper
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval


def model(network: Embedding) -> onnx.ModelProto:
    """Convolutions, ReLUs and one matrix product; the unit length is left to the reader."""
    nodes, weights, last = [], [], "pictures"
    blocks = [layer for layer in network.body if isinstance(layer, nn.Sequential)]
    for number, (convolution, norm, _) in enumerate(blocks):
        fused = fuse_conv_bn_eval(convolution, norm)
        for part, value in (("w", fused.weight), ("b", fused.bias)):
            weights.append(numpy_helper.from_array(value.detach().numpy(), f"{part}{number}"))
        shape = {
            "kernel_shape": list(fused.kernel_size),
            "pads": list(fused.padding) * 2,
            "strides": list(fused.stride),
        }
        nodes.append(helper.make_node("Conv", [last, f"w{number}", f"b{number}"], [f"c{number}"], **shape))
        nodes.append(helper.make_node("Relu", [f"c{number}"], [f"r{number}"]))
        last = f"r{number}"
    nodes.append(helper.make_node("Flatten", [last], ["flat"], axis=1))
    weights.append(numpy_helper.from_array(network.head.weight.detach().numpy(), "wh"))
    weights.append(numpy_helper.from_array(network.head.bias.detach().numpy(), "bh"))
    nodes.append(helper.make_node("Gemm", ["flat", "wh", "bh"], ["vectors"], transB=1))
    given = helper.make_tensor_value_info("pictures", TensorProto.FLOAT, ["n", 6, 64, 64])
    told = helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["n", WIDTH])
    graph = helper.make_graph(nodes, "embedding", [given], [told], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("file", type=Path)
    given = parser.parse_args()
    network = Embedding()
    network.load_state_dict(torch.load(given.weights))
    network.eval()
    onnx.save(model(network), given.file)
    import cv2

    sample = np.random.default_rng(1).standard_normal((5, 6, 64, 64)).astype(np.float32)
    reader = cv2.dnn.readNetFromONNX(str(given.file))
    reader.setInput(sample)
    told = reader.forward()
    told = told / np.linalg.norm(told, axis=1, keepdims=True)
    with torch.no_grad():
        wanted = network(torch.from_numpy(sample)).numpy()
    print("largest difference to torch", np.abs(told - wanted).max(), given.file.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
