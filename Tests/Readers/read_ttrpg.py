#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads .ttrpg archives and .ink drawings as docs/formats.md has them, and shares no code with the project.

  read_ttrpg.py FILE            prints all that is in a .ttrpg or .ink file as JSON
  read_ttrpg.py --compare DIR   reads every N.ttrpg and N.ink there and compares it with N.json: prints what differs, ends with 1 if
                                any does
"""
import base64, hashlib, json, math, pathlib, struct, sys, zipfile, zlib

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


STANDARD = [
    {"id": id, "name": name, "order": order, "isVisible": True, "isLocked": False, "opacity": 1, "blendMode": "normal"}
    for order, (id, name) in enumerate((("base", "Base"), ("notes", "Notes"), ("temporary", "Temporary")))]


def head(data, place):
    """Kind, flags, count and length of the block at a place, if an intact head of one that ends in the file is there."""
    if place + 16 > len(data): return None
    marker, kind, flags, count, length, crc = struct.unpack_from("<4sBBHII", data, place)
    if marker != b"\xb1OCK" or zlib.crc32(data[place:place + 12]) != crc: return None
    return kind, flags, count, length


def drawing(data):
    assert data[:4] == b"TINK" and struct.unpack_from("<H", data, 4)[0] == 1, "no drawing of version 1"
    page, elements, others, damage, place = None, [], [], [], 8
    while place < len(data):
        found = head(data, place)
        if not found or place + 20 + found[3] > len(data):
            damage.append({"offset": place})
            place += 1
            while place < len(data) and not head(data, place): place += 1
            continue
        kind, flags, count, length = found
        payload = data[place + 16:place + 16 + length]
        try:
            assert zlib.crc32(payload) == struct.unpack_from("<I", data, place + 16 + length)[0]
            if kind in (2, 4):
                n, = struct.unpack_from("<I", payload)
                names, rest = text(payload[4:4 + n]), payload[4 + n:]
            if kind == 1: page = text(payload)
            elif kind == 2: elements += strokes(names, rest, count, flags & 1)
            elif kind == 3: elements += text(payload)
            elif kind == 4:
                names["foreign"]["data"] = rest.hex()
                elements.append(names)
            else: others.append(dict(kind=kind, flags=flags, count=count, payload=base64.b64encode(payload).decode()))
        except AssertionError: damage.append({"offset": place, "lost": count})
        place += 20 + length
    def rank(element):
        device, number = element["id"].split("-")
        return element["order"], int(device, 16), int(number)
    made = dict(page or {"size": {"width": 612, "height": 792}, "layers": STANDARD}, elements=sorted(elements, key=rank))
    made["layers"] = sorted(made["layers"], key=lambda layer: (layer["order"], layer["id"].encode()))
    if others: made["others"] = others
    if damage: made["damage"] = damage
    return made


# Ed25519 (RFC 8032, section 6), for verifying only.
P, Q = 2 ** 255 - 19, 2 ** 252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def plus(a, b):
    s, t = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    u, v = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = t - s, v - u, v + u, t + s
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(k, point):
    made = (0, 1, 1, 0)
    while k:
        if k & 1: made = plus(made, point)
        point, k = plus(point, point), k >> 1
    return made


def point(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P: x = x * pow(2, (P - 1) // 4, P) % P
    assert (x * x - square) % P == 0, "no point of the curve"
    if x & 1 != sign: x = P - x
    return x, y, 1, x * y % P


def is_signed(key, message, signature):
    r, s = point(signature[:32]), int.from_bytes(signature[32:], "little")
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % Q
    base = point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))
    one, other = times(s, base), plus(r, times(h, point(key)))
    return s < Q and all((one[i] * other[2] - other[i] * one[2]) % P == 0 for i in (0, 1))


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
        if "signature.json" in zip.namelist():
            signature = json.loads(zip.read("signature.json"))
            key, signed = (base64.b64decode(signature[name]) for name in ("publicKey", "signature"))
            message = b"ttrpg 1.0 manifest\n" + zip.read("manifest.json")
            assert signature["algorithm"] == "ed25519" and is_signed(key, message, signed), "the signature"
        assert set(zip.namelist()) - {"manifest.json", "signature.json"} == {part["path"] for part in manifest["parts"]}
        characters = []
        for listed in manifest["characters"]:
            folder = listed["folder"]
            pages = {
                name[len(folder) + 6:-4]: drawing(zip.read(name))
                for name in zip.namelist() if name.startswith(folder + "pages/") and name.endswith(".ink")}
            images = sorted(name[len(folder) + 7:] for name in zip.namelist() if name.startswith(folder + "images/"))
            for image in images: assert hashlib.sha256(zip.read(folder + "images/" + image)).hexdigest() == image, "an image"
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


def read(file): return archive(file) if file.suffix == ".ttrpg" else drawing(file.read_bytes())


def main():
    if sys.argv[1] != "--compare": return print(json.dumps(read(pathlib.Path(sys.argv[1])), indent=1, ensure_ascii=False))
    folder = pathlib.Path(sys.argv[2])
    files = sorted([*folder.glob("*.ttrpg"), *folder.glob("*.ink")])
    wrong = 0
    for file in files:
        try: agrees = same(read(file), json.loads(file.with_suffix(".json").read_text()))
        except (AssertionError, KeyError, ValueError, IndexError) as error: agrees = print(f"{file.name}: {error!r}")
        if not agrees:
            wrong += 1
            print(f"{file.name} differs")
    print(f"{len(files) - wrong} of {len(files)} agree")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__": main()
