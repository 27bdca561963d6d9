// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketWire
import SheetCore

/// What the page of managing a sheet shows: only what its viewer may do.
struct ManageView: Sendable {
    /// A part of the page that a form stands in.
    enum Place: Sendable, Equatable {
        case entry, deprecation, people, invitation, handover, invitations
        /// The button that takes the deprecation back.
        case undeprecation
        case version(String)
    }

    /// What was just done.
    enum Note: String, Sendable {
        case saved, withdrawn, offered, channel, deprecated, undeprecated, changed, removed, invited, uninvited

        /// In words; a sheet of which nothing is on offer has no page that could say anything.
        func text(hasPage: Bool) -> String {
            switch self {
            case .deprecated where !hasPage: "Who has the sheet is told now that it should no longer be used."
            case .undeprecated where !hasPage: "The sheet can be used again."
            case .saved: "Saved."
            case .withdrawn: "The version is withdrawn. Who has it is told when they look for updates."
            case .offered: "The version is on offer again."
            case .channel: "The version is offered to others now."
            case .deprecated: "The sheet's page now says that it should no longer be used."
            case .undeprecated: "The sheet can be used again, and its page says so."
            case .changed: "They have another part now."
            case .removed: "They no longer work on this sheet."
            case .invited: "They are asked. The answer is theirs to give, on their account's page."
            case .uninvited: "The invitation is taken back."
            }
        }
    }

    /// A form that could not be done as it was sent.
    struct Trouble: Sendable {
        let place: Place
        let form: QueryParameters
        let problem: FormProblem

        /// What the form carries when it is shown again, with what was typed: the state that it was first made of, as
        /// nobody has been shown another. `nil` for the present one, once they are told of that.
        var revision: String? {
            problem.code == .preconditionFailed ? nil : form["revision"] ?? ""
        }

        /// What to say above the form, which may show what was typed, or have nothing to type.
        func summary(isTyped: Bool) -> String {
            guard problem.code == .preconditionFailed else { return problem.summary }
            return "This was changed since you opened the page. "
                + (isTyped
                    ? "Look at it as it is now; what you typed is still here, and sending it again puts it in place."
                    : "Look at it as it is now, and do it again if you still want to.")
        }

        /// The same where no field of the form is there to say it beside.
        func plainWords(isTyped: Bool = false) -> String {
            problem.mistakes.isEmpty
                ? summary(isTyped: isTyped) : problem.mistakes.values.sorted().joined(separator: " ")
        }

        /// What the fields say by now in which something else was typed, once the thing was changed; the form does not
        /// tell which of them the other has changed.
        func present(_ stored: [String: String], typed: [String: String]) -> [String: String] {
            guard problem.code == .preconditionFailed else { return [:] }
            return stored.filter { $0.value != typed[$0.key] }.mapValues { $0.isEmpty ? "(nothing)" : $0 }
        }
    }

    let sheetName: String
    /// `nil` while nothing is on offer: then it has no page.
    let sheetAddress: String?
    let uploadAddress: String?
    let note: String?
    /// What went wrong where the page shows no form for it.
    let strayProblem: String?
    /// Whether the viewer acts on somebody else's sheet.
    let isForMarket: Bool
    /// What it means that nothing is on offer; `nil` while something is.
    let withdrawnText: String?
    let entry: ManagedEntry?
    let downloads: String
    let versions: [ManagedVersion]
    let olderVersions: String?
    let deprecation: ManagedDeprecation?
    let people: ManagedPeople

