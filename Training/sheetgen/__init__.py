# SPDX-License-Identifier: Apache-2.0
"""Sheets that label themselves: made-up character sheets in many styles, each with its zoom regions."""
