// SPDX-License-Identifier: Apache-2.0

/// Records as earlier versions wrote them. Never edit one: add another when the format grows.
enum RecordFixtures {
    static let first = """
        {
          "description" : "Long.",
          "format" : 1,
          "installed" : {
            "installedAt" : "2026-01-02T03:04:05.000Z",
            "sha256" : "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "version" : "1.2.0-beta.1"
          },
          "server" : "https://market.example",
          "template" : {
            "author" : "ada",
            "downloadURL" : "/api/v1/templates/quest-sheet/versions/1.2.0-beta.1/download",
            "downloads" : 12,
            "gameSystem" : "dnd5e",
            "id" : "019b76da-a800-7000-8000-000000000001",
            "language" : "en",
            "license" : "CC-BY-4.0",
            "name" : "Quest Sheet",
            "pageCount" : 1,
            "previewURL" : "/api/v1/templates/quest-sheet/versions/1.2.0-beta.1/pages/0/preview",
            "rating" : 4.5,
            "ratingCount" : 2,
            "slug" : "quest-sheet",
            "summary" : "For quests.",
            "tags" : [
              "quest"
            ],
            "updatedAt" : "2026-01-01T00:00:00.000Z",
            "version" : "1.2.0-beta.1"
          },
          "versions" : [
            {
              "detail" : {
                "changelog" : "News.",
                "downloadURL" : "/api/v1/templates/quest-sheet/versions/1.2.0-beta.1/download",
                "fileName" : "quest.pdf",
                "pageCount" : 1,
                "pages" : [
                  {
                    "formFields" : 3,
                    "height" : 792,
                    "index" : 0,
                    "previewURL" : "/api/v1/templates/quest-sheet/versions/1.2.0-beta.1/pages/0/preview",
                    "regionCount" : 1,
                    "width" : 612
                  }
                ],
                "publishedAt" : "2026-01-01T00:00:00.000Z",
                "sha256" : "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                "sizeBytes" : 1,
                "state" : "published",
                "version" : "1.2.0-beta.1"
              },
              "preview" : {
                "mediaType" : "image/webp",
                "sha256" : "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                "sizeBytes" : 3
              },
              "regions" : [
                {
                  "index" : 0,
                  "regions" : [
                    {
                      "confidence" : 1,
                      "id" : "skills",
                      "name" : "Skills",
                      "pageIndex" : 0,
                      "rect" : {
                        "height" : 0.25,
                        "width" : 0.5,
                        "x" : 0.25,
                        "y" : 0.125
                      },
                      "scale" : 2,
                      "source" : "detected"
                    }
                  ]
                }
              ]
            }
          ]
        }
        """

