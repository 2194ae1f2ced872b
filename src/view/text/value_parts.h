// What a struct consists of, as the source sees it: its fields, the items of a tuple, the value in a nullable.
#ifndef CLEW_VIEW_VALUE_PARTS_H
#define CLEW_VIEW_VALUE_PARTS_H

#include "view/text/value.h"
#include "view/text/value_content.h"

struct value_part {
    struct text name;
    char own_name[16]; // what `name` borrows where the recording has no such name
    uint32_t type;     // number
    bool from_source;  // a tuple's item that the source gives a name
    bool known;        // its type is known and its bytes are there: `content` is set
    bool redacted;     // left out for its name
    struct value_content content;
};

// Part `index`, counted from 0. False: there are not so many.
bool value_part_at(const struct values *values, const struct value_content *of, uint32_t index, struct value_part *out);
// The value in a nullable. False: it is null.
bool value_in_nullable(const struct values *values, const struct value_content *nullable, struct value_part *out);

#endif
