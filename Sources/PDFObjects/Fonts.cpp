// SPDX-License-Identifier: Apache-2.0
// The fonts of the machine, for texts whose fonts a sheet does not carry.
#include "Document.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fontconfig/fontconfig.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

const char rules_folder[] = "/etc/fonts/conf.d";

/// By convention 30 to 64 say which family stands in for which; what comes before and after them is about drawing on
/// screens and about scripts, and takes longer to read than all else. The fonts of a home are no part of a reading.
bool is_wanted(const std::string &name)
{
    const bool isPlain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return std::isalnum(c) || c == '-' || c == '_' || c == '.';
    });
    return isPlain && name.size() > 8 && name.ends_with(".conf") && name >= "30" && name < "65" && name != "50-user.conf";
}

/// Longest file of rules, in bytes.
constexpr std::streamoff maximum_rules = 1 << 20;

/// What a file holds; nothing of what is no file or too long.
std::string content(const std::string &path)
{
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    const std::streamoff length = file ? static_cast<std::streamoff>(file.tellg()) : -1;
    if (length <= 0 || length > maximum_rules) {
        return {};
    }
    std::string text(static_cast<size_t>(length), '\0');
    file.seekg(0).read(text.data(), length);
    return file ? text : std::string();
}

/// The wanted rules in their order, each as it stands in its file.
std::vector<std::string> wanted_rules()
{
    std::vector<std::string> names;
    if (DIR *folder = opendir(rules_folder)) {
        while (const dirent *entry = readdir(folder)) {
            if (is_wanted(entry->d_name)) {
                names.emplace_back(entry->d_name);
            }
        }
        closedir(folder);
    }
    std::sort(names.begin(), names.end());
    std::vector<std::string> rules;
    for (const std::string &name : names) {
        // That one only includes the operator's own, where there are any.
        if (name == "51-local.conf" && access("/etc/fonts/local.conf", R_OK) != 0) {
            continue;
        }
        if (std::string rule = content(std::string(rules_folder) + "/" + name); !rule.empty()) {
            rules.push_back(std::move(rule));
        }
    }
    return rules;
}

/// Whether a rule counts for which fonts there are, or names further files, which the sandbox does not open.
bool is_needed_at_once(const std::string &rule)
{
    const auto holds = [&](const char *part) { return rule.find(part) != std::string::npos; };
    return holds("<include") || holds("<dir") || holds("<cachedir") || holds("<selectfont") || holds("scan");
}

/// What fontconfig has not been told yet. Most sheets carry their fonts, and to understand the rules takes as long as a
/// thirtieth of a small sheet.
std::vector<std::string> rules_to_come;

/// What is called instead of looking for a font, when none were prepared.
void (*on_lack)() = nullptr;

FcBool take_in(FcConfig *config, const std::string &rules)
{
    return FcConfigParseAndLoadFromMemory(config, reinterpret_cast<const FcChar8 *>(rules.c_str()), FcTrue);
}

std::string same_family(const char *alias, const char *family)
{
    return std::string("<match target=\"pattern\"><test qual=\"any\" name=\"family\"><string>") + alias
        + "</string></test><edit name=\"family\" mode=\"assign\" binding=\"same\"><string>" + family
        + "</string></edit></match>";
}

/// What the machine's own configuration says that matters here, its rules still to come; null where it is not laid out as usual.
FcConfig *short_configuration()
{
    std::vector<std::string> rules = wanted_rules();
    if (rules.empty() || getenv("FONTCONFIG_FILE") || getenv("FONTCONFIG_PATH") || getenv("FONTCONFIG_SYSROOT")) {
        return nullptr;
    }
    std::string text = "<?xml version=\"1.0\"?><!DOCTYPE fontconfig SYSTEM \"urn:fontconfig:fonts.dtd\"><fontconfig>"
                       "<dir>/usr/share/fonts</dir><dir>/usr/local/share/fonts</dir>"
                       "<cachedir>/var/cache/fontconfig</cachedir><cachedir prefix=\"xdg\">fontconfig</cachedir>";
    text += same_family("mono", "monospace") + same_family("sans serif", "sans-serif") + same_family("sans", "sans-serif");
    text += "</fontconfig>";
    FcConfig *config = FcConfigCreate();
    if (!config) {
        return nullptr;
    }
    bool isTaken = take_in(config, text);
    if (std::any_of(rules.begin(), rules.end(), is_needed_at_once)) {
        for (const std::string &rule : std::exchange(rules, {})) {
            isTaken = isTaken && take_in(config, rule);
        }
    }
    if (isTaken && FcConfigBuildFonts(config)) {
        rules_to_come = std::move(rules);
        return config;
    }
    FcConfigDestroy(config);
    return nullptr;
}

} // namespace

/// The first that poppler asks of fontconfig for a stand-in, and a program's own function comes before that of a library. It
/// takes in the rules that are still to come, and passes on to fontconfig's.
FcBool FcConfigSubstitute(FcConfig *config, FcPattern *pattern, FcMatchKind kind)
{
    if (on_lack) {
        on_lack();
    }
    for (const std::string &rule : std::exchange(rules_to_come, {})) {
        take_in(FcConfigGetCurrent(), rule);
    }
    static const auto next = reinterpret_cast<decltype(&FcConfigSubstitute)>(dlsym(RTLD_NEXT, "FcConfigSubstitute"));
    return next ? next(config, pattern, kind) : FcFalse;
}

bool pdf_may_name_standard_font(const char *bytes, size_t count)
{
    constexpr std::string_view key = "/BaseFont";
    const std::string_view all(bytes, count);
    if (all.find("/ObjStm") != all.npos) {
        return true;
    }
    for (size_t at = all.find(key); at != all.npos; at = all.find(key, at + 1)) {
        const size_t start = all.find_first_not_of(" \t\r\n/", at + key.size());
        for (const std::string_view family : { "Helvetica", "Times", "Courier", "Symbol", "ZapfDingbats" }) {
            if (start == all.npos || !all.substr(start).starts_with(family)) {
                continue;
            }
            const size_t end = start + family.size();
            if (end == all.size() || !std::isalnum(static_cast<unsigned char>(all[end]))) {
                return true;
            }
        }
    }
    return false;
}

void pdf::do_without_fonts(void (*lacking)())
{
    on_lack = lacking;
}

void pdf::prepare_fonts(void (*keep)(const char *path))
{
    FcConfig *config = short_configuration();
    if (!config) {
        config = FcInitLoadConfigAndFonts();
    }
    if (!config) {
        return;
    }
    FcConfigSetCurrent(config);
    // Without this fontconfig looks at the disk again after 30 seconds, which the sandbox forbids.
    FcConfigSetRescanInterval(config, 0);
    std::vector<std::string> paths;
    if (const FcFontSet *fonts = FcConfigGetFonts(config, FcSetSystem)) {
        for (int i = 0; i < fonts->nfont; i++) {
            FcChar8 *path = nullptr;
            if (FcPatternGetString(fonts->fonts[i], FC_FILE, 0, &path) == FcResultMatch && path) {
                paths.emplace_back(reinterpret_cast<const char *>(path));
            }
        }
    }
    std::sort(paths.begin(), paths.end());
    paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
    for (const std::string &path : paths) {
        keep(path.c_str());
    }
}
