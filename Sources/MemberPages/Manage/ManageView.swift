// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketHTTP
import MarketPages
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

    /// A form that could not be done as it was sent.
    struct FormError: Sendable {
        let place: Place
        let form: QueryParameters
        let problem: FormProblem

        /// What the form carries when it is shown again, with what was typed: the state that it was first made of, as
        /// nobody has been shown another. `nil` for the present one, once they are told of that.
        var revision: String? {
            problem.code == .preconditionFailed ? nil : form["revision"] ?? ""
        }

        /// What to say above the form, which may show what was typed, or have nothing to type.
        func summary(isTyped: Bool) -> Phrase {
            guard problem.code == .preconditionFailed else { return problem.summary }
            return isTyped
                ? "This was changed since you opened the page. Look at it as it is now; what you typed is still here, "
                    + "and sending it again puts it in place."
                : "This was changed since you opened the page. Look at it as it is now, and do it again if you still "
                    + "want to."
        }

        /// The same where no field of the form is there to say it beside.
        func plainSummary(isTyped: Bool = false) -> Phrase {
            problem.mistakes.isEmpty
                ? summary(isTyped: isTyped) : problem.mistakeText
        }

        /// What the fields say by now in which something else was typed, once the thing was changed; the form does not
        /// tell which of them the other has changed.
        func present(_ stored: [String: String], typed: [String: String]) -> [String: Phrase] {
            guard problem.code == .preconditionFailed else { return [:] }
            return stored.filter { $0.value != typed[$0.key] }.mapValues {
                $0.isEmpty ? "(nothing)" : Phrase(verbatim: $0)
            }
        }
    }

    let sheetName: String
    /// `nil` while nothing is on offer: then it has no page.
    let sheetAddress: String?
    let uploadAddress: String?
    let note: Phrase?
    /// What went wrong where the page shows no form for it.
    let strayProblem: Phrase?
    /// Whether the viewer acts on somebody else's sheet.
    let isForMarket: Bool
    /// What it means that nothing is on offer; `nil` while something is.
    let withdrawnText: Phrase?
    let entry: ManagedEntry?
    let downloads: Phrase
    let downloadsAddress: String
    let versions: [ManagedVersion]
    let olderVersions: String?
    let deprecation: ManagedDeprecation?
    let people: ManagedPeople

    init(
        _ template: ManagedTemplate, versions list: VersionList, behind cursor: String?, authors: AuthorList,
        invitations: InvitationList, viewer: Identity, note: Note?, formError: FormError?, now: Date
    ) throws {
        let address = PagePaths.sheet(template.slug)
        let permissions = template.permissions
        sheetName = template.name
        sheetAddress = template.detail == nil ? nil : address
        uploadAddress =
            permissions.mayAsAuthor(.uploadVersion)
            ? PageAddress("/upload").with("template", template.id.description).text : nil
        self.note = formError == nil ? note?.text(hasPage: template.detail != nil) : nil
        isForMarket = permissions.author == nil
        downloads = DisplayText.count(template.downloads, "download")
        downloadsAddress = "\(address)/downloads"
        entry = permissions.may(.edit) ? template.detail.map { ManagedEntry($0, permissions, address, formError) } : nil
        versions = list.versions.enumerated().map { place, version in
            ManagedVersion(version, of: template, at: place, behind: cursor, address, formError, now: now)
        }
        withdrawnText =
            template.detail == nil
            ? Self.withdrawn(
                mayPutBack: versions.contains { $0.unyankAddress != nil }, mayUpload: uploadAddress != nil) : nil
        olderVersions = list.nextCursor.map {
            PageAddress("\(address)/manage").with("versions", $0).text + "#versions"
        }
        deprecation =
            permissions.may(.deprecate)
            ? template.present.map { ManagedDeprecation($0, address, formError, now: now) } : nil
        people = try ManagedPeople(
            authors, invitations, permissions: permissions, viewer: viewer, address, formError, now: now)
        var stray: Phrase?
        if let formError {
            let isShown =
                switch formError.place {
                case .entry: entry != nil
                case .deprecation, .undeprecation: deprecation != nil
                case .people, .invitations: true
                case .invitation, .handover: people.mayInvite
                case .version(let number): versions.contains { $0.number == number }
                }
            stray = isShown ? nil : formError.plainSummary()
        }
        strayProblem = stray
    }

    private static func withdrawn(mayPutBack: Bool, mayUpload: Bool) -> Phrase {
        let state: Phrase = "Nothing of this sheet is on offer, so it has no page and its entry cannot be changed."
        let advice: Phrase? =
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
    let problem: Phrase?
    let mistakes: [String: Phrase]
    let values: [String: String]
    /// What fields say by now, where the form no longer fits.
    let present: [String: Phrase]
    let mayRename: Bool
    let licences: [EntryChoices.Licences]
    let languages = EntryChoices.languages

    init(
        _ detail: TemplateDetail, _ permissions: TemplatePermissions, _ address: String,
        _ formError: ManageView.FormError?
    ) {
        let formError = formError?.place == .entry ? formError : nil
        let summary = detail.summary
        action = "\(address)/manage"
        revision = formError?.revision ?? detail.editState
        problem = formError?.summary(isTyped: true)
        mistakes = formError?.problem.mistakes ?? [:]
        let stored = [
            "name": summary.name, "summary": summary.summary, "description": detail.description,
            "tags": summary.tags.joined(separator: ", "), "license": summary.license,
            "language": EntryChoices.language(summary.language), "slug": summary.slug,
        ]
        var values = stored
        if let formError {
            for name in stored.keys { values[name] = formError.form[name] ?? "" }
            // A line end is sent as two characters, and kept as one.
            values["description"] = values["description"]?.replacing("\r\n", with: "\n")
        }
        self.values = values
        var typed = values
        // Whatever somebody calls the language that it has: that is no change of theirs.
        if LanguageRegistry.standard.tag(for: values["language"] ?? "")?.text == summary.language {
            typed["language"] = stored["language"]
        }
        present = formError?.present(stored, typed: typed) ?? [:]
        mayRename = permissions.may(.rename)
        licences = EntryChoices.licences(chosen: values["license"])
    }
}

