// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "include/PDFObjects.h"

#include <GlobalParams.h>
#include <Object.h>
#include <PDFDoc.h>

#include <ctime>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

class Annot;
class OutputDev;
class SplashOutputDev;

namespace pdf {

class OnePassDevice;

/// What is shown of a page: its contents, and the annotations that paint something.
struct ShownPage {
    int32_t index = -1;
    /// What the streams of the contents read from.
    std::deque<std::vector<char>> bytes;
    Object contents;
    std::vector<Annot *> annotations;
};

} // namespace pdf

struct pdf_document {
    pdf_document(std::unique_ptr<PDFDoc> opened);
    ~pdf_document();

    std::unique_ptr<PDFDoc> doc;
    /// What draws the pages: each keeps the fonts it has loaded from page to page.
    std::unique_ptr<SplashOutputDev> colors;
    std::unique_ptr<pdf::OnePassDevice> ink;
    std::unique_ptr<pdf::OnePassDevice> inkOfPictures;
    /// Whether a page listed pictures among its resources and drew none: then the lists of this document say nothing.
    bool listsInVain = false;
    /// Fonts that text was drawn with on the pages read so far: name and kind, and whether the file carries it.
    std::map<std::pair<std::string, int32_t>, bool> fonts;
    /// The page that was shown last.
    pdf::ShownPage shown;
    /// When the page that is read now takes too long, in seconds of the processor; none for one that is not timed.
    std::optional<double> lateAt;
    /// The coarse clock, as it was when the processor's was looked at.
    timespec lastTick {};
    /// Showing a page was broken off because it took too long.
    bool isExhausted = false;
};

struct pdf_list {
    std::vector<pdf_item> items;
    /// The items' texts; they never move.
    std::vector<std::unique_ptr<std::string>> texts;

    /// The text as UTF-8.
    void add(std::string text, pdf_item item)
    {
        texts.push_back(std::make_unique<std::string>(std::move(text)));
        item.text = texts.back()->data();
        item.length = texts.back()->size();
        items.push_back(item);
    }
};

namespace pdf {

/// Appends a character; what is no character becomes U+FFFD.
void append_utf8(std::string &text, uint32_t character);
/// A text string of a PDF (PDFDocEncoding or UTF-16) as UTF-8, at most `limit` bytes of it.
std::string text_string(const std::string &raw, size_t limit);

/// Runs a step; out of memory becomes a status, and so does anything else that is thrown.
template<typename Step>
pdf_status guarded(Step step)
{
    try {
        return step();
    } catch (const std::bad_alloc &) {
        return pdf_no_memory;
    } catch (...) {
        return pdf_damaged;
    }
}

/// A page by its index from 0, or null.
inline Page *page_at(pdf_document *document, int32_t index)
{
    return document->doc->getPage(index + 1);
}

/// Has fontconfig know the fonts of the machine, and calls `keep` with the path of each.
void prepare_fonts(void (*keep)(const char *path));

/// Has `lacking`, which does not return, called when fontconfig is asked for a font.
void do_without_fonts(void (*lacking)());

/// Unpacks a stream with zlib, several times as fast as poppler does, and hands the bytes over until `take` wants no more.
/// False for what zlib does not read to its end without complaint, as poppler might, and for what is not simply deflated.
bool inflate(Stream *stream, const std::function<bool(const uint8_t *bytes, size_t count)> &take);

/// Where a page lies on what it is drawn on; the whole of it without a width.
struct Slice {
    double horizontalDPI, verticalDPI;
    int x = -1, y = -1, width = -1, height = -1;
};

/// Shows a page with its annotations to a device, until `isOver` says so of `data` or it is late.
void show_page(pdf_document *document, int32_t index, const Slice &slice, OutputDev *device,
               bool (*isOver)(void *data) = nullptr, void *data = nullptr);

/// The processor's time in seconds.
double processor_time();

/// Whether the page that is read now takes too long. Poppler asks after every ten operators only, and never in a form of fewer or
/// in a tile: a device asks by itself before what may take long.
bool is_late(pdf_document *document);

/// The factor that user space is enlarged by; 1 unless the page says otherwise.
double user_unit(pdf_document *document, Page *page);

} // namespace pdf
