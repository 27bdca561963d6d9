// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Elsewhere than within the project: .package(url: "…", from: "…") in place of the path.
let package = Package(
    name: "install-sheet",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "sheetmarket", path: "../../..")],
    targets: [
        .executableTarget(
            name: "install-sheet",
            dependencies: [
                .product(name: "MarketClient", package: "sheetmarket"),
                .product(name: "SheetCore", package: "sheetmarket"),
            ])
    ]
)
