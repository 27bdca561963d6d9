// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "Request.h"

#include <optional>
#include <string>
#include <vector>

namespace sheet_export {

struct Box {
    double x, y, width, height;
};

/// The drawings as a PDF of their own, one page for each page of the request that has any ink.
struct InkDocument {
    std::string pdf;
    /// For each page of the request: where its ink is, from the top left, if there is any.
    std::vector<std::optional<Box>> ink;
    /// What could not be drawn, in sentences.
    std::vector<std::string> leftOut;
};

InkDocument draw(const Request &request);

} // namespace sheet_export
