// SPDX-License-Identifier: Apache-2.0
// What is to be drawn on which pages, as `sheets export` says it: lines of words, then the PDF. Lengths are thousandths of a
// point of the page as displayed, from its top left; angles thousandths of a radian, clockwise.
//
//   sheet-export 2
//   as content | annotations
//   flatten                                       makes form fields part of their pages
//   image BYTES                                   then a line of so many bytes: a JPEG or PNG; numbered from 0
//   keep PAGE                                     only such pages, from 0; all without such lines
//   page PAGE WIDTH HEIGHT                        what follows is on it
//   layer OPACITY BLENDMODE                       opacity in thousandths; what follows is in it
//   m X Y | l X Y | c X Y X Y X Y | h             a path
//   fill RRGGBBAA | line RRGGBBAA WIDTH           fills or draws the path, which ends with it
//   picture X Y WIDTH HEIGHT ROTATION NUMBER      one of the images
//   text X Y WIDTH HEIGHT ROTATION SIZE ALIGNMENT DIRECTION RRGGBBAA BYTES BYTES
//                                                 then lines of so many bytes: a font's name and the text
//   field BYTES BYTES                             then lines of so many bytes: a form field's name and its new value
//   pdf BYTES                                     the last line; 0: blank pages, those named
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sheet_export {

/// Says in a sentence for people why there is no copy.
struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Step {
    enum class Kind { move, line, curve, close };
    Kind kind;
    double places[6];
};

struct TextMark {
    double x, y, width, height, rotation, size;
    /// `leading`, `center` or `trailing`; of form fields `left` or `right`.
    std::string alignment;
    /// `natural`, `leftToRight` or `rightToLeft`.
    std::string direction;
    std::string font;
    /// UTF-8.
    std::string text;
    /// Of form fields: it is made smaller until it fits into its box, and cut off where it does not.
    bool isFitted = false;
};

struct PictureMark {
    double x, y, width, height, rotation;
    size_t number;
};

/// One thing on a page.
struct Mark {
    enum class Kind { fill, line, text, picture };
    Kind kind;
    uint32_t rgba;
    /// Of a line.
    double width = 0;
    std::vector<Step> path;
    TextMark text {};
    PictureMark picture {};
};

struct Layer {
    double opacity;
    std::string blendMode;
    std::vector<Mark> marks;
};

struct Page {
    size_t index;
    double width, height;
    std::vector<Layer> layers;
};

/// UTF-8.
struct FieldValue {
    std::string name, value;
};

struct Request {
    bool asAnnotations = false;
    bool isFlattened = false;
    std::vector<std::string_view> images;
    std::vector<FieldValue> values;
    std::set<size_t> kept;
    std::vector<Page> pages;
    /// The original; empty for blank pages.
    std::string_view pdf;
};

/// Reads a request; `bytes` must outlive it.
Request read_request(std::string_view bytes);

} // namespace sheet_export
