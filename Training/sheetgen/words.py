# SPDX-License-Identifier: Apache-2.0
"""What made-up sheets say. Section names come from the project's own terms; the rest is invented here."""
import os

TERMS = os.path.join(os.path.dirname(__file__), "..", "..", "Sources", "SheetLayout", "Data", "terms.txt")

LABELS = {
    "en": "Bonus,Max,Current,Temp,Total,Base,Misc,Mod,Rank,Cost,Type,Range,Damage,Weight,Value,Qty,Notes,Hit,Crit,Speed,"
          "Used,Level,Effect,Duration,Target,Slots,Save,Reach,Ammo,Source,Worn,Carried,Points,Track,Threshold,Penalty",
    "de": "Bonus,Max,Aktuell,Wert,Gesamt,Basis,Mod,Rang,Kosten,Art,Reichweite,Schaden,Gewicht,Anzahl,Probe,Stufe,Wirkung,"
          "Dauer,Ziel,Punkte,Behinderung,Schutz,Punktekosten,Grad,Bemerkung",
    "fr": "Bonus,Max,Actuel,Total,Base,Mod,Rang,Coût,Type,Portée,Dégâts,Poids,Valeur,Qté,Effet,Durée,Cible,Points,Seuil,"
          "Malus,Niveau,Rés.,Charge,Détail",
    "es": "Bono,Máx,Actual,Total,Base,Mod,Rango,Coste,Tipo,Alcance,Daño,Peso,Valor,Cant,Efecto,Duración,Puntos,Umbral,Nivel",
    "pt": "Bônus,Máx,Atual,Total,Base,Mod,Grau,Custo,Tipo,Alcance,Dano,Peso,Valor,Qtd,Efeito,Duração,Pontos,Limite,Nível",
    "it": "Bonus,Max,Attuale,Totale,Base,Mod,Grado,Costo,Tipo,Gittata,Danno,Peso,Valore,Qtà,Effetto,Durata,Punti,Soglia",
    "nl": "Bonus,Max,Nu,Totaal,Basis,Mod,Rang,Kosten,Soort,Bereik,Schade,Gewicht,Waarde,Aantal,Effect,Duur,Punten",
    "sv": "Bonus,Max,Nu,Totalt,Bas,Mod,Rang,Kostnad,Typ,Räckvidd,Skada,Vikt,Värde,Antal,Effekt,Tid,Poäng",
    "pl": "Premia,Maks,Obecne,Suma,Baza,Mod,Ranga,Koszt,Typ,Zasięg,Obrażenia,Waga,Wartość,Liczba,Efekt,Czas,Punkty",
}
ENTRIES = {
    "en": "Acrobatics,Bargain,Climb,Craft,Deceive,Drive,Dodge,Empathy,Etiquette,First Aid,Forage,Gamble,Herbalism,Hide,"
          "History,Hunt,Intimidate,Investigate,Jump,Law,Leadership,Lore,Mechanics,Medicine,Navigate,Notice,Occult,"
          "Perform,Persuade,Pilot,Read Lips,Ride,Sail,Science,Search,Shoot,Sneak,Streetwise,Survival,Swim,Tactics,"
          "Throw,Track,Trade,Brawl,Blades,Alchemy,Arcana,Athletics,Animal Handling,Sleight of Hand",
    "de": "Akrobatik,Alchimie,Athletik,Bogen,Dolche,Einschüchtern,Fährten,Feilschen,Handel,Heilkunde,Heimlichkeit,Klettern,"
          "Kriegskunst,Kunde,Lesen,Menschenkenntnis,Pflanzenkunde,Reiten,Ringen,Sagen,Schlösser,Schwerter,Schwimmen,"
          "Segeln,Sinnesschärfe,Stangen,Tanzen,Tierkunde,Überreden,Verbergen,Wildnis,Zechen",
    "fr": "Acrobatie,Alchimie,Artisanat,Athlétisme,Bluff,Chasse,Combat,Commerce,Conduite,Crochetage,Discrétion,Dressage,"
          "Équitation,Érudition,Escalade,Étiquette,Herboristerie,Histoire,Intimidation,Médecine,Musique,Nage,Navigation,"
          "Perception,Pistage,Premiers soins,Survie,Tir,Vol,Esquive",
    "es": "Acrobacias,Alquimia,Atletismo,Buscar,Cazar,Comercio,Curar,Engañar,Escalar,Esquivar,Historia,Intimidar,Leyes,"
          "Medicina,Montar,Nadar,Navegar,Ocultarse,Percibir,Pilotar,Rastrear,Robar,Sigilo,Supervivencia,Tirar",
    "pt": "Acrobacia,Alquimia,Atletismo,Blefar,Cavalgar,Comércio,Cura,Escalar,Esquiva,Furtividade,História,Intimidar,Leis,"
          "Medicina,Nadar,Navegar,Ocultar,Pilotar,Pontaria,Procurar,Rastrear,Roubo,Sobrevivência",
    "it": "Acrobazia,Alchimia,Artigianato,Atletica,Cavalcare,Cercare,Commercio,Furtività,Ingannare,Intimidire,Leggi,Medicina,"
          "Nascondersi,Navigare,Nuotare,Percepire,Raggirare,Rapidità,Scalare,Scassinare,Schivare,Seguire tracce,Storia",
    "nl": "Acrobatiek,Alchemie,Atletiek,Bluffen,Geneeskunde,Handel,Jagen,Klimmen,Kruiden,Overleven,Rijden,Schieten,Sluipen,"
          "Varen,Verbergen,Vechten,Zoeken,Zwemmen",
    "sv": "Alkemi,Bluffa,Finna dolda ting,Gömma sig,Hantverk,Hoppa,Jakt,Klättra,Köpslå,Läkekonst,Rida,Simma,Smyga,Spåra,"
          "Sjökunnighet,Vildmarksvana,Övertala",
    "pl": "Akrobatyka,Alchemia,Blef,Handel,Historia,Jeździectwo,Leczenie,Łowiectwo,Nawigacja,Perswazja,Pływanie,Przetrwanie,"
          "Skradanie,Strzelanie,Tropienie,Ukrywanie,Wspinaczka,Zastraszanie",
}
ODD = {
    "en": "Oaths,Scars,Hearth,Debts & Favours,Resolve Pool,Marks,The Bond,Heat,Ledger,Omens,Shadow,Grit,Fortune,Tokens,"
          "Weather,Ship,Crew,Warband,Signs,Beasts,Dreams,Fuel,Hull,Masks,Songs,Vows,Roads,Keepsakes,Doom,Spark,Fate,Strain",
    "de": "Eide,Narben,Herd,Schulden,Zeichen,Bande,Omen,Schatten,Schiff,Mannschaft,Tiere,Träume,Lieder,Wege,Andenken,Funke",
    "fr": "Serments,Cicatrices,Foyer,Dettes,Marques,Présages,Ombre,Navire,Équipage,Bêtes,Rêves,Chants,Routes,Étincelle",
    "es": "Juramentos,Cicatrices,Hogar,Deudas,Marcas,Presagios,Sombra,Nave,Tripulación,Bestias,Sueños,Cantos,Caminos",
    "pt": "Juramentos,Cicatrizes,Lar,Dívidas,Marcas,Presságios,Sombra,Navio,Tripulação,Feras,Sonhos,Cantos,Caminhos",
    "it": "Giuramenti,Cicatrici,Focolare,Debiti,Segni,Presagi,Ombra,Nave,Ciurma,Bestie,Sogni,Canti,Strade,Scintilla",
    "nl": "Eden,Littekens,Haard,Schulden,Tekens,Schaduw,Schip,Dromen", "sv": "Eder,Ärr,Skulder,Tecken,Skugga,Skepp,Drömmar",
    "pl": "Przysięgi,Blizny,Długi,Znaki,Cień,Statek,Sny",
}
PROSE = {
    "en": "roll a die and add your rank when you act under pressure mark one box for each time the keeper takes away what you "
          "carry spend a token to gain an edge once per scene until the sun comes up you cannot use this again",
    "de": "würfle und addiere deinen rang wenn du unter druck handelst markiere ein kästchen für jede wunde gib einen punkt aus "
          "um einmal je szene im vorteil zu sein bis zum morgen",
    "fr": "lancez un dé et ajoutez votre rang quand vous agissez sous pression cochez une case pour chaque blessure dépensez un "
          "point pour obtenir un avantage une fois par scène jusqu'au matin",
    "es": "tira un dado y suma tu rango cuando actúas bajo presión marca una casilla por cada herida gasta un punto para tener "
          "ventaja una vez por escena hasta el alba",
}
GIVEN = "Mira,Tobin,Sele,Aldo,Runa,Jorek,Ysa,Benno,Kest,Lio,Odric,Pell,Sanna,Torv,Una,Wim,Zeph,Carra,Dunn,Ebba"
ITEMS = ("Rope,Lantern,Dagger,Oil,Chalk,Cloak,Map,Short bow,Iron spikes,Flask,Tinder,Waterskin,Blanket,Hand axe,Mirror,"
         "Ink,Mail shirt,Staff,Bedroll,Lockpicks")


