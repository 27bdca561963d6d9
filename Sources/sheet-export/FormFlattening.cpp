// SPDX-License-Identifier: Apache-2.0
#include "FormFlattening.h"

#include "InkDrawing.h"
#include "PageShape.h"

#include <qpdf/QPDFAcroFormDocumentHelper.hh>
#include <qpdf/QPDFPageDocumentHelper.hh>
#include <qpdf/QUtil.hh>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

namespace sheet_export {

namespace {

using Handle = QPDFObjectHandle;
using Field = QPDFFormFieldObjectHelper;

constexpr double pi = 3.14159265358979323846;
/// Between a field's edge and its text.
constexpr double padding = 2;
constexpr double usual_size = 12;
constexpr int not_seen = an_invisible | an_hidden | an_no_view;

/// Font, size and colour, as a field's default appearance (`/Helv 12 Tf 0 g`) says them.
struct Manner {
    std::string font = "Helvetica";
    /// 0: as it fits.
    double size = 0;
    uint32_t rgba = 0x000000FF;
};

uint32_t color_of(const std::vector<double> &parts)
{
    const auto byte = [](double part) { return static_cast<uint32_t>(std::lround(255 * std::min(1.0, std::max(0.0, part)))); };
    double red = 0, green = 0, blue = 0;
    if (parts.size() == 1) {
        red = green = blue = parts[0];
    } else if (parts.size() == 3) {
        red = parts[0], green = parts[1], blue = parts[2];
    } else if (parts.size() == 4) {
        const double light = 1 - parts[3];
        red = (1 - parts[0]) * light, green = (1 - parts[1]) * light, blue = (1 - parts[2]) * light;
    }
    return byte(red) << 24 | byte(green) << 16 | byte(blue) << 8 | 0xFF;
}

std::string family_of(const std::string &name)
{
    const std::string start = name.substr(0, 3);
    const bool isCourier = name.substr(0, 5) == "/Cour" || (start == "/Co" && name.size() == 5);
    return isCourier ? "Courier" : start == "/Ti" ? "Times" : "Helvetica";
}

Manner manner_of(const std::string &appearance)
{
    Manner manner;
    std::istringstream words(appearance);
    std::vector<double> numbers;
    std::string name;
    for (std::string word; words >> word;) {
        char *end = nullptr;
        const double number = std::strtod(word.c_str(), &end);
        if (*end == 0 && std::isfinite(number)) {
            numbers.push_back(number);
            continue;
        }
        if (word[0] == '/') {
            name = word;
            continue;
        }
        if (word == "Tf" && !numbers.empty()) {
            manner.size = std::min(144.0, std::abs(numbers.back()));
            manner.font = family_of(name);
        } else if (word == "g" || word == "rg" || word == "k") {
            manner.rgba = color_of(numbers);
        }
        numbers.clear();
    }
    return manner;
}

/// The text of a field as it is to be seen in one of its places, on a page of that shape.
Mark mark_of(Field field, QPDFAnnotationObjectHelper widget, const PageShape &shape, const std::string &text)
{
    const bool isMultiline = field.isText() && field.getFlags() & ff_tx_multiline;
    const Manner manner = manner_of(field.getDefaultAppearance());
    Handle::Rectangle rect = widget.getRect();
    Handle look = widget.getObjectHandle().getKey("/MK");
    Handle turned = look.isDictionary() ? look.getKey("/R") : Handle::newNull();
    const int turn = turned.isInteger() ? ((turned.getIntValueAsInt() % 360) + 360) % 360 : 0;
    double width = std::abs(rect.urx - rect.llx), height = std::abs(rect.ury - rect.lly);
    if (turn == 90 || turn == 270) {
        std::swap(width, height);
    }
    Mark mark {Mark::Kind::text, manner.rgba, 0, {}, {}, {}};
    TextMark &made = mark.text;
    made.font = manner.font;
    made.text = text;
    made.direction = "natural";
    made.alignment = field.getQuadding() == 1 ? "center" : field.getQuadding() == 2 ? "right" : "left";
    made.isFitted = true;
    made.size = manner.size > 0 ? manner.size : isMultiline ? usual_size : std::max(4.0, std::min(usual_size, height * 0.7));
    made.width = std::max(1.0, width - 2 * padding);
    // One line stands in the middle of its field, more begin at the top.
    made.height = isMultiline ? std::max(1.0, height - 2 * padding) : 1.25 * made.size;
    if (!isMultiline && made.height > height) {
        made.height = height;
    }
    // Where the middle of its place is on the page as displayed, from the top left.
    const double x = (rect.llx + rect.urx) / 2 - shape.crop.llx, y = (rect.lly + rect.ury) / 2 - shape.crop.lly;
    const double across = shape.crop.urx - shape.crop.llx, up = shape.crop.ury - shape.crop.lly;
    const double middle[4][2] = {{x, up - y}, {y, x}, {across - x, y}, {up - y, across - x}};
    made.x = middle[shape.turn / 90 % 4][0] - made.width / 2;
    made.y = middle[shape.turn / 90 % 4][1] - made.height / 2;
    made.rotation = (shape.turn - turn) * pi / 180;
    return mark;
}

std::vector<double> numbers_of(Handle array)
{
    std::vector<double> numbers;
    for (int index = 0; array.isArray() && index < std::min(4, array.getArrayNItems()); index++) {
        numbers.push_back(array.getArrayItem(index).isNumber() ? array.getArrayItem(index).getNumericValue() : 0);
    }
    return numbers;
}

/// An operator that sets a colour, with its numbers; empty for none.
std::string color_operator(const std::vector<double> &parts, const std::string &one, const std::string &three, const std::string &four)
{
    std::string made;
    for (const double part : parts) {
        made += QUtil::double_to_string(part, 4) + " ";
    }
    return parts.size() == 1 ? made + one : parts.size() == 3 ? made + three : parts.size() == 4 ? made + four : "";
}

/// Background and border of a field, as operators.
std::string ground_of(QPDFAnnotationObjectHelper widget)
{
    Handle look = widget.getObjectHandle().getKey("/MK");
    if (!look.isDictionary()) {
        return "";
    }
    Handle style = widget.getObjectHandle().getKey("/BS");
    Handle wide = style.isDictionary() ? style.getKey("/W") : Handle::newNull();
    const double line = wide.isNumber() ? wide.getNumericValue() : 1;
    const Handle::Rectangle rect = widget.getRect();
    const auto box = [&rect](double inset) {
        std::string made;
        for (const double number : {rect.llx + inset, rect.lly + inset, rect.urx - rect.llx - 2 * inset, rect.ury - rect.lly - 2 * inset}) {
            made += QUtil::double_to_string(number, 3) + " ";
        }
        return made + "re ";
    };
    const std::string fill = color_operator(numbers_of(look.getKey("/BG")), "g", "rg", "k");
    const std::string edge = color_operator(numbers_of(look.getKey("/BC")), "G", "RG", "K");
    std::string made = fill.empty() ? "" : "q " + fill + " " + box(0) + "f Q\n";
    if (!edge.empty() && line > 0) {
        made += "q " + edge + " " + QUtil::double_to_string(line, 3) + " w " + box(line / 2) + "S Q\n";
    }
    return made;
}

std::string value_of(Field field)
{
    Handle value = field.getValue();
    if (value.isArray() && value.getArrayNItems() > 0) {
        value = value.getArrayItem(0);
    }
    std::string text = value.isString() ? value.getUTF8Value() : "";
    // Lines end in any of three ways.
    std::string made;
    for (size_t at = 0; at < text.size(); at++) {
        if (text[at] != '\r') {
            made += text[at];
        } else if (at + 1 == text.size() || text[at + 1] != '\n') {
            made += '\n';
        }
    }
    return made;
}

/// Flattens one page; what is to be written on it anew comes to `texts`.
class PageFlattening {
public:
    PageFlattening(QPDF &pdf, QPDFAcroFormDocumentHelper &form, QPDFPageObjectHelper page)
        : pdf(pdf), form(form), page(page), shape(shape_of(page)) { }

