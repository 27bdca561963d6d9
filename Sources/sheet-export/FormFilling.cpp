// SPDX-License-Identifier: Apache-2.0
#include "FormFilling.h"

#include "FormFields.h"

#include <qpdf/QPDFAcroFormDocumentHelper.hh>
#include <qpdf/QUtil.hh>

#include <algorithm>
#include <set>

namespace sheet_export {

namespace {

using Handle = QPDFObjectHandle;

constexpr size_t most_names = 30;

template <typename Items, typename Name> std::string list_of(const Items &items, Name name)
{
    std::string list;
    size_t count = 0;
    for (const auto &item : items) {
        if (count++ == most_names) {
            return list + " and others";
        }
        list += (list.empty() ? "" : ", ") + name(item);
    }
    return list;
}

std::string lowercased(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char letter) { return std::tolower(letter); });
    return text;
}

bool is_yes(const std::string &text)
{
    return std::set<std::string> {"1", "on", "true", "x", "yes"}.count(lowercased(text)) > 0;
}

bool is_no(const std::string &text)
{
    return std::set<std::string> {"", "0", "off", "false", "no"}.count(lowercased(text)) > 0;
}

std::string told(const FormField &field)
{
    return list_of(field.options, [](const FormField::Option &option) { return option.label; });
}

/// What the file calls something that can be chosen; the name that people see counts first.
const FormField::Option *option(const FormField &field, const std::string &text)
{
    for (const bool isExact : {true, false}) {
        for (const auto part : {&FormField::Option::label, &FormField::Option::value}) {
            for (const FormField::Option &option : field.options) {
                if (isExact ? option.*part == text : lowercased(option.*part) == lowercased(text)) {
                    return &option;
                }
            }
        }
    }
    return nullptr;
}

/// Shows each button on whose state this is, the others off.
void push(FormField &field, const std::string &state)
{
    field.object.replaceKey("/V", Handle::newName(state));
    for (FormField::Widget &widget : field.widgets) {
        Handle shown = widget.annotation.getObjectHandle();
        // A few files have two fields of one name, which by the standard have one value.
        named(shown).replaceKey("/V", Handle::newName(state));
        const std::vector<std::string> states = states_of(shown);
        const bool isOn = state != "/Off" && (states.empty() || std::count(states.begin(), states.end(), state) > 0);
        shown.replaceKey("/AS", Handle::newName(isOn ? state : "/Off"));
    }
}

void check(FormField &field, const FieldValue &value)
{
    if (!is_yes(value.value)) {
        return push(field, "/Off");
    }
    std::string on = "/Yes";
    for (const FormField::Widget &widget : field.widgets) {
        const std::vector<std::string> states = states_of(QPDFAnnotationObjectHelper(widget.annotation).getObjectHandle());
        on = states.empty() ? on : states.front();
    }
    push(field, on);
}

void choose_button(FormField &field, const FieldValue &value)
{
    if (const FormField::Option *found = option(field, value.value)) {
        return push(field, "/" + found->value);
    }
    if (!is_no(value.value)) {
        throw Failure("The field \"" + value.name + "\" has no choice \"" + value.value + "\"; there are: " + told(field) + ".");
    }
    push(field, "/Off");
}

/// Helvetica where a form does not say how what is filled in looks.
void style(QPDF &pdf)
{
    Handle form = pdf.getRoot().getKey("/AcroForm");
    if (!form.isDictionary() || form.getKey("/DA").isString()) {
        return;
    }
    const auto inside = [](Handle &holder, const char *key) {
        if (!holder.getKey(key).isDictionary()) {
            holder.replaceKey(key, Handle::newDictionary());
        }
        return holder.getKey(key);
    };
    Handle resources = inside(form, "/DR");
    Handle fonts = inside(resources, "/Font");
    if (!fonts.getKey("/Helv").isDictionary()) {
        fonts.replaceKey(
            "/Helv",
            pdf.makeIndirectObject(Handle::parse(
                "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")));
    }
    form.replaceKey("/DA", Handle::newString("/Helv 0 Tf 0 g"));
}

/// Puts what is drawn in the place of what was: qpdf only notes it on the stream, which is written as it was read.
void keep_appearance(QPDFAnnotationObjectHelper &annotation)
{
    Handle stream = annotation.getAppearanceStream("/N");
    QPDF *owner = stream.isStream() ? stream.getOwningQPDF() : nullptr;
    Handle widget = annotation.getObjectHandle();
    if (!owner || !widget.getKey("/AP").isDictionary()) {
        return;
    }
    Handle drawn = Handle::newStream(owner, stream.getStreamData(qpdf_dl_generalized));
    Handle entries = stream.getDict().shallowCopy();
    for (const char *key : {"/Filter", "/DecodeParms", "/Length"}) {
        entries.removeKey(key);
    }
    drawn.replaceDict(entries);
    // Other widgets may have the same.
    Handle appearances = widget.getKey("/AP").shallowCopy();
    appearances.replaceKey("/N", drawn);
    widget.replaceKey("/AP", appearances);
}

