// SPDX-License-Identifier: Apache-2.0
#include "PageShape.h"

#include <qpdf/QPDF.hh>

#include <algorithm>

namespace sheet_export {

namespace {

using Handle = QPDFObjectHandle;

Handle::Rectangle rectangle(Handle array)
{
    Handle::Rectangle r = array.getArrayAsRectangle();
    return Handle::Rectangle(std::min(r.llx, r.urx), std::min(r.lly, r.ury), std::max(r.llx, r.urx), std::max(r.lly, r.ury));
}

} // namespace

PageShape shape_of(QPDFPageObjectHelper page)
{
    const Handle::Rectangle media = rectangle(page.getMediaBox()), wanted = rectangle(page.getCropBox());
    Handle::Rectangle crop(
        std::max(media.llx, wanted.llx), std::max(media.lly, wanted.lly), std::min(media.urx, wanted.urx),
        std::min(media.ury, wanted.ury));
    if (crop.urx <= crop.llx || crop.ury <= crop.lly) {
        crop = media;
    }
    Handle rotate = page.getAttribute("/Rotate", false);
    const int turn = rotate.isInteger() ? ((rotate.getIntValueAsInt() % 360) + 360) % 360 : 0;
    const bool isTurned = turn == 90 || turn == 270;
    const double width = crop.urx - crop.llx, height = crop.ury - crop.lly;
    return {crop, turn, isTurned ? height : width, isTurned ? width : height};
}

QPDFMatrix PageShape::storedFromDisplayed(double scale) const
{
    const double s = 1 / scale;
    switch (turn) {
    case 90: return QPDFMatrix(0, s, -s, 0, crop.urx, crop.lly);
    case 180: return QPDFMatrix(-s, 0, 0, -s, crop.urx, crop.ury);
    case 270: return QPDFMatrix(0, -s, s, 0, crop.llx, crop.ury);
    default: return QPDFMatrix(s, 0, 0, s, crop.llx, crop.lly);
    }
}

std::string add_form(QPDFPageObjectHelper page, Handle form)
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
    return name;
}

void append_content(QPDF &pdf, QPDFPageObjectHelper page, const std::string &operators)
{
    // What the page leaves behind, as colours and turns, is not to touch them.
    page.addPageContents(Handle::newStream(&pdf, "q\n"), true);
    page.addPageContents(Handle::newStream(&pdf, "\nQ\n" + operators), false);
}

void add_content(QPDF &pdf, QPDFPageObjectHelper page, Handle form, const QPDFMatrix &matrix)
{
    const std::string name = add_form(page, form);
    append_content(pdf, page, "q " + matrix.unparse() + " cm " + name + " Do Q\n");
}

} // namespace sheet_export