    /// Since templates have kinds.
    static let withKind = """
        {
          "description" : "Long.",
          "format" : 1,
          "installed" : {
            "installedAt" : "2026-01-02T03:04:05.000Z",
            "sha256" : "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "version" : "1.2.0-beta.1"
          },
          "server" : "https://market.example",
          "template" : {
            "author" : "ada",
            "downloadURL" : "/api/v1/templates/quest-sheet/versions/1.2.0-beta.1/download",
            "downloads" : 12,
            "gameSystem" : "dnd5e",
            "id" : "019b76da-a800-7000-8000-000000000001",
            "kind" : "sheet",
            "language" : "en",
            "license" : "CC-BY-4.0",
            "name" : "Quest Sheet",
            "pageCount" : 1,
            "previewURL" : "/api/v1/templates/quest-sheet/versions/1.2.0-beta.1/pages/0/preview",
            "rating" : 4.5,
            "ratingCount" : 2,
            "slug" : "quest-sheet",
            "summary" : "For quests.",
            "tags" : [
              "quest"
            ],
            "updatedAt" : "2026-01-01T00:00:00.000Z",
            "version" : "1.2.0-beta.1"
          },
          "versions" : [
            {
              "detail" : {
                "changelog" : "News.",
                "downloadURL" : "/api/v1/templates/quest-sheet/versions/1.2.0-beta.1/download",
                "fileName" : "quest.pdf",
                "pageCount" : 1,
                "pages" : [
                  {
                    "formFields" : 3,
                    "height" : 792,
                    "index" : 0,
                    "previewURL" : "/api/v1/templates/quest-sheet/versions/1.2.0-beta.1/pages/0/preview",
                    "regionCount" : 1,
                    "width" : 612
                  }
                ],
                "publishedAt" : "2026-01-01T00:00:00.000Z",
                "sha256" : "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                "sizeBytes" : 1,
                "state" : "published",
                "version" : "1.2.0-beta.1"
              },
              "preview" : {
                "mediaType" : "image/webp",
                "sha256" : "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                "sizeBytes" : 3
              },
              "regions" : [
                {
                  "index" : 0,
                  "regions" : [
                    {
                      "confidence" : 1,
                      "id" : "skills",
                      "name" : "Skills",
                      "pageIndex" : 0,
                      "rect" : {
                        "height" : 0.25,
                        "width" : 0.5,
                        "x" : 0.25,
                        "y" : 0.125
                      },
                      "scale" : 2,
                      "source" : "detected"
                    }
                  ]
                }
              ]
            }
          ]
        }
        """

    /// Since versions have channels.
    static let withChannel = """
        {
          "description" : "Long.",
          "format" : 1,
          "installed" : {
            "installedAt" : "2026-01-02T03:04:05.000Z",
            "sha256" : "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "version" : "1.2.0-beta.1"
          },
          "server" : "https://market.example",
          "template" : {
            "author" : "ada",
            "downloadURL" : "/api/v1/templates/quest-sheet/versions/1.2.0-beta.1/download",
            "downloads" : 12,
            "gameSystem" : "dnd5e",
            "id" : "019b76da-a800-7000-8000-000000000001",
            "kind" : "sheet",
            "language" : "en",
            "license" : "CC-BY-4.0",
            "name" : "Quest Sheet",
            "pageCount" : 1,
            "previewURL" : "/api/v1/templates/quest-sheet/versions/1.2.0-beta.1/pages/0/preview",
            "rating" : 4.5,
            "ratingCount" : 2,
            "slug" : "quest-sheet",
            "summary" : "For quests.",
            "tags" : [
              "quest"
            ],
            "updatedAt" : "2026-01-01T00:00:00.000Z",
            "version" : "1.2.0-beta.1"
          },
          "versions" : [
            {
              "detail" : {
                "changelog" : "News.",
                "channel" : "stable",
                "downloadURL" : "/api/v1/templates/quest-sheet/versions/1.2.0-beta.1/download",
                "fileName" : "quest.pdf",
                "pageCount" : 1,
                "pages" : [
                  {
                    "formFields" : 3,
                    "height" : 792,
                    "index" : 0,
                    "previewURL" : "/api/v1/templates/quest-sheet/versions/1.2.0-beta.1/pages/0/preview",
                    "regionCount" : 1,
                    "width" : 612
                  }
                ],
                "publishedAt" : "2026-01-01T00:00:00.000Z",
                "sha256" : "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                "sizeBytes" : 1,
                "state" : "published",
                "version" : "1.2.0-beta.1"
              },
              "preview" : {
                "mediaType" : "image/webp",
                "sha256" : "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                "sizeBytes" : 3
              },
              "regions" : [
                {
                  "index" : 0,
                  "regions" : [
                    {
                      "confidence" : 1,
                      "id" : "skills",
                      "name" : "Skills",
                      "pageIndex" : 0,
                      "rect" : {
                        "height" : 0.25,
                        "width" : 0.5,
                        "x" : 0.25,
                        "y" : 0.125
                      },
                      "scale" : 2,
                      "source" : "detected"
                    }
                  ]
                }
              ]
            }
          ]
        }
        """
}
