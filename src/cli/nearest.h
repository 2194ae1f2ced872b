// Names near a pattern that matched nothing that ran: what its writer may have meant.
#ifndef CLEW_CLI_NEAREST_H
#define CLEW_CLI_NEAREST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
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
    struct buffer glob;    // what the names are compared with
    uint32_t methods_left; // to be looked at; more would take too long
};

// Begins a search for names like the glob. nearest_init_asked(): like one that a user typed as a pattern of methods
// (model/pattern.h), before whose name anything may come.
void nearest_init(struct nearest *nearest, struct text glob);
void nearest_init_asked(struct nearest *nearest, struct text asked);
void nearest_free(struct nearest *nearest);

// Looks at the module in the file, its types and its methods. A file that holds no module has none.
void nearest_add_module(struct nearest *nearest, const char *path);
// Looks at a name as reports print it, without parameters.
void nearest_add_name(struct nearest *nearest, struct text name);
// Whether `asked`, without its assembly, chooses any method of the module of that file.
bool nearest_module_has(struct text asked, const char *path);

// What it costs to make `name` match: 2 for a letter more, less or another, 1 for one of the other case; UINT32_MAX when
// that is more than `most`, or one of them is too long to be compared.
uint32_t nearest_cost(struct text name, struct text glob, uint32_t most);

#endif
