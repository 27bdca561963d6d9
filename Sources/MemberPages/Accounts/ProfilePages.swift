// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketAccounts
import MarketCommunity
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import SheetCore

/// What a person shows of themselves, to be changed.
struct ProfilePages: Sendable {
    static let home = "/account/profile"

    let features: Features
    let pages: WebPages
    let service: AccountService

    func register(on routes: APIRoutes) {
        routes.get(Self.home, access: .user(.read), show)
        routes.post(Self.home, access: .user(.account), save)
        routes.withCost(.upload).post("\(Self.home)/picture", access: .user(.account), takePicture)
        routes.post("\(Self.home)/picture/remove", access: .user(.account), removePicture)
    }

    private var profiles: ProfileService { ProfileService(catalog: features.catalog) }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await page(context, isSaved: context.done == "saved")
    }

    private func save(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        let form = try await request.form()
        do {
            let wanted = ProfileEdit(
                bio: form["bio"], links: (form["links"] ?? "").split(whereSeparator: \.isNewline).map(String.init),
                colour: form["colour"].flatMap { Int($0) })
            // All is checked before any of it is written.
            try await profiles.checked(wanted, of: identity.userID)
            _ = try await service.edit(identity, AccountEdit(displayName: (form["displayName"] ?? "").cleanedLine()))
            _ = try await profiles.put(wanted, of: identity.userID)
            return .seeOther(PageAddress(Self.home).with("done", "saved").text)
        } catch {
            return try await page(context, form: form, problem: try FormProblem(error))
        }
    }

    private var pictures: ProfilePictureService { ProfilePictureService(community: features.community) }

    private func takePicture(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        do {
            _ = try await pictures.put(try await ProfilePictureForm.picture(in: request), of: identity.userID)
            return .seeOther(PageAddress(Self.home).with("done", "saved").text)
        } catch {
            return try await page(context, pictureProblem: try FormProblem(error))
        }
    }

    private func removePicture(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        _ = try await pictures.remove(of: try context.requireIdentity().userID)
        return .seeOther(PageAddress(Self.home).with("done", "saved").text)
    }

    private func page(
        _ context: MarketRequestContext, isSaved: Bool = false, form: QueryParameters? = nil,
        problem: FormProblem? = nil, pictureProblem: FormProblem? = nil
    ) async throws -> Response {
        let identity = try context.requireIdentity()
        async let isHidden = profiles.isHidden(identity.userID)
        let profile = try await profiles.own(identity.userID)
        var view = ProfileView(
            profile, isHidden: try await isHidden, isSaved: isSaved, form: form, problem: problem)
        view.show(pictureProblem)
        let problem = problem ?? pictureProblem
        return try pages.answer(
            .profile, view,
            head: PageHead(title: "Your profile", place: .account, viewer: identity, styles: ["members.css"]),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }
}

struct ProfileView: Sendable {
    struct Colour: Sendable {
        let colour: Int
        let initials: String
        let label: Phrase
        let isSelected: Bool
    }

    private static let colourNames: [Phrase] = ["Red", "Amber", "Green", "Teal", "Blue", "Violet", "Plum", "Slate"]

    let address: String
    let disc: PersonDisc
    let displayName: String
    let bio: String
    let links: String
    let colours: [Colour]
    let isSaved: Bool
    let isHidden: Bool
    let problem: Phrase?
    let mistakes: [String: Phrase]
    let picture: String?
    let hasPicture: Bool
    let pictureText: Phrase
    let pictureLabel: Phrase
    /// What is wrong with the picture that was sent: with the file, or else.
    private(set) var pictureMistake: Phrase?
    private(set) var pictureProblem: Phrase?

    mutating func show(_ problem: FormProblem?) {
        pictureMistake = problem?.mistakes["picture"]
        pictureProblem = pictureMistake == nil ? problem?.summary : nil
    }

    init(_ profile: Profile, isHidden: Bool, isSaved: Bool, form: QueryParameters?, problem: FormProblem?) {
        address = PagePaths.author(profile.handle)
        let disc = PersonDisc(profile)
        self.disc = disc
        displayName = form.map { $0["displayName"] ?? "" } ?? profile.displayName
        bio = form.map { $0["bio"] ?? "" } ?? profile.bio
        links = form.map { $0["links"] ?? "" } ?? profile.links.joined(separator: "\n")
        let chosen = form.map { Int($0["colour"] ?? "") } ?? profile.colour
        colours = Self.colourNames.enumerated().map { place, name in
            Colour(colour: place, initials: disc.initials, label: name, isSelected: place == chosen)
        }
        picture = profile.pictureURL
        hasPicture = picture != nil
        pictureText = "Your picture as others see it"
        pictureLabel = hasPicture ? "Another picture" : "A picture"
        self.isSaved = isSaved
        self.isHidden = isHidden
        self.problem = problem?.summary
        mistakes = problem?.mistakes ?? [:]
    }
}