    init(
        _ template: ManagedTemplate, versions list: VersionList, behind cursor: String?, authors: AuthorList,
        invitations: InvitationList, viewer: Identity, note: Note?, trouble: Trouble?, now: Date
    ) throws {
        let address = "/sheets/\(template.slug)"
        let standing = template.standing
        sheetName = template.name
        sheetAddress = template.detail == nil ? nil : address
        uploadAddress =
            standing.mayAsAuthor(.uploadVersion)
            ? PageAddress("/upload").with("template", template.id.description).text : nil
        self.note = trouble == nil ? note?.text(hasPage: template.detail != nil) : nil
        isForMarket = standing.author == nil
        downloads = Wording.count(template.downloads, "download")
        entry = standing.may(.edit) ? template.detail.map { ManagedEntry($0, standing, address, trouble) } : nil
        versions = list.versions.enumerated().map { place, version in
            ManagedVersion(version, of: template, at: place, behind: cursor, address, trouble, now: now)
        }
        withdrawnText =
            template.detail == nil
            ? Self.withdrawn(
                mayPutBack: versions.contains { $0.unyankAddress != nil }, mayUpload: uploadAddress != nil) : nil
        olderVersions = list.nextCursor.map {
            PageAddress("\(address)/manage").with("versions", $0).text + "#versions"
        }
        deprecation =
            standing.may(.deprecate) ? template.present.map { ManagedDeprecation($0, address, trouble, now: now) } : nil
        people = try ManagedPeople(
            authors, invitations, standing: standing, viewer: viewer, address, trouble, now: now)
        var stray: String?
        if let trouble {
            let isShown =
                switch trouble.place {
                case .entry: entry != nil
                case .deprecation, .undeprecation: deprecation != nil
                case .people, .invitations: true
                case .invitation, .handover: people.mayInvite
                case .version(let number): versions.contains { $0.number == number }
                }
            stray = isShown ? nil : trouble.plainWords()
        }
        strayProblem = stray
    }

    private static func withdrawn(mayPutBack: Bool, mayUpload: Bool) -> String {
        let state = "Nothing of this sheet is on offer, so it has no page and its entry cannot be changed."
        let advice: String? =
            switch (mayPutBack, mayUpload) {
            case (true, true): "Put a version back on offer, or upload a new one."
            case (true, false): "Put a version back on offer to change that."
            case (false, true): "Upload a new version to change that."
            case (false, false): nil
            }
        return [state, advice].compactMap { $0 }.joined(separator: " ")
    }
}

/// The form of what the sheet's entry says.
struct ManagedEntry: Sendable {
    let action: String
    let revision: String
    let problem: String?
    let mistakes: [String: String]
    let values: [String: String]
    /// What fields say by now, where the form no longer fits.
    let present: [String: String]
    let mayRename: Bool
    let licenses: [Choice]
    let otherLicenses: [Choice]

    init(_ detail: TemplateDetail, _ standing: TemplateStanding, _ address: String, _ trouble: ManageView.Trouble?) {
        let trouble = trouble?.place == .entry ? trouble : nil
        let summary = detail.summary
        action = "\(address)/manage"
        revision = trouble?.revision ?? detail.editState
        problem = trouble?.summary(isTyped: true)
        mistakes = trouble?.problem.mistakes ?? [:]
        let stored = [
            "name": summary.name, "summary": summary.summary, "description": detail.description,
            "tags": summary.tags.joined(separator: ", "), "license": summary.license, "language": summary.language,
            "slug": summary.slug,
        ]
        var values = stored
        if let trouble {
            for name in stored.keys { values[name] = trouble.form[name] ?? "" }
            // A line end is sent as two characters, and kept as one.
            values["description"] = values["description"]?.replacing("\r\n", with: "\n")
        }
        self.values = values
        present = trouble?.present(stored, typed: values) ?? [:]
        mayRename = standing.may(.rename)
        let menu = UploadView.licenseMenu(chosen: values["license"])
        licenses = menu.usual
        otherLicenses = menu.others
    }
}

/// A version, and what can be done with it.
struct ManagedVersion: Sendable {
    let number: String
    /// Its place in the list, for names of fields.
    let place: Int
    let published: Moment
    let isOffered: Bool
    let isBeta: Bool
    let withdrawn: String?
    let channelText: String
    let revision: String
    /// The same for the form with a reason, which keeps what was typed.
    let yankRevision: String
    let yankAddress: String?
    let unyankAddress: String?
    let channelAddress: String?
    /// The channel that it can be moved to.
    let otherChannel: String
    let channelButton: String
    let versionProblem: String?
    let reason: String
    let reasonMistake: String?

