// Values as text: what invariant-culture ToString() prints for primitives and primitive-like structs, the text of strings,
// the names of enum members. Types without such a text print their name: the program's own ToString is never run.
#ifndef CLEW_VIEW_VALUE_H
#define CLEW_VIEW_VALUE_H

#include "base/bytes.h"
#include "base/map.h"
#include "model/boxes.h"
#include "model/objects.h"
#include "model/sites.h"

// Where values are looked up.
struct values {
    const struct sites *sites;
    struct objects *objects; // NULL: no object is known
    uint32_t process;
    const struct boxes *boxes; // as the event found them; NULL: nothing is known of what is in any
    uint32_t boxed;            // how many boxes the value is in
    struct map *settled;       // see value_uncertain(); NULL: nothing is
};

// The text of one value, on one line: line breaks are `\n` and `\r`, a backslash is `\\`.
void value_text(struct buffer *into, const struct values *values, const struct site_value *value);
// The same for what has no escapes of its own: as FOREIGN_VALUE (base/foreign.h) writes it.
void value_line(struct buffer *into, const struct values *values, const struct site_value *value);
// The same for people: strings and characters in quotes, with C#'s escapes; objects as `Type #7`, the first time as
// `Type #12 (perhaps #7)` where that may be the same, structs field by field.
void value_story(struct buffer *into, const struct values *values, const struct site_value *value);

// A type's name as C# writes it where all namespaces are open: `Dictionary<string, (int, Point)[]>`, `int?`. What does not
// read as a type's name stays as it is.
void value_short_type(struct buffer *into, struct text name);

// The name of the value's type: of an object what it really is.
struct text value_type_name(const struct values *values, const struct site_value *value);
// The object that a reference names; 0: null, no object, or the value is no reference.
uint32_t value_object(const struct site_value *value);
// Whether it should be a reference, but its bits referred to no object.
bool value_is_invalid(const struct site_value *value);
extern const char value_invalid_reason[];

// The number of an earlier object that this one perhaps is (model/objects.h); 0: of none, or that is settled.
uint32_t value_uncertain(const struct values *values, uint32_t object);
// From here on nothing is said about who the object perhaps is: it was said, or it is known to be new. False: no memory.
bool value_settle(const struct values *values, uint32_t object);

// What is in the box that a reference leads to.
enum value_box {
    VALUE_NO_BOX,    // it leads to no box, or nobody knows to what
    VALUE_BOX,       // *out is its value, which borrows from the event; to be looked up in *within
    VALUE_BOX_LARGE, // more than is recorded
    VALUE_BOX_UNREAD // nothing was told of it
};
enum value_box value_in_box(const struct values *values, const struct site_value *value, struct values *within,
                            struct site_value *out);
// Why a LARGE or UNREAD one is not there.
const char *value_box_reason(enum value_box kind);

// Field `index` of a struct, of the struct in a nullable too, as a value of its own, items of tuples as the source sees them:
// its bytes and its name are copied into `bytes`, which `out` and `name` borrow; VALUE_NONE where its type is not known or its
// name leaves it out. False: there are no so many, or the value reads as a whole (dates, numbers, null).
bool value_field(const struct values *values, const struct site_value *of, uint32_t index, struct buffer *bytes,
                 struct text *name, struct site_value *out);

// The field of a field and so on that a path of names leads to, as in `Inner.Count`; the value itself by the empty path. `out`
// borrows one of `bytes`. False: there is no such field.
bool value_part(const struct values *values, const struct site_value *of, struct text path, struct buffer bytes[2],
                struct site_value *out);

#endif
