#include "PDFObjects.h"
extern "C" int pdf_objects_placeholder(void) { return 0; }
