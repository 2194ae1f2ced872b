// Writes structs in Thrift's compact protocol (thrift.apache.org, "compact protocol"), which Parquet's metadata have. Fields
// must come with ascending numbers, at most 15 apart.
#ifndef CLEW_VIEW_EXPORT_THRIFT_H
#define CLEW_VIEW_EXPORT_THRIFT_H

#include "base/bytes.h"
#include "base/text.h"

// A struct that is being written. Begin with {.out = buffer}, and end with thrift_end().
struct thrift {
    struct buffer *out;
    uint32_t last; // number of its newest field
};

enum thrift_type { THRIFT_I32 = 5, THRIFT_I64 = 6, THRIFT_BINARY = 8, THRIFT_LIST = 9, THRIFT_STRUCT = 12 };

void thrift_i32(struct thrift *into, uint32_t field, int32_t value);
void thrift_i64(struct thrift *into, uint32_t field, int64_t value);
void thrift_text(struct thrift *into, uint32_t field, struct text text);
// Begins a field that is a struct, and returns it.
struct thrift thrift_struct(struct thrift *into, uint32_t field);
// Begins a list of `count` items. Items that are structs begin with {.out = into->out}; the others are thrift_item_...().
void thrift_list(struct thrift *into, uint32_t field, enum thrift_type items, uint32_t count);
void thrift_item_i32(struct thrift *into, int32_t value);
void thrift_item_text(struct thrift *into, struct text text);
void thrift_end(struct thrift *into);

#endif
