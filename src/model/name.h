// The parts of a method's name as it is printed: `Shop.Cart<T>.Add<U>(int, string) (async)`.
#ifndef CLEW_MODEL_NAME_H
#define CLEW_MODEL_NAME_H

#include "base/text.h"

// One behind the other they are the whole name.
struct name_parts {
    struct text owner;      // "Shop.Cart<T>.": namespace and types, each with the dot behind it
    struct text method;     // "Add<U>", ".ctor", "Count.get", "Main.lambda#1"
    struct text parameters; // "(int, string)"; empty: the name has no list
    struct text kind;       // " (async)"; empty: none
};
struct name_parts name_parts(struct text name);

// Takes the first of the owner's components off, with its dot: "Cart<T>." is left of "Shop.Cart<T>.".
void name_drop_component(struct text *owner);

#endif
