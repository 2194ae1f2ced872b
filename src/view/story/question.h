// Questions about the values of a recording: which events gave a place a value that fulfils a condition. Conditions are tested against
// what was recorded; nothing is evaluated.
#ifndef CLEW_VIEW_QUESTION_H
#define CLEW_VIEW_QUESTION_H

#include "view/replay/replay_context.h"

enum { QUESTION_TERMS_MAX = 16 };

enum question_op {
    QUESTION_ANY, // every value
    QUESTION_EQUAL,
    QUESTION_DIFFERENT,
    QUESTION_LESS,
    QUESTION_AT_MOST,
    QUESTION_MORE,
    QUESTION_AT_LEAST,
    QUESTION_CONTAINS
};

// PLACE OP LITERAL. Texts are borrowed.
struct question_term {
    struct text place; // a name of the source, or NAME.FIELD
    bool anywhere;     // any place, results too
    enum question_op op;
    struct text literal; // as value_asked() writes such a value
    bool quoted;         // the literal is a text, so values are compared with it as texts
    bool is_number;
    long double number;
};

struct question {
    struct question_term
        terms[QUESTION_TERMS_MAX]; // an event answers if all hold in its activation with the values that they got last
    uint32_t count;                // 0: about an object
    uint32_t process, object;      // what was written to it and called on it
};

// What is wrong with a condition.
enum question_fault {
    QUESTION_FINE,
    QUESTION_NO_PLACE,
    QUESTION_NO_OPERATOR,
    QUESTION_NO_AND,
    QUESTION_BRACKET,
    QUESTION_NO_LITERAL,
    QUESTION_NO_NUMBER,
    QUESTION_TOO_LONG
};

// Everything of one name, as `--var` asks.
struct question question_of_variable(struct text name);
// Values of any place that are this number, or whose text contains it.
struct question question_of_value(struct text value);
// Terms joined by `&&`. *at: where the fault is.
enum question_fault question_parse(struct text condition, struct question *out, struct text *at);

// Whether the site can give the place a value. *path: the rest of the place's name, which is within the value.
bool question_names(const struct question_term *term, const struct site *site, struct text *path);
// Whether events of the site can matter to the question.
bool question_concerns(const struct question *question, const struct site *site);
// Whether the value fulfils the term; a value that was not captured fulfils none. `text` is scratch.
bool question_holds(const struct question_term *term, const struct values *values, const struct site_value *value,
                    struct buffer *text);

#endif
