// The source text that a recording carries, by document and line.
#ifndef CLEW_MODEL_SOURCES_H
#define CLEW_MODEL_SOURCES_H

#include "model/sites.h"

struct sources;

enum clew_error sources_open(const char *path, struct sources **out);
void sources_close(struct sources *sources);

// Lines count from 1; without the line break. Empty: the recording does not have the document's text, or no such line.
struct text sources_line(struct sources *sources, const struct recording_document *document, uint32_t line);
// How many lines the document has; 0: the recording does not have its text.
uint32_t sources_line_count(struct sources *sources, const struct recording_document *document);
// Why there is no text; VERIFIED when there is, never SAME.
enum source_state sources_state(struct sources *sources, const struct recording_document *document);
// What was met in the blocks that were asked for.
struct recording_health sources_health(const struct sources *sources);

#endif
