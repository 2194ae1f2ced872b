// What a story has to know of methods: where each begins, and which are compiler-generated.
#ifndef CLEW_VIEW_STORY_METHODS_H
#define CLEW_VIEW_STORY_METHODS_H

#include "view/replay/replay_context.h"

// Zero-initialise: nothing is known.
struct story_methods {
    uint32_t count;
    const struct recording_document **first_documents; // by method of the catalog: of its first statement, or NULL
    bool *generated;   // by method of the catalog: compiler-generated, and without a statement of the source
    bool *has_symbols; // by module of the catalog
};

// From the recording's sites, which there have to be.
enum clew_error story_methods_load(const struct replay_context *context, struct story_methods *out);
void story_methods_free(struct story_methods *methods);

// Where the method of the step's frame begins; NULL: not known.
const struct recording_document *story_methods_document(const struct story_methods *methods,
                                                        const struct replay_context *context,
                                                        const struct timeline_step *step);
// Whether the method of the step's frame is left out as compiler-generated.
bool story_methods_generated(const struct story_methods *methods, const struct replay_context *context,
                             const struct timeline_step *step);
// Whether the module that a SITE step is in has symbols.
bool story_methods_has_symbols(const struct story_methods *methods, const struct replay_context *context,
                               const struct timeline_step *step);

#endif