    std::vector<Mark> texts;

    void run()
    {
        Handle old = page.getObjectHandle().getKey("/Annots");
        if (!old.isArray()) {
            return;
        }
        Handle rest = Handle::newArray();
        for (int index = 0; index < old.getArrayNItems(); index++) {
            Handle entry = old.getArrayItem(index);
            if (entry.isDictionary() && entry.getKey("/Subtype").isNameAndEquals("/Widget")) {
                take(QPDFAnnotationObjectHelper(entry));
            } else {
                rest.appendItem(entry);
            }
        }
        if (!operators.empty()) {
            append_content(pdf, page, operators);
        }
        if (rest.getArrayNItems() > 0) {
            page.getObjectHandle().replaceKey("/Annots", rest);
        } else {
            page.getObjectHandle().removeKey("/Annots");
        }
    }

private:
    QPDF &pdf;
    QPDFAcroFormDocumentHelper &form;
    QPDFPageObjectHelper page;
    PageShape shape;
    std::string operators;

    void take(QPDFAnnotationObjectHelper widget)
    {
        if (widget.getFlags() & not_seen) {
            return;
        }
        Field field = form.getFieldForAnnotation(widget);
        const bool isWritten = field.isText() || field.isChoice();
        if (isWritten && (form.getNeedAppearances() || !widget.getAppearanceStream("/N").isStream())) {
            const std::string text = value_of(field);
            const bool isSecret = field.isText() && field.getFlags() & ff_tx_password;
            if (!text.empty() && !isSecret) {
                texts.push_back(mark_of(field, widget, shape, text));
            }
            operators += ground_of(widget);
        } else {
            show(widget);
        }
    }

