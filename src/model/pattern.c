// See pattern.h. A glob must match a name from its first to its last letter. A pattern without * and ? is taken as a
// name, of which the first namespaces and types may be missing, and, if it is a type's, everything after it.
#include "model/pattern.h"

#include <stdlib.h>

#include "model/name.h"

static struct text part(struct text text, size_t from, size_t to)
{
    return (struct text){text.at + from, to - from};
}

static bool has_wildcard(struct text text)
{
    return text.size && (memchr(text.at, '*', text.size) || memchr(text.at, '?', text.size));
}

// Reports shorten names from the left and print dots for the rest; these are removed.
static struct text without_dots(struct text name)
{
    return text_starts(name, "...") ? part(name, 3, name.size) : name;
}

// Everything before the parameter list. In a glob the list need not be closed: it begins at the first bracket outside type
// arguments.
static struct text without_parameters(struct text name)
{
    struct name_parts parts = name_parts(name);
    size_t at = parts.owner.size + parts.method.size;
    if (at < name.size || !has_wildcard(name)) {
        return part(name, 0, at);
    }
    at = 0;
    for (int depth = 0; at < name.size && (depth > 0 || at == 0 || name.at[at] != '('); at++) {
        depth += (name.at[at] == '<') - (name.at[at] == '>');
    }
    while (at > 0 && name.at[at - 1] == ' ') {
        at--;
    }
    return part(name, 0, at);
}

// A lambda is recorded with the method that contains it, so its number is removed.
static struct text without_lambda(struct text name)
{
    static const char mark[] = ".lambda#";
    const char *at = name.size ? memmem(name.at, name.size, mark, sizeof mark - 1) : NULL;
    return at && at > name.at ? part(name, 0, (size_t)(at - name.at)) : name;
}

static void add(struct buffer *into, const char *before, struct text name, const char *after)
{
    buffer_printf(into, "%s%.*s%s\n", before, (int)name.size, name.at, after);
}

// A name with parameters is a method's. If it is a local function, the method that contains it is meant as well, since
// scopes choose whole methods.
static void add_method(struct buffer *into, struct text name)
{
    struct text owner = name_parts(name).owner;
    struct text method = part(owner, 0, owner.size ? owner.size - 1 : 0);
    if (method.size && memchr(method.at, '.', method.size)) {
        add(into, "", method, "");
    }
}

// A type's name means its methods, and those of a generic type of that name, in any namespace.
static void add_types(struct buffer *into, struct text name)
{
    add(into, "", name, ".*");
    add(into, "*.", name, ".*");
    add(into, "", name, "<*");
    add(into, "*.", name, "<*");
    add(into, "", name, "@*"); // local to a file
    add(into, "*.", name, "@*");
}

struct text pattern_name(struct text asked)
{
    return without_lambda(without_parameters(without_dots(asked)));
}

void pattern_globs(struct buffer *into, struct text asked)
{
    struct text whole = without_dots(asked), head = without_parameters(whole), name = without_lambda(head);
    if (name.size < asked.size) {
        add(into, "", name, "");
    }
    if (name.size == 0 || has_wildcard(name)) {
        return;
    }
    add(into, "*.", name, "");
    if (head.size < whole.size) {
        add_method(into, name);
    } else {
        add_types(into, name);
    }
}

bool pattern_chooses(struct text asked, struct text name)
{
    struct buffer globs = {0};
    struct text lines, glob;
    bool found = text_matches(name, asked);
    pattern_globs(&globs, asked);
    lines = text_in(&globs);
    while (!found && text_take_line(&lines, &glob)) {
        found = text_matches(name, glob);
    }
    buffer_free(&globs);
    return found;
}

const char *pattern_fault(const char *asked)
{
    const char *close = strchr(asked, ']');
    if (!*asked) {
        return "it is empty";
    }
    if (asked[0] == '[' && !close) {
        return "the ] after the assembly is missing";
    }
    if (asked[0] == '[' && close == asked + 1) {
        return "the assembly between [ and ] is missing; [*] means any";
    }
    return NULL;
}

