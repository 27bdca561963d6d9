// SPDX-License-Identifier: Apache-2.0

/// JSON as version 1 wrote it. Never edit one: add another when the wire grows.
enum Fixtures {
    static let templateDetail = """
        {
          "author" : "ada",
          "createdAt" : "2026-01-01T00:00:00.000Z",
          "description" : "A **long** story.",
          "downloadURL" : "/api/v1/templates/quest-sheet/versions/1.0.0/download",
          "downloads" : 12,
          "gameSystem" : "dnd5e",
          "id" : "019b76da-a800-7000-8000-000000000001",
          "language" : "en",
          "latest" : {
            "changelog" : "First.",
            "downloadURL" : "/api/v1/templates/quest-sheet/versions/1.0.0/download",
            "fileName" : "quest.pdf",
            "pageCount" : 1,
            "pages" : [
              {
                "formFields" : 3,
                "height" : 792,
                "index" : 0,
                "previewURL" : "/api/v1/templates/quest-sheet/versions/1.0.0/pages/0/preview",
                "regionCount" : 1,
                "width" : 612
              }
            ],
            "publishedAt" : "2026-01-01T00:00:00.000Z",
            "sha256" : "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "sizeBytes" : 3,
            "state" : "published",
            "version" : "1.0.0"
          },
          "license" : "CC-BY-4.0",
          "name" : "Quest Sheet",
          "pageCount" : 1,
          "previewURL" : "/api/v1/templates/quest-sheet/versions/1.0.0/pages/0/preview",
          "rating" : 4.5,
          "ratingCount" : 2,
          "slug" : "quest-sheet",
          "summary" : "For quests.",
          "tags" : [
            "fantasy",
            "quest"
          ],
          "updatedAt" : "2026-01-02T00:00:00.000Z",
          "version" : "1.0.0"
        }
        """

    static let emptyList = "{\n  \"nextCursor\" : null,\n  \"templates\" : [\n\n  ]\n}"

    static let submission = """
        {
          "caseId" : "019b76da-a800-7000-8000-000000000002",
          "createdAt" : "2026-01-01T00:00:00.000Z",
          "decision" : {
            "decidedAt" : "2026-01-02T00:00:00.000Z",
            "decision" : "request_changes",
            "message" : "Please take the script out.",
            "reasonCode" : "active_content"
          },
          "fileName" : "quest.pdf",
          "findings" : [
            {
              "code" : "javascript",
              "message" : "The file runs a script when it opens.",
              "page" : 0,
              "removable" : true,
              "severity" : "blocker"
            }
          ],
          "id" : "019b76da-a800-7000-8000-000000000003",
          "pageCount" : 1,
          "progress" : {
            "fraction" : 1,
            "step" : "done"
          },
          "sha256" : "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
          "sizeBytes" : 3,
          "state" : "changes_requested",
          "templateId" : "019b76da-a800-7000-8000-000000000001",
          "templateName" : "Quest Sheet",
          "templateSlug" : "quest-sheet",
          "updatedAt" : "2026-01-02T00:00:00.000Z",
          "version" : "1.0.0"
        }
        """

    static let problem = """
        {
          "code" : "validation_failed",
          "detail" : "The upload does not hold.",
          "errors" : [
            {
              "detail" : "is not a Semantic Versioning number",
              "pointer" : "/version"
            }
          ],
          "requestId" : "r-1",
          "status" : 422,
          "title" : "Something does not hold",
          "type" : "https://sheetmarket.example/problems/validation_failed"
        }
        """

    static let updates = """
        {
          "updates" : [
            {
              "genuine" : true,
              "newer" : "1.1.0",
              "reason" : "Typos.",
              "state" : "yanked",
              "templateId" : "019b76da-a800-7000-8000-000000000001"
            },
            {
              "genuine" : false,
              "templateId" : "019b76da-a800-7000-8000-000000000004"
            }
          ]
        }
        """

    static let decision = """
        {
          "decision" : "request_changes",
          "message" : "Please take the script out.",
          "reasonCode" : "active_content"
        }
        """

