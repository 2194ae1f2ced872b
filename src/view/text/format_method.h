// Prints names of methods as view->names asks, and shortens them to fit the terminal.
#ifndef CLEW_VIEW_FORMAT_METHOD_H
#define CLEW_VIEW_FORMAT_METHOD_H

#include "view/text/view.h"

// Splits a name around its parameter list: for "Shop.Cart.AddAsync(int) (async)", `head` is "Shop.Cart.AddAsync" and
// `tail` is " (async)". Both borrow from `name`.
void format_short_name(struct text name, struct text *head, struct text *tail);
// Prints a method's name in the space that is left on the terminal's line after `used` columns. A name that does not
// fit is shortened step by step: the parameters become `(...)`; the namespace and then outer types become `...`; the
// parameters are dropped; at last the type is dropped. The method's own name is never cut. Returns the number of
// columns printed.
size_t format_method(const struct view *view, struct text name, size_t used);
// The smallest number of columns that format_method() can shorten the name to.
size_t format_method_least(const struct view *view, struct text name);
// The word for an enum method_kind, such as "async"; "method" for an unknown one.
const char *format_kind(uint32_t kind);

#endif
