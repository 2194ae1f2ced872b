// See nearest.h. The measure is the edit distance to the pattern, where * matches anything. A type is listed only if it
// is closer than its module, and a method only if it is closer than its type.
#include "cli/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/file.h"
#include "metadata/names/names.h"
#include "metadata/tables/image.h"
#include "metadata/tables/metadata.h"
#include "model/name.h"
#include "model/pattern.h"

enum {
    TEXT_MAX = 512, // longer names and patterns are not compared
    METHODS_MAX = 50000,
    FILE_MAX = 256 << 20,
    EDIT = 2,
    FEW_LETTERS = 6,
};

void nearest_init(struct nearest *nearest, struct text glob)
{
    *nearest = (struct nearest){.methods_left = METHODS_MAX};
    buffer_append(&nearest->glob, glob.at, glob.size);
}

void nearest_init_asked(struct nearest *nearest, struct text asked)
{
    struct text whole = asked, assembly = pattern_take_assembly(&asked), name = pattern_name(asked);
    bool glob = name.size == 0 || memchr(name.at, '*', name.size) || memchr(name.at, '?', name.size);
    nearest_init(nearest, (struct text){0});
    if (whole.size > asked.size) {
        buffer_printf(&nearest->glob, "[%.*s]", (int)assembly.size, assembly.at);
    }
    buffer_printf(&nearest->glob, "%s%.*s", glob ? "" : "*", (int)name.size, name.at);
}

