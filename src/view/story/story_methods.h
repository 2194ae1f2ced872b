// Facts about methods that a story needs: the document in which each begins, and which are compiler-generated.
#ifndef CLEW_VIEW_STORY_METHODS_H
#define CLEW_VIEW_STORY_METHODS_H

#include "view/replay/replay_context.h"

// Zero-initialise: nothing is known.
struct story_methods {
    uint32_t count;
    const struct recording_document **first_documents; // by method of the catalog: that of its first statement, or NULL
    bool *generated;                                   // by method of the catalog: a generated name and no statement
    bool *has_symbols;                                 // by module of the catalog
};

// Derives the facts from the recording's sites, which must be loaded. The caller calls story_methods_free() also after
// an error.
enum clew_error story_methods_load(const struct replay_context *context, struct story_methods *out);
void story_methods_free(struct story_methods *methods);

// The document in which the method of the step's frame begins; NULL: unknown.
const struct recording_document *story_methods_document(const struct story_methods *methods,
                                                        const struct replay_context *context,
                                                        const struct event_step *step);
// Whether the method of the step's frame is left out as compiler-generated.
bool story_methods_generated(const struct story_methods *methods, const struct replay_context *context,
                             const struct event_step *step);
// Whether the module of a SITE step's method has symbols.
bool story_methods_has_symbols(const struct story_methods *methods, const struct replay_context *context,
                               const struct event_step *step);

#endif