void show(FormField &field, Handle value)
{
    for (FormField::Widget &widget : field.widgets) {
        // Only a named object has a value. A few files have two of one name, which by the standard have one value.
        Handle shown = widget.annotation.getObjectHandle();
        if (shown.hasKey("/T")) {
            shown.replaceKey("/V", value);
        } else if (shown.getObjGen() != field.object.getObjGen()) {
            shown.removeKey("/V");
        }
    }
    QPDFFormFieldObjectHelper(field.object).setV(value, false);
    for (FormField::Widget &widget : field.widgets) {
        widget.field.generateAppearance(widget.annotation);
        keep_appearance(widget.annotation);
    }
}

void choose(FormField &field, const FieldValue &value)
{
    std::vector<std::string> wanted {value.value};
    if (field.takesSeveral()) {
        wanted.clear();
        for (size_t from = 0; from <= value.value.size();) {
            const size_t end = std::min(value.value.find('\n', from), value.value.size());
            wanted.push_back(value.value.substr(from, end - from));
            from = end + 1;
        }
    }
    std::vector<Handle> chosen;
    for (const std::string &text : wanted) {
        const FormField::Option *found = option(field, text);
        if (!found && !text.empty() && !field.isEditable()) {
            throw Failure("The field \"" + value.name + "\" has no choice \"" + text + "\"; there are: " + told(field) + ".");
        }
        chosen.push_back(Handle::newUnicodeString(found ? found->value : text));
    }
    // Places in the list, which would count more than the value.
    field.object.removeKey("/I");
    if (chosen.size() == 1) {
        return show(field, chosen.front());
    }
    field.object.replaceKey("/V", Handle::newArray(chosen));
}

size_t letters_in(const std::string &text)
{
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

void write(FormField &field, const FieldValue &value)
{
    if (field.maximumLength > 0 && letters_in(value.value) > field.maximumLength) {
        throw Failure(
            "The field \"" + value.name + "\" holds at most " + std::to_string(field.maximumLength) + " letters.");
    }
    show(field, Handle::newUnicodeString(value.value));
}

void fill(FormField &field, const FieldValue &value)
{
    if (field.isReadOnly()) {
        throw Failure("The field \"" + value.name + "\" can only be read.");
    }
    switch (field.kind) {
    case FormField::Kind::text: return write(field, value);
    case FormField::Kind::checkBox: return check(field, value);
    case FormField::Kind::radio: return choose_button(field, value);
    case FormField::Kind::choice: return choose(field, value);
    case FormField::Kind::other: break;
    }
    throw Failure("The field \"" + value.name + "\" is nothing that can be filled in.");
}

} // namespace

std::vector<std::string> fill_form(QPDF &pdf, const std::vector<FieldValue> &values)
{
    std::map<std::string, FormField> fields = form_fields(pdf);
    std::vector<std::string> notes;
    bool isDrawn = false;
    if (!values.empty()) {
        style(pdf);
        if (remove_xfa(pdf) && !fields.empty()) {
            notes.push_back("The form's XFA part was left out: it would show what stood there before.");
        }
    }
    for (const FieldValue &value : values) {
        const auto found = fields.find(value.name);
        if (found == fields.end()) {
            throw Failure(
                fields.empty() ? "The sheet has no form fields on these pages."
                               : "There is no field \"" + value.name + "\"; there are: "
                        + list_of(fields, [](const auto &entry) { return entry.first; }) + ".");
        }
        fill(found->second, value);
        isDrawn = isDrawn || found->second.kind == FormField::Kind::text || found->second.kind == FormField::Kind::choice;
        // Fonts of fields have the letters of one code page.
        std::string letters;
        if (!QUtil::utf8_to_win_ansi(value.value, letters, '?')) {
            notes.push_back("Not every program shows all letters in the field \"" + value.name + "\": its font lacks some.");
        }
    }
    if (isDrawn) {
        // Programs that show them draw them anew; what is drawn here is for those that do not. Said once: it takes a look at
        // the whole form.
        QPDFAcroFormDocumentHelper(pdf).setNeedAppearances(true);
    }
    return notes;
}

} // namespace sheet_export
