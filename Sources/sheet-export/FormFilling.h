// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "Request.h"

#include <qpdf/QPDF.hh>

#include <vector>

namespace sheet_export {

/// Fills in form fields by their full names. Says of what programs may not show.
std::vector<std::string> fill_form(QPDF &pdf, const std::vector<FieldValue> &values);

} // namespace sheet_export
