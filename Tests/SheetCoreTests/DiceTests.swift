// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import SheetCore

@Suite("Dice")
struct DiceTests {
    /// What a formula is and where its first mistake lies.
    static let wrong: [(String, Int)] = [
        ("", 0), ("  ", 2), ("4d", 2), ("d", 1), ("4d6kx", 4), ("4d6k3k2", 5), ("(2d6", 0), ("2d6)", 3), ("1.5", 1),
        ("2d6,3", 3), ("abc", 0), ("d1!", 0), ("d6r>=1", 0), ("d0", 0), ("1001d6", 0), ("d100001", 0), ("2 + (3", 4),
        ("2d6f1", 5), ("(1d4)d6", 0), ("1d(d6)", 2), ("1 / 0", -1), ("@", 0), ("@{x", 1), ("9999999999999", 0),
        ("4d6!kh3>=5", 0), ("4d6d3", 3), ("1 + ", 4), ("a: d6; : d6", 7), ("0x d6", 0), ("101x d6", 0),
    ]

    @Test("a mistake is told with its place", arguments: wrong)
    func mistakes(text: String, place: Int) {
        do throws(DiceError) {
            var generator = SeededGenerator(seed: 1)
            let formula = try RollFormula(text)
            _ = try formula.roll(using: &generator)
            Issue.record("'\(text)' was rolled")
        } catch {
            if place >= 0 { #expect(error.position == place, "\(text): \(error)") }
            #expect(error.shown(in: text).contains(error.message))
        }
    }

    @Test("the usual notation is read, and written in one way")
    func notation() throws {
        let known = [
            "4d6kh3+2": "4d6kh3 + 2", "2D20KL1": "2d20kl1", "d%": "1d100", "4df": "4dF", "d20 - -3": "1d20 - -3",
            "(2+1)d6": "(2 + 1)d6", "2*(3+d4)": "2 * (3 + 1d4)", "8 - (3 - 1)": "8 - (3 - 1)", "(8-3)-1": "8 - 3 - 1",
            "6d10>=8f1": "6d10>=8f=1", "5d10!>=8>=8": "5d10!>=8>=8", "6d10>=8!": "6d10>=8!", "d6r1ro<3": "1d6r=1ro<3",
            "6x4d6dl": "6x 4d6dl1", "hit: d20+@str;  damage:2d6": "hit: 1d20 + @str; damage: 2d6",
            "@{Sword Skill}×2": "@{Sword Skill} * 2", "7 ÷ 2": "7 / 2", "3d6!!": "3d6!!",
            "(@{a!})d6>=5!": "(@{a!})d6>=5!",
            "4d6>=5!!": "4d6>=5!!",
        ]
        for (text, canonical) in known {
            #expect(try RollFormula(text).description == canonical)
            #expect(try RollFormula(canonical) == RollFormula(text))
        }
    }

    @Test("what an expression describes reads back as the same, for 2,000 made at random")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            let expression = Self.expression(&generator, depth: 3)
            let text = expression.description
            #expect(try DiceExpression(text) == expression, "\(text)")
        }
    }

    static func expression(_ generator: inout SeededGenerator, depth: Int) -> DiceExpression {
        let inner = depth - 1
        switch depth > 0 ? generator.number(below: 6) : generator.number(below: 3) {
        case 0: return .number(generator.number(below: 50))
        case 1: return .variable(["str", "Sword Skill", "a.b_1"][generator.number(below: 3)], DicePosition(0))
        case 2, 3: return .dice(group(&generator))
        case 4: return .negated(expression(&generator, depth: inner))
        default:
            let operation: DiceExpression.Operation = [.plus, .minus, .times, .dividedBy][generator.number(below: 4)]
            return .combined(
                expression(&generator, depth: inner), operation, expression(&generator, depth: inner), DicePosition(0))
        }
    }

    private static func group(_ generator: inout SeededGenerator) -> DiceGroup {
        func maybe<Value>(_ value: Value) -> Value? { generator.number(below: 3) == 0 ? value : nil }
        let faces: DiceGroup.Faces = maybe(.fate) ?? .upTo(.number(4 + generator.number(below: 17)))
        let counts: [DiceExpression] = [
            .number(3), .variable("n", DicePosition(0)), .combined(.number(1), .plus, .number(2), DicePosition(0)),
        ]
        var group = DiceGroup(count: counts[generator.number(below: 3)], faces: faces, position: DicePosition(0))
        if faces != .fate {
            group.rerolls = maybe([DiceComparison(.equal, 1), DiceComparison(.less, 3)]) ?? []
            group.rerollsOnce = maybe([DiceComparison(.lessOrEqual, 2)]) ?? []
            group.explosion = maybe(.adding) ?? maybe(.compounding)
            if group.explosion != nil { group.explodesOn = maybe(DiceComparison(.greaterOrEqual, 4)) }
        }
        group.keeping = maybe(
            .init([.keepHighest, .keepLowest, .dropHighest, .dropLowest][generator.number(below: 4)], 2))
        if group.explosion != .adding || group.keeping == nil {
            group.success = maybe(DiceComparison(.greater, -1))
            if group.success != nil { group.failure = maybe(DiceComparison(.equal, -1)) }
        }
        return group
    }

    @Test("whatever is typed is read or refused, and what is read is written and read as the same")
    func soup() throws {
        let letters = Array("0123456789dd%F!rrkhlofx<>=()+-*/@{}:; aż")
        var generator = SeededGenerator(seed: 21)
        var readable = 0
        for _ in 0..<5000 {
            let text = String(
                (0..<(1 + generator.number(below: 9))).map { _ in letters[generator.number(below: letters.count)] })
            guard let formula = try? RollFormula(text) else { continue }
            readable += 1
            #expect(try RollFormula(formula.description) == formula, "\(text)")
        }
        #expect(readable > 100)
    }

    @Test("the generators are those published")
    func generators() {
        var filler = SplitMix64(state: 1_234_567)
        #expect(
            (0..<5).map { _ in filler.next() } == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
            ])
        var generator = SeededGenerator(state: (1, 2, 3, 4))
        #expect(
            (0..<7).map { _ in generator.next() } == [
                11520, 0, 1_509_978_240, 1_215_971_899_390_074_240, 1_216_172_134_540_287_360, 607_988_272_756_665_600,
                16_172_922_978_634_559_625,
            ])
    }

    @Test("a seed gives the same rolls for good; what is rolled adds up and stays within its odds")
    func rolls() throws {
        var generator = SeededGenerator(seed: 42)
        let formula = try RollFormula("6x 4d6kh3; hit: d20 + @str; 8d10>=8!f1; 3d6ro<3r1")
        let first = try formula.roll(variables: ["str": 3], using: &generator)
        var again = SeededGenerator(seed: 42)
        #expect(try formula.roll(variables: ["str": 3], using: &again) == first)
        #expect(again == generator)
        #expect(first.count == 9 && first[0].repetition == 1 && first[6].label == "hit")
        for outcome in first {
            let odds = try DiceExpression(outcome.expression).distribution(variables: ["str": 3])
            #expect((odds.minimum...odds.maximum).contains(outcome.total))
            for group in outcome.groups where !outcome.isSuccessCount {
                #expect(group.dice.filter(\.isKept).reduce(0) { $0 + $1.sum } == group.total)
            }
        }
        #expect(first[0].groups[0].dice.count { $0.isKept } == 3)
        #expect(throws: DiceError(7, "Nothing is known of 'str'.")) {
            var generator = CryptographicGenerator()
            _ = try RollFormula("1d20 + @str").roll(using: &generator)
        }
    }

    /// Every way that some dice can fall, each as likely, worked out by brute force.
    private static func enumerated(_ count: Int, _ faces: [Int], _ value: ([Int]) -> Int) -> [Int: Int] {
        var falls: [[Int]] = [[]]
        for _ in 0..<count { falls = falls.flatMap { fall in faces.map { fall + [$0] } } }
        return falls.reduce(into: [:]) { $0[value($1), default: 0] += 1 }
    }

    @Test("odds are those of counting every way that the dice can fall")
    func exact() throws {
        let die = Array(1...6)
        func kept(_ dice: [Int], _ count: Int, highest: Bool = true) -> Int {
            dice.sorted { highest ? $0 > $1 : $0 < $1 }.prefix(count).reduce(0, +)
        }
        let known: [(String, [Int: Int])] = [
            ("4d6kh3", Self.enumerated(4, die) { kept($0, 3) }),
            ("5d6dh2", Self.enumerated(5, die) { kept($0, 3, highest: false) }),
            ("4d6dl1 * 2 - 3", Self.enumerated(4, die) { kept($0, 3) * 2 - 3 }),
            ("2d20kl1", Self.enumerated(2, Array(1...20)) { kept($0, 1, highest: false) }),
            ("4dF", Self.enumerated(4, [-1, 0, 1]) { $0.reduce(0, +) }),
            ("4dFkh2", Self.enumerated(4, [-1, 0, 1]) { kept($0, 2) }),
            ("6d6>=5f1", Self.enumerated(6, die) { $0.reduce(0) { $0 + ($1 >= 5 ? 1 : $1 == 1 ? -1 : 0) } }),
            ("5d6kh3>=5", Self.enumerated(5, die) { $0.sorted(by: >).prefix(3).count { $0 >= 5 } }),
            ("3d6r<3", Self.enumerated(3, Array(3...6)) { $0.reduce(0, +) }),
            ("d6 * d6", Self.enumerated(2, die) { $0[0] * $0[1] }),
            ("(d6 - 4) / 2", Self.enumerated(1, die) { Int((Double($0[0] - 4) / 2).rounded(.down)) }),
            ("d6 - d6", Self.enumerated(2, die) { $0[0] - $0[1] }),
            ("0d6 + 2", [2: 1]),
        ]
        for (text, ways) in known {
            let odds = try DiceExpression(text).distribution()
            let all = Double(ways.values.reduce(0, +))
            #expect(odds.minimum == ways.keys.min() && odds.maximum == ways.keys.max(), "\(text)")
            for (value, count) in ways {
                #expect(abs(odds.probability(of: value) - Double(count) / all) < 1e-12, "\(text): \(value)")
            }
        }
    }

    @Test("odds of rerolls and explosions are those of theory")
    func theory() throws {
        let once = try DiceExpression("d6ro1").distribution()
        #expect(abs(once.probability(of: 1) - 1 / 36) < 1e-12 && abs(once.probability(of: 6) - 7 / 36) < 1e-12)
        // The mean of an exploding die is that of a plain one times n / (n - 1).
        #expect(abs(try DiceExpression("d6!").distribution().mean - 3.5 * 6 / 5) < 1e-12)
        #expect(abs(try DiceExpression("5d10>=8!").distribution().mean - 5 * 0.3 * 10 / 9) < 1e-12)
        #expect(try DiceExpression("d6!").distribution().probability(of: 6) == 0)
        #expect(abs(try DiceExpression("d6>=8!!").distribution().mean - 5.0 / 36) < 1e-12)
        let sum = try DiceExpression("100d6").distribution()
        #expect(abs(sum.mean - 350) < 1e-9 && abs(sum.standardDeviation - (100.0 * 35 / 12).squareRoot()) < 1e-9)
        #expect(abs(sum.probabilities.reduce(0, +) - 1) < 1e-12 && sum.quantile(0.5) == 350)
        #expect(abs(sum.probability(atLeast: 351) + sum.probability(atMost: 350) - 1) < 1e-12)
        #expect(throws: DiceError.self) { try DiceExpression("1000d100000").distribution() }
        #expect(throws: DiceError.self) { try DiceExpression("d100000 * d100000").distribution() }
    }

    @Test("4,000 rolls lie as their odds say, within five standard errors")
    func sampled() throws {
        for text in ["4d6kh3", "3d6!", "5d10>=8!", "3d8ro<3kh2", "4d6!!dl1"] {
            let expression = try DiceExpression(text)
            let odds = try expression.distribution()
            let formula = try RollFormula(text)
            var generator = SeededGenerator(seed: 99)
            var sum = 0
            for _ in 0..<4_000 { sum += try formula.roll(using: &generator)[0].total }
            let error = odds.standardDeviation / 4_000.0.squareRoot()
            #expect(abs(Double(sum) / 4_000 - odds.mean) < 5 * error, "\(text)")
        }
    }
}
