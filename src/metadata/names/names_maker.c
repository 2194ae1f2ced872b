// Finds the method that creates a lambda or closure, for languages whose names do not state it (VB, F#): its body loads
// the lambda's address or calls the closure's constructor. Bodies are not decoded but searched, at each byte, for the
// opcodes of ldftn and newobj followed by the token of such a method; operands rarely look like both by chance. Source
// of facts: ECMA-335 II.25.4, III.3.19, III.4.21, III.4.18.
#include <stdlib.h>

#include "metadata/names/names_internal.h"
#include "metadata/tables/signature.h"

enum { LDFTN_PREFIX = 0xFE, LDFTN = 0x06, NEWOBJ = 0x73, TOKEN_SIZE = 4 };

// The state of one scan over all bodies.
struct scan {
    struct names *names;
    uint32_t *references; // by MemberRef row: row of the MethodDef in this module that it means, or 0
};

static struct text column_text(const struct metadata *metadata, enum metadata_table table, uint32_t row,
                               unsigned column)
{
    return metadata_string(metadata, metadata_column(metadata, table, row, column));
}

// Whether a method is one whose maker is wanted: a VB lambda, or the constructor of an F# closure.
static bool is_made(const struct names *names, uint32_t type_token, struct text name)
{
    struct generated_lambda lambda;
    struct text original;
    return text_equal(name, text_of(".ctor")) ? generated_fsharp(names_type_name(names, type_token), &original)
                                              : generated_lambda(name, &lambda) && lambda.method.size == 0;
}

// The TypeDef that a MemberRef's parent is, type arguments aside; 0 for types of other modules.
static uint32_t referenced_type(const struct metadata *metadata, uint32_t reference_row)
{
    uint32_t parent = metadata_column(metadata, TABLE_MEMBER_REF, reference_row, MEMBER_REF_PARENT);
    uint32_t token = metadata_decode(CODED_MEMBER_REF_PARENT, parent);
    if (TOKEN_TABLE(token) == TABLE_TYPE_SPEC) {
        struct bytes spec =
            metadata_blob(metadata, metadata_column(metadata, TABLE_TYPE_SPEC, TOKEN_ROW(token), TYPE_SPEC_SIGNATURE));
        uint32_t coded;
        bool instance = bytes_left(&spec) > 2 && *spec.at == ELEMENT_GENERIC_INSTANCE && bytes_skip(&spec, 2) &&
                        bytes_compressed(&spec, &coded);
        token = instance ? metadata_decode(CODED_TYPE_DEF_OR_REF, coded) : 0;
    }
    return TOKEN_TABLE(token) == TABLE_TYPE_DEF && TOKEN_ROW(token) ? token : 0;
}

// Generic closures are referred to by MemberRefs even within their own module: maps these to their MethodDefs.
static void resolve_references(struct scan *scan)
{
    const struct metadata *metadata = scan->names->metadata;
    for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_MEMBER_REF); row++) {
        uint32_t type = referenced_type(metadata, row);
        struct text name = column_text(metadata, TABLE_MEMBER_REF, row, MEMBER_REF_NAME);
        if (type && is_made(scan->names, type, name)) {
            scan->references[row] = TOKEN_ROW(names_find_method(scan->names, type, name, false));
        }
    }
}

// The MethodDef row that an instruction's token means; 0 when it is of another module.
static uint32_t method_of(const struct scan *scan, uint32_t token)
{
    const struct metadata *metadata = scan->names->metadata;
    if (TOKEN_TABLE(token) == TABLE_METHOD_SPEC) {
        token = metadata_decode(CODED_METHOD_DEF_OR_REF,
                                metadata_column(metadata, TABLE_METHOD_SPEC, TOKEN_ROW(token), METHOD_SPEC_METHOD));
    }
    uint32_t row = TOKEN_ROW(token);
    if (TOKEN_TABLE(token) == TABLE_MEMBER_REF) {
        return row <= metadata_rows(metadata, TABLE_MEMBER_REF) ? scan->references[row] : 0;
    }
    return TOKEN_TABLE(token) == TABLE_METHOD_DEF && row <= metadata_rows(metadata, TABLE_METHOD_DEF) ? row : 0;
}

