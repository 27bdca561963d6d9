// SPDX-License-Identifier: Apache-2.0
import CCurl
import Glibc

/// One use of curl, on the thread that it was made on. What curl calls back finds its way here by a pointer.
final class Transfer {
    /// Largest head of an answer, all lines together.
    static let maximumHeadBytes = 64 << 10

    private let handle: UnsafeMutableRawPointer
    private let handles: TransferHandles?
    private let policy: AddressPolicy
    private let cancellation: TransferThreads.Cancellation
    private var lists: [UnsafeMutablePointer<curl_slist>?] = []

    private(set) var body: [UInt8] = []
    private(set) var fields: [(name: String, value: String)] = []
    private var headBytes = 0
    private var maximumBodyBytes = 0
    private var cutsLongBody = false
    private var isTooLarge = false
    private var refusedAddresses = 0
    private var isMail = false
    private var upload: ArraySlice<UInt8> = []

    /// Once in a process, before anything else of curl.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

    /// Uses one of `handles`, and gives it back with its connections, where there are some.
    init(
        policy: AddressPolicy, cancellation: TransferThreads.Cancellation, handles: TransferHandles? = nil
    ) throws(OutgoingError) {
        guard Self.isReady, let handle = handles?.take() ?? curl_easy_init() else {
            throw .badRequest("curl does not start")
        }
        self.handle = handle
        self.handles = handles
        self.policy = policy
        self.cancellation = cancellation
        try useOnlyWhatIsAllowed()
        try callBack()
    }

    deinit {
        if let handles {
            handles.giveBack(handle)
        } else {
            curl_easy_cleanup(handle)
        }
        for list in lists { curl_slist_free_all(list) }
    }

