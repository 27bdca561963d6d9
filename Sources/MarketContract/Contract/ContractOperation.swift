// SPDX-License-Identifier: Apache-2.0
import MarketHTTP
import SheetCore

/// One call as the document has it.
package struct ContractOperation: Sendable {
    package let path: String
    package let method: String
    package let tag: String
    package let access: Access?
    /// Its codes, the usual ones among them.
    package let problems: [String]
    package let object: JSONValue

    package init(
        path: String, method: String, tag: String, access: Access?, problems: [String], object: JSONValue
    ) {
        self.path = path
        self.method = method
        self.tag = tag
        self.access = access
        self.problems = problems
        self.object = object
    }
}
