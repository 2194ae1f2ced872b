// See uncovered.h. Which attributes count, and for what, is what coverlet.core 10.0 does (its documentation: "Excluding from
// coverage"), found by trial: test/sample/coverage compares.
#include "metadata/uncovered.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"

static const char *const attributes[] = {
    "ExcludeFromCodeCoverageAttribute",
    "ExcludeFromCoverageAttribute",
    "ExcludeFromCodeCoverage",
    "ExcludeFromCoverage",
};

// Notes the classes of a table that have one of these names. Most modules have none, and nothing else has to be looked at then.
static void find_types(struct uncovered *out, enum metadata_table table)
{
    for (uint32_t row = 1; row <= metadata_rows(out->metadata, table) && out->type_count < UNCOVERED_TYPES_MAX; row++) {
        struct text name = metadata_string(out->metadata, metadata_column(out->metadata, table, row, TYPE_NAME));
        for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
            if (text_equal(name, text_of(attributes[i]))) {
                out->types[out->type_count++] = TOKEN(table, row);
                break;
            }
        }
    }
}

static bool bears(const struct uncovered *uncovered, uint32_t token)
{
    struct metadata_range rows = {0};
    if (uncovered->type_count) {
        rows = metadata_attributes_of(uncovered->metadata, token);
    }
    for (uint32_t row = rows.first; row < rows.end; row++) {
        uint32_t type = metadata_attribute_type(uncovered->metadata, row);
        for (unsigned i = 0; i < uncovered->type_count; i++) {
            if (uncovered->types[i] == type) {
                return true;
            }
        }
    }
    return false;
}

// Whether a class or one around it bears the attribute.
static bool type_bears(const struct uncovered *uncovered, uint32_t type)
{
    bool found = false;
    for (uint32_t left = metadata_rows(uncovered->metadata, TABLE_TYPE_DEF); type && left > 0 && !found; left--) {
        found = bears(uncovered, type);
        type = uncovered->type_count ? metadata_enclosing_type(uncovered->metadata, type) : 0;
    }
    return found;
}

// The property of an accessor; 0: it is none of a property.
static uint32_t property_of(const struct uncovered *uncovered, uint32_t method_token)
{
    uint32_t row = names_accessor(uncovered->names, method_token);
    uint32_t coded =
        row ? metadata_column(uncovered->metadata, TABLE_METHOD_SEMANTICS, row, METHOD_SEMANTICS_ASSOCIATION) : 0;
    uint32_t of = coded ? metadata_decode(CODED_HAS_SEMANTICS, coded) : 0;
    return TOKEN_TABLE(of) == TABLE_PROPERTY ? of : 0;
}

static bool is_constructor(const struct metadata *metadata, uint32_t method_token)
{
    struct metadata_method method;
    return metadata_method(metadata, method_token, &method) &&
           (text_equal(method.name, text_of(".ctor")) || text_equal(method.name, text_of(".cctor")));
}

static bool method_bears(const struct uncovered *uncovered, uint32_t method_token)
{
    uint32_t property = uncovered->type_count ? property_of(uncovered, method_token) : 0;
    return bears(uncovered, method_token) || (property && bears(uncovered, property));
}

bool uncovered_method(const struct uncovered *uncovered, uint32_t method_token)
{
    const struct metadata *metadata = uncovered->metadata;
    uint32_t type = metadata_method_owner(metadata, method_token);
    enum method_kind kind;
    if (uncovered->all || type_bears(uncovered, type) || method_bears(uncovered, method_token)) {
        return true;
    }
    if (is_constructor(metadata, method_token) &&
        metadata_attribute(metadata, method_token, "System.Runtime.CompilerServices", "CompilerGeneratedAttribute",
                           NULL)) {
        return true; // that copies a record
    }
    uint32_t kickoff = uncovered->type_count ? names_kickoff(uncovered->names, type, &kind) : 0;
    return kickoff && method_bears(uncovered, kickoff);
}

bool uncovered_point(const struct uncovered *uncovered, const struct pdb_point *point)
{
    for (size_t i = 0; i < uncovered->count; i++) {
        const struct uncovered_section *section = &uncovered->sections[i];
        if (section->document == point->document && point->start_line >= section->first_line &&
            point->start_line <= section->last_line) {
            return true;
        }
    }
    return false;
}

static enum clew_error add_section(struct uncovered *uncovered, uint32_t method_token)
{
    struct pdb_points points = pdb_points_of(uncovered->pdb, method_token);
    struct uncovered_section section = {0};
    struct pdb_point point;
    while (pdb_points_next(&points, &point)) {
        if (!point.hidden) {
            section.document = section.document ? section.document : point.document;
            section.first_line = section.first_line ? section.first_line : point.start_line;
            section.last_line = point.end_line;
        }
    }
    if (!section.document) {
        return CLEW_OK;
    }
    if (!array_grow(&uncovered->sections, uncovered->count, &uncovered->room, sizeof *uncovered->sections)) {
        return CLEW_NO_MEMORY;
    }
    uncovered->sections[uncovered->count++] = section;
    return CLEW_OK;
}

enum clew_error uncovered_find(const struct metadata *metadata, const struct pdb *pdb, struct names *names,
                               struct uncovered *out)
{
    *out = (struct uncovered){.metadata = metadata, .pdb = pdb, .names = names};
    find_types(out, TABLE_TYPE_REF);
    find_types(out, TABLE_TYPE_DEF);
    out->all = bears(out, TOKEN(TABLE_ASSEMBLY, 1)) || bears(out, TOKEN(TABLE_MODULE, 1));
    uint32_t methods = out->type_count && !out->all ? metadata_rows(metadata, TABLE_METHOD_DEF) : 0;
    for (uint32_t row = 1; row <= methods; row++) {
        uint32_t token = TOKEN(TABLE_METHOD_DEF, row);
        if (!is_constructor(metadata, token) && method_bears(out, token)) {
            uint32_t body = names_body(names, token);
            CLEW_TRY(add_section(out, token));
            CLEW_TRY(body ? add_section(out, body) : CLEW_OK);
        }
    }
    return CLEW_OK;
}

void uncovered_free(struct uncovered *uncovered)
{
    free(uncovered->sections);
    *uncovered = (struct uncovered){0};
}
