// See question.h.
#include "view/story/question.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/assert.h"

// -- Reading a condition ----------------------------------------------------------------------------------------------

static const struct {
    const char *sign;
    enum question_op op;
} operators[] = {{"==", QUESTION_EQUAL},    {"!=", QUESTION_DIFFERENT}, {"<=", QUESTION_AT_MOST},
                 {">=", QUESTION_AT_LEAST}, {"<", QUESTION_LESS},       {">", QUESTION_MORE},
                 {"~", QUESTION_CONTAINS}};

// Takes what is before the operator.
static enum question_fault take_place(struct text *rest, struct question_term *term)
{
    size_t size = 0;
    while (size < rest->size && !strchr("=!<~>&", rest->at[size])) {
        size++;
    }
    term->place = text_trimmed((struct text){rest->at, size});
    if (term->place.size &&
        (memchr(term->place.at, '(', term->place.size) || memchr(term->place.at, ')', term->place.size))) {
        return QUESTION_BRACKET;
    }
    *rest = text_from(*rest, size);
    return term->place.size ? QUESTION_FINE : QUESTION_NO_PLACE;
}

static enum question_fault take_operator(struct text *rest, struct question_term *term)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (text_starts(*rest, operators[i].sign)) {
            term->op = operators[i].op;
            *rest = text_from(*rest, strlen(operators[i].sign));
            return QUESTION_FINE;
        }
    }
    return QUESTION_NO_OPERATOR;
}

// A number, whole.
static bool read_number(struct text text, long double *out)
{
    char digits[64], *end;
    if (text.size == 0 || text.size >= sizeof digits || text_trimmed(text).size < text.size) {
        return false;
    }
    memcpy(digits, text.at, text.size);
    digits[text.size] = '\0';
    *out = strtold(digits, &end);
    return *end == '\0';
}

// The text between quotes, or up to `&&`.
static enum question_fault take_literal(struct text *rest, struct question_term *term)
{
    struct text text = text_trimmed(*rest);
    if (text.size && text.at[0] == '=') {
        return QUESTION_NO_OPERATOR; // three of them
    }
    char quote = text.size && (text.at[0] == '"' || text.at[0] == '\'') ? text.at[0] : '\0';
    text = text_from(text, quote != '\0');
    size_t size = 0;
    while (size < text.size && (quote ? text.at[size] != quote : !text_starts(text_from(text, size), "&&"))) {
        size++;
    }
    if (quote && size == text.size) {
        return QUESTION_NO_LITERAL;
    }
    term->quoted = quote;
    term->literal = quote ? (struct text){text.at, size} : text_trimmed((struct text){text.at, size});
    term->is_number = !quote && read_number(term->literal, &term->number);
    *rest = text_trimmed(text_from(text, size + (quote != '\0')));
    if (!quote && term->literal.size && memchr(term->literal.at, ' ', term->literal.size)) {
        *rest = term->literal;
        return QUESTION_NO_AND;
    }
    bool ordered = term->op >= QUESTION_LESS && term->op <= QUESTION_AT_LEAST;
    return !quote && term->literal.size == 0       ? QUESTION_NO_LITERAL
           : ordered && !quote && !term->is_number ? QUESTION_NO_NUMBER
                                                   : QUESTION_FINE;
}

static enum question_fault take_term(struct text *rest, struct question_term *term)
{
    enum question_fault fault = take_place(rest, term);
    fault = fault == QUESTION_FINE ? take_operator(rest, term) : fault;
    return fault == QUESTION_FINE ? take_literal(rest, term) : fault;
}

enum question_fault question_parse(struct text condition, struct question *out, struct text *at)
{
    *out = (struct question){0};
    *at = text_trimmed(condition);
    for (;;) {
        if (out->count == QUESTION_TERMS_MAX) {
            return QUESTION_TOO_LONG;
        }
        enum question_fault fault = take_term(at, &out->terms[out->count]);
        if (fault != QUESTION_FINE) {
            return fault;
        }
        out->count++;
        if (at->size == 0) {
            return QUESTION_FINE;
        }
        if (!text_starts(*at, "&&")) {
            return QUESTION_NO_AND;
        }
        *at = text_trimmed(text_from(*at, 2));
    }
}

struct question question_of_variable(struct text name)
{
    return (struct question){.count = 1, .terms = {{.place = name, .op = QUESTION_ANY}}};
}

