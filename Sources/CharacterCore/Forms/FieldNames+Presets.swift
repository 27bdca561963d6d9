// SPDX-License-Identifier: Apache-2.0

extension FieldNames {
    /// Of every game system's sheets.
    public static let common = FieldNames(lines: commonLines)

    /// Of a game system's sheets, by its slug.
    public static func preset(_ gameSystem: String) -> FieldNames? { presets.first { $0.gameSystem == gameSystem } }

    /// Of each game system that has names of its own. Names are those that fillable sheets give their fields.
    public static let presets: [FieldNames] = [
        FieldNames("dnd5e", dnd5e + abilities(["modifier", "mod"]) + skills(fifthEditionSkills)),
        FieldNames("pathfinder2e", pathfinder2e + abilities(["modifier", "mod"]) + skills(pathfinderSkills)),
        FieldNames("call-of-cthulhu", cthulhu + percentile),
        FieldNames("basic-roleplaying", percentile),
        FieldNames("cepheus-engine", traveller), FieldNames("traveller", traveller),
        FieldNames("blades-in-the-dark", blades), FieldNames("cairn", cairn), FieldNames("fate-core", fate),
        FieldNames("ironsworn", ironsworn), FieldNames("starforged", ironsworn),
        FieldNames("year-zero-engine", yearZero), FieldNames("the-dark-eye", darkEye),
    ]

    /// The preset that knows most of a sheet's fields; `nil` if none knows more than what all sheets have.
    public static func likely(for fields: [String]) -> String? {
        func count(_ names: [FieldNames]) -> Int {
            let matcher = FieldMatcher(names)
            return fields.count { matcher.meaning(of: $0) != nil }
        }
        let least = count([common])
        let best = presets.map { (slug: $0.gameSystem, count: count([$0, common])) }.max { $0.count < $1.count }
        return best.flatMap { $0.count > least ? $0.slug : nil }
    }

