// Prints what clew's readers find in PDBs, alone and in modules, one line per row, in the format of Symbols.cs.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "metadata/pdb/inflate.h"
#include "metadata/pdb/pdb.h"
#include "metadata/pdb/symbols.h"
#include "metadata/tables/image.h"
#include "read_file.h"

static void print_hex(struct bytes bytes)
{
    for (uint8_t byte; bytes_u8(&bytes, &byte);) {
        printf("%02X", byte);
    }
}

// Size and FNV-1a hash of a blob, in place of its bytes.
static void print_digest(struct bytes bytes)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    printf("%zu", bytes_left(&bytes));
    for (uint8_t byte; bytes_u8(&bytes, &byte);) {
        hash = (hash ^ byte) * UINT64_C(0x100000001B3);
    }
    printf(" %016" PRIx64 "\n", hash);
}

static void print_documents(const struct pdb *pdb)
{
    static const char *const languages[] = {"?", "C#", "VB", "F#"};
    static const char *const hashes[] = {[HASH_NONE] = "none",
                                         [HASH_MD5] = "md5 ",
                                         [HASH_SHA1] = "sha1 ",
                                         [HASH_SHA256] = "sha256 ",
                                         [HASH_OTHER] = "? "};
    for (uint32_t i = 1; i <= pdb_document_count(pdb); i++) {
        struct pdb_document document = {0};
        struct buffer name = {0};
        if (!pdb_document(pdb, i, &document) || !pdb_document_name(pdb, i, &name)) {
            printf("document %u is malformed\n", i);
        }
        printf("document %u %s %s", i, languages[document.language], hashes[document.hash_kind]);
        print_hex(document.hash);
        printf(" %.*s\n", (int)name.size, (const char *)name.data);
        buffer_free(&name);
    }
}

// Sequence points of a method, hidden ones included.
static void print_points(const struct pdb *pdb, uint32_t method)
{
    struct pdb_points points = pdb_points_of(pdb, method);
    for (struct pdb_point point; pdb_points_next(&points, &point);) {
        if (point.hidden) {
            printf("point %x %u hidden\n", point.il_offset, point.document);
        } else {
            printf("point %x %u %u:%u-%u:%u\n", point.il_offset, point.document, point.start_line, point.start_column,
                   point.end_line, point.end_column);
        }
    }
    if (points.damaged) {
        printf("points of %x are damaged\n", method);
    }
}

static void print_constant(const struct pdb_constant *constant)
{
    static const char *const words[] = {
        [PDB_CONSTANT_BOOLEAN] = "boolean",   [PDB_CONSTANT_CHARACTER] = "character",
        [PDB_CONSTANT_UNSIGNED] = "unsigned", [PDB_CONSTANT_SINGLE] = "single",
        [PDB_CONSTANT_DOUBLE] = "double",
    };
    printf("constant %.*s ", (int)constant->name.size, constant->name.at);
    switch (constant->kind) {
    case PDB_CONSTANT_NULL:
        printf("null");
        break;
    case PDB_CONSTANT_DEFAULT:
        printf("default");
        break;
    case PDB_CONSTANT_SIGNED:
        printf("%" PRId64 " signed", (int64_t)constant->bits);
        break;
    case PDB_CONSTANT_STRING:
        print_hex(constant->value);
        printf(" string");
        break;
    case PDB_CONSTANT_DECIMAL:
        print_hex(constant->value);
        printf(" decimal");
        break;
    case PDB_CONSTANT_DATE_TIME:
        printf("%" PRId64 " ticks", (int64_t)constant->bits);
        break;
    case PDB_CONSTANT_UNKNOWN:
        printf("malformed");
        break;
    case PDB_CONSTANT_BOOLEAN:
    case PDB_CONSTANT_CHARACTER:
    case PDB_CONSTANT_UNSIGNED:
    case PDB_CONSTANT_SINGLE:
    case PDB_CONSTANT_DOUBLE:
        printf("%" PRIu64 " %s", constant->bits, words[constant->kind]);
        break;
    }
    if (constant->type) {
        printf(" of %x", constant->type);
    }
    putchar('\n');
}

// Scopes of a method with their variables and constants.
static void print_scopes(const struct pdb *pdb, uint32_t method)
{
    struct metadata_range rows = pdb_scopes_of(pdb, method);
    for (uint32_t row = rows.first; row < rows.end; row++) {
        struct pdb_scope scope;
        struct pdb_variable variable;
        struct pdb_constant constant;
        if (!pdb_scope(pdb, row, &scope)) {
            continue;
        }
        printf("scope %x %x\n", scope.il.start, scope.il.end);
        for (uint32_t i = scope.variables.first; i < scope.variables.end && pdb_variable(pdb, i, &variable); i++) {
            printf("variable %u %.*s%s\n", variable.slot, (int)variable.name.size, variable.name.at,
                   variable.hidden ? " hidden" : "");
        }
        for (uint32_t i = scope.constants.first; i < scope.constants.end && pdb_constant(pdb, i, &constant); i++) {
            print_constant(&constant);
        }
    }
}

static void print_methods(const struct pdb *pdb)
{
    for (uint32_t row = 1; row <= metadata_rows(&pdb->metadata, TABLE_METHOD_DEBUG_INFORMATION); row++) {
        uint32_t method = TOKEN(TABLE_METHOD_DEF, row);
        printf("method %x %x\n", method, pdb_kickoff(pdb, method));
        print_points(pdb, method);
        print_scopes(pdb, method);
    }
}