    void show(QPDFAnnotationObjectHelper widget)
    {
        Handle appearance = widget.getAppearanceStream("/N");
        if (!appearance.isStream()) {
            return;
        }
        Handle dictionary = appearance.getDict();
        Handle resources = pdf.getRoot().getKey("/AcroForm").getKey("/DR");
        if (!dictionary.getKey("/Resources").isDictionary() && resources.isDictionary()) {
            dictionary.replaceKey("/Resources", resources);
        }
        dictionary.replaceKey("/Type", Handle::newName("/XObject"));
        dictionary.replaceKey("/Subtype", Handle::newName("/Form"));
        const std::string name = add_form(page, appearance);
        operators += widget.getPageContentForAppearance(name, shape.turn, 0, not_seen);
    }
};

void add_texts(QPDF &pdf, const std::vector<QPDFPageObjectHelper> &pages, const Request &texts, std::vector<std::string> &notes)
{
    const InkDocument drawn = draw(texts);
    notes.insert(notes.end(), drawn.leftOut.begin(), drawn.leftOut.end());
    QPDF drawings;
    drawings.setSuppressWarnings(true);
    drawings.setImmediateCopyFrom(true);
    drawings.processMemoryFile("texts", drawn.pdf.data(), drawn.pdf.size());
    std::vector<QPDFPageObjectHelper> made = QPDFPageDocumentHelper(drawings).getAllPages();
    size_t next = 0;
    for (size_t place = 0; place < texts.pages.size(); place++) {
        if (drawn.ink[place]) {
            const QPDFPageObjectHelper page = pages.at(texts.pages[place].index);
            Handle content = pdf.copyForeignObject(made.at(next++).getFormXObjectForPage(false));
            content.getDict().removeKey("/Group");
            add_content(pdf, page, content, shape_of(page).storedFromDisplayed(1));
        }
    }
}

} // namespace

std::vector<std::string> flatten_form(QPDF &pdf)
{
    std::vector<std::string> notes;
    Request texts;
    QPDFAcroFormDocumentHelper form(pdf);
    const std::vector<QPDFPageObjectHelper> pages = QPDFPageDocumentHelper(pdf).getAllPages();
    for (size_t index = 0; index < pages.size(); index++) {
        PageFlattening page(pdf, form, pages[index]);
        page.run();
        if (!page.texts.empty()) {
            const PageShape shape = shape_of(pages[index]);
            texts.pages.push_back({index, shape.width, shape.height, {{1, "normal", page.texts}}});
        }
    }
    pdf.getRoot().removeKey("/AcroForm");
    if (!texts.pages.empty()) {
        add_texts(pdf, pages, texts, notes);
    }
    return notes;
}

} // namespace sheet_export
