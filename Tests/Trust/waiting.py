# SPDX-License-Identifier: Apache-2.0
"""Waiting for what others do."""
import time


def until(check, what):
    """Returns once `check` holds; ends the program after half a minute."""
    for _ in range(150):
        if check():
            return
        time.sleep(0.2)
    raise SystemExit(f"after 30 seconds there is not: {what}")
