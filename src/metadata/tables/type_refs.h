// Finds out whether a TypeRef is a class or a value type. Its row does not state it, but each signature that uses the type
// does, so no other module has to be loaded. UNKNOWN: no signature uses it.
#ifndef CLEW_METADATA_TYPE_REFS_H
#define CLEW_METADATA_TYPE_REFS_H

#include "metadata/tables/metadata.h"

enum type_ref_kind { TYPE_REF_UNKNOWN = 0, TYPE_REF_CLASS = 1, TYPE_REF_VALUE = 2 };

// Fills kinds[row], an enum type_ref_kind, for rows 0 to metadata_rows(metadata, TABLE_TYPE_REF): a walk over all
// signatures of the module.
void metadata_type_ref_kinds(const struct metadata *metadata, uint8_t *kinds);

#endif
