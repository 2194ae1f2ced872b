// Names of tuple items. The runtime's tuple types only number their items; compilers keep the names of the source in
// attributes and in PDBs. Agent, file and views pass the names of a whole type on as one text, its tuple names:
//
//     (Count,Name)      a tuple; an item without a name is empty
//     (a,b(c,d),e)      an item's name is followed by the tuple names of its type
//     <,(a,b)>          any other generic type: the tuple names of its arguments, here Dictionary<string, (int a, int b)>
//     !1                type of a field: the tuple names of argument 1 of the type that declares the field
//
// Arrays, pointers and references have the tuple names of their element type. A tuple of more than seven items has the
// others in an eighth, an unnamed tuple (ValueTuple`8). The empty text: no names.
#ifndef CLEW_TRACE_TUPLE_NAMES_H
#define CLEW_TRACE_TUPLE_NAMES_H

#include "base/text.h"

enum { TUPLE_ITEMS = 7 }; // items of a tuple type, without the eighth that holds further ones

// The name of an item, counted from 0. *own: the tuple names of the item's type. Both may be empty.
struct text tuple_names_item(struct text names, uint32_t item, struct text *own);
// The tuple names of a type argument, counted from 0.
struct text tuple_names_argument(struct text names, uint32_t argument);
// The tuple names of a field's type: `field` are those of its declaration, `holder` those of the declaring type's instance.
struct text tuple_names_of_field(struct text field, struct text holder);
// Removes the next name from the front of the text, at whatever depth; false when there are no more.
bool tuple_names_take(struct text *names, struct text *name);
// Whether a name can be part of such a text: it contains no mark and no blank.
bool tuple_names_fit(struct text name);

#endif
