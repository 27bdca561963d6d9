// SPDX-License-Identifier: Apache-2.0
// Actions: which are bad, and what stays of a chain when one is taken out.
#include "Cleaner.h"

// The header of a target beside this one, which no module shows to Swift.
#include "../PDFAddresses/Addresses.h"

#include <vector>

namespace cleaning {

namespace {

constexpr int longest_chain = 64;

} // namespace

/// Why an action must go, if it must.
std::optional<pdf_removed_kind> Cleaner::fault(Handle action)
{
    Handle kind = action.getKey("/S");
    Handle script = action.getKey("/JS");
    if (is_named(kind, "/JavaScript") || script.isString() || (script.isStream() && kind.isName())) {
        return pdf_removed_scripts;
    }
    if (!kind.isName()) {
        return std::nullopt;
    }
    const std::string name = kind.getName();
    if (name == "/Launch") {
        return pdf_removed_launches;
    }
    if (name == "/GoToR" || name == "/GoToE" || name == "/ImportData" || name == "/SubmitForm"
        || (name == "/Thread" && action.hasKey("/F"))) {
        return pdf_removed_external_actions;
    }
    if (name == "/RichMediaExecute" || name == "/Rendition" || name == "/Movie") {
        return pdf_removed_media;
    }
    if (name == "/URI" && action.getKey("/URI").isString()) {
        const std::string address = action.getKey("/URI").getStringValue();
        switch (pdf_judge_address(address.data(), address.size())) {
        case pdf_address_harmless:
            return std::nullopt;
        case pdf_address_external:
            return pdf_removed_external_actions;
        case pdf_address_script:
            return pdf_removed_scripts;
        }
    }
    return std::nullopt;
}

/// What stays of an action: itself, a later one of its chain, or nothing.
std::optional<QPDFObjectHandle> Cleaner::replacement(Handle action, int depth)
{
    if (!action.isDictionary() || depth > longest_chain) {
        return std::nullopt;
    }
    if (action.isIndirect()) {
        if (const auto known = judged.find(action.getObjGen()); known != judged.end()) {
            return known->second;
        }
        // A chain that bites its tail ends here.
        judged[action.getObjGen()] = std::nullopt;
    }
    std::optional<Handle> result = action;
    if (const auto reason = fault(action)) {
        count(*reason, action);
        result = cleanNext(action, depth);
    } else {
        cleanNext(action, depth);
    }
    if (action.isIndirect()) {
        judged[action.getObjGen()] = result;
    }
    return result;
}

/// Cleans what follows an action; the first action of what stays.
std::optional<QPDFObjectHandle> Cleaner::cleanNext(Handle action, int depth)
{
    if (!action.hasKey("/Next")) {
        return std::nullopt;
    }
    Handle next = action.getKey("/Next");
    std::vector<Handle> kept;
    if (next.isArray()) {
        for (Handle item : next.getArrayAsVector()) {
            if (const auto stays = replacement(item, depth + 1)) {
                kept.push_back(*stays);
            }
        }
    } else if (const auto stays = replacement(next, depth + 1)) {
        kept.push_back(*stays);
    }
    if (kept.empty()) {
        action.removeKey("/Next");
        return std::nullopt;
    }
    action.replaceKey("/Next", kept.size() == 1 ? kept.front() : Handle::newArray(kept));
    return kept.front();
}

void Cleaner::cleanAction(Handle holder, const std::string &key)
{
    Handle action = holder.getKey(key);
    // Destinations are arrays, names and strings.
    if (!action.isDictionary() || (!action.hasKey("/S") && !action.hasKey("/JS"))) {
        return;
    }
    if (const auto stays = replacement(action, 0)) {
        holder.replaceKey(key, *stays);
    } else {
        holder.removeKey(key);
    }
}

/// Where actions hang: on annotations, fields, outline items, pages and the catalog.
void Cleaner::cleanActions(Handle dictionary)
{
    for (const char *key : { "/A", "/PA", "/OpenAction" }) {
        if (dictionary.hasKey(key)) {
            cleanAction(dictionary, key);
        }
    }
    Handle more = dictionary.getKey("/AA");
    if (!more.isDictionary()) {
        return;
    }
    for (const std::string &key : more.getKeys()) {
        cleanAction(more, key);
    }
    if (more.getKeys().empty()) {
        dictionary.removeKey("/AA");
    }
}

} // namespace cleaning
