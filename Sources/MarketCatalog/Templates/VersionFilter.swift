// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// Which versions of a template are listed; all that can be downloaded, unless it says more.
package struct VersionFilter: Sendable {
    /// What is taken down is never listed.
    package enum State: String, CaseIterable, Sendable {
        case published, yanked
    }

    package var state: State?
    /// To whom they are offered.
    package var channel: ReleaseChannel?

    package init(state: State? = nil, channel: ReleaseChannel? = nil) {
        self.state = state
        self.channel = channel
    }
}