    /// Since templates have kinds.
    static let templateDetailWithKind = """
        {
          "author" : "ada",
          "createdAt" : "2026-01-01T00:00:00.000Z",
          "description" : "A **long** story.",
          "downloadURL" : "/api/v1/templates/quest-sheet/versions/1.0.0/download",
          "downloads" : 12,
          "gameSystem" : "dnd5e",
          "id" : "019b76da-a800-7000-8000-000000000001",
          "kind" : "sheet",
          "language" : "en",
          "latest" : {
            "changelog" : "First.",
            "downloadURL" : "/api/v1/templates/quest-sheet/versions/1.0.0/download",
            "fileName" : "quest.pdf",
            "pageCount" : 1,
            "pages" : [
              {
                "formFields" : 3,
                "height" : 792,
                "index" : 0,
                "previewURL" : "/api/v1/templates/quest-sheet/versions/1.0.0/pages/0/preview",
                "regionCount" : 1,
                "width" : 612
              }
            ],
            "publishedAt" : "2026-01-01T00:00:00.000Z",
            "sha256" : "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "sizeBytes" : 3,
            "state" : "published",
            "version" : "1.0.0"
          },
          "license" : "CC-BY-4.0",
          "name" : "Quest Sheet",
          "pageCount" : 1,
          "previewURL" : "/api/v1/templates/quest-sheet/versions/1.0.0/pages/0/preview",
          "rating" : 4.5,
          "ratingCount" : 2,
          "slug" : "quest-sheet",
          "summary" : "For quests.",
          "tags" : [
            "fantasy",
            "quest"
          ],
          "updatedAt" : "2026-01-02T00:00:00.000Z",
          "version" : "1.0.0"
        }
        """

    /// Since versions have channels, and templates successors.
    static let templateDetailWithChannel = """
        {
          "author" : "ada",
          "createdAt" : "2026-01-01T00:00:00.000Z",
          "deprecation" : {
            "message" : "Too small.",
            "since" : "2026-01-03T00:00:00.000Z",
            "successor" : {
              "id" : "019b76da-a800-7000-8000-000000000009",
              "name" : "Better Sheet",
              "slug" : "better-sheet"
            }
          },
          "description" : "A **long** story.",
          "downloadURL" : "/api/v1/templates/quest-sheet/versions/1.0.0/download",
          "downloads" : 12,
          "gameSystem" : "dnd5e",
          "id" : "019b76da-a800-7000-8000-000000000001",
          "kind" : "sheet",
          "language" : "en",
          "latest" : {
            "changelog" : "First.",
            "channel" : "beta",
            "downloadURL" : "/api/v1/templates/quest-sheet/versions/1.0.0/download",
            "fileName" : "quest.pdf",
            "minimumClientVersion" : "0.2.0",
            "pageCount" : 1,
            "pages" : [
              {
                "formFields" : 3,
                "height" : 792,
                "index" : 0,
                "previewURL" : "/api/v1/templates/quest-sheet/versions/1.0.0/pages/0/preview",
                "regionCount" : 1,
                "width" : 612
              }
            ],
            "publishedAt" : "2026-01-01T00:00:00.000Z",
            "sha256" : "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "sizeBytes" : 3,
            "state" : "published",
            "version" : "1.0.0"
          },
          "license" : "CC-BY-4.0",
          "name" : "Quest Sheet",
          "pageCount" : 1,
          "previewURL" : "/api/v1/templates/quest-sheet/versions/1.0.0/pages/0/preview",
          "rating" : 4.5,
          "ratingCount" : 2,
          "slug" : "quest-sheet",
          "summary" : "For quests.",
          "tags" : [
            "fantasy",
            "quest"
          ],
          "updatedAt" : "2026-01-02T00:00:00.000Z",
          "version" : "1.0.0"
        }
        """

    /// Since templates have kinds.
    static let submissionWithKind = """
        {
          "caseId" : "019b76da-a800-7000-8000-000000000002",
          "createdAt" : "2026-01-01T00:00:00.000Z",
          "decision" : {
            "decidedAt" : "2026-01-02T00:00:00.000Z",
            "decision" : "request_changes",
            "message" : "Please take the script out.",
            "reasonCode" : "active_content"
          },
          "fileName" : "quest.pdf",
          "findings" : [
            {
              "code" : "javascript",
              "message" : "The file runs a script when it opens.",
              "page" : 0,
              "removable" : true,
              "severity" : "blocker"
            }
          ],
          "id" : "019b76da-a800-7000-8000-000000000003",
          "kind" : "sheet",
          "pageCount" : 1,
          "progress" : {
            "fraction" : 1,
            "step" : "done"
          },
          "sha256" : "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
          "sizeBytes" : 3,
          "state" : "changes_requested",
          "templateId" : "019b76da-a800-7000-8000-000000000001",
          "templateName" : "Quest Sheet",
          "templateSlug" : "quest-sheet",
          "updatedAt" : "2026-01-02T00:00:00.000Z",
          "version" : "1.0.0"
        }
        """
}
