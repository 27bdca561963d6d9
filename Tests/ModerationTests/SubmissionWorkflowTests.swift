// SPDX-License-Identifier: Apache-2.0
import Moderation
import SheetCore
import Testing

@Suite("A submission's way")
struct SubmissionWorkflowTests {
    /// Every pair that leads somewhere; every other pair of state and event must be refused.
    static let ways: [SubmissionState: [SubmissionEvent: SubmissionState]] = [
        .received: [.inspectionBegan: .inspecting, .inspectionGaveUp: .rejected, .withdrawn: .withdrawn],
        .inspecting: [
            .inspectionBegan: .inspecting, .inspectionPassed: .awaitingReview, .inspectionRefused: .rejected,
            .inspectionGaveUp: .rejected, .withdrawn: .withdrawn,
        ],
        .awaitingReview: [
            .approved: .published, .changesRequested: .changesRequested, .rejected: .rejected,
            .cleaningDeclined: .rejected, .withdrawn: .withdrawn,
        ],
        .changesRequested: [.withdrawn: .withdrawn, .resumed: .awaitingReview],
        .rejected: [.reinstated: .awaitingReview],
    ]

    static let obstacles: [SubmissionState: SubmissionRefusal.Cause] = [
        .received: .notInspected, .inspecting: .notInspected, .awaitingReview: .inspectionOver,
        .changesRequested: .waitingForUploader, .published: .final, .rejected: .final, .withdrawn: .final,
    ]

    @Test("each event leads where the table says, and nowhere else", arguments: SubmissionState.allCases)
    func everyPair(state: SubmissionState) throws {
        for event in SubmissionEvent.allCases {
            do {
                let next = try state.after(event)
                #expect(next == Self.ways[state]?[event], "\(state) after \(event)")
            } catch {
                #expect(Self.ways[state]?[event] == nil, "\(state) after \(event)")
                #expect(error.state == state && error.event == event)
                #expect(error.cause == Self.obstacles[state])
            }
        }
    }

    @Test("only an approval publishes, and only after an inspection that passed")
    func publishedOnlyByApproval() throws {
        for state in SubmissionState.allCases {
            for event in SubmissionEvent.allCases where (try? state.after(event)) == .published {
                #expect(state == .awaitingReview && event == .approved)
            }
            for event in SubmissionEvent.allCases where (try? state.after(event)) == .awaitingReview {
                let ways: [SubmissionState: SubmissionEvent] = [
                    .inspecting: .inspectionPassed, .changesRequested: .resumed, .rejected: .reinstated,
                ]
                #expect(ways[state] == event)
            }
        }
    }

    @Test("nothing happens to a submission that is through, but for an appeal against its refusal")
    func finalStatesStay() {
        for state in SubmissionState.allCases where state.isFinal {
            let able = SubmissionEvent.allCases.filter { (try? state.after($0)) != nil }
            #expect(able == (state == .rejected ? [.reinstated] : []))
        }
        for state in SubmissionState.allCases where !state.isFinal {
            #expect((try? state.after(.withdrawn)) == .withdrawn)
        }
    }
}
