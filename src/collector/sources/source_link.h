// Source Link: where on the network the sources of a module are, as its PDB says (PDB_CUSTOM_SOURCE_LINK). clew only tells
// the address; it fetches nothing.
// Source of facts: source-link.md of dotnet/designs.
#ifndef CLEW_COLLECTOR_SOURCE_LINK_H
#define CLEW_COLLECTOR_SOURCE_LINK_H

#include "base/bytes.h"
#include "base/text.h"

// Appends the address of a document, by the most specific of the map's entries that fits its name. False, with nothing
// appended, when none does or the map cannot be read; out->failed tells when memory ran out instead.
bool source_link_find(struct bytes map, struct text document, struct buffer *out);

#endif