    init(
        _ version: VersionDetail, of template: ManagedTemplate, at place: Int, behind cursor: String?,
        _ address: String, _ trouble: ManageView.Trouble?, now: Date
    ) {
        let standing = template.standing
        let number = version.version.description
        // A form that could not be done is shown again on the page of versions that it stood on.
        func action(_ act: String) -> String {
            PageAddress("\(address)/versions/\(number)/\(act)").with("versions", cursor).text
        }
        let trouble = trouble?.place == .version(number) ? trouble : nil
        let isYanked = version.state == .yanked
        let isBeta = version.channel == .beta
        let mayWithdraw = standing.may(.withdrawVersions)
        self.number = number
        self.place = place
        published = Moment(version.publishedAt, now: now)
        let isOffered = template.detail?.summary.version == version.version
        self.isOffered = isOffered
        self.isBeta = isBeta
        withdrawn = SheetView.withdrawal(version)
        channelText =
            switch (isBeta, isOffered) {
            case (false, _): "to everybody"
            case (true, true): "to everybody, as there are previews only"
            case (true, false): "to those who take previews as well"
            }
        revision = version.editState
        let mayYank = mayWithdraw && !isYanked
        yankAddress = mayYank ? action("yank") : nil
        let mayPutBack = mayWithdraw && (version.yankedBy != .administrator || standing.role >= .administrator)
        unyankAddress = mayPutBack && isYanked ? action("unyank") : nil
        let canMove = standing.may(.chooseChannels) && !isYanked && !version.version.isPrerelease
        channelAddress = canMove ? action("channel") : nil
        otherChannel = (isBeta ? ReleaseChannel.stable : .beta).rawValue
        channelButton = isBeta ? "Offer \(number) to everybody" : "Offer \(number) as a preview only"
        let typed = mayYank && trouble?.form["reason"] != nil ? trouble : nil
        reason = typed?.form["reason"] ?? ""
        yankRevision = typed?.revision ?? version.editState
        let mistake = typed?.problem.mistakes["reason"]
        reasonMistake = mistake
        let isTyped = typed != nil
        versionProblem = mistake == nil ? trouble?.plainWords(isTyped: isTyped) : trouble?.summary(isTyped: isTyped)
    }
}

/// Saying that the sheet should no longer be used.
struct ManagedDeprecation: Sendable {
    let deprecationAction: String
    let deprecationRevision: String
    let deprecationProblem: String?
    let mistakes: [String: String]
    /// What fields say by now, where the form no longer fits.
    let present: [String: String]
    let isDeprecated: Bool
    let since: Moment?
    let message: String
    let successor: String
    let deprecationButton: String

    init(_ detail: TemplateDetail, _ address: String, _ trouble: ManageView.Trouble?, now: Date) {
        let typed = trouble?.place == .deprecation ? trouble : nil
        let pressed = trouble?.place == .undeprecation ? trouble : nil
        deprecationAction = "\(address)/deprecation"
        deprecationRevision = typed?.revision ?? detail.editState
        deprecationProblem = typed?.summary(isTyped: true) ?? pressed?.plainWords()
        mistakes = typed?.problem.mistakes ?? [:]
        let stored = [
            "message": detail.deprecation?.message ?? "", "successor": detail.deprecation?.successor?.slug ?? "",
        ]
        var values = stored
        if let typed {
            for name in stored.keys { values[name] = typed.form[name] ?? "" }
        }
        present = typed?.present(stored, typed: values) ?? [:]
        message = values["message"] ?? ""
        successor = values["successor"] ?? ""
        isDeprecated = detail.deprecation != nil
        since = detail.deprecation.map { Moment($0.since, now: now) }
        deprecationButton = isDeprecated ? "Save" : "Advise against it"
    }
}