struct question question_of_value(struct text value)
{
    struct question question = {.count = 1, .terms = {{.anywhere = true, .literal = value}}};
    question.terms[0].is_number = read_number(value, &question.terms[0].number);
    question.terms[0].op = question.terms[0].is_number ? QUESTION_EQUAL : QUESTION_CONTAINS;
    return question;
}

// -- Which sites matter -----------------------------------------------------------------------------------------------

// Removes the name `name` and the dot after it from the start of a path. False: the path does not begin with that name.
static bool take_name(struct text *path, struct text name)
{
    bool begins = name.size > 0 && path->size >= name.size && memcmp(path->at, name.at, name.size) == 0;
    bool ends = begins && path->size == name.size;
    if (!ends && !(begins && path->at[name.size] == '.')) {
        return false;
    }
    *path = text_from(*path, ends ? name.size : name.size + 1);
    return true;
}

bool question_names(const struct question_term *term, const struct site *site, struct text *path)
{
    bool got = site->kind == SITE_DEFINITION || site->kind == SITE_ARGUMENT;
    *path = term->place;
    if (term->anywhere) {
        return got || site->kind == SITE_RESULT;
    }
    if (!got || take_name(path, site->name)) {
        return got;
    }
    // A request for a variable includes the fields of a struct in it.
    return take_name(path, site->owner_name) && (path->size == 0 || take_name(path, site->name));
}

bool question_concerns(const struct question *question, const struct site *site)
{
    struct text path;
    bool any = false;
    for (uint32_t i = 0; i < question->count && !any; i++) {
        any = question_names(&question->terms[i], site, &path);
    }
    bool of_object = site->kind == SITE_DEFINITION && (site->owner == OWNER_OBJECT || site->owner == OWNER_THIS);
    return any || (question->count == 0 && (of_object || site->role == VARIABLE_THIS));
}

// -- Testing a value --------------------------------------------------------------------------------------------------

static bool compares(enum question_op op, int order)
{
    switch (op) {
    case QUESTION_EQUAL:
        return order == 0;
    case QUESTION_DIFFERENT:
        return order != 0;
    case QUESTION_LESS:
        return order < 0;
    case QUESTION_AT_MOST:
        return order <= 0;
    case QUESTION_MORE:
        return order > 0;
    default:
        CLEW_ASSERT(op == QUESTION_AT_LEAST);
        return order >= 0;
    }
}

// Words such as true, NULL and names of members are the same in any case.
static int order_of_words(struct text a, struct text b)
{
    bool same = a.size == b.size && (a.size == 0 || strncasecmp(a.at, b.at, a.size) == 0);
    return same ? 0 : text_compare(a, b);
}

static bool holds_of_text(const struct question_term *term, struct text value)
{
    long double number;
    if (term->op == QUESTION_CONTAINS) {
        return term->literal.size == 0 ||
               (value.size && memmem(value.at, value.size, term->literal.at, term->literal.size));
    }
    if (term->is_number && read_number(value, &number)) {
        bool unordered = number != number; // NaN is different from all, and neither less nor more
        return unordered ? term->op == QUESTION_DIFFERENT
                         : compares(term->op, (number > term->number) - (number < term->number));
    }
    bool ordered = term->op >= QUESTION_LESS && term->op <= QUESTION_AT_LEAST;
    if (ordered && !term->quoted) {
        return false; // it is no number
    }
    return compares(term->op, term->quoted ? text_compare(value, term->literal) : order_of_words(value, term->literal));
}

bool question_holds(const struct question_term *term, const struct values *values, const struct site_value *value,
                    struct buffer *text)
{
    struct values within;
    struct site_value boxed;
    if (term->op == QUESTION_ANY) {
        return true;
    }
    enum value_box box = value_in_box(values, value, &within, &boxed);
    if (value->encoding == VALUE_NONE || value_is_invalid(value) || box == VALUE_BOX_LARGE || box == VALUE_BOX_UNREAD) {
        return false;
    }
    buffer_clear(text);
    bool null = value->encoding == VALUE_OBJECT && value_object(value) == 0;
    if (null) {
        buffer_text(text, "null");
    } else {
        value_asked(text, box == VALUE_BOX ? &within : values, box == VALUE_BOX ? &boxed : value);
    }
    if (null && term->quoted) {
        return term->op == QUESTION_DIFFERENT; // it is no text
    }
    return holds_of_text(term, text_in(text));
}
