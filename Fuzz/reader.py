#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fuzzes the reader of sheets: PDFs with mutations, each of which `sheet-inspect` reads in a process in the sandbox.

usage: reader.py SHEET-INSPECT [--seconds N | --runs N] [--seed N] [--findings DIR] FILE-OR-FOLDER...

Files that are given are read as they are first; then mutated ones until the reader has used N more seconds of processor time, or
N times. A mutation changes bytes, numbers, names, references, operators and blocks, also within what `qpdf --qdf` has unpacked.
What counts as found: a crash, no report, more than five seconds of the processor, and a report that contradicts itself or the
file. Each file that was found is kept in DIR, with the reason beside it. The same seed and files give the same mutations. Told,
but not found, is how many were given up: for memory, or in a step that takes long (`too_complex` without a page).
Exits with 1 when anything was found.
"""
import argparse, collections, hashlib, json, os, pathlib, random, re, resource, subprocess, sys, tempfile

# Of the processor: a second's try without fonts, and what the reader grants a file before it gives up.
LONGEST = 5
LARGEST = 1 << 20
NUMBERS = [b"0", b"-1", b"1", b"2", b"255", b"65535", b"65536", b"2147483647", b"-2147483648", b"4294967296", b"1e308", b"0.00001",
           b"-0.5", b"9999999999999999999", b"99999"]
NAMES = b"""/Type /Subtype /Page /Pages /Kids /Count /Parent /Contents /Resources /Font /XObject /Image /Form /Pattern /Shading
/ExtGState /SMask /ColorSpace /Indexed /DeviceN /Separation /ICCBased /DeviceGray /DeviceRGB /DeviceCMYK /Function /FunctionType
/Domain /Range /Matrix /BBox /Filter /FlateDecode /LZWDecode /ASCII85Decode /RunLengthDecode /DCTDecode /JPXDecode
/CCITTFaxDecode /JBIG2Decode /DecodeParms /Predictor /Length /Width /Height /BitsPerComponent /ImageMask /Mask /Decode /Annots
/Annot /Widget /Link /AcroForm /Fields /FT /Tx /Btn /Ch /Sig /AP /N /A /AA /OpenAction /JavaScript /JS /Launch /URI /GoToR
/EmbeddedFiles /Names /Dests /Outlines /Root /Info /Encrypt /ID /Size /Prev /XRefStm /ObjStm /XRef /W /Index /First /Extends
/Type0 /Type1 /Type3 /TrueType /CIDFontType2 /Encoding /ToUnicode /Widths /FontDescriptor /FontFile2 /CharProcs /MediaBox
/CropBox /Rotate /UserUnit /StructTreeRoot /OCProperties /Metadata /XFA""".split()
OPERATORS = b"""q Q cm w J j M d ri i gs m l c v y h re S s f F f* B B* b b* n W W* BT ET Tc Tw Tz TL Tf Tr Ts Td TD Tm T* Tj ' " CS cs SC
SCN sc scn G g RG rg K k sh Do MP DP BMC BDC EMC BX EX d0 d1""".split()


def unpacked(path, folder):
    """The same file with its streams unpacked, or `None`."""
    target = pathlib.Path(folder, "unpacked.pdf")
    target.unlink(missing_ok=True)
    # Some are made to be too much for whoever unpacks them.
    walls = lambda: [resource.setrlimit(kind, (most, most)) for kind, most in
                     ((resource.RLIMIT_CPU, 5), (resource.RLIMIT_AS, 1 << 30), (resource.RLIMIT_FSIZE, 2 * LARGEST))]
    done = subprocess.run(["qpdf", "--qdf", "--object-streams=disable", path, target], capture_output=True, preexec_fn=walls)
    # 3 is a warning: it is written all the same.
    return target.read_bytes() if done.returncode in (0, 3) and target.exists() else None


def corpus(paths):
    files = [file for path in map(pathlib.Path, paths) for file in (sorted(path.rglob("*.pdf")) if path.is_dir() else [path])]
    seeds = []
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            if file.stat().st_size > LARGEST:
                continue
            plain = unpacked(file, folder)
            seeds += [data for data in (file.read_bytes(), plain) if data and len(data) <= LARGEST]
    return files, seeds


class Mutations:
    def __init__(self, seeds, seed):
        self.seeds, self.random = seeds, random.Random(seed)
        self.kinds = [self.flip, self.number, self.name, self.reference, self.operator, self.remove, self.repeat, self.splice,
                      self.move, self.cut]

    def next(self):
        data = bytearray(self.random.choice(self.seeds))
        for _ in range(min(12, 1 + int(self.random.expovariate(0.5)))):
            if data:
                self.random.choice(self.kinds)(data)
        return bytes(data)

    def block(self, data):
        start = self.random.randrange(len(data))
        return start, min(len(data), start + 1 + int(self.random.expovariate(1 / 200)))

    def token(self, data, pattern, made):
        """Replaces what first matches behind a random place."""
        found = re.compile(pattern).search(data, self.random.randrange(len(data)))
        if found:
            data[found.start():found.end()] = made(found.group())

    def flip(self, data):
        for _ in range(self.random.randrange(1, 8)):
            data[self.random.randrange(len(data))] ^= 1 << self.random.randrange(8)

    def number(self, data):
        self.token(data, rb"(?<![\w.])-?\d+(\.\d+)?", lambda _: self.random.choice(NUMBERS))

    def name(self, data):
        self.token(data, rb"/\w+", lambda _: self.random.choice(NAMES))

    def reference(self, data):
        # To about as many objects as there are.
        last = max(40, data.count(b" obj"))
        self.token(data, rb"\d+ 0 R", lambda _: b"%d 0 R" % self.random.randrange(last))

    def operator(self, data):
        self.token(data, rb"(?<=[\s])[a-zA-Z*'\"]{1,2}(?=[\s])", lambda _: self.random.choice(OPERATORS))

    def remove(self, data):
        start, end = self.block(data)
        del data[start:end]

    def repeat(self, data):
        start, end = self.block(data)
        times = 1 << self.random.randrange(1, 8)
        data[start:start] = data[start:end] * times

    def splice(self, data):
        other = self.random.choice(self.seeds)
        start, end = self.block(other)
        here = self.random.randrange(len(data))
        data[here:here + self.random.choice([0, end - start])] = other[start:end]

    def move(self, data):
        start, end = self.block(data)
        block = data[start:end]
        del data[start:end]
        here = self.random.randrange(len(data) + 1)
        data[here:here] = block

    def cut(self, data):
        del data[self.random.randrange(len(data)):]


def contradictions(report, data):
    """What a report cannot say of a file, and of itself."""
    findings, pages, count = report["findings"], report["pages"], report["pageCount"]
    blockers = [f for f in findings if f["severity"] == "blocker"]
    accepted = report["verdict"] == "accepted"
    places = [page["index"] for page in pages]
    boxes = [region["rect"] for page in pages for region in page["regions"]]
    checks = {
        "another hash than the file's": report["sha256"] == hashlib.sha256(data).hexdigest(),
        "another size than the file's": report["bytes"] == len(data),
        "accepted with a blocker, or refused without one": accepted != bool(blockers),
        "an unknown verdict": report["verdict"] in ("accepted", "refused"),
        "accepted without all its pages": not accepted or (count > 0 and places == list(range(count))),
        "pages that are not in order, or not the file's": places == sorted(set(places)) and all(0 <= p < count for p in places),
        "a finding on a page that is not the file's": all(0 <= f.get("page", 0) < max(count, 1) for f in findings),
        "a finding without a text": all(f["message"].strip() for f in findings),
        "a page without a size": all(page["width"] > 0 and page["height"] > 0 for page in pages),
        "a region outside of its page": all(
            box["x"] >= 0 and box["y"] >= 0 and box["width"] > 0 and box["height"] > 0
            and box["x"] + box["width"] <= 1.00001 and box["y"] + box["height"] <= 1.00001 for box in boxes),
        "a page of another rotation than quarters": all(page["rotation"] in (0, 90, 180, 270) for page in pages),
    }
    return [reason for reason, holds in checks.items() if not holds]


def used():
    """Seconds of processor time that other processes have used which this one has waited for."""
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def judge(inspect, path, data):
    """Reasons why an answer is wrong, and the code that it gave."""
    before = used()
    try:
        # By the clock it may take long: the machine has other work, too.
        done = subprocess.run([inspect, "--seconds", "120", path], capture_output=True, timeout=180)
    except subprocess.TimeoutExpired:
        return ["no answer within three minutes"], "none"
    seconds = used() - before
    try:
        report = json.loads(done.stdout)
        reasons = contradictions(report, data)
    except (ValueError, KeyError, TypeError) as error:
        return [f"no report (exit {done.returncode}): {error!r}"], "none"
    codes = [f["code"] for f in report["findings"] if f["severity"] == "blocker"]
    if done.returncode != 0:
        reasons.append(f"exit {done.returncode}")
    if seconds > LONGEST or "time_limit" in codes:
        reasons.append(f"{seconds:.1f} s of the processor, {codes}")
    # Says that the process ended without a report: a signal, or an answer that is none.
    if any("could not be read to its end" in f["message"] for f in report["findings"]):
        reasons.append("the reader crashed")
    is_without_page = not report["pageCount"] and codes == ["too_complex"]
    return reasons, "too_complex without a page" if is_without_page else codes[0] if codes else "accepted"


def main():
    a = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    a.add_argument("inspect")
    a.add_argument("paths", nargs="+")
    a.add_argument("--seconds", type=float, default=60)
    a.add_argument("--runs", type=int)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--findings", default=".build/fuzz/findings")
    options = a.parse_args()
    files, seeds = corpus(options.paths)
    if not seeds:
        sys.exit("there is no PDF of at most a mebibyte among these")
    found, runs, codes = collections.Counter(), 0, collections.Counter()
    mutations = Mutations(seeds, options.seed)
    with tempfile.TemporaryDirectory() as folder:
        def read(data, name):
            path = os.path.join(folder, "sheet.pdf")
            pathlib.Path(path).write_bytes(data)
            reasons, code = judge(options.inspect, path, data)
            codes[code] += 1
            if reasons:
                kept = pathlib.Path(options.findings)
                kept.mkdir(parents=True, exist_ok=True)
                stem = f"reader-{hashlib.sha256(data).hexdigest()[:16]}"
                (kept / f"{stem}.pdf").write_bytes(data)
                (kept / f"{stem}.txt").write_text("\n".join([name, *reasons]) + "\n")
                found.update(reasons[:1])
                print(f"{kept / stem}.pdf ({name}): {'; '.join(reasons)}", flush=True)

        for file in files:
            read(file.read_bytes(), file.name)
        began = told = used()
        while runs < options.runs if options.runs is not None else used() - began < options.seconds:
            runs += 1
            read(mutations.next(), f"mutation {runs} of seed {options.seed}")
            if used() - told > 300:
                told = used()
                print(f"… {runs} mutations, {used() - began:.0f} s", file=sys.stderr, flush=True)
    print(f"{len(files)} files and {runs} mutations of {len(seeds)} in {used() - began:.0f} s of processor time: "
          + ", ".join(f"{code} {count}" for code, count in codes.most_common()))
    print(f"found: {sum(found.values())}" + "".join(f"\n  {count} × {reason}" for reason, count in found.most_common()))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
