// Parses compiler-generated identifiers: Roslyn's `<M>b__0_1` (GeneratedNameKind, C#) and `_Lambda$__0-1` (VB), and the F#
// compiler's `name@12-1`. These functions look only at the text; names_origin.c finds the methods in the module. No compiler
// documents these names: new forms have to be added here when a compiler changes them.
#include "metadata/names/names_internal.h"

static const char closure_vb[] = "_Closure$__", lambda_vb[] = "_Lambda$__", machine_vb[] = "VB$StateMachine_",
                  anonymous_vb[] = "VB$";

static const char *find_character(struct text text, char wanted)
{
    return text.size ? memchr(text.at, wanted, text.size) : NULL;
}

static struct text text_until(struct text text, char stop)
{
    const char *at = find_character(text, stop);
    return at ? (struct text){text.at, (size_t)(at - text.at)} : text;
}

// Removes a decimal number of at most nine digits from the front.
static bool take_number(struct text *text, uint32_t *out)
{
    uint32_t value = 0;
    size_t i = 0;
    while (i < text->size && i < 9 && text->at[i] >= '0' && text->at[i] <= '9') {
        value = value * 10 + (uint32_t)(text->at[i++] - '0');
    }
    *out = value;
    *text = text_from(*text, i);
    return i > 0;
}

static bool take_character(struct text *text, char wanted)
{
    if (text->size == 0 || *text->at != wanted) {
        return false;
    }
    *text = text_from(*text, 1);
    return true;
}

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

// Where "`2" begins, with which a type's name ends: an extension member of F# has one within (``Lazy`1.Force``). SIZE_MAX:
// nowhere. A name of F# may have the character anywhere else.
static size_t find_arity(struct text name, size_t *end)
{
    for (size_t i = 0; i < name.size; i++) {
        *end = i + 1;
        while (name.at[i] == '`' && *end < name.size && is_digit(name.at[*end])) {
            ++*end;
        }
        if (*end > i + 1 && (*end == name.size || name.at[*end] == '.')) {
            return i;
        }
    }
    return SIZE_MAX;
}

static struct text without_arity(struct text name)
{
    size_t end, at = find_arity(name, &end);
    return at != SIZE_MAX && end == name.size ? (struct text){name.at, at} : name;
}

// What follows the brackets of `<>...`, where the source has no name: `c__DisplayClass0_0`, `1__state`, `F{00000001}`.
static bool nameless_form(struct text rest)
{
    bool letter = rest.size &&
                  (is_digit(*rest.at) || (*rest.at >= 'A' && *rest.at <= 'Z') || (*rest.at >= 'a' && *rest.at <= 'z'));
    rest = text_from(rest, letter);
    return letter && (rest.size == 0 || *rest.at == '{' || text_starts(rest, "__"));
}

// What follows the brackets of `<original>...`.
static bool named_form(struct text original, struct text rest)
{
    if (text_starts(original, "PrivateImplementationDetails")) {
        return true;
    }
    if (rest.size == 0) {
        return text_equal(original, text_of("Main")) || text_equal(original, text_of("Module"));
    }
    struct text suffix = text_from(rest, 1), inner = text_from(suffix, text_until(suffix, '_').size);
    switch (*rest.at) {
    case '$': // `<Main>$`, `<Clone>$`, and the marker of an extension block
        return suffix.size == 0 || original.size == 1;
    case 'F': // a type that is local to its file: `<file>Fhash__Name`
        return text_starts(inner, "__");
    case 'P': // a captured parameter of a primary constructor
        return suffix.size == 0 || text_starts(suffix, "__");
    case '_': // a debug build's copy of an inlined function of F#, `<Bind>__debug@6`; a cached delegate of C#, `<0>__Work`
        return text_starts(suffix, "_debug@") || (is_digit(*original.at) && text_starts(suffix, "_"));
    case 'b':
    case 'd':
        if (suffix.size == 0) {
            return *original.at == '<'; // the state machine of a lambda or local function: `<<M>b__0>d`
        }
        return text_starts(suffix, "__") && suffix.size > 2 && is_digit(suffix.at[2]);
    default:
        return nameless_form(rest) && suffix.size > 0;
    }
}