    /// Lines of `name: a sheet's name, another`.
    private init(_ gameSystem: String? = nil, lines: String) {
        var fields: [String: [String]] = [:]
        for line in lines.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            let names = parts.dropFirst().first?.split(separator: ",").map { String($0.drop { $0 == " " }) }
            fields[String(parts[0]), default: []] += names ?? []
        }
        self.init(gameSystem: gameSystem, fields: fields)
    }

    private init(_ gameSystem: String, _ lines: String) {
        self.init(gameSystem, lines: lines)
    }

    private static let commonLines = """
        name: character name, character name #, character, hero's name, identity heros name, NPC name, investigator's name, nom, nombre, name of the character
        player: player name, player's name, identity player
        class: character class, classe, career, profession
        level: character level, niveau, nivel, stufe
        species: race, ancestry, identity species, kin
        background: identity background
        experience: XP, experience points, identity experience
        age
        height: ht
        weight: wt
        eyes: eye, eye colour, eye color
        hair
        skin
        gender: sex, pronouns
        homeworld: homeland, origin
        appearance: physical appearance
        languages: language
        equipment: gear, possessions, inventory, equipment goods
        backstory: biography, history of the character, backstory backstory
        notes
        treasure: treasure treasure

        """

    /// Six abilities, and what is counted from them.
    private static func abilities(_ modifier: [String]) -> String {
        let all = [
            ("strength", "str"), ("dexterity", "dex"), ("constitution", "con"), ("intelligence", "int"),
            ("wisdom", "wis"), ("charisma", "cha"),
        ]
        return all.map { name, short in
            let modifiers = modifier.flatMap { ["\(short) \($0)", "\(name) \($0)"] }.joined(separator: ", ")
            // A sheet that many use has one of them misspelt.
            let misspelt = short == "cha" ? ", CHamod" : ""
            return """
                \(name): \(short), \(short) score, \(name) score, abilities \(name) score
                \(name)_modifier: \(modifiers), abilities \(name) modifier\(misspelt)
                \(name)_save: ST \(name), \(short) save, \(name) saving throw, saving throws \(name) bonus
                \(name)_save_proficient: \(short) prof, \(short) save prof, saving throws \(name) proficient

                """
        }.joined()
    }

    private static func skills(_ names: [String]) -> String {
        names.map { name in
            let key = name.split(separator: " ").joined(separator: "_")
            let short = name == "animal handling" ? ", animal" : ""
            return """
                \(key): \(name) bonus, \(name) modifier, skills \(name) bonus\(short)
                \(key)_proficient: \(name) prof, \(name) trained, skills \(name) proficient

                """
        }.joined()
    }

    private static let fifthEditionSkills = [
        "acrobatics", "animal handling", "arcana", "athletics", "deception", "history", "insight", "intimidation",
        "investigation", "medicine", "nature", "perception", "performance", "persuasion", "religion",
        "sleight of hand", "stealth", "survival",
    ]

    private static let pathfinderSkills = [
        "acrobatics", "arcana", "athletics", "crafting", "deception", "diplomacy", "intimidation", "medicine", "nature",
        "occultism", "performance", "religion", "society", "stealth", "survival", "thievery",
    ]

    private static let hitPoints = """
        armor_class: AC, armour class, combat armor class
        hit_points: HP, HP current, current HP, current hit points, hit points curr, combat current hit points
        hit_points_maximum: HP max, max HP, hit point maximum, hit points max, maximum hit points, combat hit point maximum
        hit_points_temporary: HP temp, temp HP, temporary HP, temporary hit points, hit points temp, combat temporary
        speed: movement, walking speed, combat speed
        copper: CP, equipment cp
        silver: SP, equipment sp
        gold: GP, equipment gp
        platinum: PP, equipment pp

        """

    private static let dnd5e =
        hitPoints + """
            class_level: class & level, class and level, identity class level
            subclass
            alignment: align, identity alignment
            inspiration: heroic inspiration
            proficiency_bonus: prof bonus, proficiency, combat proficiency
            initiative: init, initiative bonus, combat initiative
            hit_dice: HD, HD total, hit dice total, hit dice max, combat hit dice total and spent
            hit_dice_spent: hit dice used
            passive_perception: passive, p perception, passive wisdom, passive wisdom perception
            death_save_success_#: combat successes #, death save success #
            death_save_failure_#: combat failures #, death save failure #
            attack_#_name: wpn # name, wpn name #, weapon # name, weapon # - name, attacks weapon or spell #
            attack_#_bonus: wpn # atkbonus, weapon # attack bonus, attacks bonus #
            attack_#_damage: wpn # damage, weapon # damage, attacks damage type #
            attacks: attacks spellcasting, attacks and spellcasting
            electrum: EP, equipment ep
            personality_traits: personality traits, traits
            ideals: personality ideals
            bonds: personality bonds
            flaws: personality flaws
            features: features and traits, feat+traits, features traits features
            proficiencies: proficiencies lang, other proficiencies and languages, proficiencies proficiencies
            allies: allies and organizations
            spellcasting_class: spellcasting class #, spellcasting spellcasting class
            spellcasting_ability: spellcasting ability #, spellcasting ability
            spell_save_dc: spell save DC #, spellcasting save dc
            spell_attack_bonus: spell atk bonus #, spell attack modifier, spellcasting attack bonus
            spell_#_name: spell list name #
            spell_#_level: spell list level #

            """

    private static let pathfinder2e =
        hitPoints + """
            ancestry: ancestry and heritage
            heritage
            deity
            size
            key_ability: key attribute
            class_dc: class DC
            hero_points: hero point
            fortitude: fort, fortitude save
            reflex: ref, reflex save
            will: will save
            perception: perception modifier
            lore_#: lore # modifier
            lore_#_name: lore # topic
            melee_#_name: melee strike # name, melee strike # weapon
            melee_#_bonus: melee strike # bonus
            melee_#_damage: melee strike # damage
            ranged_#_name: ranged strike # name, ranged strike # weapon
            ranged_#_bonus: ranged strike # bonus
            ranged_#_damage: ranged strike # damage
            feat_#: feat # name
            spell_attack: spell attack modifier
            spell_dc: spell DC
            spell_#_name: spell entry # name
            spell_#_rank: spell entry # rank
            cantrip_#_name: cantrip entry # name

            """

    /// What Basic Roleplaying and its kin share.
    private static let percentile = """
        strength: STR
        constitution: CON
        size: SIZ
        dexterity: DEX
        appearance: APP
        charisma: CHA
        intelligence: INT
        power: POW
        education: EDU
        hit_points: HP, current HP, HP current
        hit_points_maximum: max HP, HP max, maximum hit points
        magic_points: MP, power points, current magic, current MP, MP current
        magic_points_maximum: max magic, max MP, MP max
        sanity: SAN, current sanity, sanity current
        move: MOV, move rate, movement rate
        damage_bonus: DB, damage modifier
        dodge: dodge skill
        skill_#_name: skill # name
        skill_#: skill # value
        weapon_#_name: weapon # name
        weapon_#_skill: weapon # regular
        weapon_#_damage

        """

    private static let cthulhu = """
        name: investigators name, investigator
        occupation
        residence
        birthplace
        build
        luck: current luck
        luck_starting: starting luck, start luck
        sanity_starting: starting sanity, start sanity
        sanity_maximum: max sanity
        strength_half: STR half
        constitution_half: CON half
        size_half: SIZ half
        dexterity_half: DEX half
        appearance_half: APP half
        intelligence_half: INT half
        power_half: POW half
        education_half: EDU half
        strength_fifth: STR fifth
        constitution_fifth: CON fifth
        size_fifth: SIZ fifth
        dexterity_fifth: DEX fifth
        appearance_fifth: APP fifth
        intelligence_fifth: INT fifth
        power_fifth: POW fifth
        education_fifth: EDU fifth
        cthulhu_mythos: skill cthulhu mythos
        spot_hidden: skill spot hidden
        library_use: skill library use, skill library
        listen: skill listen

        """

    private static let traveller = """
        strength: STR
        dexterity: DEX
        endurance: END
        intelligence: INT, intellect
        education: EDU
        social_standing: SOC, social
        psionics: PSI
        rank
        terms: terms served
        skills
        credits: cash, cash on hand
        weapon_#_name: weapon type #, weapon # name
        weapon_#_range
        weapon_#_damage

        """

    private static let blades = """
        crew
        alias
        look
        heritage
        vice: vice/purveyor
        stress
        trauma
        coin
        stash
        load
        hunt
        study
        survey
        tinker
        finesse
        prowl
        skirmish
        wreck
        attune
        command
        consort
        sway
        harm_#
        special_ability_#

        """

    private static let cairn = """
        strength: STR
        dexterity: DEX
        willpower: WIL, will
        strength_maximum: max STR
        dexterity_maximum: max DEX
        willpower_maximum: max WIL
        hit_protection: HP, hit points
        hit_protection_maximum: max HP
        armor: armour
        gold: GP
        item_#: inventory #, slot #

        """

    private static let fate = """
        high_concept: high concept aspect
        trouble: trouble aspect
        aspect_#: other aspect #
        refresh
        fate_points: current fate points
        stunt_#
        extras
        skills
        physical_stress_#
        mental_stress_#
        mild_consequence
        moderate_consequence
        severe_consequence

        """

    private static let ironsworn = """
        edge
        heart
        iron
        shadow
        wits
        health
        spirit
        supply
        momentum
        momentum_reset
        momentum_maximum: max momentum
        vow_#
        bond_#
        asset_#

        """

    private static let yearZero = """
        strength: STR
        agility: AGL, AGI
        wits: WIT
        empathy: EMP
        health
        resolve
        willpower: willpower points
        stress
        armor: armour
        talent_#
        weapon_#_name: weapon #
        weapon_#_bonus
        weapon_#_damage

        """

    private static let darkEye = """
        species: rasse, spezies
        culture: kultur
        class: profession
        courage: MU, mut, COU
        sagacity: KL, klugheit, SGC
        intuition: IN
        charisma: CH
        dexterity: FF, fingerfertigkeit
        agility: GE, gewandtheit, AGI
        constitution: KO, konstitution, CON
        strength: KK, körperkraft, STR
        life_points: LE, lebensenergie, LeP
        arcane_energy: AE, astralenergie, AsP
        karma_points: KE, karmaenergie, KaP
        fate_points: schip, schips, schicksalspunkte
        initiative: INI
        movement: GS, geschwindigkeit
        wound_threshold: WS, wundschwelle
        magic_resistance: MR, magieresistenz
        advantage_#: vorteil #
        disadvantage_#: nachteil #, eigen #

        """
}
