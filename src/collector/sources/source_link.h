// Source Link: the web addresses of a module's sources, from its PDB (PDB_CUSTOM_SOURCE_LINK). clew only shows the
// address, and fetches nothing. Source of facts: source-link.md of dotnet/designs.
#ifndef CLEW_COLLECTOR_SOURCE_LINK_H
#define CLEW_COLLECTOR_SOURCE_LINK_H

#include "base/bytes.h"
#include "base/text.h"

// Appends the address of a document, from the most specific entry of the map that fits its name. False, with nothing
// appended, if no entry fits or the map is malformed. out->failed is set when memory ran out.
bool source_link_find(struct bytes map, struct text document, struct buffer *out);

#endif