class Words:
    """The words of one language, drawn by chance."""

    def __init__(self, rng, language):
        self.rng, self.language = rng, language
        self.kinds, self.identity, self.abilities = {}, [], []
        system = None
        for line in open(TERMS, encoding="utf-8"):
            name, colon, terms = line.rstrip("\n").partition(": ")
            if line.startswith("["):
                system, spoken = line.strip().strip("[]").split()
            elif colon and not line.startswith("#") and spoken == language:
                field = name in ("identityFields", "abilityNames")
                if not field:
                    self.kinds.setdefault(name, []).extend(terms.split(", "))
                elif system == "*":
                    (self.identity if name == "identityFields" else self.abilities).extend(terms.split(", "))
        self.used = set()

    def _pick(self, table):
        return self.rng.choice(table.get(self.language, table["en"]).split(",")).strip()

    def label(self):
        return self._pick(LABELS)

    def entry(self):
        return self._pick(ENTRIES)

    def entries(self, count):
        pool = ENTRIES.get(self.language, ENTRIES["en"]).split(",")
        self.rng.shuffle(pool)
        pool = (pool * (count // len(pool) + 1))[:count]
        return sorted(pool) if self.rng.random() < 0.7 else pool

    def heading(self, kind):
        """A section name not used on this page yet."""
        for _ in range(12):
            if self.rng.random() < 0.3:
                text = self._pick(ODD)
            else:
                text = self.rng.choice(self.kinds.get(kind) or self.kinds["notes"]).title()
                text = text.replace(" And ", " & " if self.rng.random() < 0.4 else " and ").replace("'S", "'s")
            if text not in self.used and len(text) <= 30:
                self.used.add(text)
                return text
        return self._pick(ODD)

    def ability_names(self, count):
        short = [a.upper() for a in self.abilities if len(a) <= 3]
        long = [a.title() for a in self.abilities if len(a) > 3]
        pool = short if self.rng.random() < 0.5 and len(set(short)) >= count else long
        pool = sorted(set(pool))
        return self.rng.sample(pool, min(count, len(pool)))

    def identity_fields(self, count):
        pool = sorted(set(self.identity))
        chosen = self.rng.sample(pool, min(count - 1, len(pool)))
        first = next((f for f in self.identity if f in ("name", "nom", "nombre", "nome", "naam", "namn", "imię")), pool[0])
        names = [first] + [f for f in chosen if f != first]
        return [n.upper() if len(n) < 3 else n.title() for n in names]

    def prose(self, words):
        pool = PROSE.get(self.language, PROSE["en"]).split()
        start = self.rng.randrange(len(pool))
        text = " ".join((pool * 20)[start:start + words])
        return text[:1].upper() + text[1:] + "."

    def given(self):
        return self.rng.choice(GIVEN.split(","))

    def item(self):
        return self.rng.choice(ITEMS.split(","))
