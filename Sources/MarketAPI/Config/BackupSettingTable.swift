// SPDX-License-Identifier: Apache-2.0
import MarketPlatform

extension Setting {
    /// Where `sheetmarket backup` finds its bucket.
    static let backups: [Setting] = [
        Setting(
            "SHEETMARKET_BACKUP_S3_ENDPOINT", \.storage.backup.endpoint, .address(["http", "https"]),
            example: "https://s3.eu-west-1.amazonaws.com",
            "The server of `sheetmarket backup --to s3://BUCKET/PREFIX`; this and the next three are those of "
                + "SHEETMARKET_S3_… unless they are set."),
        Setting(
            "SHEETMARKET_BACKUP_S3_REGION", \.storage.backup.region, .region, example: "eu-west-1",
            "Its region."),
        Setting(
            "SHEETMARKET_BACKUP_S3_ACCESS_KEY", \.storage.backup.accessKey, .text, example: "AKIAIOSFODNN7EXAMPLE",
            "The id of a key that may read, write, list and delete objects in the bucket of the backups."),
        Setting(
            "SHEETMARKET_BACKUP_S3_SECRET_KEY", \.storage.backup.secretKey, .text, isSecret: true,
            example: "PUT-THE-SECRET-OF-THE-KEY-HERE", "Its secret."),
    ]
}
