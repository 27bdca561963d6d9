#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads .ttrpg archives and .ink drawings as docs/formats.md has them, and shares no code with the project.

  read_ttrpg.py FILE.ttrpg      prints all that is in it as JSON
  read_ttrpg.py --compare DIR   reads every N.ttrpg there and compares it with N.json: prints what differs, ends with 1 if any does
"""
import hashlib, json, math, pathlib, struct, sys, zipfile, zlib

MASK = (1 << 64) - 1
STEPS = (40, 40, 256, 64, 64, 1000, 32)


class Decoder:
    def __init__(self, data):
        self.data, self.place, self.range = data, 4, 0xFFFFFFFF
        self.code = int.from_bytes((data + bytes(4))[:4], "big")

    def renew(self):
        while self.range < 1 << 24:
            byte = self.data[self.place] if self.place < len(self.data) else 0
            self.place += 1
            self.range = self.range << 8 & 0xFFFFFFFF
            self.code = (self.code << 8 | byte) & 0xFFFFFFFF

    def bit(self, cells, at):
        p, n = cells.get(at, (32768, 0))
        bound = (self.range >> 12) * (p >> 4)
        rate = (n | 1).bit_length()
        if self.code < bound:
            self.range, p, bit = bound, p + ((65536 - p) >> rate), 0
        else:
            self.code -= bound
            self.range -= bound
            p, bit = p - (p >> rate), 1
        cells[at] = (p, min(16, n + 1))
        self.renew()
        return bit

    def plain(self, count):
        self.range >>= count
        value = min(self.code // self.range, (1 << count) - 1)
        self.code -= value * self.range
        self.renew()
        return value

    def number(self, cells):
        """The number, and its size."""
        size = 0
        while size < 20 and self.bit(cells, size): size += 1
        if size == 20: size += self.plain(6)
        if size == 0: return 0, 0
        value, left, c = 1, size - 1, 20 + 3 * min(size, 20)
        if left:
            first = self.bit(cells, c)
            value, left = value << 1 | first, left - 1
            if left: value, left = value << 1 | self.bit(cells, c + 1 + first), left - 1
        while left:
            count = min(16, left)
            value, left = value << count | self.plain(count), left - count
        return (value >> 1) ^ -(value & 1), size


def text(data):
    decoder, cells, made, before = Decoder(data), {}, bytearray(), 0
    count, _ = decoder.number({})
    for _ in range(count):
        node = 1
        for _ in range(8): node = node << 1 | decoder.bit(cells, (before, node))
        before = node & 255
        made.append(before)
    return json.loads(made.decode())


def signed(value):
    value &= MASK
    return value - (1 << 64) if value >> 63 else value


def floating(value):
    bits = value & MASK
    if bits >> 63: bits ^= (1 << 63) - 1
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def strokes(names, data, count, lossless):
    decoder = Decoder(data)
    groups = {}
    def number(name): return decoder.number(groups.setdefault(name, {}))
    device = edit = order = points = 0
    firsts, made = [0] * 7, []
    for _ in range(count):
        device += number("device")[0]
        edit = signed(edit + number("number")[0])
        order = signed(order + number("order")[0])
        layer, style = number("layer")[0], number("style")[0]
        points += number("count")[0]
        channels = []
        for channel in range(7 if points else 0):
            degree = number("prediction")[0]
            value, size = number((channel, 0))
            values = [signed(firsts[channel] + value)]
            firsts[channel] = values[0]
            if degree == 0: values *= points
            while len(values) < points:
                value, size = number((channel, min(11, size)))
                d, v = min(degree, len(values)), values
                guess = v[-1] if d == 1 else 2 * v[-1] - v[-2] if d == 2 else 3 * v[-1] - 3 * v[-2] + v[-3]
                values.append(signed(value + guess))
            channels.append([floating(v) if lossless else v / STEPS[channel] for v in values])
        made.append({
            "id": f"{names['devices'][device]}-{edit}", "layer": names["layers"][layer], "order": order,
            "stroke": dict(names["styles"][style], points=[list(point) for point in zip(*channels)])})
    return made


def drawing(data):
    assert data[:8] == b"TINK\1\0\0\0", "no drawing"
    page, elements, place = None, [], 8
    while place < len(data):
        marker, kind, flags, count, length, crc = struct.unpack_from("<4sBBHII", data, place)
        assert marker == b"\xb1OCK" and zlib.crc32(data[place:place + 12]) == crc, f"damaged head at {place}"
        payload = data[place + 16:place + 16 + length]
        assert zlib.crc32(payload) == struct.unpack_from("<I", data, place + 16 + length)[0], f"damaged block at {place}"
        if kind in (2, 4):
            n, = struct.unpack_from("<I", payload)
            head, rest = text(payload[4:4 + n]), payload[4 + n:]
        if kind == 1: page = text(payload)
        elif kind == 2: elements += strokes(head, rest, count, flags & 1)
        elif kind == 3: elements += text(payload)
        elif kind == 4:
            head["foreign"]["data"] = rest.hex()
            elements.append(head)
        place += 20 + length
    def rank(element):
        device, number = element["id"].split("-")
        return element["order"], int(device, 16), int(number)
    return dict(page, elements=sorted(elements, key=rank))


def archive(path):
    with zipfile.ZipFile(path) as zip:
        manifest = json.loads(zip.read("manifest.json"))
        assert manifest["format"] == "ttrpg" and manifest["formatVersion"] == "1.0"
        lines = ""
        for part in sorted(manifest["parts"], key=lambda part: part["path"].encode()):
            data = zip.read(part["path"])
            assert len(data) == part["sizeBytes"] and hashlib.sha256(data).hexdigest() == part["sha256"], part["path"]
            lines += f"{part['sha256']}  {part['sizeBytes']}  {part['path']}\n"
        assert hashlib.sha256(lines.encode()).hexdigest() == manifest["sha256"], "the hash of the whole"
        assert set(zip.namelist()) - {"manifest.json", "signature.json"} == {part["path"] for part in manifest["parts"]}
        characters = []
        for listed in manifest["characters"]:
            folder = listed["folder"]
            pages = {
                name[len(folder) + 6:-4]: drawing(zip.read(name))
                for name in zip.namelist() if name.startswith(folder + "pages/") and name.endswith(".ink")}
            images = sorted(name[len(folder) + 7:] for name in zip.namelist() if name.startswith(folder + "images/"))
            characters.append(dict(character=json.loads(zip.read(folder + "character.json")), pages=pages, images=images))
        return characters


def same(one, other):
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) or isinstance(other, float):
        return isinstance(one, (int, float)) and isinstance(other, (int, float)) and math.isclose(one, other, rel_tol=1e-15)
    return one == other


def main():
    if sys.argv[1] != "--compare": return print(json.dumps(archive(sys.argv[1]), indent=1, ensure_ascii=False))
    files = sorted(pathlib.Path(sys.argv[2]).glob("*.ttrpg"))
    wrong = 0
    for file in files:
        try: agrees = same(archive(file), json.loads(file.with_suffix(".json").read_text()))
        except (AssertionError, KeyError, ValueError, IndexError) as error: agrees, wrong = print(f"{file.name}: {error!r}"), wrong
        if not agrees:
            wrong += 1
            print(f"{file.name} differs")
    print(f"{len(files) - wrong} of {len(files)} agree")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__": main()