// Brackets are counted: `original` may be a generated name itself, as in `<<M>b__0>d__1`. All other names in brackets are
// the source's: F# allows any character in a name.
bool generated_parse(struct text name, struct generated_name *out)
{
    if (name.size < 2 || name.at[0] != '<') {
        return false;
    }
    size_t depth = 0, i = 0;
    do {
        depth += name.at[i] == '<';
        depth -= name.at[i] == '>';
        i++;
    } while (depth > 0 && i < name.size);
    if (depth > 0) {
        return false;
    }
    *out = (struct generated_name){.original = {name.at + 1, i - 2}, .suffix = text_from(name, i)};
    struct text rest = without_arity(out->suffix);
    if (!(out->original.size ? named_form(out->original, rest) : nameless_form(rest))) {
        return false;
    }
    if (out->suffix.size) {
        out->kind = *out->suffix.at;
        out->suffix = text_from(out->suffix, 1);
        if (text_starts(out->suffix, "__")) {
            out->suffix = text_from(out->suffix, 2);
        }
    }
    return true;
}

// Roslyn's classes `<>c` and `<>c__DisplayClass0_0`; VB's `_Closure$__`.
bool generated_is_closure(struct text type_name)
{
    struct generated_name parts;
    return (generated_parse(type_name, &parts) && parts.original.size == 0 && parts.kind == 'c') ||
           text_starts(type_name, closure_vb);
}

// The part behind the `@` begins with the line.
bool generated_fsharp(struct text type_name, struct text *original)
{
    struct text before = text_until(type_name, '@');
    if (before.size == 0 || before.size + 1 >= type_name.size) {
        return false;
    }
    *original = before;
    return is_digit(type_name.at[before.size + 1]);
}

// `<Method>d__1`, or VB's `VB$StateMachine_1_Method`.
bool generated_state_machine(struct text type_name, struct text *method)
{
    struct generated_name parts;
    if (generated_parse(type_name, &parts)) {
        *method = parts.original;
        return parts.kind == 'd' && parts.original.size > 0;
    }
    if (!text_starts(type_name, machine_vb)) {
        return false;
    }
    uint32_t ignored;
    struct text rest = text_from(type_name, sizeof machine_vb - 1);
    (void)take_number(&rest, &ignored); // a lambda's has none
    if (!take_character(&rest, '_')) {
        return false;
    }
    *method = without_arity(rest);
    return true;
}

// `12-0`, or `0` within a closure; R marks a relaxed conversion's stub.
static bool vb_lambda(struct text rest, struct generated_lambda *out)
{
    uint32_t first;
    (void)take_character(&rest, 'R');
    if (!take_number(&rest, &first)) {
        return false;
    }
    *out = (struct generated_lambda){.method_ordinal = -1, .ordinal = first};
    if (take_character(&rest, '-')) {
        out->method_ordinal = first;
        return take_number(&rest, &out->ordinal);
    }
    return true;
}

// C#'s `<Method>b__1_0`, or `<Method>b__0` within a closure; VB's are in vb_lambda().
bool generated_lambda(struct text method_name, struct generated_lambda *out)
{
    if (text_starts(method_name, lambda_vb)) {
        return vb_lambda(text_from(method_name, sizeof lambda_vb - 1), out);
    }
    struct generated_name parts;
    uint32_t first;
    if (!generated_parse(method_name, &parts) || parts.kind != 'b' || !take_number(&parts.suffix, &first)) {
        return false;
    }
    *out = (struct generated_lambda){.method = parts.original, .method_ordinal = -1, .ordinal = first};
    if (take_character(&parts.suffix, '_')) {
        out->method_ordinal = first;
        return take_number(&parts.suffix, &out->ordinal);
    }
    return true;
}

int64_t generated_closure_ordinal(struct text type_name)
{
    struct text rest = {"", 0};
    struct generated_name parts;
    uint32_t ordinal;
    if (text_starts(type_name, closure_vb)) {
        rest = text_from(type_name, sizeof closure_vb - 1);
    } else if (generated_parse(type_name, &parts) && text_starts(parts.suffix, "DisplayClass")) {
        rest = text_from(parts.suffix, strlen("DisplayClass"));
    } else if (generated_parse(type_name, &parts)) {
        rest = parts.suffix;
    }
    return take_number(&rest, &ordinal) ? (int64_t)ordinal : -1;
}

// The first compilers with local functions wrote `Local0_1`, later ones `Local|0_1`.
static struct text without_ordinals(struct text name)
{
    if (find_character(name, '|')) {
        return text_until(name, '|');
    }
    size_t end = name.size;
    while (end > 0 && ((name.at[end - 1] >= '0' && name.at[end - 1] <= '9') || name.at[end - 1] == '_')) {
        end--;
    }
    return end ? (struct text){name.at, end} : name;
}

// `<Method>g__Local|1_0`.
bool generated_local(struct text method_name, struct text *method, struct text *local)
{
    struct generated_name parts;
    if (!generated_parse(method_name, &parts) || parts.kind != 'g' || parts.suffix.size == 0) {
        return false;
    }
    *method = parts.original;
    *local = without_ordinals(parts.suffix);
    return true;
}

