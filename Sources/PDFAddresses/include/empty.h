// SPDX-License-Identifier: Apache-2.0
/* What is in it is used from C++, which includes Addresses.h itself. */
