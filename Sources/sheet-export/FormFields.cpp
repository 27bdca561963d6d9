// SPDX-License-Identifier: Apache-2.0
#include "FormFields.h"

#include "Request.h"

#include <qpdf/Constants.h>
#include <qpdf/QPDFAcroFormDocumentHelper.hh>
#include <qpdf/QPDFExc.hh>
#include <qpdf/QPDFPageDocumentHelper.hh>

#include <algorithm>
#include <set>

namespace sheet_export {

namespace {

using Handle = QPDFObjectHandle;

/// More than any sheet has; a form of a stranger's may have any number.
constexpr size_t most_fields = 20'000;
constexpr size_t most_options = 1'000;

std::string text_of(Handle object)
{
    if (object.isName()) {
        return object.getName().substr(1);
    }
    return object.isString() ? object.getUTF8Value() : std::string();
}

FormField::Kind kind_of(QPDFFormFieldObjectHelper &field)
{
    if (field.isText()) {
        return FormField::Kind::text;
    }
    if (field.isChoice()) {
        return FormField::Kind::choice;
    }
    if (field.isRadioButton()) {
        return FormField::Kind::radio;
    }
    return field.isCheckbox() ? FormField::Kind::checkBox : FormField::Kind::other;
}

/// Options as the file lists them: texts, or pairs of what is stored and what is shown.
std::vector<FormField::Option> listed(Handle list)
{
    std::vector<FormField::Option> options;
    for (int place = 0; list.isArray() && place < list.getArrayNItems() && options.size() < most_options; place++) {
        Handle item = list.getArrayItem(place);
        const bool isPair = item.isArray() && item.getArrayNItems() == 2;
        const std::string value = text_of(isPair ? item.getArrayItem(0) : item);
        options.push_back({value, isPair ? text_of(item.getArrayItem(1)) : value});
    }
    return options;
}

/// The states of all buttons of a group; where the file says so, by what they are called.
std::vector<FormField::Option> states(const FormField &field)
{
    std::vector<FormField::Option> options;
    const std::vector<FormField::Option> labels = listed(QPDFFormFieldObjectHelper(field.object).getInheritableFieldValue("/Opt"));
    for (size_t place = 0; place < field.widgets.size(); place++) {
        for (const std::string &state : states_of(QPDFAnnotationObjectHelper(field.widgets[place].annotation).getObjectHandle())) {
            const std::string value = state.substr(1);
            const bool isKnown = std::any_of(
                options.begin(), options.end(), [&](const FormField::Option &known) { return known.value == value; });
            if (!isKnown && options.size() < most_options) {
                options.push_back({value, place < labels.size() ? labels[place].label : value});
            }
        }
    }
    return options;
}

void append(std::string &json, const std::string &text)
{
    json += '"';
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        if (letter == '"' || letter == '\\') {
            json += '\\';
            json += letter;
        } else if (byte < 0x20) {
            constexpr char digits[] = "0123456789abcdef";
            json += "\\u00";
            json += digits[byte >> 4];
            json += digits[byte & 15];
        } else {
            json += letter;
        }
    }
    json += '"';
}

const char *name_of(FormField::Kind kind)
{
    switch (kind) {
    case FormField::Kind::text: return "text";
    case FormField::Kind::checkBox: return "checkBox";
    case FormField::Kind::radio: return "radio";
    case FormField::Kind::choice: return "choice";
    case FormField::Kind::other: break;
    }
    return "other";
}

void append(std::string &json, const std::string &name, const FormField &field)
{
    const auto flag = [&json](const char *key, bool isSet) { json += isSet ? std::string(",\"") + key + "\":true" : ""; };
    json += "{\"name\":";
    append(json, name);
    json += std::string(",\"kind\":\"") + name_of(field.kind) + "\",\"value\":";
    append(json, field.value());
    json += ",\"page\":" + std::to_string(field.widgets.front().page);
    flag("isReadOnly", field.isReadOnly());
    flag("isMultiline", field.isMultiline());
    flag("isComb", field.isComb());
    flag("isEditable", field.isEditable());
    flag("takesSeveral", field.takesSeveral());
    if (field.maximumLength > 0) {
        json += ",\"maximumLength\":" + std::to_string(field.maximumLength);
    }
    if (!field.options.empty()) {
        json += ",\"options\":[";
        for (size_t place = 0; place < field.options.size(); place++) {
            json += place > 0 ? "," : "";
            json += "{\"label\":";
            append(json, field.options[place].label);
            json += ",\"value\":";
            append(json, field.options[place].value);
            json += "}";
        }
        json += "]";
    }
    json += "}";
}

} // namespace

Handle named(Handle object)
{
    std::set<QPDFObjGen> seen;
    while (object.isDictionary() && !object.hasKey("/T") && object.getKey("/Parent").isDictionary()) {
        if (!seen.insert(object.getObjGen()).second) {
            break;
        }
        object = object.getKey("/Parent");
    }
    return object;
}

