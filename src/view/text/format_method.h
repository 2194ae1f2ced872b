// Names of methods, as a view asks for them and as the terminal has room.
#ifndef CLEW_VIEW_FORMAT_METHOD_H
#define CLEW_VIEW_FORMAT_METHOD_H

#include "view/text/view.h"

// The name without its parameter list: "Shop.Cart.AddAsync (async)" for "Shop.Cart.AddAsync(int) (async)". `head` precedes
// the list, `tail` follows it.
void format_short_name(struct text name, struct text *head, struct text *tail);
// Writes a method's name in what is left of the terminal's width after `used` columns, as view->names asks. Where it does not
// fit, `(...)` first stands for the parameters, then `...` for the namespace and the outer types, as far as needed; then the
// parameters and at last the type are left out, the method never. Returns the columns written.
size_t format_method(const struct view *view, struct text name, size_t used);
// The columns that it takes at least.
size_t format_method_least(const struct view *view, struct text name);
// "async"; a kind that is not known is "method".
const char *format_kind(uint32_t kind);

#endif