struct text pattern_take_assembly(struct text *asked)
{
    const char *close = asked->size && asked->at[0] == '[' ? memchr(asked->at, ']', asked->size) : NULL;
    struct text assembly = text_of("*");
    if (close) {
        size_t size = (size_t)(close - asked->at);
        assembly = part(*asked, 1, size);
        *asked = part(*asked, size + 1, asked->size);
    }
    return assembly;
}

// Whether `end` is all of `name`, or its last components.
static bool ends_name(struct text name, struct text end)
{
    if (end.size > name.size || memcmp(name.at + name.size - end.size, end.at, end.size) != 0) {
        return false;
    }
    return end.size == name.size || name.at[name.size - end.size - 1] == '.';
}

bool pattern_matches(struct text asked, struct text assembly, struct text name)
{
    struct name_parts parts = name_parts(name);
    struct text head = part(name, 0, parts.owner.size + parts.method.size);
    struct text signature = part(name, 0, name.size - parts.kind.size);
    if (!text_matches(assembly, pattern_take_assembly(&asked))) {
        return false;
    }
    if (asked.size == 0 || text_matches(name, asked)) {
        return true;
    }
    struct text whole = without_dots(asked);
    bool exact = name_parts(whole).parameters.size && !has_wildcard(whole) && !memmem(whole.at, whole.size, "(...)", 5);
    return exact ? ends_name(name, whole) || ends_name(signature, whole) : pattern_chooses(asked, head);
}

bool pattern_means(struct text asked, const struct catalog *catalog, uint32_t method)
{
    const struct catalog_method *row = &catalog->methods[method];
    bool known = row->module_index != CATALOG_NONE;
    return pattern_matches(asked, known ? catalog->modules[row->module_index].name : text_of(""), row->record.name);
}

bool *pattern_choose(struct text asked, const struct catalog *catalog)
{
    bool *chosen = calloc((size_t)catalog->method_count + 1, sizeof *chosen);
    for (uint32_t i = 0; chosen && i < catalog->method_count; i++) {
        chosen[i] = pattern_means(asked, catalog, i);
    }
    return chosen;
}

// Splits a line of a scope, "word glob", into the assembly and the rest of the glob.
static struct text take_glob(struct text line, struct text *assembly)
{
    (void)text_take_word(&line);
    *assembly = pattern_take_assembly(&line);
    return line;
}

// Lines that are settings of `values`, or name the program, have no globs of methods.
static bool is_scope(struct text line)
{
    static const char *const settings[] = {"redact ", "string-max ", "symbols ", "program ", "tiny "};
    bool setting = false;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        setting = setting || text_starts(line, settings[i]);
    }
    return !setting;
}

// Appends, as lines of the same word and assembly, the globs that the line's name implies.
static void append_meant(struct buffer *into, struct text line)
{
    struct buffer globs = {0};
    struct text assembly, name = take_glob(line, &assembly), lines, glob;
    pattern_globs(&globs, name);
    lines = text_in(&globs);
    while (is_scope(line) && text_take_line(&lines, &glob)) {
        buffer_append(into, line.at, line.size - name.size);
        buffer_append(into, glob.at, glob.size);
        buffer_text(into, "\n");
    }
    into->failed |= globs.failed;
    buffer_free(&globs);
}

static void append_line(struct buffer *into, struct text line)
{
    buffer_append(into, line.at, line.size);
    buffer_text(into, "\n");
}

void pattern_scope(struct buffer *into, struct text lines)
{
    struct text line;
    while (text_take_line(&lines, &line)) {
        append_line(into, line);
        append_meant(into, line);
    }
}

void pattern_scope_asked(struct buffer *into, struct text lines)
{
    struct text line;
    struct buffer meant = {0};
    while (text_take_line(&lines, &line)) {
        if (text_starts(line, "program ")) {
            continue;
        }
        append_line(into, line);
        buffer_clear(&meant);
        append_meant(&meant, line);
        struct text added = text_in(&meant);
        if (added.size && lines.size >= added.size && memcmp(lines.at, added.at, added.size) == 0) {
            lines = part(lines, added.size, lines.size);
        }
    }
    buffer_free(&meant);
}
