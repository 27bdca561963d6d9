#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs a sheet and verifies it by The Update Framework, from a running market or from a static mirror of one.

    install_sheet.py SOURCE SHEET FOLDER [--root FILE | --fingerprint HEX]

SOURCE is a market's address, or a mirror's: an address or a folder. SHEET is a sheet's name in addresses, or its id. Needs
`tuf` and `requests` from PyPI. The first run pins the root in FOLDER/.trust, by --root or --fingerprint if you have one from
the operator; later runs refuse whatever does not follow from it.
"""
import argparse, hashlib, json, pathlib, sys
from urllib.parse import quote

import requests
from tuf.api.exceptions import DownloadError, DownloadHTTPError, RepositoryError
from tuf.ngclient import FetcherInterface, Updater


class Refused(Exception):
    """Why nothing was installed."""


class Source(FetcherInterface):
    """Files below an address or in a folder, for python-tuf and for us."""

    def __init__(self, text):
        self.is_web = text.startswith(("http://", "https://"))
        self.base = text.rstrip("/") if self.is_web else pathlib.Path(text.removeprefix("file://")).resolve().as_uri()
        self.session = requests.Session()

    def _fetch(self, url):
        if not self.is_web:
            path = pathlib.Path(requests.utils.unquote(url.removeprefix("file://")))
            if not path.is_file():
                raise DownloadHTTPError(f"{path} is not there", 404)
            return iter([path.read_bytes()])
        answer = self.session.get(url, stream=True, timeout=30)
        if answer.status_code != 200:
            raise DownloadHTTPError(f"{url} answered {answer.status_code}", answer.status_code)
        return answer.iter_content(1 << 16)

    def bytes(self, path):
        """A file's bytes, or None where there is none."""
        try:
            return b"".join(self.fetch(f"{self.base}/{path}"))
        except DownloadHTTPError as error:
            if error.status_code in (403, 404, 410):
                return None
            raise


def find(source, sheet):
    """Id, slug, version and suffix of what is on offer: what somebody says, until the signed metadata says the same."""
    names = source.bytes("catalog/names.jsonl")
    if names is not None:
        lines = (json.loads(line) for line in names.splitlines())
        found = next((line for line in lines if sheet in (line["slug"], line["id"])), None)
    else:
        answer = source.bytes(f"api/v1/templates/{quote(sheet, safe='')}") if source.is_web else None
        found = json.loads(answer) if answer is not None else None
    if found is None:
        raise Refused(f"there is no sheet '{sheet}' on {source.base}")
    suffix = {"sheet": "pdf", "skill_library": "fstemplate"}.get(found.get("kind", "sheet"), "json")
    return found["id"], found["slug"], found["version"], suffix


def root(source, trust, options):
    """The root to begin with; nothing once one is pinned."""
    if (trust / "root.json").exists():
        return None
    data = pathlib.Path(options.root).read_bytes() if options.root else source.bytes("trust/1.root.json")
    if data is None:
        raise Refused(f"{source.base} signs nothing")
    fingerprint = hashlib.sha256(data).hexdigest()
    if options.fingerprint and options.fingerprint.lower() != fingerprint:
        raise Refused(f"the root has the fingerprint {fingerprint}, not {options.fingerprint}")
    if not options.root and not options.fingerprint:
        print(f"Trusting the root {fingerprint} from now on: compare it with what the operator tells.", file=sys.stderr)
    return data


def install(source, options):
    folder = pathlib.Path(options.folder)
    trust = folder / ".trust"
    trust.mkdir(parents=True, exist_ok=True)
    updater = Updater(str(trust), f"{source.base}/trust/", str(folder), f"{source.base}/trust/targets/", fetcher=source,
                      bootstrap=root(source, trust, options))
    updater.refresh()
    template, slug, version, suffix = find(source, options.sheet)
    info = updater.get_targetinfo(f"{template}/{version}.{suffix}")
    if info is None:
        raise Refused(f"{slug} {version} is not signed; if it came out just now, try again in a minute")
    custom = info.custom or {}
    if custom.get("slug") != slug:
        raise Refused(f"{slug} {version} is signed as {custom.get('slug')}")
    if custom.get("state") == "taken_down":
        raise Refused(f"{slug} {version} was taken down: {custom.get('reason', 'no reason is given')}")
    # Never a name that somebody else chose whole: it could lead out of the folder.
    path = folder / f"{pathlib.PurePosixPath(slug).name}-{pathlib.PurePosixPath(version).name}.{suffix}"
    return updater.download_target(info, str(path)), version


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("source")
    parser.add_argument("sheet")
    parser.add_argument("folder")
    parser.add_argument("--root")
    parser.add_argument("--fingerprint")
    options = parser.parse_args()
    try:
        print(*install(Source(options.source), options))
    except (Refused, RepositoryError, DownloadError, requests.RequestException) as error:
        print(f"{options.sheet} was not installed: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