// The first maker found counts.
static void note_maker(const struct scan *scan, uint32_t token, uint32_t maker_row)
{
    struct names *names = scan->names;
    uint32_t row = method_of(scan, token);
    if (row == 0 || row == maker_row || names->makers[row]) {
        return;
    }
    uint32_t owner = metadata_method_owner(names->metadata, TOKEN(TABLE_METHOD_DEF, row));
    if (is_made(names, owner, column_text(names->metadata, TABLE_METHOD_DEF, row, METHOD_DEF_NAME))) {
        names->makers[row] = maker_row;
    }
}

static void scan_code(const struct scan *scan, struct bytes code, uint32_t method_row)
{
    for (const uint8_t *at = code.at; code.end - at > TOKEN_SIZE; at++) {
        bool loads = at[0] == LDFTN && at > code.at && at[-1] == LDFTN_PREFIX;
        if (loads || at[0] == NEWOBJ) {
            note_maker(scan, read_u32(at + 1), method_row);
        }
    }
}

// The instructions of the body that begins at `bytes`, with a tiny or a fat header (II.25.4).
static bool take_code(struct bytes bytes, struct bytes *out)
{
    uint8_t first;
    if (!bytes_u8(&bytes, &first)) {
        return false;
    }
    if ((first & 3) == 2) {
        return bytes_take(&bytes, first >> 2, out);
    }
    uint8_t second;
    uint32_t size;
    return (first & 3) == 3 && bytes_u8(&bytes, &second) && bytes_skip(&bytes, 2) && bytes_u32(&bytes, &size) &&
           second >> 4 >= 3 && bytes_skip(&bytes, (size_t)(second >> 4) * 4 - 8) && bytes_take(&bytes, size, out);
}

static void scan_bodies(const struct scan *scan)
{
    const struct metadata *metadata = scan->names->metadata;
    // Hostile modules could let all methods share one large body; honest ones have no more code than bytes.
    size_t budget = bytes_left(&scan->names->image->bytes);
    for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_METHOD_DEF); row++) {
        uint32_t rva = metadata_column(metadata, TABLE_METHOD_DEF, row, METHOD_DEF_RVA);
        struct bytes bytes, code;
        if (rva && image_at(scan->names->image, rva, &bytes) && take_code(bytes, &code)) {
            if (bytes_left(&code) > budget) {
                return;
            }
            budget -= bytes_left(&code);
            scan_code(scan, code, row);
        }
    }
}

// Fills names->makers by a scan over all method bodies.
static void scan_makers(struct names *names)
{
    struct scan scan = {.names = names};
    names->makers = calloc((size_t)metadata_rows(names->metadata, TABLE_METHOD_DEF) + 1, sizeof *names->makers);
    scan.references = calloc((size_t)metadata_rows(names->metadata, TABLE_MEMBER_REF) + 1, sizeof *scan.references);
    if (names->makers && scan.references) {
        resolve_references(&scan);
        scan_bodies(&scan);
    } else {
        free(names->makers);
        names->makers = NULL;
        names->starved = true;
    }
    free(scan.references);
}

uint32_t names_maker(struct names *names, uint32_t method_token)
{
    if (names->image && !names->makers) {
        scan_makers(names);
    }
    uint32_t row = TOKEN_ROW(method_token);
    uint32_t maker = names->makers && row <= metadata_rows(names->metadata, TABLE_METHOD_DEF) ? names->makers[row] : 0;
    return maker ? TOKEN(TABLE_METHOD_DEF, maker) : 0;
}

uint32_t names_creator(struct names *names, uint32_t method_token)
{
    uint32_t owner = metadata_method_owner(names->metadata, method_token);
    struct text ignored;
    return generated_fsharp(names_type_name(names, owner), &ignored)
               ? names_maker(names, names_find_method(names, owner, text_of(".ctor"), false))
               : 0;
}
