// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <qpdf/QPDFPageObjectHelper.hh>

#include <string>

namespace sheet_export {

/// What is seen of a page: its crop box, turned.
struct PageShape {
    QPDFObjectHandle::Rectangle crop;
    /// Clockwise: 0, 90, 180 or 270.
    int turn;
    /// As displayed.
    double width, height;

    /// From the page as it is displayed, y upwards, to the page as it is stored; `scale` points displayed are one stored.
    QPDFMatrix storedFromDisplayed(double scale) const;
};

PageShape shape_of(QPDFPageObjectHelper page);

/// Draws a form above what a page has.
void add_content(QPDF &pdf, QPDFPageObjectHelper page, QPDFObjectHandle form, const QPDFMatrix &matrix);

/// Puts a form among the resources of a page, which are made its own; says its name.
std::string add_form(QPDFPageObjectHelper page, QPDFObjectHandle form);

/// Adds operators above what a page has, in the coordinates that it began with.
void append_content(QPDF &pdf, QPDFPageObjectHelper page, const std::string &operators);

} // namespace sheet_export
