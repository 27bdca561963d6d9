# SPDX-License-Identifier: Apache-2.0
"""Every page of a market that scene.py furnished, by whom it is looked at and by name, and what opens on them. The market
offers to sign in with the provider of Tests/SignIn."""

import scene as scenes


def visitor(scene):
    return {
        "home": "/", "home-corrected": "/?q=lantrn", "home-none": "/?q=there+is+none",
        "sheet": "/sheets/oathbound-journal", "author": "/authors/tess", "collections": "/collections",
        "collection": "/collections/one-page", "games": "/games", "member-author": "/authors/nell",
        "member-collection": f"/authors/nell/collections/{scene.collection}", "about": "/about", "guidelines": "/guidelines", "help": "/help",
        "install": "/install", "licences": "/licences", "transparency": "/transparency", "privacy": "/privacy",
        "terms": "/terms", "api": "/docs", "api-group": "/docs/reviews", "api-call": "/docs/catalog/listTemplates",
        "api-shapes": "/docs/shapes", "problems": "/problems", "problem": "/problems/validation_failed",
        "sign-in": "/login", "register": "/register", "forgot-password": "/forgot-password",
        "not-found": "/sheets/there-is-none", "bad-request": "/?gamesystem=cairn",
        "deprecated": f"/sheets/{scene.deprecated}", "taken-down": f"/sheets/{scene.taken_down}",
        "api-shape": "/docs/shapes/Review", "offline": "/offline", "card": "/embed/oathbound-journal",
        "copyright-notice": "/sheets/oathbound-journal/copyright", "sign-in-link": "/sign-in-link?code=x",
        "verify-email": "/verify-email?code=x", "reset-password": "/reset-password?code=x",
    }


def author(scene):
    return {
        "welcome": "/account/welcome", "inbox": "/account/inbox", "profile": "/account/profile", "upload": "/upload",
        "propose-game": "/games/propose",
        "report-collection": f"/authors/nell/collections/{scene.collection}/report", "account": "/account", "own-sheets": "/account/sheets",
        "report-profile": "/authors/nell/report", "own-notice": f"/account/copyright/{scene.accepted_notice}",
        "appeals": "/account/appeals", "appeal": f"/account/appeals/new?case={scene.refused['caseId']}",
        "reports": "/account/reports", "security": "/account/security", "your-data": "/account/privacy",
        "identities": "/account/identities", "second-factor": "/account/second-factor", "confirm": "/account/confirm",
        "webhooks": "/account/webhooks", "webhook": f"/account/webhooks/{scene.webhook['id']}",
        "own-sheet": f"/sheets/{scene.sheet}", "manage": f"/sheets/{scene.sheet}/manage",
        "sheet-regions": f"/sheets/{scene.sheet}/versions/1.0.0/regions",
        "upload-next": f"/upload?template={scene.waiting['templateId']}",
        "downloads": f"/sheets/{scene.sheet}/downloads", "submission": f"/submissions/{scene.waiting['id']}",
        "submission-to-mend": f"/submissions/{scene.mended['id']}",
        "submission-refused": f"/submissions/{scene.refused['id']}",
        "regions": f"/submissions/{scene.mended['id']}/regions",
    }


def player(scene):
    return {
        "following": "/account/following", "own-collections": "/account/collections",
        "new-collection": "/account/collections/new", "own-collection": f"/account/collections/{scene.collection}",
        "delete-own-collection": f"/account/collections/{scene.collection}/delete",
        "collect": "/sheets/oathbound-journal/collect",
        "report": "/sheets/rust-season/report",
        "report-review": f"/reviews/{scene.a_review}/report", "sheet-signed-in": "/sheets/oathbound-journal",
    }


