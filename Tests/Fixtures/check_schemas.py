# SPDX-License-Identifier: Apache-2.0
"""Checks messages against the schemas of the importers' protocol: FOLDER MESSAGES, where MESSAGES is a JSON list of
[schema, message as text]. Also proves that the schemas refuse what they should."""
import json
import pathlib
import sys

import jsonschema

WRONG = {
    "request": [{}, {"protocolVersion": 1, "request": "dance"}],
    "answer": [{}, {"type": "shout"}, {"type": "claim", "confidence": 2}, {"type": "progress"},
               {"type": "finding", "code": "Bad Code", "severity": "info", "message": "m"},
               {"type": "result", "kind": "sheet"}],
    "plugin": [{}, {"name": "A b", "version": "1.0.0", "protocolVersion": 1, "command": ["x"], "suffixes": ["a"],
                    "mediaTypes": []}],
}


def main():
    folder, messages = pathlib.Path(sys.argv[1]), json.loads(pathlib.Path(sys.argv[2]).read_text())
    validators = {}
    for name in WRONG:
        schema = json.loads((folder / f"{name}.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        validators[name] = jsonschema.Draft202012Validator(schema)
    failures = 0
    for name, text in messages:
        for error in validators[name].iter_errors(json.loads(text)):
            failures += 1
            print(f"{name}: {text[:200]}: {error.message}")
    for name, wrong in WRONG.items():
        for message in wrong:
            if validators[name].is_valid(message):
                failures += 1
                print(f"{name}: {message} should not pass")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
