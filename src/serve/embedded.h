// The page that is built into this program (ui/dist/page.html), and its policy.
#ifndef CLEW_SERVE_EMBEDDED_H
#define CLEW_SERVE_EMBEDDED_H

#include "base/text.h"

// The page as it was built, without data.
struct text embedded_page(void);

// Appends the value of Content-Security-Policy for a page: nothing comes from elsewhere, and only those scripts run that
// are in the page as built. Their hashes are SHA-256 of the elements' contents (CSP Level 3, "Script directives").
void embedded_policy(struct buffer *into, struct text page);

// Finds the content of the element that data is put into: `id="clew-data"`. False: the page has none.
bool embedded_data_place(struct text page, struct text *before, struct text *after);

#endif