void nearest_free(struct nearest *nearest)
{
    for (uint32_t i = 0; i < nearest->count; i++) {
        free(nearest->names[i].name);
    }
    nearest->count = 0;
    buffer_free(&nearest->glob);
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// The cost of replacing one letter by another.
static uint32_t exchange(char a, char b)
{
    bool same_letter = tolower((unsigned char)a) == tolower((unsigned char)b);
    return a == b || b == '?' ? 0 : same_letter ? 1 : EDIT;
}

uint32_t nearest_cost(struct text name, struct text glob, uint32_t most)
{
    uint32_t costs[TEXT_MAX + 1]; // cost of the pattern so far, by length of the name's prefix
    if (name.size > TEXT_MAX || glob.size > TEXT_MAX) {
        return UINT32_MAX;
    }
    for (uint32_t i = 0; i <= name.size; i++) {
        costs[i] = i * EDIT;
    }
    for (size_t g = 0; g < glob.size; g++) {
        bool star = glob.at[g] == '*';
        uint32_t diagonal = costs[0], lowest;
        costs[0] += star ? 0 : EDIT;
        lowest = costs[0];
        for (size_t i = 0; i < name.size; i++) {
            uint32_t above = costs[i + 1];
            uint32_t other = star ? above : least(above + EDIT, diagonal + exchange(name.at[i], glob.at[g]));
            costs[i + 1] = least(other, costs[i] + (star ? 0 : EDIT));
            diagonal = above;
            lowest = least(lowest, costs[i + 1]);
        }
        if (lowest > most) {
            return UINT32_MAX;
        }
    }
    return costs[name.size] <= most ? costs[name.size] : UINT32_MAX;
}

// The worst cost that still qualifies: at most a third of the pattern's letters may be wrong, or half of a short
// pattern's, but two are always allowed. If the list is full, only a better cost than its worst qualifies.
static uint32_t worst(const struct nearest *nearest)
{
    struct text glob = text_in(&nearest->glob);
    uint32_t letters = 0;
    for (size_t i = 0; i < glob.size; i++) {
        letters += glob.at[i] != '*' && glob.at[i] != '?';
    }
    uint32_t most = letters > FEW_LETTERS ? letters * EDIT / 3 : letters > 2 * EDIT ? letters : 2 * EDIT;
    return nearest->count == NEAREST_MAX ? least(most, nearest->names[NEAREST_MAX - 1].cost) : most;
}

// Overloads have equal names, which are listed once.
static bool is_there(const struct nearest *nearest, const char *name)
{
    for (uint32_t i = 0; i < nearest->count; i++) {
        if (strcmp(nearest->names[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

// Adds a name to the list, after those with the same cost.
static void offer(struct nearest *nearest, uint32_t cost, struct text name, const char *rest)
{
    char *copy;
    bool full = nearest->count == NEAREST_MAX;
    if (full && cost >= nearest->names[NEAREST_MAX - 1].cost) {
        return;
    }
    if (asprintf(&copy, "%.*s%s", (int)name.size, name.at, rest) < 0) {
        return;
    }
    if (is_there(nearest, copy)) { // another overload of the same method
        free(copy);
        return;
    }
    if (full) {
        free(nearest->names[--nearest->count].name);
    }
    uint32_t at = nearest->count++;
    CLEW_ASSERT(at < NEAREST_MAX && cost != UINT32_MAX);
    for (; at > 0 && nearest->names[at - 1].cost > cost; at--) {
        nearest->names[at] = nearest->names[at - 1];
    }
    nearest->names[at].cost = cost;
    nearest->names[at].name = copy;
    CLEW_ASSERT((at == 0 || nearest->names[at - 1].cost <= cost) && "the closest come first");
}

// The cost of matching a name with the pattern; UINT32_MAX if it does not qualify for the list.
static uint32_t cost_of(const struct nearest *nearest, struct text name)
{
    return nearest_cost(name, text_in(&nearest->glob), worst(nearest));
}

// The type in `[Assembly]Type.Method`.
static struct text type_of(struct text name)
{
    size_t owner = name_parts(name).owner.size;
    return (struct text){name.at, owner > 0 ? owner - 1 : 0};
}

// The type of the previous method with its cost. Methods of one type are adjacent in metadata, so most lookups hit.
struct known {
    struct buffer text;
    uint32_t cost;
};

// Adds a method as a candidate, and its type if the previous method had another one.
static void add_method(struct nearest *nearest, struct text name, uint32_t module_cost, struct known *type)
{
    struct text of = type_of(name);
    if (!text_equal(of, text_in(&type->text))) {
        buffer_clear(&type->text);
        buffer_append(&type->text, of.at, of.size);
        type->cost = cost_of(nearest, of);
        if (type->cost < module_cost) {
            offer(nearest, type->cost, of, ".*");
        }
    }
    uint32_t cost = cost_of(nearest, name);
    if (cost < least(type->cost, module_cost)) {
        offer(nearest, cost, name, "");
    }
}

// METHOD_DEF rows of compiler-generated methods are skipped: users do not type their names.
static void add_methods(struct nearest *nearest, const struct metadata *metadata, struct names *names,
                        uint32_t module_cost)
{
    struct known type = {.cost = UINT32_MAX};
    struct buffer name = {0};
    uint32_t count = metadata_rows(metadata, TABLE_METHOD_DEF);
    for (uint32_t row = 1; row <= count && nearest->methods_left > 0; row++, nearest->methods_left--) {
        struct method_name about;
        uint32_t token = TOKEN(TABLE_METHOD_DEF, row);
        buffer_clear(&name);
        if (names_method(names, token, &name, &about) != CLEW_OK || about.flags & METHOD_FLAG_GENERATED) {
            continue;
        }
        buffer_clear(&name);
        if (names_scope(names, token, &name) == CLEW_OK) {
            add_method(nearest, text_in(&name), module_cost, &type);
        }
    }
    buffer_free(&name);
    buffer_free(&type.text);
}

// Called with a module that was read, and the names of its methods.
typedef void use_module(void *context, const struct metadata *metadata, struct names *names);

// Reads a module and calls `use`. A file that is no module is skipped.
static void with_module(const char *path, use_module *use, void *context)
{
    struct buffer content = {0};
    struct image image;
    struct metadata metadata;
    struct names *names;
    bool large;
    if (file_read(path, FILE_MAX, &content, &large) &&
        image_open(bytes_of(content.data, content.size), IMAGE_FLAT, &image) == CLEW_OK &&
        metadata_open(image.metadata, &metadata) == CLEW_OK && (names = names_new(&metadata))) {
        use(context, &metadata, names);
        names_free(names);
    }
    buffer_free(&content);
}

// Adds a module as a candidate, then its types and methods.
static void add_module(void *context, const struct metadata *metadata, struct names *names)
{
    struct nearest *nearest = context;
    struct buffer module = {0};
    struct text assembly = metadata_assembly_name(metadata);
    buffer_printf(&module, "[%.*s]", (int)assembly.size, assembly.at);
    uint32_t cost = cost_of(nearest, text_in(&module));
    if (cost != UINT32_MAX) {
        offer(nearest, cost, text_in(&module), "*");
    }
    add_methods(nearest, metadata, names, cost);
    buffer_free(&module);
}

// Removes names that are more than twice as far away as the nearest.
static void drop_far(struct nearest *nearest)
{
    while (nearest->count && nearest->names[nearest->count - 1].cost > 2 * nearest->names[0].cost) {
        free(nearest->names[--nearest->count].name);
    }
}

void nearest_add_module(struct nearest *nearest, const char *path)
{
    with_module(path, add_module, nearest);
    drop_far(nearest);
}

void nearest_add_name(struct nearest *nearest, struct text name)
{
    uint32_t cost = cost_of(nearest, name);
    if (cost != UINT32_MAX) {
        offer(nearest, cost, name, "");
    }
    drop_far(nearest);
}

// The state of nearest_module_has().
struct choice {
    struct text asked;
    bool found;
};

// Looks for the first method that the pattern selects; an --exclude that selects one is no mistake.
static void choose(void *context, const struct metadata *metadata, struct names *names)
{
    struct choice *choice = context;
    struct buffer name = {0};
    uint32_t count = metadata_rows(metadata, TABLE_METHOD_DEF);
    for (uint32_t row = 1; row <= count && !choice->found; row++) {
        buffer_clear(&name);
        if (names_scope(names, TOKEN(TABLE_METHOD_DEF, row), &name) == CLEW_OK) {
            struct text scope = text_in(&name);
            (void)pattern_take_assembly(&scope);
            choice->found = pattern_chooses(choice->asked, scope);
        }
    }
    buffer_free(&name);
}

bool nearest_module_has(struct text asked, const char *path)
{
    struct choice choice = {.asked = asked};
    with_module(path, choose, &choice);
    return choice.found;
}
