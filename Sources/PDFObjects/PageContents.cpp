// SPDX-License-Identifier: Apache-2.0
// Shows what is on a page to a device. Contents are unpacked once, for some are read more than once: for words, for ink and for pictures.
#include "Document.h"

#include <Annot.h>
#include <Catalog.h>
#include <Form.h>
#include <Gfx.h>
#include <Object.h>
#include <OutputDev.h>
#include <Page.h>
#include <Stream.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <optional>
#include <string_view>

namespace {

/// Contents that unpack to more bytes than this are unpacked piece by piece each time.
constexpr size_t maximum_contents = 4 << 20;
/// The same of contents in more streams than this.
constexpr int maximum_streams = 1'000;

/// The bytes of a stream; more than `room` of them when there are more.
std::vector<char> bytes(Stream *stream, size_t room)
{
    std::vector<char> bytes;
    const bool isRead = pdf::inflate(stream, [&](const uint8_t *piece, size_t count) {
        bytes.insert(bytes.end(), piece, piece + count);
        return bytes.size() <= room;
    });
    if (isRead) {
        return bytes;
    }
    bytes.clear();
    stream->reset();
    uint8_t piece[16384];
    for (int got = 1; got > 0 && bytes.size() <= room;) {
        got = stream->doGetChars(sizeof piece, piece);
        bytes.insert(bytes.end(), piece, piece + std::max(got, 0));
    }
    return bytes;
}

/// A stream of the same bytes, which `kept` keeps; null when there are more of them than `room`, from which they are taken.
Object unpacked(Stream *stream, size_t &room, std::deque<std::vector<char>> &kept)
{
    const std::vector<char> &all = kept.emplace_back(bytes(stream, room));
    if (all.size() > room) {
        return Object(objNull);
    }
    room -= all.size();
    auto *inMemory = new MemStream(all.data(), 0, static_cast<Goffset>(all.size()), stream->getDictObject()->copy());
    return Object(static_cast<Stream *>(inMemory));
}

/// The contents of a page with their streams unpacked; as they are where they are long or no streams.
Object unpacked(Object contents, XRef *xref, std::deque<std::vector<char>> &kept)
{
    size_t room = maximum_contents;
    if (contents.isStream()) {
        Object stream = unpacked(contents.getStream(), room, kept);
        return stream.isNull() ? std::move(contents) : std::move(stream);
    }
    if (!contents.isArray() || contents.arrayGetLength() > maximum_streams) {
        return contents;
    }
    // Streams of their own as before: no token reaches from one into the next.
    Object list(new Array(xref));
    for (int i = 0; i < contents.arrayGetLength(); i++) {
        Object part = contents.arrayGet(i);
        Object stream = part.isStream() ? unpacked(part.getStream(), room, kept) : Object(objNull);
        if (stream.isNull()) {
            return contents;
        }
        list.arrayAdd(std::move(stream));
    }
    return list;
}

/// Whether the coarse clock has moved, as it does every few milliseconds: until then the processor's has hardly moved either.
/// It is read without a system call, of which a page of many lines would need thousands.
bool has_ticked(pdf_document *document)
{
    const timespec last = document->lastTick;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &document->lastTick);
    return document->lastTick.tv_sec != last.tv_sec || document->lastTick.tv_nsec != last.tv_nsec;
}

/// What poppler asks while it shows a page.
struct Watch {
    pdf_document *document;
    bool (*isOver)(void *data);
    void *data;

    bool isAtAnEnd() const { return pdf::is_late(document) || (isOver && isOver(data)); }
};

/// Whether an annotation is a form field that paints nothing, as most that are not filled in. Some sheets have hundreds, and
/// showing one loads its fonts.
bool is_blank(Annot *annotation, Catalog *catalog)
{
    const size_t longest = 64;
    const Object appearance = annotation->getType() == Annot::typeWidget ? annotation->getAppearance() : Object(objNull);
    if (!appearance.isStream()) {
        return false;
    }
    const Object length = appearance.streamGetDict()->lookup("Length");
    const Form *form = catalog->getForm();
    // Poppler makes an appearance of its own where the form asks for it.
    if (!length.isInt() || length.getInt() > static_cast<int>(longest) || (form && form->getNeedAppearances())) {
        return false;
    }
    std::vector<char> painting = bytes(appearance.getStream(), longest);
    if (painting.size() > longest) {
        return false;
    }
    std::erase_if(painting, [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; });
    return std::string_view(painting.data(), painting.size()) == "/TxBMCEMC";
}

} // namespace

double pdf::processor_time()
{
    timespec time {};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

bool pdf::is_late(pdf_document *document)
{
    if (document->lateAt && !document->isExhausted && has_ticked(document)) {
        document->isExhausted = processor_time() > *document->lateAt;
    }
    return document->lateAt && document->isExhausted;
}

/// The same as `Page::displaySlice`, which would unpack the contents anew.
void pdf::show_page(pdf_document *document, int32_t index, const Slice &slice, OutputDev *device,
                    bool (*isOver)(void *data), void *data)
{
    Page *page = page_at(document, index);
    ShownPage &shown = document->shown;
    if (shown.index != index) {
        shown = ShownPage();
        shown.contents = unpacked(page->getContents(), document->doc->getXRef(), shown.bytes);
        for (Annot *annotation : page->getAnnots()->getAnnots()) {
            if (!is_blank(annotation, document->doc->getCatalog())) {
                shown.annotations.push_back(annotation);
            }
        }
        shown.index = index;
    }
    Watch watch { document, isOver, data };
    const auto isAtAnEnd = [](void *watch) { return static_cast<Watch *>(watch)->isAtAnEnd(); };
    const std::unique_ptr<Gfx> gfx(page->createGfx(device, slice.horizontalDPI, slice.verticalDPI, 0, false, true, slice.x,
                                                   slice.y, slice.width, slice.height, false, isAtAnEnd, &watch));
    if (!shown.contents.isNull()) {
        gfx->saveState();
        gfx->display(&shown.contents);
        gfx->restoreState();
    }
    for (Annot *annotation : shown.annotations) {
        if (watch.isAtAnEnd()) {
            break;
        }
        annotation->draw(gfx.get(), false);
    }
}
