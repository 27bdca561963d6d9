// SPDX-License-Identifier: Apache-2.0
/* C++ targets include cairo's headers themselves. */
