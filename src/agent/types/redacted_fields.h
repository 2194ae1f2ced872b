// Which value types contain a field whose value must not be recorded: one whose name the session redacts
// (base/redact.h), a tuple with such an item, or a struct with such a field. Woven code never stores a value of such a
// type by itself; probes blank the bytes (class_mask()), and the type's layout does not describe the field.
#ifndef CLEW_AGENT_REDACTED_FIELDS_H
#define CLEW_AGENT_REDACTED_FIELDS_H

#include "agent/probe/probe_classes.h"
#include "agent/types/instance_fields.h"

// Whether the usual patterns spare a place of this type: `bool`, an enum, one of redact_spared.
bool redaction_spares(const struct metadata *metadata, struct bytes signature, bool is_enum);
// Whether a value of the type contains a redacted field. Needs type_table_lock().
bool redacts_fields(uint32_t number);
// Whether it may, judging by the metadata of the type's own module: cheap, needs no number and no lock. False is certain.
// Called at each load of a value type, so that most of them cost no more than this.
bool may_redact_fields(struct module *module, uint32_t token);
// Whether this field is redacted or contains a field that is. `type` is the number of its type, 0 if that is not known.
// Needs type_table_lock().
bool redacts_field(const struct layout_source *source, uint32_t token, uint32_t type);

// Sets a bit for each byte of a value that a redacted field occupies, low bits first. A struct that contains a redacted
// field is masked as a whole. Needs type_table_lock().
void redaction_mask(const struct layout_source *source, uint64_t mask[CLASS_MASK_BYTES / 64]);

#endif
