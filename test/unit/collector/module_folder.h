// A session's file and the folder of a module with symbols, for tests of what the collector finds in symbols and sources.
// Include it after cmocka.h.
#ifndef CLEW_TEST_UNIT_COLLECTOR_MODULE_FOLDER_H
#define CLEW_TEST_UNIT_COLLECTOR_MODULE_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../metadata/made_pdb.h"
#include "collector/sources/documents.h"
#include "metadata/pdb/debug_directory.h"

static const char module_file[] = "test/fuzz/corpus/metadata/VisualBasic.dll"; // its symbols are a file beside it
static const struct document_folders no_folders;
static char folder[64], path[128], module[128];
static struct recording_writer *writer;
static struct documents documents;
static struct contents contents;

static inline void create(void)
{
    struct recording_session session = {.clock = CLOCK_KIND_NONE, .clock_hz = 1e9};
    assert_int_equal(recording_create(path, &session, &writer), CLEW_OK);
}

static inline int set_up(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/clew-sources-XXXXXX");
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/a.clew", folder);
    (void)snprintf(module, sizeof module, "%s/deep/bin/App.dll", folder);
    create();
    documents = (struct documents){.process = 1, .pid = getpid()};
    assert_int_equal(documents_add_module(&documents, 2, text_of(module)), CLEW_OK);
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    char command[128];
    documents_free(&documents);
    contents_free(&contents);
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
    return 0;
}

// Creates FOLDER/NAME and its folders; returns the path.
static inline const char *put_file(const char *name, const void *content, size_t size)
{
    static char full[256];
    (void)snprintf(full, sizeof full, "%s/%s", folder, name);
    for (char *slash = full + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        (void)mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return full;
}

// Copies the module; gives the id that it asks its symbols for.
static inline void put_module(uint8_t id[PDB_ID_SIZE])
{
    struct image image;
    struct debug_directory directory;
    struct buffer bytes = {0};
    FILE *file = fopen(module_file, "rb");
    assert_non_null(file);
    uint8_t *at = buffer_extend(&bytes, 1 << 20);
    bytes.size = fread(at, 1, 1 << 20, file);
    (void)fclose(file); // only read from
    (void)put_file("deep/bin/App.dll", bytes.data, bytes.size);
    assert_int_equal(image_open(bytes_of(bytes.data, bytes.size), IMAGE_FLAT, &image), CLEW_OK);
    debug_directory_read(&image, &directory);
    assert_int_equal(directory.id_count, 1);
    memcpy(id, directory.ids[0], PDB_ID_SIZE);
    buffer_free(&bytes);
}

// Copies a module to where documents_add_module() said, with these symbols beside it. Frees what they are made of.
static inline void put_pdb(struct made_pdb *made)
{
    static const uint8_t made_id[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
    uint8_t id[PDB_ID_SIZE];
    put_module(id);
    struct buffer pdb = made_finish(made);
    uint8_t *at = memmem(pdb.data, pdb.size, made_id, sizeof made_id);
    assert_non_null(at);
    memcpy(at, id, sizeof id);
    (void)put_file("deep/bin/App.pdb", pdb.data, pdb.size);
    buffer_free(&pdb);
}

#endif
