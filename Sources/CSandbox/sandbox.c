#include "CSandbox.h"
int sandbox_placeholder(void) { return 0; }
