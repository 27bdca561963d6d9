// SPDX-License-Identifier: Apache-2.0

/// The release that these sources are: the one place that states its number.
public enum ReleaseVersion {
    /// As `sheets --version`, `sheetmarket --version`, packages and the client's `User-Agent` say it (SemVer).
    public static let current = "0.1.0"
}
