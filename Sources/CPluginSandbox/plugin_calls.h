// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A descriptor of the filter of system calls as bubblewrap takes it, open across exec, or -1.
int plugin_calls_filter(void);
