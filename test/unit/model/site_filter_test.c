// Only the blocks that may hold a site are read, and none that holds it is left out, whatever happened to the sets.
#include "model/site_filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "../opened.h"
#include "../recording_path.h"
#include "../run_of_sites.h"
#include "model/model.h"
#include "recording/handle.h"
#include "trace/site.h"

enum { BLOCKS = 60, EVENTS = 8192, SITES = 4000, SITES_OF_BLOCK = 50 };

// The sites of block i are i * 50 + 1 to i * 50 + 50, and site 4000 is in every tenth.
static uint32_t site_at(uint32_t block, uint32_t event)
{
    bool common = block % 10 == 0 && event == EVENTS / 2;
    return common ? SITES : block * SITES_OF_BLOCK + 1 + (event * 7 + event / 100) % SITES_OF_BLOCK;
}

static void write_block(struct recording_writer *writer, uint32_t block)
{
    static struct recording_event events[EVENTS];
    static uint32_t cells[EVENTS];
    uint32_t seed = block;
    for (uint32_t i = 0; i < EVENTS; i++) {
        seed = seed * 1664525 + 1013904223;
        events[i] = (struct recording_event){
            .clock = 1000 + block, .kind = RECORDING_AT_SITE, .site = site_at(block, i), .cell = i};
        cells[i] = seed >> 8; // does not compress: a block is so large that a set of its sites may be, too
    }
    assert_int_equal(write_run_of_sites(writer, 1 + block % 2, block, events, cells, EVENTS), CLEW_OK);
}

static void make(bool closed)
{
    static struct site sites[SITES];
    const struct recording_session session = {.clock_hz = 1e9};
    struct recording_writer *writer;
    struct buffer blob = {0};
    (void)unlink(path);
    assert_int_equal(recording_create(path, &session, &writer), CLEW_OK);
    for (uint32_t i = 0; i < SITES; i++) {
        sites[i] = (struct site){.kind = SITE_DEFINITION, .place = PLACE_LOCAL, .encoding = VALUE_I4};
    }
    sites_encode(&blob, sites, SITES);
    for (uint32_t process = 1; process <= 2; process++) {
        assert_int_equal(recording_write_process(writer, &(struct recording_process){.process = process}), CLEW_OK);
        const struct recording_sites all = {
            .process = process, .first = 1, .method = 16, .blob = bytes_of(blob.data, blob.size)};
        assert_int_equal(recording_write_sites(writer, &all), CLEW_OK);
    }
    buffer_free(&blob);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        write_block(writer, i);
    }
    assert_int_equal(recording_close(writer, closed ? &(struct recording_end){.complete = true} : NULL), CLEW_OK);
}

static bool holds(uint32_t block, uint32_t process, uint32_t site)
{
    bool own = site > block * SITES_OF_BLOCK && site <= (block + 1) * SITES_OF_BLOCK;
    return process == 1 + block % 2 && (own || (site == SITES && block % 10 == 0));
}

// Returns how many blocks are wanted for the site; each that holds it is one of them.
static uint32_t count_wanted(uint32_t process, uint32_t site)
{
    struct recording *recording = opened(path);
    struct site_filter filter = {0};
    const struct recording_block *blocks;
    size_t count;
    uint32_t wanted = 0, block = 0;
    assert_int_equal(site_filter_know(&filter, 1), CLEW_OK);
    assert_int_equal(site_filter_know(&filter, 2), CLEW_OK);
    assert_int_equal(site_filter_add(&filter, process, site), CLEW_OK);
    assert_int_equal(site_filter_read(&filter, recording), CLEW_OK);
    assert_int_equal(recording_index(recording, &blocks, &count), CLEW_OK);
    for (size_t i = 0; i < count; i++) {
        if (blocks[i].type == RECORDING_EVENTS) {
            bool wants = site_filter_wants(&filter, &blocks[i]);
            assert_true(wants || !holds(block, process, site));
            wanted += wants;
            block++;
        }
    }
    assert_int_equal(block, BLOCKS);
    site_filter_free(&filter);
    return wanted;
}

