// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <qpdf/QPDF.hh>

#include <string>
#include <vector>

namespace sheet_export {

/// Makes what form fields show a part of their pages, and takes the fields away; other annotations stay. Says what cannot be
/// shown.
std::vector<std::string> flatten_form(QPDF &pdf);

} // namespace sheet_export
