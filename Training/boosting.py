# SPDX-License-Identifier: Apache-2.0
"""How all trees are learned: LightGBM in its deterministic mode, written as whole numbers."""
import lightgbm

from forest import Forest


def model(rows, goals, weights, trees, leaves, rate, share, seed, least=60):
    """Trees that tell the goals from the measures; each tree sees a share of the measures."""
    settings = dict(
        objective="regression", num_leaves=leaves, learning_rate=rate, min_data_in_leaf=least,
        feature_fraction=share, bagging_fraction=0.7, bagging_freq=1, lambda_l2=3.0, max_bin=127, seed=seed,
        deterministic=True, force_row_wise=True, num_threads=1, verbose=-1)
    return lightgbm.train(settings, lightgbm.Dataset(rows, goals, weight=weights), trees)


def learned(*rows, **settings):
    return Forest.from_model(model(*rows, **settings))
