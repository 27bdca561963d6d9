# SPDX-License-Identifier: Apache-2.0
"""Where modules of other folders are found; of two with one name, those of the market of many nodes."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[1:1] = [str(ROOT / "Tests" / "Cluster"), str(ROOT / "Benchmarks")]
