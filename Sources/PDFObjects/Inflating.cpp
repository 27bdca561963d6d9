// SPDX-License-Identifier: Apache-2.0
#include "Document.h"

#include <Dict.h>
#include <Stream.h>

#include <zlib.h>

#include <algorithm>

bool pdf::inflate(Stream *stream, const std::function<bool(const uint8_t *bytes, size_t count)> &take)
{
    const Dict *dict = stream->getDict();
    if (stream->getKind() != strFlate || dict->hasKey("DecodeParms") || dict->hasKey("DP")) {
        return false;
    }
    Stream *packed = stream->getNextStream();
    z_stream state {};
    if (inflateInit(&state) != Z_OK) {
        return false;
    }
    unsigned char in[16384], out[16384];
    int status = Z_OK;
    packed->reset();
    while (status == Z_OK) {
        if (state.avail_in == 0) {
            state.next_in = in;
            state.avail_in = static_cast<uInt>(std::max(packed->doGetChars(sizeof in, in), 0));
        }
        state.next_out = out;
        state.avail_out = sizeof out;
        status = ::inflate(&state, Z_NO_FLUSH);
        if (!take(out, sizeof out - state.avail_out)) {
            status = Z_STREAM_END;
        }
    }
    packed->close();
    inflateEnd(&state);
    return status == Z_STREAM_END;
}
