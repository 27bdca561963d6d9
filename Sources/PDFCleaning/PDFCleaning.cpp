// SPDX-License-Identifier: Apache-2.0
#include "Cleaner.h"

#include <qpdf/Buffer.hh>
#include <qpdf/QPDFExc.hh>
#include <qpdf/QPDFWriter.hh>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace {

/// Nothing in it depends on the clock, on chance or on a name: what is kept is kept as it was written.
std::shared_ptr<Buffer> written(QPDF &pdf)
{
    QPDFWriter writer(pdf);
    writer.setOutputMemory();
    writer.setStreamDataMode(qpdf_s_preserve);
    writer.setObjectStreamMode(qpdf_o_preserve);
    writer.setPreserveEncryption(false);
    writer.setDeterministicID(true);
    writer.write();
    return writer.getBufferSharedPointer();
}

pdf_cleaning_status clean(const uint8_t *bytes, size_t length, size_t maximum_length, pdf_clean_copy *copy)
{
    QPDF pdf;
    pdf.setSuppressWarnings(true);
    pdf.processMemoryFile("file", reinterpret_cast<const char *>(bytes), length);
    cleaning::Cleaner cleaner(pdf);
    cleaner.run();
    std::copy(cleaner.removed().begin(), cleaner.removed().end(), copy->removed);
    const std::shared_ptr<Buffer> result = written(pdf);
    if (result->getSize() > maximum_length) {
        return pdf_cleaning_too_large;
    }
    copy->bytes = static_cast<uint8_t *>(std::malloc(std::max<size_t>(result->getSize(), 1)));
    if (!copy->bytes) {
        return pdf_cleaning_no_memory;
    }
    copy->length = result->getSize();
    std::memcpy(copy->bytes, result->getBuffer(), copy->length);
    return pdf_cleaning_ok;
}

} // namespace

pdf_cleaning_status sheet_make_clean_copy(const uint8_t *bytes, size_t length, size_t maximum_length, pdf_clean_copy *copy)
{
    *copy = pdf_clean_copy {};
    try {
        return clean(bytes, length, maximum_length, copy);
    } catch (const std::bad_alloc &) {
        return pdf_cleaning_no_memory;
    } catch (const cleaning::TooComplex &) {
        return pdf_cleaning_too_complex;
    } catch (const QPDFExc &error) {
        return error.getErrorCode() == qpdf_e_password ? pdf_cleaning_encrypted : pdf_cleaning_damaged;
    } catch (...) {
        return pdf_cleaning_damaged;
    }
}
