// The source texts in a recording, by document and line.
#ifndef CLEW_MODEL_SOURCES_H
#define CLEW_MODEL_SOURCES_H

#include "model/sites.h"

// A reader of source texts.
struct sources;
struct source_places; // source/source_places.h

// A source that the recording lacks is searched in `places`, unless that is NULL, and is shown if its checksum agrees. The
// handle and the places must outlive the reader. The caller calls sources_close().
enum clew_error sources_open(struct recording *recording, const struct source_places *places, struct sources **out);
void sources_close(struct sources *sources);

// Returns a line, counted from 1, without its line break. Empty: the recording lacks the document's text, or it has no
// such line. The text lives as long as `sources`.
struct text sources_line(struct sources *sources, const struct recording_document *document, uint32_t line);
// The number of lines of the document; 0: the recording lacks its text.
uint32_t sources_line_count(struct sources *sources, const struct recording_document *document);
// SOURCE_VERIFIED if there is a text, else the reason why there is none. Never SOURCE_SAME.
enum source_state sources_state(struct sources *sources, const struct recording_document *document);
// The damage in the blocks that were read so far.
struct recording_health sources_health(const struct sources *sources);

#endif