std::vector<std::string> states_of(Handle widget)
{
    std::vector<std::string> states;
    Handle appearances = widget.getKey("/AP");
    Handle normal = appearances.isDictionary() ? appearances.getKey("/N") : Handle::newNull();
    if (normal.isDictionary()) {
        for (const std::string &state : normal.getKeys()) {
            if (state != "/Off") {
                states.push_back(state);
            }
        }
    }
    return states;
}

bool FormField::isReadOnly() const { return flags & ff_all_read_only; }
bool FormField::isMultiline() const { return kind == Kind::text && (flags & ff_tx_multiline); }
bool FormField::isComb() const { return kind == Kind::text && (flags & ff_tx_comb) && maximumLength > 0; }
bool FormField::isEditable() const { return kind == Kind::choice && (flags & ff_ch_combo) && (flags & ff_ch_edit); }
bool FormField::takesSeveral() const { return kind == Kind::choice && (flags & ff_ch_multi_select) && !(flags & ff_ch_combo); }

std::string FormField::value() const
{
    Handle held = QPDFFormFieldObjectHelper(object).getInheritableFieldValue("/V");
    const auto label = [this](const std::string &value) {
        for (const Option &option : options) {
            if (option.value == value) {
                return option.label;
            }
        }
        return value;
    };
    if (kind == Kind::checkBox) {
        return held.isName() && held.getName() != "/Off" ? "yes" : "";
    }
    if (kind == Kind::radio) {
        return held.isName() && held.getName() != "/Off" ? label(text_of(held)) : "";
    }
    if (kind == Kind::choice && held.isArray()) {
        std::string lines;
        for (int place = 0; place < held.getArrayNItems(); place++) {
            lines += (place > 0 ? "\n" : "") + label(text_of(held.getArrayItem(place)));
        }
        return lines;
    }
    // A long text may be a stream.
    if (kind == Kind::text && held.isStream()) {
        const auto bytes = held.getStreamData(qpdf_dl_generalized);
        return Handle::newString({reinterpret_cast<const char *>(bytes->getBuffer()), bytes->getSize()}).getUTF8Value();
    }
    return kind == Kind::choice ? label(text_of(held)) : kind == Kind::text ? text_of(held) : "";
}

std::map<std::string, FormField> form_fields(QPDF &pdf)
{
    QPDFAcroFormDocumentHelper form(pdf);
    std::map<std::string, FormField> fields;
    size_t index = 0;
    for (QPDFPageObjectHelper &page : QPDFPageDocumentHelper(pdf).getAllPages()) {
        for (const QPDFAnnotationObjectHelper &widget : form.getWidgetAnnotationsForPage(page)) {
            QPDFFormFieldObjectHelper helper = form.getFieldForAnnotation(widget);
            FormField &field = fields[helper.getFullyQualifiedName()];
            if (fields.size() > most_fields) {
                throw Failure("The sheet has more form fields than are looked at.");
            }
            if (field.widgets.empty()) {
                field.kind = kind_of(helper);
                field.object = named(helper.getObjectHandle());
                field.flags = helper.getFlags();
                Handle length = helper.getInheritableFieldValue("/MaxLen");
                const long long most = length.isInteger() ? length.getIntValue() : 0;
                field.maximumLength = most > 0 && most < 1'000'000 ? static_cast<size_t>(most) : 0;
                if (field.kind == FormField::Kind::choice) {
                    field.options = listed(helper.getInheritableFieldValue("/Opt"));
                }
            }
            field.widgets.push_back({helper, widget, index});
        }
        index++;
    }
    for (auto &[name, field] : fields) {
        if (field.kind != FormField::Kind::radio && field.kind != FormField::Kind::checkBox) {
            continue;
        }
        std::vector<FormField::Option> found = states(field);
        // Boxes of one field that stand for different things are a choice among them.
        if (found.size() > 1) {
            field.kind = FormField::Kind::radio;
        }
        if (field.kind == FormField::Kind::radio) {
            field.options.swap(found);
        }
    }
    return fields;
}

bool remove_xfa(QPDF &pdf)
{
    QPDFObjectHandle form = pdf.getRoot().getKey("/AcroForm");
    if (!form.isDictionary() || !form.hasKey("/XFA")) {
        return false;
    }
    form.removeKey("/XFA");
    return true;
}

std::string fields_as_json(const std::string &bytes)
{
    try {
        QPDF pdf;
        pdf.setSuppressWarnings(true);
        pdf.processMemoryFile("file", bytes.data(), bytes.size());
        const std::map<std::string, FormField> fields = form_fields(pdf);
        if (fields.empty() && remove_xfa(pdf)) {
            throw Failure("The file's form is of XFA alone, which is no part of PDF any more and is not read here.");
        }
        std::string json = "{\"fields\":[";
        bool isFirst = true;
        for (const auto &[name, field] : fields) {
            json += isFirst ? "" : ",";
            isFirst = false;
            append(json, name, field);
        }
        return json + "]}\n";
    } catch (const QPDFExc &error) {
        throw Failure(
            error.getErrorCode() == qpdf_e_password ? "The file needs a password." : "The file is no PDF that can be read.");
    }
}

} // namespace sheet_export
