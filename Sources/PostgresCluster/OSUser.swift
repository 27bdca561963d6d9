// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The OS user that a server process runs as.
struct OSUser: Sendable, Equatable {
    let name: String
    let uid: uid_t
    let gid: gid_t

    /// Whether this process must give up its own identity to run as this user.
    var isOther: Bool { uid != geteuid() }

    init?(name: String) {
        guard let found = Self.lookUp({ getpwnam_r(name, $0, $1, $2, $3) }) else { return nil }
        self = found
    }

    init?(uid: uid_t) {
        guard let found = Self.lookUp({ getpwuid_r(uid, $0, $1, $2, $3) }) else { return nil }
        self = found
    }

    private init(_ entry: passwd) {
        name = String(cString: entry.pw_name)
        uid = entry.pw_uid
        gid = entry.pw_gid
    }

    private typealias Query = (
        UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
        UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
    ) -> Int32

    private static func lookUp(_ query: Query) -> OSUser? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16384) { buffer in
            guard let space = buffer.baseAddress, query(&entry, space, buffer.count, &found) == 0, found != nil else {
                return nil
            }
            return OSUser(entry)
        }
    }
}
