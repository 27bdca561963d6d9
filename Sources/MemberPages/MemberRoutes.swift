// SPDX-License-Identifier: Apache-2.0
import MarketAccounts
import MarketHTTP
import MarketPages
import ModerationService

/// The pages of people with an account: signing in, their account, their sheets, and what they can do about decisions.
package struct MemberRoutes: Sendable {
    private let features: Features
    private let pages: WebPages
    private let accounts: AccountService
    private let caseService: CaseService

    /// `accounts` is the process's one: its hasher bounds what sign-ins cost.
    package init(features: Features, pages: WebPages, accounts: AccountService, caseService: CaseService) {
        self.features = features
        self.pages = pages
        self.accounts = accounts
        self.caseService = caseService
    }

    package func register(on routes: APIRoutes) {
        let routes = routes.webPages.wrapping(pages.marks.refreshing(features))
        ReportPages(features: features, pages: pages).register(on: routes)
        AppealPages(features: features, pages: pages).register(on: routes)
        CopyrightPages(features: features, pages: pages).register(on: routes)
        AccountPages(features: features, pages: pages, service: accounts).register(on: routes)
        InboxPages(features: features, pages: pages, caseService: caseService).register(on: routes)
        GameProposalPages(features: features, pages: pages).register(on: routes)
        OwnCollectionPages(features: features, pages: pages).register(on: routes)
        ProfilePages(features: features, pages: pages, service: accounts).register(on: routes)
        FollowingPages(features: features, pages: pages).register(on: routes)
        WelcomePages(features: features, pages: pages, service: accounts).register(on: routes)
        OwnSheetsPages(features: features, pages: pages, caseService: caseService).register(on: routes)
        SignInLinkPages(features: features, pages: pages, service: accounts).register(on: routes)
        SignInPages(features: features, pages: pages, accounts: accounts).register(on: routes)
        PrivacyPages(features: features, pages: pages).register(on: routes)
        WebhookPages(features: features, pages: pages).register(on: routes)
        SecurityPages(features: features, pages: pages, service: accounts).register(on: routes)
        EmailLinkPages(features: features, pages: pages, service: accounts).register(on: routes)
        UploadPages(features: features, pages: pages).register(on: routes)
        ManagePages(features: features, pages: pages).register(on: routes)
        SheetStatisticsPages(features: features, pages: pages).register(on: routes)
        SubmissionPages(features: features, pages: pages, caseService: caseService).register(on: routes)
        RegionPages(features: features, pages: pages, caseService: caseService).register(on: routes)
    }
}
