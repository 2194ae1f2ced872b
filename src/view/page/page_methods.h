// The methods of a document: each gets an index on first use, which the document's columns refer to.
#ifndef CLEW_VIEW_PAGE_METHODS_H
#define CLEW_VIEW_PAGE_METHODS_H

#include "view/page/page_recording.h"

#define PAGE_NO_METHOD UINT32_MAX

// Zero-initialise, then page_methods_begin(). page_methods_free() releases it.
struct page_methods {
    const struct model *model;
    const struct page_places *places; // where they begin
    uint32_t *index_of;               // by index in catalog.methods
    uint32_t *list;                   // indexes in catalog.methods; CATALOG_NONE: the pseudo-method "(small)"
    uint32_t count, small;
};

// `model`: the page's own, or one that was loaded from the same recording.
enum clew_error page_methods_begin(struct page_methods *methods, struct page *page, const struct model *model);
// The index of a method of a process; definitions of the same method share one. PAGE_NO_METHOD: not defined.
uint32_t page_methods_use(struct page_methods *methods, uint32_t process, uint32_t method);
// The index of "(small)", which has what was too small to be listed.
uint32_t page_methods_small(struct page_methods *methods);
// Writes the member `methods`.
void page_methods_write(const struct page_methods *methods, struct json *json);
void page_methods_free(struct page_methods *methods);

#endif
