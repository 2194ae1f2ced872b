// The parameters of a document, from the part of an address behind its '?'.
#ifndef CLEW_VIEW_PAGE_QUERY_H
#define CLEW_VIEW_PAGE_QUERY_H

#include "base/text.h"

enum { PAGE_PARAMETERS_MAX = 16 };

// Parameters with their percent-encoding resolved. Zero-initialise; page_query_free() releases it.
struct page_query {
    struct {
        struct text key, value;
    } list[PAGE_PARAMETERS_MAX];
    uint32_t count;
    struct buffer decoded; // the list's texts
};

// Parses "a=1&b=x%20y"; an empty text has no parameters. False: too many parameters, one without '=', one given twice,
// or a '%' that two hexadecimal digits do not follow.
bool page_query_parse(struct page_query *query, struct text text);
void page_query_free(struct page_query *query);

// Whether the parameter is there; *out is its value.
bool page_query_text(const struct page_query *query, const char *key, struct text *out);
// A whole number. Returns `otherwise` if there is no such parameter. Sets *bad if it is no number up to `most`.
uint64_t page_query_number(const struct page_query *query, const char *key, uint64_t otherwise, uint64_t most,
                           bool *bad);
// Takes a decimal number off the front of a text. False: there is none, or it exceeds 64 bits.
bool page_query_digits(struct text *text, uint64_t *out);
// Whether a text that a client sent is a recorded one as the client knows it: JSON has U+FFFD for each malformed byte.
bool page_query_means(struct text sent, struct text recorded);
// The first parameter that is not among the words of `keys`, which blanks separate; NULL: all are.
const struct text *page_query_unknown(const struct page_query *query, const char *keys);

#endif
