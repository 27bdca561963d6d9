// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "InkDrawing.h"
#include "Request.h"

#include <string>

namespace sheet_export {

/// The original with the ink above its pages; what is to be said about it comes to `notes`. Parses the original: to be
/// called behind walls.
std::string merge(const Request &request, const InkDocument &ink, std::vector<std::string> &notes);

} // namespace sheet_export
