// SPDX-License-Identifier: Apache-2.0
/* poppler's C++ core has no C header; C++ targets include its headers themselves. */
