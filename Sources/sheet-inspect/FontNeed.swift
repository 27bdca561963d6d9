// SPDX-License-Identifier: Apache-2.0
import Glibc
import PDFObjects

/// Whether a sheet will need a font of the machine, guessed from its bytes. A wrong guess costs a second at most.
enum FontNeed {
    /// Longer files are not looked through: beside reading them, fonts cost little.
    private static let mostBytes = 1 << 18

    static func isLikely(_ file: Int32) -> Bool {
        let bytes = [CChar](unsafeUninitializedCapacity: mostBytes + 1) { room, count in
            count = max(0, pread(file, room.baseAddress, mostBytes + 1, 0))
        }
        return bytes.count > mostBytes || pdf_may_name_standard_font(bytes, bytes.count)
    }
}
