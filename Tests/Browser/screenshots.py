#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures of every page for the documents, in both themes and two widths:

    screenshots.py --program PATH/sheetmarket [--into docs/images] [--only NAME,NAME] [--at ADDRESS --data FOLDER]

Starts a market with its examples, unless one runs already, furnishes it (scene.py), and looks at each page (sitemap.py).
Pictures of pages that are no more are removed, also when only some were asked for."""

import argparse
import base64
import contextlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

import scene as scenes
import sitemap
from browser import Browser

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Width, least and most height of a picture, in pixels.
WINDOWS = {"wide": (1280, 800, 1700), "narrow": (390, 780, 1600)}
SCHEMES = ("light", "dark")
QUALITY = 42
# What an operator sees first.
OPERATORS = {"operator-sign-in", "first-steps"}


def shoot(browser, folder, name):
    """The page as it is now; gives the files."""
    written = []
    for label, (width, least, most) in WINDOWS.items():
        browser.window(width, least)
        height = browser.driver.execute_script(
            "for (const picture of document.images) picture.loading = 'eager'; scrollTo(0, 0);"
            "return document.querySelector('dialog[open], .filters[open]') ? 0 : document.documentElement.scrollHeight")
        browser.driver.execute_async_script(
            "const done = arguments[0]; Promise.all([...document.images].map((one) => one.decode().catch(() => {})))"
            ".then(() => done());")
        for scheme in SCHEMES:
            browser.driver.execute_cdp_cmd(
                "Emulation.setEmulatedMedia",
                {"features": [{"name": "prefers-color-scheme", "value": scheme},
                              {"name": "prefers-reduced-motion", "value": "reduce"}]})
            shot = browser.driver.execute_cdp_cmd(
                "Page.captureScreenshot",
                {"format": "webp", "quality": QUALITY, "captureBeyondViewport": True,
                 "clip": {"x": 0, "y": 0, "width": width, "height": max(least, min(height, most)), "scale": 1}})
            file = folder / f"{name}-{label}-{scheme}.webp"
            file.write_bytes(base64.b64decode(shot["data"]))
            written.append(file)
    return written


def begin(operator, data, folder):
    """What an operator sees first."""
    operator.open(scenes.sign_in_link(operator.base, data))
    written = shoot(operator, folder, "operator-sign-in")
    operator.window(1280, 800)
    operator.press("Sign in as admin")
    return written + shoot(operator, folder, "first-steps")


def names(scene):
    """All that there are pictures of."""
    pages = {name for walk, _ in sitemap.PEOPLE for name in walk(scene)}
    return pages | {name for _, name, _, _ in sitemap.STATES} | OPERATORS


def remove_others(folder, scene):
    kept = {f"{name}-{window}-{scheme}.webp" for name in names(scene) for window in WINDOWS for scheme in SCHEMES}
    for file in folder.glob("*.webp"):
        if file.name not in kept:
            file.unlink()


def look(browser, handle, wanted, folder):
    """Pictures of the pages of somebody, and of what opens on them."""
    if handle:
        browser.open("/login")
        browser.fill("login", handle)
        browser.fill("password", scenes.password(handle))
        browser.submit()
    written = []
    for name, path, act in wanted:
        browser.window(1280, 800)
        browser.open(path)
        if act:
            act(browser)
        written += shoot(browser, folder, name)
    return written


def photograph(base, program, data, folder, only):
    written = []
    with tempfile.TemporaryDirectory(prefix="sm-pictures-") as profiles:
        scenes.Scene(base, program, data).wait_for_examples()
        if not only or only & OPERATORS:
            with Browser(base, pathlib.Path(profiles) / "operator") as operator:
                written += begin(operator, data, folder)
        scene = scenes.furnish(base, program, data)
        scene.be_visited()
        for walk, handle in sitemap.PEOPLE:
            pages = walk(scene)
            states = [(name, pages.get(page, page), act) for whose, name, page, act in sitemap.STATES if whose is walk]
            shown = [(name, path, None) for name, path in pages.items()] + states
            wanted = [each for each in shown if not only or each[0] in only]
            if wanted:
                with Browser(base, pathlib.Path(profiles) / walk.__name__) as browser:
                    written += look(browser, handle, wanted, folder)
        remove_others(folder, scene)
    return written


@contextlib.contextmanager
def provider(folder):
    """Somebody who knows who people are; gives the file that has a market offer to sign in there."""
    running = subprocess.Popen(
        [sys.executable, ROOT / "Tests/SignIn/provider.py"], stdout=subprocess.PIPE, text=True,
        stderr=subprocess.DEVNULL)
    try:
        port = next(line for line in running.stdout if line.startswith("ready ")).split()[1]
        (folder / "secret").write_text("s3cret: with a colon & more")
        known = {"id": "guild", "name": "The Guild", "issuer": f"http://127.0.0.1:{port}", "clientID": "the market",
                 "clientSecretFile": "secret", "allowPrivateNetwork": True}
        (folder / "providers.json").write_text(json.dumps({"providers": [known]}))
        yield str(folder / "providers.json")
    finally:
        running.terminate()
        running.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--into", type=pathlib.Path, default=ROOT / "docs/images")
    parser.add_argument("--only", type=lambda text: set(text.split(",")), default=set())
    parser.add_argument("--at", help="the address of a market that runs; its folder is --data")
    parser.add_argument("--data")
    options = parser.parse_args()
    options.into.mkdir(parents=True, exist_ok=True)
    with running(options) as (base, data):
        written = photograph(base, options.program, data, options.into, options.only)
    size = sum(file.stat().st_size for file in written)
    print(f"{len(written)} pictures, {size / 1e6:.1f} MB")


@contextlib.contextmanager
def running(options):
    """The address and the folder of a market that runs."""
    if options.at:
        yield options.at, options.data
        return
    with (tempfile.TemporaryDirectory(prefix="sm-screenshots-") as folder,
          provider(pathlib.Path(folder)) as providers):
        with socket.create_server(("127.0.0.1", 0)) as free:
            listen = f"127.0.0.1:{free.getsockname()[1]}"
        data = f"{folder}/data"
        market = subprocess.Popen(
            [options.program, "up", "--data", data, "--listen", listen], stdout=subprocess.PIPE, text=True,
            stderr=subprocess.DEVNULL, env=os.environ | {
                "SHEETMARKET_LIMIT_ADDRESS": "1000000/1s", "SHEETMARKET_SIGN_IN_PROVIDERS": providers,
                "SHEETMARKET_PUBLIC_URL": f"http://{listen}"})
        try:
            yield next(line for line in market.stdout if line.startswith("ready ")).split()[1], data
        finally:
            market.terminate()
            market.wait()


if __name__ == "__main__":
    main()
