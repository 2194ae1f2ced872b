// What the source calls the items of tuples, whose types have but numbers for them. One text says it of a whole type:
//
//     (Count,Name)      of a tuple; an item without a name is empty
//     (a,b(c,d),e)      behind an item's name what there is to say of its own type
//     <,(a,b)>          of any other generic type, by its arguments: of Dictionary<string, (int a, int b)>
//     !1                of the type of a field: what is said of argument 1 of the type that the field is in
//
// Arrays, pointers and references have the text of what they hold. Behind seven items the eighth is the tuple of all
// others, without a name. Nothing to say is the empty text.
#ifndef CLEW_TRACE_TUPLE_NAMES_H
#define CLEW_TRACE_TUPLE_NAMES_H

#include "base/text.h"

enum { TUPLE_ITEMS = 7 }; // that a tuple's type has itself

// The name of an item, counted from 0, and what is said of its type. Both are empty where nothing is.
struct text tuple_names_item(struct text names, uint32_t item, struct text *own);
// What is said of a type argument, counted from 0.
struct text tuple_names_argument(struct text names, uint32_t argument);
// What is said of a field's type within a type of which `holder` is said, where `field` is said of the field.
struct text tuple_names_of_field(struct text field, struct text holder);
// Takes the next name off that stands anywhere in the text, whatever it is the name of; false at the end.
bool tuple_names_take(struct text *names, struct text *name);
// Whether a name can stand in such a text.
bool tuple_names_fit(struct text name);

#endif