/// Who works on the sheet, and who is asked to.
struct ManagedPeople: Sendable {
    struct Person: Sendable {
        let handle: String
        let part: String
        let since: Moment
        /// Where the forms about them go; `nil` for the owner, and for those whom the viewer cannot change.
        let personAction: String?
        let otherPart: String?
        let partButton: String
        let removeSummary: String
        let removeButton: String
    }

    struct Offer: Sendable {
        let invitee: String
        let offerText: String
        let expires: Moment
        let withdrawAction: String
    }

    /// A form that asks somebody.
    struct Asking: Sendable {
        let askProblem: String?
        let mistakes: [String: String]
        let askedHandle: String
        let roles: [Choice]

        init(_ place: ManageView.Place, _ trouble: ManageView.Trouble?) {
            let trouble = trouble?.place == place ? trouble : nil
            askProblem = trouble?.summary(isTyped: true)
            mistakes = trouble?.problem.mistakes ?? [:]
            askedHandle = trouble?.form["handle"] ?? ""
            let chosen = trouble?.form["role"] ?? AuthorRole.maintainer.rawValue
            roles = [
                (AuthorRole.maintainer, "Maintainer: edits the entry, uploads and withdraws versions"),
                (AuthorRole.contributor, "Contributor: uploads versions, corrects zoom regions"),
            ].map { Choice(value: $0.rawValue, label: $1, isSelected: $0.rawValue == chosen) }
        }
    }

    let peopleRevision: String
    let peopleProblem: String?
    let authors: [Person]
    let mayInvite: Bool
    let inviteAction: String
    let offers: [Offer]
    let hasOffers: Bool
    let moreOffers: String?
    let invitation: Asking?
    let handover: Asking?

    init(
        _ list: AuthorList, _ invitations: InvitationList, standing: TemplateStanding, viewer: Identity,
        _ address: String, _ trouble: ManageView.Trouble?, now: Date
    ) throws {
        let mayManageAuthors = standing.may(.manageAuthors)
        peopleRevision = EntityTag.state(of: try .json(list))
        let isHere = trouble?.place == .people || trouble?.place == .invitations
        peopleProblem = isHere ? trouble?.plainWords() : nil
        authors = list.authors.map {
            Self.person($0, mayChange: mayManageAuthors, viewer: viewer, address, now: now)
        }
        mayInvite = mayManageAuthors
        inviteAction = "\(address)/invitations"
        offers = invitations.invitations.map { offer in
            Offer(
                invitee: offer.invitee,
                offerText: offer.role == .owner ? "is offered the sheet" : "is asked to be a \(offer.role.rawValue)",
                expires: Moment(offer.expiresAt, now: now),
                withdrawAction: "\(address)/invitations/\(offer.id)/withdraw")
        }
        hasOffers = !offers.isEmpty
        moreOffers = invitations.nextCursor.map {
            PageAddress("\(address)/manage").with("invitations", $0).text + "#invitations"
        }
        invitation = mayManageAuthors ? Asking(.invitation, trouble) : nil
        handover = mayManageAuthors ? Asking(.handover, trouble) : nil
    }

    private static func person(
        _ author: TemplateAuthor, mayChange: Bool, viewer: Identity, _ address: String, now: Date
    ) -> Person {
        let isViewer = author.handle == viewer.handle
        let canLeave = author.role != .owner && (mayChange || isViewer)
        let other: AuthorRole = author.role == .maintainer ? .contributor : .maintainer
        return Person(
            handle: author.handle, part: author.role.rawValue, since: Moment(author.since, now: now),
            personAction: canLeave ? "\(address)/authors/\(author.handle)" : nil,
            otherPart: mayChange && canLeave ? other.rawValue : nil,
            partButton: "Make \(author.handle) a \(other.rawValue)",
            removeSummary: isViewer ? "Leave this sheet" : "Remove \(author.handle)",
            removeButton: isViewer ? "Yes, leave" : "Yes, remove \(author.handle)")
    }
}