/// A version, and what can be done with it.
struct ManagedVersion: Sendable {
    let number: String
    /// Its place in the list, for names of fields.
    let place: Int
    let published: DisplayTime
    let isOffered: Bool
    let isBeta: Bool
    let withdrawn: Phrase?
    let channelText: Phrase
    let revision: String
    /// The same for the form with a reason, which keeps what was typed.
    let yankRevision: String
    let yankAddress: String?
    let unyankAddress: String?
    let channelAddress: String?
    let regionsAddress: String?
    /// The channel that it can be moved to.
    let otherChannel: String
    let channelButton: Phrase
    let versionProblem: Phrase?
    let reason: String
    let reasonMistake: Phrase?

    init(
        _ version: VersionDetail, of template: ManagedTemplate, at place: Int, behind cursor: String?,
        _ address: String, _ formError: ManageView.FormError?, now: Date
    ) {
        let permissions = template.permissions
        let number = version.version.description
        // A form that could not be done is shown again on the page of versions that it stood on.
        func action(_ act: String) -> String {
            PageAddress("\(address)/versions/\(number)/\(act)").with("versions", cursor).text
        }
        let formError = formError?.place == .version(number) ? formError : nil
        let isYanked = version.state == .yanked
        let mayWithdraw = permissions.may(.withdrawVersions)
        self.number = number
        self.place = place
        published = DisplayTime(version.publishedAt, now: now)
        isOffered = template.detail?.summary.version == version.version
        isBeta = version.channel == .beta
        withdrawn = SheetView.withdrawal(version)
        channelText =
            switch (isBeta, isOffered) {
            case (false, _): "to everybody"
            case (true, true): "to everybody, as there are betas only"
            case (true, false): "to those who take betas as well"
            }
        revision = version.editState
        let mayYank = mayWithdraw && !isYanked
        yankAddress = mayYank ? action("yank") : nil
        let mayPutBack = mayWithdraw && (version.yankedBy != .administrator || permissions.role >= .administrator)
        unyankAddress = mayPutBack && isYanked ? action("unyank") : nil
        let canMove = permissions.may(.chooseChannels) && !isYanked && !version.version.isPrerelease
        channelAddress = canMove ? action("channel") : nil
        regionsAddress = version.pageCount > 0 ? "\(address)/versions/\(number)/regions" : nil
        otherChannel = (isBeta ? ReleaseChannel.stable : .beta).rawValue
        channelButton = isBeta ? "Offer \(number) to everybody" : "Offer \(number) as a beta only"
        let typed = mayYank && formError?.form["reason"] != nil ? formError : nil
        reason = typed?.form["reason"] ?? ""
        yankRevision = typed?.revision ?? version.editState
        let mistake = typed?.problem.mistakes["reason"]
        reasonMistake = mistake
        let isTyped = typed != nil
        versionProblem =
            mistake == nil ? formError?.plainSummary(isTyped: isTyped) : formError?.summary(isTyped: isTyped)
    }
}

/// Saying that the sheet should no longer be used.
struct ManagedDeprecation: Sendable {
    let deprecationAction: String
    let deprecationRevision: String
    let deprecationProblem: Phrase?
    let mistakes: [String: Phrase]
    /// What fields say by now, where the form no longer fits.
    let present: [String: Phrase]
    let isDeprecated: Bool
    let since: DisplayTime?
    let message: String
    let successor: String
    let deprecationButton: Phrase

