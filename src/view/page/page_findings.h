// What to look at first: sentences by the rules that doc/serve.md lists.
#ifndef CLEW_VIEW_PAGE_FINDINGS_H
#define CLEW_VIEW_PAGE_FINDINGS_H

#include "view/page/page_recording.h"

// Writes the member `findings`.
enum clew_error page_findings(const struct model *model, struct json *json);

#endif
