// SPDX-License-Identifier: Apache-2.0
#include "FormFilling.h"

#include <qpdf/QPDFAcroFormDocumentHelper.hh>
#include <qpdf/QPDFPageDocumentHelper.hh>
#include <qpdf/QUtil.hh>

#include <algorithm>
#include <map>
#include <set>

namespace sheet_export {

namespace {

using Handle = QPDFObjectHandle;
using Widgets = std::vector<std::pair<QPDFFormFieldObjectHelper, QPDFAnnotationObjectHelper>>;

constexpr size_t most_names = 30;

std::string list_of(const std::map<std::string, Widgets> &fields)
{
    std::string list;
    size_t count = 0;
    for (const auto &[name, widgets] : fields) {
        if (count++ == most_names) {
            return list + " and others";
        }
        list += (list.empty() ? "" : ", ") + name;
    }
    return list;
}

bool is_yes(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char letter) { return std::tolower(letter); });
    return std::set<std::string> {"1", "on", "true", "x", "yes"}.count(text) > 0;
}

void fill(Widgets &widgets, const FieldValue &value)
{
    for (auto &[field, widget] : widgets) {
        if (field.isCheckbox()) {
            field.setV(Handle::newName(is_yes(value.value) ? "/Yes" : "/Off"), true);
        } else if (field.isText() || field.isChoice()) {
            // Programs that show it draw it anew; what is drawn here is for those that do not.
            field.setV(Handle::newUnicodeString(value.value), true);
            field.generateAppearance(widget);
        } else {
            throw Failure("The field \"" + value.name + "\" is a button of a kind that is not filled in here.");
        }
    }
}

} // namespace

std::vector<std::string> fill_form(QPDF &pdf, const std::vector<FieldValue> &values)
{
    QPDFAcroFormDocumentHelper form(pdf);
    std::map<std::string, Widgets> fields;
    std::vector<std::string> notes;
    for (QPDFPageObjectHelper &page : QPDFPageDocumentHelper(pdf).getAllPages()) {
        for (const QPDFAnnotationObjectHelper &widget : form.getWidgetAnnotationsForPage(page)) {
            QPDFFormFieldObjectHelper field = form.getFieldForAnnotation(widget);
            fields[field.getFullyQualifiedName()].emplace_back(field, widget);
        }
    }
    for (const FieldValue &value : values) {
        const auto found = fields.find(value.name);
        if (found == fields.end()) {
            throw Failure(fields.empty() ? "The sheet has no form fields on these pages."
                                         : "There is no field \"" + value.name + "\"; there are: " + list_of(fields) + ".");
        }
        fill(found->second, value);
        // Fonts of fields have the letters of one code page.
        std::string letters;
        if (!QUtil::utf8_to_win_ansi(value.value, letters, '?')) {
            notes.push_back("Not every program shows all letters in the field \"" + value.name + "\": its font lacks some.");
        }
    }
    return notes;
}

} // namespace sheet_export