    init(_ detail: TemplateDetail, _ address: String, _ formError: ManageView.FormError?, now: Date) {
        let typed = formError?.place == .deprecation ? formError : nil
        let pressed = formError?.place == .undeprecation ? formError : nil
        deprecationAction = "\(address)/deprecation"
        deprecationRevision = typed?.revision ?? detail.editState
        deprecationProblem = typed?.summary(isTyped: true) ?? pressed?.plainSummary()
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
        since = detail.deprecation.map { DisplayTime($0.since, now: now) }
        deprecationButton = isDeprecated ? "Save" : "Deprecate"
    }
}

/// Who works on the sheet, and who is asked to.
struct ManagedPeople: Sendable {
    struct Person: Sendable {
        let handle: String
        let part: Phrase
        let since: DisplayTime
        /// Where the forms about them go; `nil` for the owner, and for those whom the viewer cannot change.
        let personAction: String?
        let otherPart: String?
        let partButton: Phrase
        let removeSummary: Phrase
        let removeButton: Phrase
    }

    struct Offer: Sendable {
        let invitee: String
        let offerText: Phrase
        let expires: DisplayTime
        let withdrawAction: String
    }

    /// A form that asks somebody.
    struct Asking: Sendable {
        let askProblem: Phrase?
        let mistakes: [String: Phrase]
        let askedHandle: String
        let roles: [Choice]

        init(_ place: ManageView.Place, _ formError: ManageView.FormError?) {
            let formError = formError?.place == place ? formError : nil
            askProblem = formError?.summary(isTyped: true)
            mistakes = formError?.problem.mistakes ?? [:]
            askedHandle = formError?.form["handle"] ?? ""
            let chosen = formError?.form["role"] ?? AuthorRole.maintainer.rawValue
            let named: [(AuthorRole, Phrase)] = [
                (AuthorRole.maintainer, "Maintainer: edits the entry, uploads and withdraws versions"),
                (AuthorRole.contributor, "Contributor: uploads versions, corrects zoom regions"),
            ]
            roles = named.map { Choice(value: $0.rawValue, label: $1, isSelected: $0.rawValue == chosen) }
        }
    }

    let peopleRevision: String
    let peopleProblem: Phrase?
    let authors: [Person]
    let mayInvite: Bool
    let inviteAction: String
    let offers: [Offer]
    let hasOffers: Bool
    let moreOffers: String?
    let invitation: Asking?
    let handover: Asking?

    init(
        _ list: AuthorList, _ invitations: InvitationList, permissions: TemplatePermissions, viewer: Identity,
        _ address: String, _ formError: ManageView.FormError?, now: Date
    ) throws {
        let mayManageAuthors = permissions.may(.manageAuthors)
        peopleRevision = EntityTag.state(of: try .json(list))
        let isHere = formError?.place == .people || formError?.place == .invitations
        peopleProblem = isHere ? formError?.plainSummary() : nil
        authors = list.authors.map {
            Self.person($0, mayChange: mayManageAuthors, viewer: viewer, address, now: now)
        }
        mayInvite = mayManageAuthors
        inviteAction = "\(address)/invitations"
        offers = invitations.invitations.map { offer in
            Offer(
                invitee: offer.invitee,
                offerText: offer.role == .owner
                    ? "is offered the sheet" : "is asked to be a \(Phrase(told: offer.role.rawValue))",
                expires: DisplayTime(offer.expiresAt, now: now),
                withdrawAction: "\(address)/invitations/\(offer.id)/withdraw")
        }
        hasOffers = !offers.isEmpty
        moreOffers = invitations.nextCursor.map {
            PageAddress("\(address)/manage").with("invitations", $0).text + "#invitations"
        }
        invitation = mayManageAuthors ? Asking(.invitation, formError) : nil
        handover = mayManageAuthors ? Asking(.handover, formError) : nil
    }

    private static func person(
        _ author: TemplateAuthor, mayChange: Bool, viewer: Identity, _ address: String, now: Date
    ) -> Person {
        let isViewer = author.handle == viewer.handle
        let canLeave = author.role != .owner && (mayChange || isViewer)
        let other: AuthorRole = author.role == .maintainer ? .contributor : .maintainer
        return Person(
            handle: author.handle, part: Phrase(told: author.role.rawValue), since: DisplayTime(author.since, now: now),
            personAction: canLeave ? "\(address)/authors/\(author.handle)" : nil,
            otherPart: mayChange && canLeave ? other.rawValue : nil,
            partButton: "Make \(author.handle) a \(Phrase(told: other.rawValue))",
            removeSummary: isViewer ? "Leave this sheet" : "Remove \(author.handle)",
            removeButton: isViewer ? "Yes, leave" : "Yes, remove \(author.handle)")
    }
}
