// Finds names that are similar to a pattern that matched nothing, to suggest what its author may have meant.
#ifndef CLEW_CLI_NEAREST_H
#define CLEW_CLI_NEAREST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/text.h"

enum { NEAREST_MAX = 8 };

// The best names so far, nearest first; none is more than twice as far away as the first. Names are NUL-terminated, in
// the form in which a user types them: '[Shop]*', '[Shop]Shop.Cart.*', '[Shop]Shop.Cart.Add'.
struct nearest {
    struct {
        uint32_t cost; // of the edits that make it match; 0: it matches
        char *name;
    } names[NEAREST_MAX];
    uint32_t count;
    struct buffer glob;    // the pattern
    uint32_t methods_left; // how many methods may still be compared, to limit the time
};

// Begin a search. nearest_init() takes a glob; nearest_init_asked() takes a pattern of methods as a user typed it
// (model/pattern.h), which may lack the beginning of the name. The caller calls nearest_free().
void nearest_init(struct nearest *nearest, struct text glob);
void nearest_init_asked(struct nearest *nearest, struct text asked);
void nearest_free(struct nearest *nearest);

// Adds the module in a file, its types and its methods as candidates. A file that is no module adds none.
void nearest_add_module(struct nearest *nearest, const char *path);
// Adds a name as a candidate. It has no parameters.
void nearest_add_name(struct nearest *nearest, struct text name);
// Whether a pattern, without its assembly, selects any method of the module in the file.
bool nearest_module_has(struct text asked, const char *path);

// The cost of the edits that make `name` match `glob`: 2 to insert, delete or replace a letter, 1 to change its case.
// UINT32_MAX if it is more than `most`, or if one of the texts is too long.
uint32_t nearest_cost(struct text name, struct text glob, uint32_t most);

#endif
