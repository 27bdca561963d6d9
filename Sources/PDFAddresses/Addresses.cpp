// SPDX-License-Identifier: Apache-2.0
// Judges texts that lead somewhere: addresses of links, and paths in metadata.
#include "Addresses.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace {

bool is_letter(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

bool is_letter_or_digit(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// `C:\…`, `C:/…` or `C|/…` at a place where no longer word ends.
bool is_drive(const std::string &text, size_t at)
{
    return at + 2 < text.size() && is_letter(text[at]) && (text[at + 1] == ':' || text[at + 1] == '|')
        && (text[at + 2] == '\\' || text[at + 2] == '/') && (at == 0 || !is_letter_or_digit(text[at - 1]));
}

/// A folder where people's own files lie, at the beginning of a path and not in the middle of a web address.
bool is_home(const std::string &text, size_t at)
{
    if (at > 0 && (is_letter_or_digit(text[at - 1]) || text[at - 1] == '.' || text[at - 1] == '-')) {
        return false;
    }
    for (const char *folder : { "/users/", "/home/", "/volumes/" }) {
        if (text.compare(at, std::char_traits<char>::length(folder), folder) == 0) {
            return true;
        }
    }
    return false;
}

} // namespace

pdf_address pdf_judge_address(const char *text, size_t length)
{
    std::string plain;
    for (size_t i = 0; i < length && plain.size() <= 64; i++) {
        // Readers skip white space and control characters in a scheme, and the 00 of UTF-16.
        const auto c = static_cast<unsigned char>(text[i]);
        if (c > 0x20 && c < 0x7f) {
            plain.push_back(static_cast<char>(std::tolower(c)));
        }
    }
    if (plain.rfind("\\\\", 0) == 0) {
        return pdf_address_external;
    }
    const size_t colon = plain.find(':');
    const size_t stop = plain.find_first_of("/?#");
    if (colon == std::string::npos || (stop != std::string::npos && stop < colon)) {
        return pdf_address_harmless;
    }
    const std::string scheme = plain.substr(0, colon);
    const bool isScheme = !scheme.empty() && is_letter(scheme[0])
        && std::all_of(scheme.begin(), scheme.end(),
                       [](char c) { return is_letter_or_digit(c) || c == '+' || c == '-' || c == '.'; });
    if (!isScheme || scheme == "http" || scheme == "https" || scheme == "mailto") {
        return pdf_address_harmless;
    }
    // "example.com:8080" is a host with a port.
    if (scheme.find('.') != std::string::npos) {
        return pdf_address_harmless;
    }
    return scheme == "javascript" || scheme == "vbscript" ? pdf_address_script : pdf_address_external;
}

bool pdf_names_private_path(const char *text, size_t length)
{
    std::string plain;
    plain.reserve(length);
    for (size_t i = 0; i < length; i++) {
        // Every other byte of UTF-16 is 0 in the letters that paths are looked for by.
        if (text[i] != 0) {
            plain.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(text[i]))));
        }
    }
    for (size_t at = 0; at < plain.size(); at++) {
        const char c = plain[at];
        if ((c == '/' && is_home(plain, at)) || is_drive(plain, at) || plain.compare(at, 8, "file:///") == 0
            || (c == '\\' && plain.compare(at, 2, "\\\\") == 0 && at + 2 < plain.size()
                && is_letter_or_digit(plain[at + 2]) && (at == 0 || plain[at - 1] != '\\'))) {
            return true;
        }
    }
    return false;
}

bool pdf_xfa_has_scripts(const char *xml, size_t length)
{
    const std::string_view text(xml, length);
    static constexpr std::string_view tag = "<script";
    const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
    return std::search(text.begin(), text.end(), tag.begin(), tag.end(), same) != text.end()
        || text.find(":script") != std::string_view::npos;
}
