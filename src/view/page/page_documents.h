// The documents of the room, one file each. doc/serve.md defines them.
#ifndef CLEW_VIEW_PAGE_DOCUMENTS_H
#define CLEW_VIEW_PAGE_DOCUMENTS_H

#include "view/page/page_recording.h"

page_write page_session, page_changes, page_tree, page_files, page_source, page_story, page_call, page_runs,
    page_timeline, page_strip, page_variables, page_values;

// `report` is a whole object that other code writes, so it gets the stream.
enum clew_error page_report(struct page *page, const struct page_query *query, FILE *out, struct page_answer *answer);

#endif