def administrator(scene):
    return {
        "queue": "/moderation", "queue-none": "/moderation?q=no-such-sheet",
        "sheet-moderated": "/sheets/oathbound-journal",
        "many-cases": f"/moderation/many?case={scene.cases['update']}",
        "many-reports": f"/moderation/many?case={scene.cases['profile']}&case={scene.cases['review']}",
        **{f"case-{name}": f"/moderation/cases/{case}" for name, case in scene.cases.items()},
        "case-decided": f"/moderation/cases/{scene.refused['caseId']}", "statistics": "/moderation/statistics",
        "copyright-claims": "/moderation/copyright",
        "copyright-claim": f"/moderation/copyright/{scene.waiting_notice}",
        "copyright-claim-accepted": f"/moderation/copyright/{scene.accepted_notice}",
        "new-case": f"/moderation/new-case?kind=review&id={scene.a_review}",
        "review-history": f"/moderation/reviews/{scene.a_review}",
        "people": "/moderation/people", "people-warned": "/moderation/people?sanction=warn",
        "person": "/moderation/people/tess", "person-warned": "/moderation/people/ines", "rules": "/moderation/rules",
        "team-games": "/moderation/games", "edit-game": "/moderation/games/dnd5e",
        "merge-game": "/moderation/games/dnd5e/merge?into=pathfinder2e", "tags": "/moderation/tags", "tag": "/moderation/tags/one-page",
        "change-tag": "/moderation/tags/one-page/rename?to=single-page",
        "remove-tag": "/moderation/tags/one-page/remove", "audit": "/moderation/audit", "audit-verified": "/moderation/audit/verify",
        "team-collections": "/moderation/collections", "edit-collection": "/moderation/collections/one-page",
        "delete-collection": "/moderation/collections/one-page/delete",
        "add-to-collection": "/moderation/add-to-collection?sheet=oathbound-journal", "operation": "/operation",
        "emails": "/operation/emails", "email": f"/operation/emails/{scene.email}",
    }


def guarding(_):
    """Somebody who sets up a second factor and links a provider: all of that opens on pages that others have, too."""
    return {}


# Who looks, as whom.
PEOPLE = ((visitor, None), (author, "tess"), (player, "nell"), (administrator, "olga"), (guarding, "ines"))


def opened_filters(browser):
    browser.driver.execute_script("document.querySelector('.filters').open = true")


def suggestions(browser):
    browser.fill("q", "lante")
    browser.wait(lambda: browser.all("#suggestions [role=option]"), "suggestions come", seconds=60)


def opened_viewer(browser):
    browser.driver.execute_script("document.querySelector('#page-1 [data-region] a').click()")
    browser.wait(lambda: browser.all("dialog[open]"), "the viewer opens")


def chosen_region(browser):
    browser.driver.execute_script("document.querySelector('.region-rows summary').click()")


def card_of_keys(browser):
    browser.driver.switch_to.active_element.send_keys("?")
    browser.wait(lambda: browser.all("dialog[open]"), "the card of keys opens")


def register_mistakes(browser):
    browser.fill("handle", "No Handle")
    browser.fill("email", "nobody@example.org")
    browser.fill("password", "short")
    browser.submit()


def sent_wrong(form, **values):
    """Sends a form with what is wrong, as a browser sends it that looks at nothing itself."""
    def send(browser):
        before = browser.one("html")
        browser.driver.execute_script(
            "const [form, values] = [document.querySelector(arguments[0]), arguments[1]];"
            "for (const [name, value] of Object.entries(values)) form.elements[name].value = value;"
            "HTMLFormElement.prototype.submit.call(form);", form, values)
        browser.wait(lambda: browser.has_left(before), "the answer comes")

    return send


def regions_mistakes(browser):
    """A region that begins where the page ends."""
    row = browser.one(".region-rows [data-row]").get_attribute("data-row")
    sent_wrong("form[data-regions]", **{f"x-{row}": "99.5", f"width-{row}": "50"})(browser)


def claimed_case(browser):
    if browser.all("form[action$='/claim']"):
        browser.submit("form[action$='/claim']")
    browser.wait(lambda: browser.all("#reasonCode"), "the case can be decided")


def case_mistakes(browser):
    claimed_case(browser)
    browser.click("input[name=decision][value=reject]")
    browser.driver.execute_script("document.querySelector('form[data-decision]').noValidate = true")
    browser.submit("form[data-decision]")


def decided_cases(browser):
    browser.click("input[name=decision][value=dismiss]")
    browser.choose("reasonCode", browser.one("#reasonCode option:not([value=''])").get_attribute("value"))
    browser.submit("#decide")


def tried_rules(browser):
    """Of a rule that found something, fewer points."""
    lines = browser.driver.execute_script(
        "return [...document.querySelectorAll('tbody tr')].map((line) =>"
        " [line.querySelector('code').textContent, line.querySelector('[data-label=Found]').textContent])")
    code = next(code for code, found in lines if found != "0")
    browser.driver.execute_script("document.querySelector('#trial details').open = true")
    browser.fill(f"weight-{code}", "1")
    browser.submit("#trial form")


def new_feed(browser):
    browser.submit("#feed form[action$='/feed']")
    browser.wait(lambda: browser.all("#new-feed"), "the feed's address is shown")


