"""How evidence is weighed: a logistic function of it and its products, and boosted trees."""

from __future__ import annotations

from typing import Any

import lightgbm
import numpy as np

from tools.lab.logistic import Bools, Rows, logistic
from vision.recognition.confidence import Fit, products
from vision.recognition.trees import Trees

DEARER, DEARER_TREES = 30.0, 10.0
"""Weight of a wrong name in the fit that finds the direction: it is the surest names that must not be wrong."""

TREES = 200
GROWN = {
    "objective": "binary",
    "num_leaves": 10,
    "learning_rate": 0.06,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "min_data_in_leaf": 60,
    "lambda_l2": 5,
    "max_bin": 63,
    "num_threads": 1,
    "seed": 1,
    "verbose": -1,
}


def plainly(features: Rows, right: Bools, weights: Rows) -> Fit:
    """The logistic function. features: rows x kinds of evidence."""
    centre, spread = features.mean(axis=0), features.std(axis=0)
    rows = products((features - centre) / spread)
    direction = logistic(rows, right, np.where(right, weights, DEARER * weights))
    slope, offset = logistic((rows @ direction[:-1])[:, None], right, weights)
    centre, spread, slopes = (tuple(row.round(4).tolist()) for row in (centre, spread, direction[:-1] * slope))
    return Fit(centre, spread, slopes, round(float(offset), 4))


def boosted(features: Rows, right: Bools, weights: Rows) -> Trees:
    """The trees, and what their sum has to be multiplied by to be the logarithm of the odds."""
    dear = np.where(right, weights, DEARER_TREES * weights)
    grown = lightgbm.train(GROWN, lightgbm.Dataset(features, right.astype(int), weight=dear / dear.mean()), TREES)
    scale, offset = logistic(np.asarray(grown.predict(features, raw_score=True))[:, None], right, weights)
    trees = [_nodes(each["tree_structure"]) for each in grown.dump_model()["tree_info"]]
    value, bar, low, high = (tuple(tuple(node[part] for node in tree) for tree in trees) for part in range(4))
    return Trees(value, bar, low, high, round(float(scale), 4), round(float(offset), 4))


def _nodes(root: dict[str, Any]) -> list[tuple[int, float, int, int]]:
    """Of one tree, the root first: the value asked for, the bar, and where to go on; -1 and what it adds for a leaf."""
    nodes: list[tuple[int, float, int, int]] = []

    def put(node: dict[str, Any]) -> int:
        place = len(nodes)
        if "leaf_value" in node:
            nodes.append((-1, float(f"{node['leaf_value']:.5g}"), 0, 0))
            return place
        nodes.append((-1, 0.0, 0, 0))
        low, high = put(node["left_child"]), put(node["right_child"])
        nodes[place] = (int(node["split_feature"]), float(f"{node['threshold']:.6g}"), low, high)
        return place

    put(root)
    return nodes
