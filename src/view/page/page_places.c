// See page_places.h.
#include "view/page/page_places.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"

// Whether two documents, of several loads or processes, are one file.
static bool is_same(const struct recording_document *a, const struct recording_document *b)
{
    size_t size = bytes_left(&a->hash);
    return text_equal(a->path, b->path) && a->hash_kind == b->hash_kind && size == bytes_left(&b->hash) &&
           memcmp(a->hash.at, b->hash.at, size) == 0;
}

uint32_t page_places_known(const struct page_places *places, const struct recording_document *document)
{
    for (uint32_t number = 0; document && number < places->count; number++) {
        if (is_same(places->documents[number], document)) {
            return number;
        }
    }
    return PAGE_NO_DOCUMENT;
}

uint32_t page_places_number(struct page_places *places, const struct recording_document *document)
{
    uint64_t number, key = (uintptr_t)document;
    if (!document) {
        return PAGE_NO_DOCUMENT;
    }
    if (map_get(&places->number_of, key, &number)) {
        return (uint32_t)number;
    }
    number = page_places_known(places, document);
    if (number == PAGE_NO_DOCUMENT) {
        number = places->count;
        if (!array_grow(&places->documents, places->count, &places->room, sizeof(const struct recording_document *))) {
            return PAGE_NO_DOCUMENT;
        }
        places->documents[places->count++] = document;
    }
    return map_put(&places->number_of, key, number) ? (uint32_t)number : PAGE_NO_DOCUMENT;
}

// Notes where the method of a site begins, unless it is known.
static void find_place(struct page_places *places, const struct catalog *catalog, const struct sites *sites,
                       uint32_t process, uint32_t number)
{
    struct sites_statement first;
    uint32_t index = catalog_find_method(catalog, process, sites_method(sites, process, number));
    if (index == CATALOG_NONE || !sites_first_statement(sites, process, number, &first)) {
        return;
    }
    const struct catalog_method *method = &catalog->methods[index];
    CLEW_ASSERT(method->canonical < places->method_count);
    struct page_place *place = &places->methods[method->canonical];
    const struct site *site = place->document == PAGE_NO_DOCUMENT ? sites_site(sites, process, first.number) : NULL;
    if (site) {
        place->line = site->start_line;
        place->document =
            page_places_number(places, sites_document(sites, process, method->record.module, first.document));
    }
}

enum clew_error page_places_find(struct page_places *places, const struct catalog *catalog, const struct sites *sites)
{
    places->methods = calloc((size_t)catalog->method_count + 1, sizeof *places->methods);
    if (!places->methods) {
        return CLEW_NO_MEMORY;
    }
    places->method_count = catalog->method_count;
    for (uint32_t i = 0; i < places->method_count; i++) {
        places->methods[i].document = PAGE_NO_DOCUMENT;
    }
    for (uint32_t i = 0; i < catalog->process_count; i++) {
        uint32_t process = catalog->processes[i].process, count = sites_count(sites, process);
        for (uint32_t site = 0; site < count; site++) {
            find_place(places, catalog, sites, process, sites_number(sites, process, site));
        }
    }
    return CLEW_OK;
}

struct page_place page_places_method(const struct page_places *places, uint32_t method)
{
    return method < places->method_count ? places->methods[method] : (struct page_place){PAGE_NO_DOCUMENT, 0};
}

void page_places_free(struct page_places *places)
{
    free(places->documents);
    free(places->methods);
    map_free(&places->number_of);
    *places = (struct page_places){0};
}
