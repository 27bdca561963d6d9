// SPDX-License-Identifier: Apache-2.0
#include "PageMerging.h"

#include "FormFilling.h"
#include "FormFlattening.h"
#include "PageShape.h"

#include <qpdf/Buffer.hh>
#include <qpdf/QPDF.hh>
#include <qpdf/QPDFAcroFormDocumentHelper.hh>
#include <qpdf/QPDFExc.hh>
#include <qpdf/QPDFPageDocumentHelper.hh>
#include <qpdf/QPDFPageObjectHelper.hh>
#include <qpdf/QPDFWriter.hh>
#include <qpdf/QUtil.hh>

#include <algorithm>
#include <cmath>
#include <memory>

namespace sheet_export {

namespace {

using Handle = QPDFObjectHandle;

std::string page_name(size_t index) { return "Page " + std::to_string(index + 1) + " of the sheet"; }

QPDFMatrix stored_from_displayed(QPDFPageObjectHelper page, const Page &drawn)
{
    const PageShape shape = shape_of(page);
    // A page may be stored in units larger than points.
    const double scale = shape.width > 0 ? drawn.width / shape.width : 0;
    if (!(scale > 0) || std::abs(shape.height * scale - drawn.height) > std::max(2.0, drawn.height / 100)) {
        throw Failure(page_name(drawn.index) + " has another shape than the character's page.");
    }
    return shape.storedFromDisplayed(scale);
}

/// What programs show beside an annotation and let people search and copy: the texts in it.
std::string words_of(const Page &page)
{
    std::string words;
    for (const Layer &layer : page.layers) {
        for (const Mark &mark : layer.marks) {
            if (mark.kind == Mark::Kind::text) {
                words += (words.empty() ? "" : "\n") + mark.text.text;
            }
        }
    }
    return words.empty() ? "Ink of the character" : words;
}

void add_annotation(QPDF &pdf, QPDFPageObjectHelper page, Handle form, const QPDFMatrix &matrix, const Page &drawn, const Box &ink)
{
    const double bottom = drawn.height - ink.y - ink.height;
    const Handle::Rectangle box(ink.x, bottom, ink.x + ink.width, bottom + ink.height);
    Handle dictionary = form.getDict();
    dictionary.replaceKey("/BBox", Handle::newFromRectangle(box));
    dictionary.replaceKey("/Matrix", Handle::newFromMatrix(matrix));
    Handle annotation = Handle::parse("<< /Type /Annot /Subtype /Stamp /F 4 /NM (sheets-ink) >>");
    annotation.replaceKey("/Contents", Handle::newUnicodeString(words_of(drawn)));
    annotation.replaceKey("/Rect", Handle::newFromRectangle(matrix.transformRectangle(box)));
    Handle appearance = Handle::newDictionary();
    appearance.replaceKey("/N", form);
    annotation.replaceKey("/AP", appearance);
    // Below the form's fields, which stay within reach.
    Handle old = page.getObjectHandle().getKey("/Annots");
    Handle all = Handle::newArray();
    all.appendItem(pdf.makeIndirectObject(annotation));
    for (int index = 0; old.isArray() && index < old.getArrayNItems(); index++) {
        all.appendItem(old.getArrayItem(index));
    }
    page.getObjectHandle().replaceKey("/Annots", all);
}

void keep_pages(QPDF &pdf, const std::set<size_t> &kept)
{
    QPDFPageDocumentHelper document(pdf);
    QPDFAcroFormDocumentHelper form(pdf);
    const std::vector<QPDFPageObjectHelper> pages = document.getAllPages();
    if (*kept.rbegin() >= pages.size()) {
        throw Failure("The sheet has no page " + std::to_string(*kept.rbegin() + 1) + ".");
    }
    // A field goes with the last page that shows it.
    std::set<QPDFObjGen> shown, gone;
    for (size_t index = 0; index < pages.size(); index++) {
        const auto fields = form.getFormFieldsForPage(pages[index]);
        for (QPDFFormFieldObjectHelper field : fields) {
            (kept.count(index) ? shown : gone).insert(field.getTopLevelField().getObjectHandle().getObjGen());
        }
    }
    for (const QPDFObjGen &field : shown) {
        gone.erase(field);
    }
    for (size_t index = 0; index < pages.size(); index++) {
        if (!kept.count(index)) {
            document.removePage(pages[index]);
        }
    }
    form.removeFormFields(gone);
}

void open(QPDF &pdf, const Request &request)
{
    pdf.setSuppressWarnings(true);
    if (!request.pdf.empty()) {
        pdf.processMemoryFile("file", request.pdf.data(), request.pdf.size());
        return;
    }
    pdf.emptyPDF();
    QPDFPageDocumentHelper document(pdf);
    for (const Page &page : request.pages) {
        Handle made = Handle::parse("<< /Type /Page /Resources << >> >>");
        made.replaceKey("/MediaBox", Handle::newFromRectangle(Handle::Rectangle(0, 0, page.width, page.height)));
        made.replaceKey("/Contents", Handle::newStream(&pdf, "\n"));
        document.addPage(QPDFPageObjectHelper(pdf.makeIndirectObject(made)), false);
    }
}

std::string written(QPDF &pdf)
{
    QPDFWriter writer(pdf);
    writer.setOutputMemory();
    writer.setStreamDataMode(qpdf_s_preserve);
    writer.setObjectStreamMode(qpdf_o_preserve);
    // Who can open a sheet without a password can open the copy.
    writer.setPreserveEncryption(false);
    writer.setDeterministicID(true);
    // Of transparency.
    writer.setMinimumPDFVersion("1.4");
    writer.write();
    const std::shared_ptr<Buffer> result = writer.getBufferSharedPointer();
    return {reinterpret_cast<const char *>(result->getBuffer()), result->getSize()};
}

/// Whether a layer lightens what is below it.
bool needs_paper(const Page &page)
{
    return std::any_of(page.layers.begin(), page.layers.end(), [](const Layer &layer) {
        return layer.blendMode == "screen" || layer.blendMode == "overlay";
    });
}

/// Paints the white of the paper below all of a page, where a PDF has nothing that a layer could meet.
void add_paper(QPDF &pdf, QPDFPageObjectHelper page)
{
    const Handle::Rectangle crop = shape_of(page).crop;
    std::string paper = "q 1 g ";
    for (const double number : {crop.llx, crop.lly, crop.urx - crop.llx, crop.ury - crop.lly}) {
        paper += QUtil::double_to_string(number, 4) + " ";
    }
    page.addPageContents(Handle::newStream(&pdf, paper + "re f Q\n"), true);
}

void add_ink(QPDF &pdf, QPDF &drawings, const Request &request, const InkDocument &ink)
{
    std::vector<QPDFPageObjectHelper> pages = QPDFPageDocumentHelper(pdf).getAllPages();
    const std::vector<QPDFPageObjectHelper> drawn = QPDFPageDocumentHelper(drawings).getAllPages();
    size_t next = 0;
    for (size_t place = 0; place < request.pages.size(); place++) {
        const Page &page = request.pages[place];
        if (!ink.ink[place]) {
            continue;
        }
        QPDFPageObjectHelper drawing = drawn.at(next++);
        const size_t index = request.pdf.empty() ? place : page.index;
        if (index >= pages.size()) {
            throw Failure("The sheet has no page " + std::to_string(page.index + 1) + ".");
        }
        Handle form = pdf.copyForeignObject(drawing.getFormXObjectForPage(false));
        // Not as a group of its own, whose colours would meet nothing of the page.
        form.getDict().removeKey("/Group");
        const QPDFMatrix matrix = stored_from_displayed(pages[index], page);
        if (needs_paper(page)) {
            add_paper(pdf, pages[index]);
        }
        if (request.asAnnotations) {
            add_annotation(pdf, pages[index], form, matrix, page, *ink.ink[place]);
        } else {
            add_content(pdf, pages[index], form, matrix);
        }
    }
}

} // namespace

std::string merge(const Request &request, const InkDocument &ink, std::vector<std::string> &notes)
{
    try {
        QPDF pdf, drawings;
        open(pdf, request);
        if (std::any_of(ink.ink.begin(), ink.ink.end(), [](const auto &box) { return box.has_value(); })) {
            // cairo names a picture twice that a page shows twice.
            drawings.setSuppressWarnings(true);
            drawings.setImmediateCopyFrom(true);
            drawings.processMemoryFile("ink", ink.pdf.data(), ink.pdf.size());
            add_ink(pdf, drawings, request, ink);
        }
        if (!request.kept.empty() && !request.pdf.empty()) {
            keep_pages(pdf, request.kept);
        }
        if (!request.values.empty()) {
            const std::vector<std::string> told = fill_form(pdf, request.values);
            notes.insert(notes.end(), told.begin(), told.end());
        }
        if (request.isFlattened) {
            const std::vector<std::string> told = flatten_form(pdf);
            notes.insert(notes.end(), told.begin(), told.end());
        }
        return written(pdf);
    } catch (const QPDFExc &error) {
        throw Failure(
            error.getErrorCode() == qpdf_e_password ? "The sheet's file needs a password."
                                                    : "The sheet's file is too damaged to be written anew.");
    }
}

} // namespace sheet_export
