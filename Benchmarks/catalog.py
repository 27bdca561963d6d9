# SPDX-License-Identifier: Apache-2.0
"""Makes a catalog of any size that is skewed as real ones are: words, systems, tags, owners and downloads follow Zipf.

Everything comes from a seed: the same count gives the same catalog. Rows go to PostgreSQL by COPY, through psql.
"""
import bisect, itertools, json, random, subprocess, time

SYSTEMS = [
    ("dnd5e", "Dungeons & Dragons 5e", "dnd,d&d"), ("pathfinder2e", "Pathfinder Second Edition", "pf2,pf2e"),
    ("call-of-cthulhu", "Call of Cthulhu", "coc"), ("vampire-v5", "Vampire: The Masquerade", "vtm"), ("fate-core", "Fate Core", "fate"),
    ("blades-in-the-dark", "Blades in the Dark", "bitd"), ("shadowrun6", "Shadowrun Sixth World", "sr6"), ("starfinder", "Starfinder", ""),
    ("savage-worlds", "Savage Worlds", "swade"), ("cyberpunk-red", "Cyberpunk RED", "cpr"), ("gurps4", "GURPS Fourth Edition", "gurps"),
    ("warhammer-frp", "Warhammer Fantasy Roleplay", "wfrp"), ("dark-eye", "The Dark Eye", "das schwarze auge,dsa"),
    ("traveller", "Traveller", "mgt2"), ("mork-borg", "Mörk Borg", ""), ("monster-of-the-week", "Monster of the Week", "motw"),
]
TAGS = """print a4 letter form-fillable simple colour black-and-white classic landscape one-page two-page spellbook inventory companion
large-type dyslexia-friendly minimal ornate dark art-deco handwritten kids campaign npc vehicle spaceship familiar pregenerated""".split()
REAL = """character sheet dragon knight wizard dungeon spell ledger wanderer investigator rogue paladin ranger druid sorcerer bard cleric
monk fighter warlock vampire sanity horror noir detective pilot starship hacker street samurai crew heist ghost hunter monster witch
tavern quest hero legend shadow blood iron silver golden ancient forgotten classic deluxe compact fillable printable improved
simple minimal gothic celtic nordic desert winter summer storm night moon sun star wolf raven crow bear serpent phoenix griffin
armor shield sword bow staff potion scroll tome grimoire map compass journal notebook folio record tracker companion familiar mount""".split()
LABELS = """strength dexterity constitution intelligence wisdom charisma armor class hit points initiative speed proficiency bonus saving
throws skills acrobatics arcana athletics deception history insight intimidation investigation medicine nature perception performance
persuasion religion stealth survival attacks spellcasting equipment features traits personality ideals bonds flaws background experience
level race alignment player name inspiration death saves successes failures languages notes allies organizations appearance age height
weight eyes skin hair backstory treasure luck sanity magic power edge essence humanity willpower resolve stress trauma harm load""".split()
LICENSES = ["CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "CC0-1.0", "MIT", "CC-BY-NC-SA-4.0", "OGL-1.0a"]
LANGUAGES = ["en", "de", "fr", "en-GB", "es", "pt-BR", "it", "pl", "ru", "ja", "cs", "sv"]
OWNER = "00000000-0000-7000-8000-%012x"


class Zipf:
    """Draws of a list, the n-th item with weight 1/n^s."""

    def __init__(self, rng, items, s=1.0):
        self.rng, self.items = rng, items
        self.weights = list(itertools.accumulate(1 / (n + 1) ** s for n in range(len(items))))

    def draw(self, count=None):
        if count is None:
            return self.items[min(bisect.bisect(self.weights, self.rng.random() * self.weights[-1]), len(self.items) - 1)]
        return self.rng.choices(self.items, cum_weights=self.weights, k=count)


def vocabulary(rng, count):
    """Made-up words behind the real ones, of syllables: 'vorelda', 'kantish', …"""
    onsets = "b c d f g h k l m n p r s t v w z br dr gr kr th sh tr".split()
    middles = "a e i o u ae ei ou".split()
    ends = ["", "", "n", "r", "s", "l", "th", "nd", "rk", "m"]
    words = dict.fromkeys(REAL)
    while len(words) < count:
        words["".join(rng.choice(onsets) + rng.choice(middles) for _ in range(rng.randint(2, 3))) + rng.choice(ends)] = None
    return list(words)


def uuid7(milliseconds, rng):
    high = (milliseconds & (1 << 48) - 1) << 16 | 0x7000 | rng.getrandbits(12)
    text = "%016x%016x" % (high, 1 << 63 | rng.getrandbits(62))
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


class Catalog:
    def __init__(self, count, seed=7, artifacts=None, size=200_000, slug=None):
        """`artifacts` are hashes, one for each template; without them all share one, of `size` bytes. `slug` makes a template's of
        its number and name."""
        self.count = count
        self.slug = slug or (lambda number, name: f"t-{number}")
        self.artifacts, self.size = artifacts or ["ab" * 32], size
        self.rng = rng = random.Random(seed)
        # Real catalogs meet new words for as long as they grow.
        self.words = vocabulary(rng, min(100_000, 4_000 + count // 10))
        self.names, self.prose = Zipf(rng, self.words, 0.95), Zipf(rng, self.words, 1.05)
        self.owners = max(20, count // 20)
        self.systems = [s[0] for s in SYSTEMS] + [f"house-rules-{n}" for n in range(1, 185)]
        self.tags = TAGS + sorted({w for w in self.words[len(REAL):len(REAL) + 3000]})

    def tables(self):
        """Statement and rows of each table, in an order that foreign keys allow."""
        rng, count = self.rng, self.count
        yield ("COPY users (id, handle, display_name, email) FROM STDIN",
               ("\t".join((OWNER % n, f"maker{n}", self.words[n % len(self.words)].title() + " " + self.words[n * 7 % len(self.words)].title(),
                           f"maker{n}@example.org")) for n in range(1, self.owners + 1)))
        rows = [(s, n, "{" + ",".join(f'"{a}"' for a in x.split(",") if a) + "}") for s, n, x in SYSTEMS]
        rows += [(s, "House Rules of " + self.words[400 + i].title(), "{}") for i, s in enumerate(self.systems[len(SYSTEMS):])]
        yield "COPY game_systems (slug, name, aliases) FROM STDIN", ("\t".join(r) for r in rows)
        yield "COPY artifacts (sha256, size_bytes, media_type) FROM STDIN", (f"\\\\x{a}\t{self.size}\tapplication/pdf" for a in self.artifacts)
        ids = []
        yield ("COPY templates (id, slug, owner_id, game_system, name, summary, description, tags, license, language, latest_version_id, "
               "page_count, rating, rating_count, rating_lower, downloads, trending, created_at, updated_at, published_at) FROM STDIN",
               self.templates(ids))
        yield ("COPY submissions (id, template_id, uploader_id, version, metadata, artifact_sha256, file_name, size_bytes, state, page_count) FROM STDIN",
               ("\t".join((s, t, o, "1.0.0", "{}", a, "sheet.pdf", str(self.size), "published", p)) for (t, s, v, o, p, _), a in self.files(ids)))
        yield ("COPY versions (id, template_id, submission_id, number, artifact_sha256, file_name, size_bytes, page_count, changelog) FROM STDIN",
               ("\t".join((v, t, s, "1.0.0", a, "sheet.pdf", str(self.size), p, "First.")) for (t, s, v, o, p, _), a in self.files(ids)))
        yield ("COPY submission_pages (submission_id, page_index, width, height, rotation, text_characters, form_fields, regions, page_text) FROM STDIN",
               self.pages(ids))

    def files(self, ids):
        """Each template's ids and artifact."""
        return zip(ids, ("\\\\x" + a for a in itertools.cycle(self.artifacts)))

    def templates(self, ids):
        rng = self.rng
        systems, owners = Zipf(rng, self.systems, 1.1), Zipf(rng, range(1, self.owners + 1), 0.7)
        tags, licenses, languages = Zipf(rng, self.tags, 1.0), Zipf(rng, LICENSES, 1.2), Zipf(rng, LANGUAGES, 1.4)
        begin, span = 1_577_836_800_000, 200_000_000_000  # six years from 2020
        description = "A sentence of a description, of the usual length. " * 6
        for n in range(self.count):
            made = begin + span * n // self.count
            changed = made + int(rng.expovariate(1 / 8e9))
            if changed > begin + span: changed = made  # not yet
            system = systems.draw()
            name = " ".join(dict.fromkeys(self.names.draw(rng.choice((1, 2, 2, 3, 3, 4))))).title()
            if rng.random() < 0.3: name += " Character Sheet"
            summary = " ".join(self.prose.draw(rng.randint(5, 18))).capitalize() + "."
            downloads = int(rng.paretovariate(0.8)) - 1 if rng.random() < 0.9 else 0
            downloads = min(downloads, 5_000_000)
            rated = min(downloads // 20, 2000)
            rating = min(5, max(1, rng.gauss(4, 0.7))) if rated else 0
            lower = max(0, rating - 2 / (rated + 1) ** 0.5) if rated else 0
            trending = 0 if not downloads else (changed / 86_400_000 - 18_262) / 7 + rng.random() * 8
            pages = rng.choice((1, 1, 2, 2, 2, 3, 4, 4, 6, 8, 12, 24))
            owner = OWNER % owners.draw()
            template, submission, version = uuid7(made, rng), uuid7(made + 1, rng), uuid7(made + 2, rng)
            ids.append((template, submission, version, owner, str(pages), system))
            yield "\t".join((
                template, self.slug(n, name), owner, system, name, summary, description, "{" + ",".join(dict.fromkeys(tags.draw(rng.randint(0, 6)))) + "}",
                licenses.draw(), languages.draw(), version, str(pages), f"{rating:.3f}", str(rated), f"{lower:.4f}", str(downloads),
                f"{trending:.5f}", *(_timestamp(ms) for ms in (made, changed, made))))

    def pages(self, ids):
        rng = self.rng
        regions, labels = [], []
        for n in range(400):
            rng.shuffle(LABELS)
            labels.append(" ".join(LABELS[:rng.randint(40, 90)]))
            regions.append(json.dumps([
                dict(id=f"r{i}", name=w.title(), rect=dict(x=0.1, y=0.1 * i, width=0.8, height=0.09), scale=1.2, pageIndex=0,
                     confidence=0.9, source="detected") for i, w in enumerate(LABELS[:6])]))
        for template, submission, version, owner, pages, system in ids:
            text = rng.choice(labels) + " " + " ".join(self.prose.draw(12))
            yield "\t".join((submission, "0", "595", "842", "0", "1200", "40", rng.choice(regions), text))


def _timestamp(milliseconds):
    whole, rest = divmod(milliseconds, 1000)
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(whole)) + ".%03d+00" % rest


def load(psql, count, artifacts=None, size=200_000, slug=None):
    """Fills a migrated database without templates; `psql` is the command with its connection, the rest is as for `Catalog`."""
    with subprocess.Popen(psql + ["-X", "-q", "-v", "ON_ERROR_STOP=1"], stdin=subprocess.PIPE, text=True) as child:
        out = child.stdin
        tables = ("templates", "versions", "submissions", "submission_pages", "game_systems", "users")
        out.write("BEGIN; SET LOCAL market.bulk = 'on'; SET LOCAL synchronous_commit = off; SET CONSTRAINTS ALL DEFERRED;\n")
        out.write("".join(f"ALTER TABLE {t} DISABLE TRIGGER USER;\n" for t in tables))
        out.write("DELETE FROM game_systems;\n")
        for statement, rows in Catalog(count, artifacts=artifacts, size=size, slug=slug).tables():
            out.write(statement + ";\n")
            buffer = []
            for row in rows:
                buffer.append(row)
                if len(buffer) == 2000:
                    out.write("\n".join(buffer) + "\n"); buffer = []
            out.write("".join(r + "\n" for r in buffer) + "\\.\n")
        out.write("SET CONSTRAINTS ALL IMMEDIATE;\n")
        out.write("".join(f"ALTER TABLE {t} ENABLE TRIGGER USER;\n" for t in tables))
        out.write("COMMIT;\n")
        out.close()
    if child.returncode: raise SystemExit("the catalog could not be loaded")
