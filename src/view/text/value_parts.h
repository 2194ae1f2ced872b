// The parts of a struct as the source sees them: fields, items of a tuple, the value in a nullable.
#ifndef CLEW_VIEW_VALUE_PARTS_H
#define CLEW_VIEW_VALUE_PARTS_H

#include "view/text/value.h"
#include "view/text/value_content.h"

// One part, borrowed from the struct.
struct value_part {
    struct text name;
    char own_name[16]; // holds a name such as Item9, which the recording does not have
    uint32_t type;     // number of the type
    bool from_source;  // the declaration names this item of a tuple
    bool known;        // the type and all bytes are known: `content` is set
    bool redacted;     // left out because of its name (--redact)
    struct value_content content;
};

// Reads part `index`, from 0. False: there is no such part.
bool value_part_at(const struct values *values, const struct value_content *of, uint32_t index, struct value_part *out);
// Reads the value in a nullable. False: it is null.
bool value_in_nullable(const struct values *values, const struct value_content *nullable, struct value_part *out);

#endif
