// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <qpdf/QPDF.hh>
#include <qpdf/QPDFAnnotationObjectHelper.hh>
#include <qpdf/QPDFFormFieldObjectHelper.hh>

#include <map>
#include <string>
#include <vector>

namespace sheet_export {

/// A field of a form, with all places where it is shown.
struct FormField {
    enum class Kind { text, checkBox, radio, choice, other };
    /// What can be chosen: how the file calls it, and what people see. Both UTF-8.
    struct Option {
        std::string value, label;
    };
    struct Widget {
        QPDFFormFieldObjectHelper field;
        QPDFAnnotationObjectHelper annotation;
        size_t page;
    };

    Kind kind = Kind::other;
    /// What has the field's name and value.
    QPDFObjectHandle object;
    std::vector<Widget> widgets;
    /// Of radio buttons their states, without the slash; of choices what is to choose from.
    std::vector<Option> options;
    int flags = 0;
    /// Most letters; 0 for any number.
    size_t maximumLength = 0;

    bool isReadOnly() const;
    bool isMultiline() const;
    bool isComb() const;
    /// A choice that takes what is not in its list.
    bool isEditable() const;
    bool takesSeveral() const;

    /// What is filled in, UTF-8: the labels of what is chosen, line by line; `yes` or nothing of a box.
    std::string value() const;
};

/// By name, of those that pages show.
std::map<std::string, FormField> form_fields(QPDF &pdf);

/// Takes away what a form says in XFA besides its fields, which few programs read and those that do believe first; whether
/// there was any.
bool remove_xfa(QPDF &pdf);

/// The object that a field's name is in: what is below it only shows the field.
QPDFObjectHandle named(QPDFObjectHandle object);

/// The states that a button can be shown in, besides off; with the slash.
std::vector<std::string> states_of(QPDFObjectHandle widget);

/// All fields as JSON.
std::string fields_as_json(const std::string &pdf);

} // namespace sheet_export
