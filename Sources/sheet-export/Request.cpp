// SPDX-License-Identifier: Apache-2.0
#include "Request.h"

#include <charconv>

namespace sheet_export {

namespace {

[[noreturn]] void refuse() { throw Failure("What sheets sent to sheet-export is not readable: are both of one version?"); }

/// Words of one line after the other.
class Reader {
public:
    explicit Reader(std::string_view bytes) : rest(bytes) { }

    void nextLine() { line = bytes(rest.find('\n')); }

    std::string_view word()
    {
        const size_t end = std::min(line.find(' '), line.size());
        const std::string_view word = line.substr(0, end);
        line.remove_prefix(std::min(end + 1, line.size()));
        if (word.empty()) {
            refuse();
        }
        return word;
    }

    void expect(std::string_view wanted)
    {
        if (word() != wanted) {
            refuse();
        }
    }

    int64_t number(int64_t least = -limit, int64_t most = limit, int base = 10)
    {
        const std::string_view digits = word();
        int64_t value = 0;
        const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
        if (result.ec != std::errc() || result.ptr != digits.data() + digits.size() || value < least || value > most) {
            refuse();
        }
        return value;
    }

    double thousandths(int64_t least = -limit) { return static_cast<double>(number(least)) / 1000; }
    uint32_t color() { return static_cast<uint32_t>(number(0, 0xFFFFFFFF, 16)); }
    size_t count() { return static_cast<size_t>(number(0)); }

    /// So many bytes and the line feed behind them.
    std::string_view bytes(size_t count)
    {
        if (count >= rest.size() || rest[count] != '\n') {
            refuse();
        }
        const std::string_view taken = rest.substr(0, count);
        rest.remove_prefix(count + 1);
        return taken;
    }

    std::string_view remaining() const { return rest; }

private:
    static constexpr int64_t limit = 1'000'000'000'000;
    std::string_view rest;
    std::string_view line;
};

Step step(Step::Kind kind, int numbers, Reader &reader)
{
    Step step {kind, {}};
    for (int place = 0; place < numbers; place++) {
        step.places[place] = reader.thousandths();
    }
    return step;
}

TextMark text(Reader &reader, uint32_t &rgba)
{
    TextMark mark {};
    mark.x = reader.thousandths();
    mark.y = reader.thousandths();
    mark.width = reader.thousandths(0);
    mark.height = reader.thousandths(0);
    mark.rotation = reader.thousandths();
    mark.size = reader.thousandths(1);
    mark.alignment = reader.word();
    mark.direction = reader.word();
    rgba = reader.color();
    const size_t font = reader.count();
    const size_t length = reader.count();
    mark.font = reader.bytes(font);
    mark.text = reader.bytes(length);
    return mark;
}

PictureMark picture(Reader &reader)
{
    PictureMark mark {};
    mark.x = reader.thousandths();
    mark.y = reader.thousandths();
    mark.width = reader.thousandths(0);
    mark.height = reader.thousandths(0);
    mark.rotation = reader.thousandths();
    mark.number = reader.count();
    return mark;
}

/// Takes one line about what is on a page.
void take(std::string_view word, Reader &reader, Page &page, std::vector<Step> &path)
{
    if (word == "layer") {
        const double opacity = static_cast<double>(reader.number(0, 1000)) / 1000;
        page.layers.push_back({opacity, std::string(reader.word()), {}});
    } else if (word == "m") {
        path.push_back(step(Step::Kind::move, 2, reader));
    } else if (word == "l") {
        path.push_back(step(Step::Kind::line, 2, reader));
    } else if (word == "c") {
        path.push_back(step(Step::Kind::curve, 6, reader));
    } else if (word == "h") {
        path.push_back(step(Step::Kind::close, 0, reader));
    } else if (page.layers.empty()) {
        refuse();
    } else {
        Mark mark {Mark::Kind::fill, 0, 0, {}, {}, {}};
        if (word == "text") {
            mark.kind = Mark::Kind::text;
            mark.text = text(reader, mark.rgba);
        } else if (word == "picture") {
            mark.kind = Mark::Kind::picture;
            mark.picture = picture(reader);
        } else if (word == "fill" || word == "line") {
            mark.rgba = reader.color();
            if (word == "line") {
                mark.kind = Mark::Kind::line;
                mark.width = reader.thousandths(0);
            }
            mark.path.swap(path);
        } else {
            refuse();
        }
        page.layers.back().marks.push_back(std::move(mark));
    }
}

} // namespace

Request read_request(std::string_view bytes)
{
    Reader reader(bytes);
    Request request;
    std::vector<Step> path;
    reader.nextLine();
    reader.expect("sheet-export");
    reader.expect("2");
    while (true) {
        reader.nextLine();
        const std::string_view word = reader.word();
        if (word == "as") {
            request.asAnnotations = reader.word() == "annotations";
        } else if (word == "flatten") {
            request.isFlattened = true;
        } else if (word == "image") {
            request.images.push_back(reader.bytes(reader.count()));
        } else if (word == "keep") {
            request.kept.insert(reader.count());
        } else if (word == "field") {
            const size_t name = reader.count();
            const size_t value = reader.count();
            const std::string_view named = reader.bytes(name);
            request.values.push_back({std::string(named), std::string(reader.bytes(value))});
        } else if (word == "page") {
            const size_t index = reader.count();
            const double width = reader.thousandths(1);
            request.pages.push_back({index, width, reader.thousandths(1), {}});
        } else if (word == "pdf") {
            if (reader.count() != reader.remaining().size()) {
                refuse();
            }
            request.pdf = reader.remaining();
            return request;
        } else if (request.pages.empty()) {
            refuse();
        } else {
            take(word, reader, request.pages.back(), path);
        }
    }
}

} // namespace sheet_export
