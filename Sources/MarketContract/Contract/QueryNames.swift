// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketHTTP
import SheetCore

extension ContractFragments {
    /// The names of the parameters that a call's query may have; `nil` for what is not a call of the API.
    package func queryParameters(of route: RouteDescription) -> Set<String>? {
        let method = route.method.rawValue.lowercased()
        guard !route.isWebPage, OperationBuilder.knowsItsParameters(route.path),
            let operation = operations.first(where: { $0.method == method && $0.path == route.path })
        else { return nil }
        let shared = base["components"]?["parameters"] ?? [:]
        let parameters = OperationBuilder.parameters(of: operation.piece).compactMap { parameter in
            parameter.text.map { shared[$0] ?? [:] } ?? parameter
        }
        return Set(parameters.filter { $0["in"] == "query" }.compactMap { $0["name"]?.text })
    }
}
