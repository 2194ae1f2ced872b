// See repeated_points.h. `do! e` at the end of a loop or a block means `Bind(e, fun () -> Zero())`, and Zero has the range of
// `do!` again. In a state machine Zero is the constant true, after the wait; elsewhere it is in a closure of its own, which the
// method with the statement creates. Counted as a statement, each `do!` would run twice.
#include "agent/rewrite/repeated_points.h"

static bool same_range(const struct weave_point *a, const struct weave_point *b)
{
    return a->document == b->document && a->start_line == b->start_line && a->start_column == b->start_column &&
           a->end_line == b->end_line && a->end_column == b->end_column;
}

static bool is_fsharp(const struct pdb *pdb, const struct weave_point *point)
{
    struct pdb_document document;
    return pdb_document(pdb, point->document, &document) && document.language == LANGUAGE_FSHARP;
}

// Whether the code of a point is the constant true and nothing else.
static bool is_constant(const struct il_body *body, const struct weave_point *point, const struct weave_point *next)
{
    const struct il_instruction *at = il_at(body, point->il_offset);
    return at && next && at->opcode == IL_LDC_I4_1 && at->next->offset == next->il_offset;
}

// Whether the method begins by dropping its argument, as `fun () -> Zero()` does.
static bool drops_argument(const struct il_body *body)
{
    return body->first->opcode == IL_LDARG_1 && body->first->next->opcode == IL_POP;
}

// Whether the method that creates this closure has a point of the same range.
static bool is_of_creator(struct module *module, const struct pdb *pdb, uint32_t token, const struct weave_point *point)
{
    uint32_t creator = module_names(module) ? names_creator(module->names, token) : 0;
    struct pdb_points points = pdb_points_of(pdb, creator);
    struct pdb_point other;
    bool found = false;
    while (creator && !found && pdb_points_next(&points, &other)) {
        const struct weave_point its = {.document = other.document,
                                        .start_line = other.start_line,
                                        .start_column = other.start_column,
                                        .end_line = other.end_line,
                                        .end_column = other.end_column};
        found = !other.hidden && same_range(&its, point);
    }
    return found;
}

void points_hide_repeated(struct module *module, const struct pdb *pdb, uint32_t token, const struct il_body *body,
                          struct weave_point *points, uint32_t count)
{
    bool continuation = drops_argument(body);
    for (uint32_t i = 0; i < count; i++) {
        bool constant = is_constant(body, &points[i], i + 1 < count ? &points[i + 1] : NULL);
        if (points[i].hidden || (!constant && !continuation) || !is_fsharp(pdb, &points[i])) {
            continue;
        }
        bool repeated = continuation && is_of_creator(module, pdb, token, &points[i]);
        for (uint32_t before = 0; constant && before < i && !repeated; before++) {
            repeated = !points[before].hidden && same_range(&points[before], &points[i]);
        }
        points[i].hidden = repeated;
    }
}