static void only_blocks_with_the_site_are_wanted(void **state)
{
    (void)state;
    make(true);
    assert_int_equal(count_wanted(1, 1), 1);
    assert_int_equal(count_wanted(2, 51), 1);
    assert_int_equal(count_wanted(1, 51), 0); // that block is the other process's
    assert_int_equal(count_wanted(1, SITES), BLOCKS / 10);
    assert_int_equal(count_wanted(1, 3999), 0);
    assert_int_equal(count_wanted(7, 1), 0);
}

static bool takes(void *context, uint32_t process, uint32_t number, const struct site *site)
{
    assert_int_equal(site->kind, SITE_DEFINITION);
    return process == 1 && number == *(const uint32_t *)context;
}

static void sites_are_chosen_among_those_of_all_processes(void **state)
{
    (void)state;
    make(true);
    struct recording *recording = opened(path);
    struct site_filter filter = {0};
    struct model *model;
    struct sites *sites;
    uint32_t number = 1;
    assert_int_equal(model_load(recording, &(struct model_options){.names_only = true}, &model), CLEW_OK);
    assert_int_equal(sites_load(recording, &sites), CLEW_OK);
    assert_int_equal(site_filter_choose(&filter, &model->catalog, sites, recording, takes, &number), CLEW_OK);
    const struct recording_block *blocks;
    size_t count;
    uint32_t wanted = 0;
    assert_int_equal(recording_index(recording, &blocks, &count), CLEW_OK);
    for (size_t i = 0; i < count; i++) {
        wanted += blocks[i].type == RECORDING_EVENTS && site_filter_wants(&filter, &blocks[i]);
    }
    assert_int_equal(wanted, 1);
    site_filter_free(&filter);
    sites_free(sites);
    model_free(model);
}

static void blocks_of_unknown_processes_are_wanted(void **state)
{
    (void)state;
    make(true);
    struct recording *recording = opened(path);
    struct site_filter filter = {0};
    assert_int_equal(site_filter_know(&filter, 1), CLEW_OK);
    assert_int_equal(site_filter_read(&filter, recording), CLEW_OK);
    const struct recording_block *blocks;
    size_t count;
    assert_int_equal(recording_index(recording, &blocks, &count), CLEW_OK);
    for (size_t i = 0; i < count; i++) {
        if (blocks[i].type == RECORDING_EVENTS) {
            assert_int_equal(site_filter_wants(&filter, &blocks[i]), blocks[i].process == 2);
        }
    }
    site_filter_free(&filter);
}

// A writer that died had not written its newest sets.
static void without_sets_all_blocks_are_wanted(void **state)
{
    (void)state;
    make(false);
    assert_int_equal(count_wanted(1, 1), BLOCKS);
}

static void damaged_sets_exclude_nothing(void **state)
{
    (void)state;
    make(true);
    const struct recording_block *blocks;
    size_t count;
    assert_int_equal(recording_index(opened(path), &blocks, &count), CLEW_OK);
    assert_int_equal(blocks[count - 1].type, RECORDING_SITE_SETS);
    FILE *file = fopen(path, "r+e");
    assert_non_null(file);
    assert_int_equal(fseek(file, (long)blocks[count - 1].offset + 120, SEEK_SET), 0);
    int byte = fgetc(file);
    assert_int_equal(fseek(file, -1, SEEK_CUR), 0);
    (void)fputc(byte ^ 1, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(count_wanted(1, 1), BLOCKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_blocks_with_the_site_are_wanted),
        cmocka_unit_test(sites_are_chosen_among_those_of_all_processes),
        cmocka_unit_test(blocks_of_unknown_processes_are_wanted),
        cmocka_unit_test(without_sets_all_blocks_are_wanted),
        cmocka_unit_test(damaged_sets_exclude_nothing),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