    /// Everything that curl would otherwise take from its surroundings is off.
    private func useOnlyWhatIsAllowed() throws(OutgoingError) {
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_PROXY, "")
        try set(CURLOPT_NOPROXY, "*")
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        try set(CURLOPT_NETRC, 0)
        // A name server that does not answer shall not hold the thread beyond the request's time.
        try set(CURLOPT_QUICK_EXIT, 1)
        if handles == nil { try set(CURLOPT_FORBID_REUSE, 1) }
    }

    private func callBack() throws(OutgoingError) {
        let me = Unmanaged.passUnretained(self).toOpaque()
        for data in [
            CURLOPT_OPENSOCKETDATA, CURLOPT_XFERINFODATA, CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_READDATA,
        ] {
            try check(curl_set_pointer(handle, data, me))
        }
        try set(CURLOPT_NOPROGRESS, 0)
        try check(
            curl_set_progress_callback(handle) { me, _, _, _, _ in
                Transfer.at(me).map { $0.cancellation.isCancelled ? 1 : 0 } ?? 1
            })
        try check(
            curl_set_socket_callback(handle) { me, _, address in
                guard let address, let transfer = Transfer.at(me) else { return -1 }
                return transfer.open(address)
            })
        try check(
            curl_set_data_callback(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, me in
                Transfer.at(me)?.take(body: UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
            })
        try check(
            curl_set_data_callback(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, me in
                Transfer.at(me)?.take(line: UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
            })
        try check(
            curl_set_data_callback(handle, CURLOPT_READFUNCTION) { bytes, size, count, me in
                Transfer.at(me)?.give(to: UnsafeMutableRawBufferPointer(start: bytes, count: size * count)) ?? 0
            })
    }

    private static func at(_ pointer: UnsafeMutableRawPointer?) -> Transfer? {
        pointer.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: - What is asked

    func set(_ option: CURLoption, _ value: Int) throws(OutgoingError) {
        try check(curl_set_long(handle, option, value))
    }

    func set(_ option: CURLoption, _ value: String) throws(OutgoingError) {
        guard !value.utf8.contains(0) else { throw .badRequest("a NUL character") }
        try check(curl_set_text(handle, option, value))
    }

    func set(_ option: CURLoption, list lines: [String]) throws(OutgoingError) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = curl_slist_append(list, line) else {
                curl_slist_free_all(list)
                throw .badRequest("no memory")
            }
            list = longer
        }
        lists.append(list)
        try check(curl_set_list(handle, option, list))
    }

    /// Sends a copy of these bytes as the body.
    func set(body: [UInt8]) throws(OutgoingError) {
        try check(curl_set_large(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
        let code = body.withUnsafeBytes { bytes in
            // An empty array may have no address, and no address means: ask the callback.
            curl_set_pointer(
                handle, CURLOPT_COPYPOSTFIELDS,
                UnsafeMutableRawPointer(mutating: bytes.baseAddress ?? UnsafeRawPointer(handle)))
        }
        try check(code)
    }

    /// Sends these bytes as a mail, when curl asks for them.
    func set(mail upload: [UInt8]) throws(OutgoingError) {
        isMail = true
        self.upload = upload[...]
        try set(CURLOPT_UPLOAD, 1)
        try check(curl_set_large(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(upload.count)))
    }

    func limit(seconds: Double, bodyBytes: Int, cutsLongBody: Bool) throws(OutgoingError) {
        try set(CURLOPT_TIMEOUT_MS, Int((max(0.001, min(seconds, 3600)) * 1000).rounded(.up)))
        maximumBodyBytes = bodyBytes
        self.cutsLongBody = cutsLongBody
    }

    private func check(_ code: CURLcode) throws(OutgoingError) {
        guard code == CURLE_OK else { throw .badRequest(Self.text(of: code)) }
    }

    // MARK: - What happens

    /// Blocks until all is over, and returns the last status or reply code.
    func perform() throws(OutgoingError) -> Int {
        let code = curl_easy_perform(handle)
        var status = 0
        curl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
        if code == CURLE_OK || (code == CURLE_WRITE_ERROR && isTooLarge && cutsLongBody) { return status }
        throw failure(code, lastReply: status)
    }

    private func failure(_ code: CURLcode, lastReply: Int) -> OutgoingError {
        if isTooLarge { return .answerTooLarge }
        // A mail server's no; curl says only that it did not go on.
        if isMail, lastReply >= 400 { return .mailRefused(lastReply) }
        switch code {
        case CURLE_ABORTED_BY_CALLBACK where cancellation.isCancelled: return .cancelled
        case CURLE_OPERATION_TIMEDOUT: return .timedOut
        case CURLE_COULDNT_RESOLVE_HOST: return .nameNotFound
        case CURLE_COULDNT_CONNECT: return refusedAddresses > 0 ? .addressRefused : .notConnected
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT: return .badRequest(Self.text(of: code))
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_USE_SSL_FAILED, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            return .notSecure(Self.text(of: code))
        default: return .brokenAnswer(Self.text(of: code))
        }
    }

    private static func text(of code: CURLcode) -> String {
        curl_easy_strerror(code).map { String(cString: $0) } ?? "curl says \(code.rawValue)"
    }

    private func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        let wanted = address.pointee
        // The address itself is longer than the member that it begins in.
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return -1 }
        let place = UnsafeRawPointer(address) + offset
        guard policy.allows(place.assumingMemoryBound(to: sockaddr.self), length: Int(wanted.addrlen)) else {
            refusedAddresses += 1
            return -1
        }
        // Closed in programs that are started meanwhile.
        return socket(wanted.family, wanted.socktype | Int32(SOCK_CLOEXEC.rawValue), wanted.`protocol`)
    }

    private func take(body bytes: UnsafeRawBufferPointer) -> Int {
        let room = maximumBodyBytes - body.count
        guard bytes.count <= room else {
            isTooLarge = true
            if cutsLongBody { body.append(contentsOf: bytes.prefix(room)) }
            return 0
        }
        body.append(contentsOf: bytes)
        return bytes.count
    }

    private func take(line bytes: UnsafeRawBufferPointer) -> Int {
        headBytes += bytes.count
        guard headBytes <= Self.maximumHeadBytes else {
            isTooLarge = true
            cutsLongBody = false
            return 0
        }
        let line = String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            // What came before was an interim answer.
            fields.removeAll()
        } else if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            let end = value.lastIndex { !$0.isWhitespace }.map { value.index(after: $0) } ?? value.startIndex
            fields.append((line[..<colon].lowercased(), String(value[..<end])))
        }
        return bytes.count
    }

    private func give(to room: UnsafeMutableRawBufferPointer) -> Int {
        let part = upload.prefix(room.count)
        room.copyBytes(from: part)
        upload = upload.dropFirst(part.count)
        return part.count
    }
}