def sent_report(browser):
    browser.open("/sheets/far-orbit-dossier/report")
    browser.click("input[name=reason]")
    browser.submit("main form.panel")
    browser.wait(lambda: browser.all(".notice.good"), "the report is sent")


def claim_mistakes(browser):
    browser.click("input[name=decision][value=reject]")
    browser.driver.execute_script("document.querySelector('#message').required = false")
    browser.submit("#decide")


def is_vouched_for(browser, who, path):
    """Somebody presses the button that leads to the provider, and their name there; it leads back to a page of ours."""
    browser.one("main a[href*='/oidc/'], main a[href*='/identities/link/']").click()
    browser.wait(lambda: browser.all(f"button[value='{who}']"), "the provider asks who it is")
    browser.one(f"button[value='{who}']").click()
    browser.wait(lambda: browser.path() == path, f"it leads back to {path}")


def sign_up(browser):
    is_vouched_for(browser, "bob-1900", "/auth/sign-up")


def sign_up_mistakes(browser):
    sign_up(browser)
    browser.fill("handle", "No Handle")
    browser.submit()


def setup(browser):
    browser.press("Set it up")


def setup_mistake(browser):
    if not browser.all("#secret"):
        setup(browser)
    browser.fill("code", "000000")
    browser.press("Turn it on")


def recovery_codes(browser):
    if not browser.all("#secret"):
        setup(browser)
    browser.fill("code", scenes.one_time_code(browser.one("#secret").text))
    browser.press("Turn it on")


def guarded(browser):
    """The page of an account that has a second factor."""
    path = browser.path()
    browser.open("/account/second-factor")
    if browser.path() == "/account/second-factor":
        recovery_codes(browser)
    browser.open(path)


def link_identity(browser):
    is_vouched_for(browser, "ada-1815", "/account/identities/confirm")


def identities_linked(browser):
    if not browser.all("button[aria-label^=Unlink]"):
        link_identity(browser)
        browser.press("Link it")


def second_step(browser):
    guarded(browser)
    browser.driver.delete_all_cookies()
    browser.open("/login")
    browser.fill("login", "ines")
    browser.fill("password", scenes.password("ines"))
    browser.submit()


def second_step_mistake(browser):
    browser.fill("login", "ines")
    browser.fill("password", scenes.password("ines"))
    browser.submit()
    browser.fill("code", "999-999")
    browser.submit()


# What opens on a page: whose it is, its name, the page's name or its address, and what opens it.
STATES = (
    (visitor, "home-filters", "home", opened_filters), (visitor, "home-suggestions", "home", suggestions),
    (visitor, "viewer", "sheet", opened_viewer), (author, "regions-chosen", "regions", chosen_region),
    (administrator, "queue-keys", "queue", card_of_keys), (visitor, "register-mistakes", "register", register_mistakes),
    (administrator, "copyright-claim-mistakes", "copyright-claim", claim_mistakes),
    (visitor, "sign-up", "sign-in", sign_up), (visitor, "sign-up-mistakes", "sign-in", sign_up_mistakes),
    (guarding, "second-factor-setup", "/account/second-factor", setup),
    (guarding, "second-factor-mistake", "/account/second-factor", setup_mistake),
    (guarding, "recovery-codes", "/account/second-factor", recovery_codes),
    (guarding, "security-guarded", "/account/security", guarded),
    (guarding, "confirm-guarded", "/account/confirm", guarded),
    (guarding, "identities-link", "/account/identities", link_identity),
    (guarding, "identities-linked", "/account/identities", identities_linked),
    (guarding, "second-step", "/account/security", second_step),
    (guarding, "second-step-mistake", "/login", second_step_mistake),
    (author, "submission-viewer", "submission", opened_viewer),
    (administrator, "case-viewer", "case-update", opened_viewer),
    (author, "upload-mistakes", "upload", sent_wrong("form[data-upload]", name="Xy", language="there is none")),
    (author, "manage-mistakes", "manage", sent_wrong("#entry form", name="Xy", language="there is none")),
    (author, "regions-mistakes", "regions", regions_mistakes),
    (player, "collection-mistakes", "own-collection", sent_wrong("main form.panel", title="")),
    (player, "following-feed", "following", new_feed), (player, "report-sent", "report", sent_report),
    (administrator, "case-claimed", "case-update", claimed_case),
    (administrator, "case-mistakes", "case-update", case_mistakes),
    (administrator, "rules-tried", "rules", tried_rules),
    (administrator, "many-decided", "many-reports", decided_cases),
)
# Those of them that tell of a mistake.
MISTAKES = {name for _, name, _, _ in STATES if name.endswith("-mistakes")}