// Scopes of the hoisted variables of a state machine.
static void print_hoisted(const struct pdb *pdb, uint32_t method, struct bytes blob)
{
    for (uint32_t slot = 0; slot < bytes_left(&blob) / 8; slot++) {
        struct pdb_il_range range;
        if (pdb_hoisted_scope(pdb, method, slot, &range)) {
            printf("hoisted %x %u %x %x\n", method, slot, range.start, range.end);
        } else {
            printf("hoisted %x %u none\n", method, slot);
        }
    }
}

static void print_awaits(const struct pdb *pdb, uint32_t method)
{
    struct pdb_awaits awaits;
    if (pdb_awaits_of(pdb, method, &awaits)) {
        printf("async %x %x\n", method, awaits.catch_handler);
        for (struct pdb_await await; pdb_awaits_next(&awaits, &await);) {
            printf("await %x %x %x\n", await.yield, await.resume, await.resume_method);
        }
    }
}

static void print_names(uint32_t parent, struct bytes names)
{
    printf("names %x", parent);
    for (struct text name; pdb_tuple_names_next(&names, &name);) {
        printf(" [%.*s]", (int)name.size, name.at);
    }
    putchar('\n');
}

// An embedded source, inflated.
static void print_source(const struct pdb *pdb, uint32_t parent)
{
    struct pdb_source source = {0};
    if (!pdb_embedded_source(pdb, TOKEN_ROW(parent), &source)) {
        printf("source %x is malformed\n", parent);
        return;
    }
    struct buffer text = {0};
    if (source.packed) {
        uint8_t *room = buffer_extend(&text, source.size);
        source.content = room && inflate_raw(source.content, room, source.size) == CLEW_OK ? bytes_of(room, source.size)
                                                                                           : (struct bytes){0};
    }
    printf("source %x ", parent);
    print_digest(source.content);
    buffer_free(&text);
}

static void print_kind(const uint8_t guid[16])
{
    printf("%08x%04x%04x", read_u32(guid), read_u16(guid + 4), read_u16(guid + 6));
    for (unsigned i = 8; i < 16; i++) {
        printf("%02x", guid[i]);
    }
}

// Each row of the table, and the result of pdb_custom() for its parent and kind.
static void print_custom(const struct pdb *pdb)
{
    const struct metadata *metadata = &pdb->metadata;
    for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_CUSTOM_DEBUG_INFORMATION); row++) {
        uint8_t guid[16] = {0};
        uint32_t parent = metadata_decode(
            CODED_HAS_CUSTOM_DEBUG_INFORMATION,
            metadata_column(metadata, TABLE_CUSTOM_DEBUG_INFORMATION, row, CUSTOM_DEBUG_INFORMATION_PARENT));
        struct bytes blob = metadata_blob(
            metadata, metadata_column(metadata, TABLE_CUSTOM_DEBUG_INFORMATION, row, CUSTOM_DEBUG_INFORMATION_VALUE));
        (void)metadata_guid(
            metadata, metadata_column(metadata, TABLE_CUSTOM_DEBUG_INFORMATION, row, CUSTOM_DEBUG_INFORMATION_KIND),
            guid);
        printf("custom %x ", parent);
        print_kind(guid);
        putchar(' ');
        print_digest(blob);
        if (pdb_custom(pdb, parent, PDB_CUSTOM_HOISTED_SCOPES).at == blob.at) {
            print_hoisted(pdb, parent, blob);
        } else if (pdb_custom(pdb, parent, PDB_CUSTOM_ASYNC_STEPS).at == blob.at) {
            print_awaits(pdb, parent);
        } else if (pdb_custom(pdb, parent, PDB_CUSTOM_TUPLE_NAMES).at == blob.at) {
            print_names(parent, blob);
        } else if (pdb_custom(pdb, parent, PDB_CUSTOM_EMBEDDED_SOURCE).at == blob.at) {
            print_source(pdb, parent);
        }
    }
}

static void print_pdb(const char *path, const struct pdb *pdb)
{
    printf("pdb %s ", path);
    print_hex(bytes_of(pdb->id, PDB_ID_SIZE));
    printf(" %x\n", pdb->entry_point);
    print_documents(pdb);
    print_methods(pdb);
    print_custom(pdb);
}

// Prints a PDB, or the one inside a module.
static void print_file(const char *path, struct bytes bytes)
{
    struct pdb pdb;
    struct image image;
    struct symbols symbols;
    struct symbols_query query = {.image = &image};
    if (pdb_open(bytes, &pdb) == CLEW_OK) {
        print_pdb(path, &pdb);
    } else if (image_open(bytes, IMAGE_FLAT, &image) == CLEW_OK &&
               symbols_open(&query, &symbols, NULL) == SYMBOLS_EMBEDDED) {
        print_pdb(path, &symbols.pdb);
        symbols_close(&symbols);
    }
}

int main(int count, char **paths)
{
    for (int i = 1; i < count; i++) {
        struct buffer content;
        if (!read_file(paths[i], &content)) {
            fprintf(stderr, "%s cannot be read\n", paths[i]);
            return EXIT_FAILURE;
        }
        print_file(paths[i], bytes_of(content.data, content.size));
        buffer_free(&content);
    }
    return EXIT_SUCCESS;
}
