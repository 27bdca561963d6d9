// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "include/PDFObjects.h"

#include <GlobalParams.h>
#include <PDFDoc.h>

#include <memory>
#include <new>

struct pdf_document {
    std::unique_ptr<PDFDoc> doc;
};

namespace pdf {

/// Runs a step; out of memory becomes a status, and so does anything else that is thrown.
template<typename Step>
pdf_status guarded(Step step)
{
    try {
        return step();
    } catch (const std::bad_alloc &) {
        return pdf_no_memory;
    } catch (...) {
        return pdf_damaged;
    }
}

/// A page by its index from 0, or null.
inline Page *page_at(pdf_document *document, int32_t index)
{
    return document->doc->getPage(index + 1);
}

/// The factor that user space is enlarged by; 1 unless the page says otherwise.
double user_unit(pdf_document *document, Page *page);

} // namespace pdf
