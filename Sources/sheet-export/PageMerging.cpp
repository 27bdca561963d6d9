// SPDX-License-Identifier: Apache-2.0
#include "PageMerging.h"

#include "FormFilling.h"

#include <qpdf/Buffer.hh>
#include <qpdf/QPDF.hh>
#include <qpdf/QPDFAcroFormDocumentHelper.hh>
#include <qpdf/QPDFExc.hh>
#include <qpdf/QPDFPageDocumentHelper.hh>
#include <qpdf/QPDFPageObjectHelper.hh>
#include <qpdf/QPDFWriter.hh>

#include <algorithm>
#include <cmath>
#include <memory>

namespace sheet_export {

namespace {

using Handle = QPDFObjectHandle;

std::string page_name(size_t index) { return "Page " + std::to_string(index + 1) + " of the sheet"; }

/// From the page as it is displayed, y upwards, to the page as it is stored.
QPDFMatrix stored_from_displayed(QPDFPageObjectHelper page, const Page &drawn)
{
    const auto box = [](Handle array) {
        Handle::Rectangle r = array.getArrayAsRectangle();
        return Handle::Rectangle(std::min(r.llx, r.urx), std::min(r.lly, r.ury), std::max(r.llx, r.urx), std::max(r.lly, r.ury));
    };
    const Handle::Rectangle media = box(page.getMediaBox()), wanted = box(page.getCropBox());
    Handle::Rectangle crop(
        std::max(media.llx, wanted.llx), std::max(media.lly, wanted.lly), std::min(media.urx, wanted.urx),
        std::min(media.ury, wanted.ury));
    if (crop.urx <= crop.llx || crop.ury <= crop.lly) {
        crop = media;
    }
    Handle rotate = page.getAttribute("/Rotate", false);
    const int turn = rotate.isInteger() ? ((rotate.getIntValueAsInt() % 360) + 360) % 360 : 0;
    const bool isTurned = turn == 90 || turn == 270;
    const double width = isTurned ? crop.ury - crop.lly : crop.urx - crop.llx;
    const double height = isTurned ? crop.urx - crop.llx : crop.ury - crop.lly;
    // A page may be stored in units larger than points.
    const double scale = width > 0 ? drawn.width / width : 0;
    if (!(scale > 0) || std::abs(height * scale - drawn.height) > std::max(2.0, drawn.height / 100)) {
        throw Failure(page_name(drawn.index) + " has another shape than the character's page.");
    }
    const double s = 1 / scale;
    switch (turn) {
    case 90: return QPDFMatrix(0, s, -s, 0, crop.urx, crop.lly);
    case 180: return QPDFMatrix(-s, 0, 0, -s, crop.urx, crop.ury);
    case 270: return QPDFMatrix(0, -s, s, 0, crop.llx, crop.ury);
    default: return QPDFMatrix(s, 0, 0, s, crop.llx, crop.lly);
    }
}

void add_content(QPDF &pdf, QPDFPageObjectHelper page, Handle form, const QPDFMatrix &matrix)
{
    // Pages share their resources at times.
    Handle resources = page.getAttribute("/Resources", true);
    if (!resources.isDictionary()) {
        resources = Handle::newDictionary();
        page.getObjectHandle().replaceKey("/Resources", resources);
    }
    Handle objects = resources.getKey("/XObject");
    objects = objects.isDictionary() ? objects.shallowCopy() : Handle::newDictionary();
    resources.replaceKey("/XObject", objects);
    int number = 0;
    const std::string name = resources.getUniqueResourceName("/SheetInk", number);
    objects.replaceKey(name, form);
    // What the page leaves behind, as colours and turns, is not to touch the ink.
    page.addPageContents(Handle::newStream(&pdf, "q\n"), true);
    const std::string draw = "\nQ\nq " + matrix.unparse() + " cm " + name + " Do Q\n";
    page.addPageContents(Handle::newStream(&pdf, draw), false);
}

void add_annotation(QPDF &pdf, QPDFPageObjectHelper page, Handle form, const QPDFMatrix &matrix, const Page &drawn, const Box &ink)
{
    const double bottom = drawn.height - ink.y - ink.height;
    const Handle::Rectangle box(ink.x, bottom, ink.x + ink.width, bottom + ink.height);
    Handle dictionary = form.getDict();
    dictionary.replaceKey("/BBox", Handle::newFromRectangle(box));
    dictionary.replaceKey("/Matrix", Handle::newFromMatrix(matrix));
    Handle annotation = Handle::parse("<< /Type /Annot /Subtype /Stamp /F 4 /Contents (Ink of the character) /NM (sheets-ink) >>");
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
        return written(pdf);
    } catch (const QPDFExc &error) {
        throw Failure(
            error.getErrorCode() == qpdf_e_password ? "The sheet's file needs a password."
                                                    : "The sheet's file is too damaged to be written anew.");
    }
}

} // namespace sheet_export
