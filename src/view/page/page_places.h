// The source documents of a recording, numbered for the page, and where each method begins.
#ifndef CLEW_VIEW_PAGE_PLACES_H
#define CLEW_VIEW_PAGE_PLACES_H

#include "base/map.h"
#include "model/catalog.h"
#include "model/sites.h"

#define PAGE_NO_DOCUMENT UINT32_MAX

struct page_place {
    uint32_t document; // PAGE_NO_DOCUMENT: unknown
    uint32_t line;     // of the method's first statement
};

// Zero-initialise. page_places_free() releases it.
struct page_places {
    const struct recording_document **documents; // those that differ in path or checksum
    uint32_t count;
    size_t room;
    struct map number_of;       // address of a recording_document: its number
    struct page_place *methods; // by index in catalog.methods; only canonical ones have a place
    uint32_t method_count;
};

// Finds the documents of all methods with sites. The places borrow from `sites`. NO_MEMORY.
enum clew_error page_places_find(struct page_places *places, const struct catalog *catalog, const struct sites *sites);
// The number of a document of these sites; PAGE_NO_DOCUMENT: unknown, or memory ran out.
uint32_t page_places_number(struct page_places *places, const struct recording_document *document);
// The number of a document that equals one of these sites; PAGE_NO_DOCUMENT: none does. Also for a document that does not live
// as long as the places.
uint32_t page_places_known(const struct page_places *places, const struct recording_document *document);
// The place of a canonical method.
struct page_place page_places_method(const struct page_places *places, uint32_t method);
void page_places_free(struct page_places *places);

#endif
