// SPDX-License-Identifier: Apache-2.0
#include "Document.h"

#include <Annot.h>
#include <Catalog.h>
#include <Form.h>
#include <Stream.h>

#include <algorithm>
#include <string_view>

bool pdf::paints(Annot *annotation, void *document)
{
    const Object appearance = annotation->getType() == Annot::typeWidget ? annotation->getAppearance() : Object(objNull);
    const Form *form = appearance.isStream() ? static_cast<pdf_document *>(document)->doc->getCatalog()->getForm() : nullptr;
    // Poppler makes an appearance of its own where there is none and where the form asks for it.
    if (!appearance.isStream() || (form && form->getNeedAppearances())) {
        return true;
    }
    uint8_t bytes[64];
    Stream *stream = appearance.getStream();
    stream->reset();
    const int count = stream->doGetChars(sizeof bytes, bytes);
    stream->close();
    if (count < 0 || count == sizeof bytes) {
        return true;
    }
    const uint8_t *end = std::remove_if(bytes, bytes + count, [](uint8_t c) { return c <= ' '; });
    return std::string_view(reinterpret_cast<const char *>(bytes), static_cast<size_t>(end - bytes)) != "/TxBMCEMC";
}
