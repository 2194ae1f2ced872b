// Names near a pattern that matched nothing that ran: what its writer may have meant.
#ifndef CLEW_CLI_NEAREST_H
#define CLEW_CLI_NEAREST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum { NEAREST_MAX = 8 };

// The closest first, and none more than twice as far as that. Names are NUL-terminated, as one would type them: '[Shop]*', '[Shop]Shop.Cart.*',
// '[Shop]Shop.Cart.Add'.
struct nearest {
    struct {
        uint32_t cost; // of the edits that make it match; 0: it does
        char *name;
    } names[NEAREST_MAX];
    uint32_t count;
    uint32_t methods_left; // to be looked at; more would take too long
};

void nearest_init(struct nearest *nearest);
void nearest_free(struct nearest *nearest);

// Looks at the module of that file, its types and its methods. A file that is no module has none.
void nearest_add_module(struct nearest *nearest, struct text glob, const char *path);

// Looks at a name that is printed without parameters.
void nearest_add_name(struct nearest *nearest, struct text glob, struct text name);
// Appends the glob that is to be looked for where `asked` (model/pattern.h) was: any beginning may stand before a name.
void nearest_glob(struct buffer *into, struct text asked);
// Whether `asked`, without its assembly, chooses any method of the module of that file.
bool nearest_module_has(struct text asked, const char *path);

// What it costs to make `name` match: 2 for a letter more, less or another, 1 for one of the other case; UINT32_MAX when
// that is more than `most`, or one of them is too long to be compared.
uint32_t nearest_cost(struct text name, struct text glob, uint32_t most);

#endif
