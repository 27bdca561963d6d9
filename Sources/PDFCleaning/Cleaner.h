// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "include/PDFCleaning.h"

#include <qpdf/QPDF.hh>
#include <qpdf/QPDFObjGen.hh>
#include <qpdf/QPDFObjectHandle.hh>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

namespace cleaning {

/// There is more than a sheet can need.
struct TooComplex : std::runtime_error {
    TooComplex() : std::runtime_error("too complex") { }
};

/// Edits a document in place.
class Cleaner {
public:
    explicit Cleaner(QPDF &pdf) : pdf(pdf) { }

    void run();

    const std::array<uint32_t, pdf_removed_kinds> &removed() const { return counts; }

private:
    using Handle = QPDFObjectHandle;

    QPDF &pdf;
    std::array<uint32_t, pdf_removed_kinds> counts {};
    int64_t nodes = 0;
    bool removesXFA = false;
    /// Actions that were judged, by object: what takes their place, if anything.
    std::map<QPDFObjGen, std::optional<Handle>> judged;
    std::set<QPDFObjGen> counted;

    template<typename Step>
    void everywhere(Step step);
    template<typename Step>
    void visit(Handle object, int depth, Step &step);

    void count(pdf_removed_kind kind, Handle thing);
    void remove(Handle dictionary, const char *key, pdf_removed_kind kind);

    void cleanCatalog();
    void countScripts(Handle form);
    void cleanInfo();
    void cleanDictionary(Handle dictionary);
    void cleanStream(Handle stream);
    void cleanAnnotations(Handle annotations);
    bool isCarrier(Handle annotation);
    void empty(Handle dictionary);

    void cleanActions(Handle dictionary);
    void cleanAction(Handle holder, const std::string &key);
    std::optional<Handle> replacement(Handle action, int depth);
    std::optional<Handle> cleanNext(Handle action, int depth);
    std::optional<pdf_removed_kind> fault(Handle action);
};

bool is_named(QPDFObjectHandle object, const char *name);
bool names_private_path(QPDFObjectHandle stream);

} // namespace cleaning
