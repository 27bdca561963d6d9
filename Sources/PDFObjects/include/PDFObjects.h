#pragma once
#ifdef __cplusplus
extern "C" {
#endif
int pdf_objects_placeholder(void);
#ifdef __cplusplus
}
#endif
