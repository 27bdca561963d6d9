// SPDX-License-Identifier: Apache-2.0
import MarketHTTP
import MarketPages
import Moderation
import ModerationService

/// The pages of moderators and administrators.
package struct StaffRoutes: Sendable {
    private let features: Features
    private let pages: WebPages
    private let caseService: CaseService
    private let settings: [SettingLine]
    private let auditKeys: AuditKeys?

    /// `settings` are told to administrators; the audit log is checked with `auditKeys`.
    package init(
        features: Features, pages: WebPages, caseService: CaseService, settings: [SettingLine], auditKeys: AuditKeys?
    ) {
        self.features = features
        self.pages = pages
        self.caseService = caseService
        self.settings = settings
        self.auditKeys = auditKeys
    }

    package func register(on routes: APIRoutes) {
        let routes = routes.webPages.wrapping(pages.marks.refreshing(features))
        CollectionForms(features: features, pages: pages).register(on: routes)
        QueuePages(features: features, pages: pages, service: caseService).register(on: routes)
        ManyCasesPages(features: features, pages: pages, service: caseService).register(on: routes)
        CasePages(features: features, pages: pages, service: caseService).register(on: routes)
        CopyrightClaimPages(features: features, pages: pages).register(on: routes)
        NewCasePages(features: features, pages: pages, service: caseService).register(on: routes)
        ReviewHistoryPages(features: features, pages: pages).register(on: routes)
        AuditPages(features: features, pages: pages, keys: auditKeys).register(on: routes)
        RulePages(features: features, pages: pages).register(on: routes)
        PeoplePages(features: features, pages: pages).register(on: routes)
        GameSystemPages(features: features, pages: pages).register(on: routes)
        GameMergePages(features: features, pages: pages).register(on: routes)
        TagPages(features: features, pages: pages).register(on: routes)
        EmailPages(features: features, pages: pages).register(on: routes)
        OperationPages(features: features, pages: pages, settings: settings).register(on: routes)
    }
}
