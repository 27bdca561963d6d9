# SPDX-License-Identifier: Apache-2.0
"""Lets no two calls of a run go under one Idempotency-Key: the second would get the first one's answer, or be refused."""

import uuid

import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    # What is wrong on purpose is refused anyway; changed here, it would be taken for right, and get what was left out.
    if case.meta is not None and case.meta.generation.mode.is_negative:
        return
    key = (case.headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and 1 <= len(key) <= 255 and all("!" <= letter <= "~" for letter in key):
        case.headers["Idempotency-Key"] = str(uuid.uuid4())
