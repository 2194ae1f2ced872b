// Splits a method's name as reports print it: `Shop.Cart<T>.Add<U>(int, string) (async)`.
#ifndef CLEW_MODEL_NAME_H
#define CLEW_MODEL_NAME_H

#include "base/text.h"

// The four parts, concatenated, are the whole name. They borrow from it.
struct name_parts {
    struct text owner;      // "Shop.Cart<T>.": namespace and types, each followed by its dot
    struct text method;     // "Add<U>", ".ctor", "Count.get", "Main.lambda#1"
    struct text parameters; // "(int, string)"; empty: the name has no parameter list
    struct text kind;       // " (async)"; empty: none
};
struct name_parts name_parts(struct text name);

// Removes the owner's first component with its dot: "Shop.Cart<T>." becomes "Cart<T>.".
void name_drop_component(struct text *owner);

#endif
