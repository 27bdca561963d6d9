// SPDX-License-Identifier: Apache-2.0

/// Words that tell what a part of a sheet is for, in the languages that sheets are often written in.
enum RegionTerms {
    /// What the part that says who a character is asks for.
    static let identity: Set<String> = [
        "name", "player", "character", "class", "level", "race", "species", "ancestry", "heritage", "background", "age",
        "gender", "sex", "height", "weight", "eyes", "hair", "deity", "alignment", "homeland", "concept", "occupation",
        "profession", "experience", "xp", "title", "rank", "size", "campaign", "chronicle", "clan", "culture",
        "spieler", "klasse", "stufe", "rasse", "volk", "alter", "geschlecht", "grösse", "größe", "gewicht", "augen",
        "haare", "status", "heimat", "beruf", "kultur", "kurzbeschreibung",
        "nom", "joueur", "classe", "niveau", "race", "peuple", "âge", "sexe", "taille", "poids", "yeux", "métier",
        "nome", "jogador", "raça", "nivel", "nível", "alinhamento", "idade", "sexo", "altura", "peso", "personagem",
        "nombre", "jugador", "clase", "raza", "edad", "nivel", "alineamiento", "trasfondo",
        "giocatore", "livello", "razza", "età", "allineamento",
    ]

    /// The names of ability scores, which look like headings and are none.
    static let abilities: Set<String> = [
        "str", "dex", "con", "int", "wis", "wil", "cha", "agi", "per", "end", "luk", "siz", "pow", "app", "edu",
        "strength", "dexterity", "constitution", "intelligence", "wisdom", "charisma", "agility", "perception",
        "stamina", "endurance", "willpower", "luck", "mind", "body",
        "for", "des", "sab", "car", "força", "destreza", "constituição", "inteligência", "sabedoria", "carisma",
        "kk", "ge", "ko", "ff", "mu", "kl", "ch", "in", "stärke", "geschicklichkeit", "konstitution", "intelligenz",
        "weisheit", "mut", "klugheit", "intuition", "gewandtheit", "körperkraft", "fingerfertigkeit",
        "force", "dextérité", "sagesse", "charisme", "fuerza", "inteligencia", "sabiduría", "forza", "destrezza",
        "costituzione", "intelligenza", "saggezza",
    ]

    /// The words of a line, bare and in lower case.
    static func words(of line: TextLine) -> [String] {
        line.text.lowercased().split { !$0.isLetter }.map(String.init)
    }
}
