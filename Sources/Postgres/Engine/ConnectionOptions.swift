// SPDX-License-Identifier: Apache-2.0
import CLibPQ

/// What a connection string says, as libpq reads it.
package struct ConnectionOptions: Sendable {
    /// Values by libpq's keywords.
    let values: [String: String]
    /// The same for a program that is to connect the same way: no command line that others can read has the password.
    package let environment: [String: String]

    /// Reads a URL or `key=value` pairs.
    package init(_ connectionString: String) throws {
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(connectionString, &message) else {
            // libpq's words quote the string, and with it perhaps the password.
            PQfreemem(message)
            throw PostgresError(.connectionFailed, "the connection string cannot be read")
        }
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var environment: [String: String] = [:]
        var option = options
        while let key = option.pointee.keyword {
            if let value = option.pointee.val {
                values[String(cString: key)] = String(cString: value)
                if let name = option.pointee.envvar { environment[String(cString: name)] = String(cString: value) }
            }
            option += 1
        }
        self.values = values
        self.environment = environment
    }

    /// Host and port, to tell servers apart; nothing of it is secret.
    package var place: String {
        let host = values["host"] ?? values["hostaddr"] ?? "localhost"
        return values["port"].map { "\(host):\($0)" } ?? host
    }
}
