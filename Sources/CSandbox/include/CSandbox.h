#pragma once
int sandbox_placeholder(void);