bool generated_equal_dashed(struct text a, struct text b)
{
    if (a.size != b.size) {
        return false;
    }
    for (size_t i = 0; i < a.size; i++) {
        char left = a.at[i] == '.' ? '-' : a.at[i], right = b.at[i] == '.' ? '-' : b.at[i];
        if (left != right) {
            return false;
        }
    }
    return true;
}

static struct text bounded(struct text name)
{
    return (struct text){name.at, name.size > IDENTIFIER_SIZE_MAX ? IDENTIFIER_SIZE_MAX : name.size};
}

// Appends a part of a generated identifier without angle brackets: they would read as a type argument list.
static void append_plain(struct text name, struct buffer *out)
{
    name = bounded(name);
    for (size_t i = 0; i < name.size; i++) {
        if (name.at[i] != '<' && name.at[i] != '>') {
            buffer_u8(out, (uint8_t)name.at[i]);
        }
    }
}

// Appends an identifier of the source, without the arities in it.
static void append_whole(struct text name, struct buffer *out)
{
    size_t end;
    name = bounded(name);
    for (size_t at; (at = find_arity(name, &end)) != SIZE_MAX; name = text_from(name, end)) {
        buffer_append(out, name.at, at);
    }
    buffer_append(out, name.at, name.size);
}

static void append_with_prefix(const char *prefix, struct text rest, struct buffer *out)
{
    buffer_text(out, prefix);
    append_plain(rest, out);
}

// `finally#1`: the compiler's number, plus `first`.
static void append_numbered(const char *word, struct text number, uint32_t first, struct buffer *out)
{
    uint32_t value = 0;
    (void)take_number(&number, &value);
    buffer_printf(out, "%s#%u", word, value + first);
}

// `<>kind__suffix`: entities that have no name in the source.
static void append_nameless(const struct generated_name *parts, struct buffer *out)
{
    struct text suffix = parts->suffix;
    if (parts->kind == 'c' && text_starts(suffix, "DisplayClass")) {
        append_with_prefix("closure_", text_from(suffix, strlen("DisplayClass")), out);
    } else if (parts->kind == 'c') {
        append_with_prefix(suffix.size ? "closure_" : "closure", suffix, out);
    } else if (parts->kind == 'n') {
        append_numbered("base", suffix, 1, out);
    } else if (parts->kind == 'm' && text_starts(suffix, "Finally")) {
        append_numbered("finally", text_from(suffix, strlen("Finally")), 0, out);
    } else if (suffix.size && (parts->kind == 'A' || parts->kind == 'F')) {
        append_with_prefix("Delegate", suffix, out);
    } else if (suffix.size) {
        append_plain(suffix, out);
    } else {
        append_with_prefix("made", (struct text){&parts->kind, parts->kind != 0}, out);
    }
}

// `<original>kind__suffix`.
static void append_named(const struct generated_name *parts, struct buffer *out)
{
    struct text original = parts->original, inner;
    struct generated_name nested;
    inner = text_from(parts->suffix, text_until(parts->suffix, '_').size);
    if (parts->kind == 'F' && text_starts(inner, "__")) {
        append_plain(text_from(inner, 2), out); // a type that is local to its file: `<file>Fhash__Name`
        buffer_u8(out, '@');
        append_plain(original, out);
    } else if (parts->kind == '$' && parts->suffix.size > 0 && original.size == 1) {
        buffer_text(out, "extension"); // marks the members of an extension block: `<G>$hash`
    } else if (text_equal(original, text_of("Main")) && parts->kind == 0) {
        buffer_text(out, "Main.entry"); // calls an async Main and waits for it
    } else if (generated_parse(original, &nested) && nested.original.size == 0) {
        append_nameless(&nested, out);
    } else {
        append_plain(original, out);
    }
}

// Each form of the compilers, else the name as it is.
void generated_append(struct text name, struct buffer *out)
{
    struct generated_name parts;
    name = without_arity(name);
    if (generated_parse(name, &parts) && parts.original.size == 0) {
        append_nameless(&parts, out);
    } else if (generated_parse(name, &parts)) {
        append_named(&parts, out);
    } else if (text_starts(name, closure_vb)) {
        append_with_prefix(name.size > sizeof closure_vb - 1 ? "closure_" : "closure",
                           text_from(name, sizeof closure_vb - 1), out);
    } else if (text_starts(name, anonymous_vb)) {
        append_plain(text_from(name, sizeof anonymous_vb - 1), out);
    } else {
        append_whole(name, out);
    }
}
