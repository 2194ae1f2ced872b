// Prints recorded values: primitives and similar structs as ToString() does under the invariant culture, strings as
// their text, enums as the names of their members. Other types are printed by name, since clew never runs the program's
// own ToString(). All functions append to a buffer, whose `failed` flag reports that memory ran out.
#ifndef CLEW_VIEW_VALUE_H
#define CLEW_VIEW_VALUE_H

#include "base/bytes.h"
#include "base/map.h"
#include "model/events/boxes.h"
#include "model/objects.h"
#include "model/sites.h"

// The tables in which values are looked up, for one event.
struct values {
    const struct sites *sites;
    struct objects *objects; // NULL: no object is known
    uint32_t process;
    const struct boxes *boxes; // as of the event; NULL: no box's contents are known
    uint32_t boxed;            // how many boxes surround the value
    struct map *settled;       // see value_uncertain(); NULL: none
};

// Writes a value on one line: line breaks become `
// ` and `\r`, a backslash `\\`. Used for JSON.
void value_text(struct buffer *into, const struct values *values, const struct site_value *value);
// The same with dates as in stories, for questions: "2024-12-31T23:59:59".
void value_asked(struct buffer *into, const struct values *values, const struct site_value *value);
// As value_text() without escapes of its own, as FOREIGN_VALUE (base/foreign.h) writes. Used by the format `lines`.
void value_line(struct buffer *into, const struct values *values, const struct site_value *value);
// The same for people. Strings and characters are quoted with C#'s escapes, dates are as in ISO 8601, and structs are written
// field by field.
// Objects are `Type #7`; an object of uncertain identity is `Type #12 (perhaps #7)` the first time.
void value_story(struct buffer *into, const struct values *values, const struct site_value *value);

// Writes a type's name as in C# with all namespaces imported: `Dictionary<string, (int, Point)[]>`, `int?`. A name that
// does not parse is copied.
void value_short_type(struct buffer *into, struct text name);

enum { VALUE_INDICES_MAX = 4 };
// The indices of the item at `position` in an array with several dimensions; returns how many they are, 0 for any other
// object and for items outside of its shape.
uint32_t value_indices(const struct values *values, uint32_t array, int32_t position,
                       int64_t indices[VALUE_INDICES_MAX]);

// The name of a value's type; for an object, of its actual type.
struct text value_type_name(const struct values *values, const struct site_value *value);
// The number of the object that a reference refers to; 0: null, no object, or the value is no reference.
uint32_t value_object(const struct site_value *value);
// Whether a reference was recorded whose bits referred to no object.
bool value_is_invalid(const struct site_value *value);
extern const char value_invalid_reason[];

// For an object of uncertain identity: the number of the earlier object that it may be (model/objects.h). 0: there is
// none, or value_settle() was called.
uint32_t value_uncertain(const struct values *values, uint32_t object);
// Ends the uncertainty about an object: it was mentioned already, or the object is known to be new. False: memory ran
// out.
bool value_settle(const struct values *values, uint32_t object);

// What is known about the box that a reference refers to.
enum value_box {
    VALUE_NO_BOX,    // it refers to no box, or to an unknown object
    VALUE_BOX,       // *out is the boxed value, to be looked up in *within; borrows from the event
    VALUE_BOX_LARGE, // its contents were too large to record
    VALUE_BOX_UNREAD // its contents were not recorded
};
enum value_box value_in_box(const struct values *values, const struct site_value *value, struct values *within,
                            struct site_value *out);
// The reason why the contents of a LARGE or UNREAD box are missing.
const char *value_box_reason(enum value_box kind);

// Makes field `index` of a struct (also of one in a nullable) a value of its own. Items of tuples are in the order of
// the source. The field's bytes and name are copied into `bytes`; `out` and `name` borrow them. The encoding is
// VALUE_NONE if the field's type is unknown or the field is redacted. False: the struct has no such field, or the value
// is printed as a whole (dates, numbers, null).
bool value_field(const struct values *values, const struct site_value *of, uint32_t index, struct buffer *bytes,
                 struct text *name, struct site_value *out);

// Follows a path of field names such as `Inner.Count`; an empty path gives the value itself. `out` borrows from one of
// `bytes`. False: there is no such field.
bool value_part(const struct values *values, const struct site_value *of, struct text path, struct buffer bytes[2],
                struct site_value *out);

#endif
