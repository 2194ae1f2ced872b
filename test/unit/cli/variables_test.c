// Environment variables that record a program: how their values are read.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/variables.h"
#include "collector/session/command_line.h"
#include "trace/instrument.h"

static void expect_words(const char *value, const char *const *expected)
{
    struct buffer why = {0};
    size_t found, count = 0;
    char **words = variables_split(value, 0, &found, &why);
    assert_non_null(words);
    for (; expected[count]; count++) {
        assert_non_null(words[count]);
        assert_string_equal(words[count], expected[count]);
    }
    assert_null(words[count]);
    assert_int_equal(found, count);
    assert_int_equal(why.size, 0);
    free(words);
}

#define WORDS(value, ...) expect_words(value, (const char *const[]){__VA_ARGS__, NULL})

// The buffer must hold exactly this sentence. Empties it.
static void expect_why(struct buffer *why, const char *sentence)
{
    buffer_u8(why, 0);
    assert_false(why->failed);
    assert_string_equal((const char *)why->data, sentence);
    buffer_free(why);
    *why = (struct buffer){0};
}

static void expect_fault(const char *value, const char *sentence)
{
    struct buffer why = {0};
    size_t count;
    assert_null(variables_split(value, 0, &count, &why));
    expect_why(&why, sentence);
}

static void blanks_separate_words(void **state)
{
    (void)state;
    expect_words("", (const char *const[]){NULL});
    expect_words(" \t\r\n", (const char *const[]){NULL});
    WORDS("a", "a");
    WORDS(" -i calls\t--max-size\n1G \n", "-i", "calls", "--max-size", "1G");
    WORDS("a b c d e f g", "a", "b", "c", "d", "e", "f", "g");
}

static void quotes_are_those_of_a_shell(void **state)
{
    (void)state;
    WORDS("-i 'calls:[Shop]*;N.M(int, long),tree'", "-i", "calls:[Shop]*;N.M(int, long),tree");
    WORDS("'' \"\" a''b", "", "", "ab");
    WORDS("'a\\b\"c' \"d'e\"", "a\\b\"c", "d'e");
    WORDS("\"a\\\"b\\\\c\\d\"", "a\"b\\c\\d");
    WORDS("a\\ b \\'c \\\\", "a b", "'c", "\\");
    WORDS("x'y z'\"u v\"w", "xy zu vw");
    WORDS("$HOME `id` $(id) ~ * # a;b|c", "$HOME", "`id`", "$(id)", "~", "*", "#", "a;b|c");
    WORDS("\xC3\xA9 '\xC3\xA9'", "\xC3\xA9", "\xC3\xA9");
}

static void faults_are_said(void **state)
{
    (void)state;
    expect_fault("-i 'calls", "CLEW_OPTIONS: a ' opens a quoted word that no other ' closes");
    expect_fault("-i \"calls", "CLEW_OPTIONS: a \" opens a quoted word that no other \" closes");
    expect_fault("\"a\\\"", "CLEW_OPTIONS: a \" opens a quoted word that no other \" closes");
    expect_fault("a\\", "CLEW_OPTIONS: it ends with a backslash, which quotes nothing");
    expect_fault("a\x01", "CLEW_OPTIONS: a word holds a control character; write it without");
    expect_fault("'a\nb'", "CLEW_OPTIONS: a word holds a control character; write it without");
    expect_fault("a\\\nb", "CLEW_OPTIONS: a word holds a control character; write it without");
}

// A command line that is quoted for a shell splits into the same words.
static void split_reverses_quoting(void **state)
{
    static const char *const words[] = {"it's", "",   "a b",    "\"",    "\\", "\\\\'",
                                        "'",    "''", "$x `y`", "plain", "-i", NULL};
    char *copy[sizeof words / sizeof *words] = {0};
    (void)state;
    for (size_t i = 0; words[i]; i++) {
        copy[i] = strdup(words[i]);
        assert_non_null(copy[i]);
    }
    char *line = command_line(copy, text_of(""));
    assert_non_null(line);
    expect_words(line, words);
    free(line);
    for (size_t i = 0; words[i]; i++) {
        free(copy[i]);
    }
}

// The exit status; *instruments of the options if it is 0.
static int options_of(const char *value, uint32_t *instruments)
{
    char program[] = "app", argument[] = "--fast";
    char *command[] = {program, argument, NULL};
    struct recording_options options;
    char **words;
    int status = variables_options(value, command, &options, &words);
    if (status == 0) {
        *instruments = options.instruments;
        assert_ptr_equal(options.command[0], program);
        assert_ptr_equal(options.command[1], argument);
        assert_null(options.command[2]);
    }
    recording_options_free(&options);
    free(words);
    return status;
}

static void options_are_those_of_record(void **state)
{
    uint32_t instruments = 0;
    (void)state;
    assert_int_equal(options_of(NULL, &instruments), 0);
    assert_int_equal(instruments, INSTRUMENT_TREE);
    assert_int_equal(options_of("-i calls --max-size 1G --rotate 3", &instruments), 0);
    assert_int_equal(instruments, INSTRUMENT_CALLS);
    assert_int_equal(options_of("--rotate 3", &instruments), CLI_USAGE);
    assert_int_equal(options_of("--nothing", &instruments), CLI_USAGE);
    assert_int_equal(options_of("-o", &instruments), CLI_USAGE); // takes no word of the program for its argument
    assert_int_equal(options_of("-i 'calls", &instruments), CLI_USAGE);
    assert_int_equal(options_of("--help", &instruments), CLI_USAGE); // and prints no help
    assert_int_equal(options_of("-q word -i calls", &instruments), CLI_USAGE);
    assert_int_equal(options_of("-q -- word", &instruments), CLI_USAGE);
    assert_int_equal(options_of("''", &instruments), CLI_USAGE);
    assert_int_equal(options_of("--print-env", &instruments), CLI_USAGE); // would record nothing
}

static const struct output_values known = {
    .process = 4711, .name = {"shop", 4}, .started_ns = UINT64_C(1795872901123456789)};

static void expect_path(const char *pattern, const struct output_values *values, const char *expected)
{
    struct buffer why = {0};
    char *path = variables_output(pattern, values, &why);
    assert_non_null(path);
    assert_string_equal(path, expected);
    assert_int_equal(why.size, 0);
    free(path);
}

static void patterns_are_expanded(void **state)
{
    static const struct output_values unknown = {0};
    (void)state;
    expect_path(NULL, &known, "shop-4711.clew");
    expect_path("", &known, "shop-4711.clew");
    expect_path("/var/log/clew/%n-%p-%t.clew", &known, "/var/log/clew/shop-4711-20261128T133501Z.clew");
    expect_path("%%p%%%p", &known, "%p%4711");
    expect_path("%n-%p-%t", &unknown, "NAME-PID-TIME");
    expect_path("plain", &known, "plain");
}

static void names_stay_in_the_folder(void **state)
{
    static const struct {
        const char *name, *expected;
    } cases[] = {{"../../etc/app", "d/.._.._etc_app"},
                 {"/bin/app", "d/_bin_app"},
                 {"..", "d/__"},
                 {".", "d/_"},
                 {"..a", "d/..a"},
                 {"a\nb", "d/a_b"},
                 {"%p", "d/%p"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct output_values values = known;
        values.name = text_of(cases[i].name);
        expect_path("d/%n", &values, cases[i].expected);
    }
}

static void unknown_letters_are_refused(void **state)
{
    struct buffer why = {0};
    (void)state;
    assert_null(variables_output("a-%d.clew", &known, &why));
    expect_why(&why, "CLEW_OUTPUT=a-%d.clew: after % comes p (process), n (name), t (time of the start) or another %");
    assert_null(variables_output("a%", &known, &why));
    expect_why(&why, "CLEW_OUTPUT=a%: after % comes p (process), n (name), t (time of the start) or another %");
}

static void expect_file(const char *pattern, const char *expected)
{
    struct buffer why = {0};
    char *path = variables_file(pattern, &known, &why);
    assert_non_null(path);
    assert_string_equal(path, expected);
    free(path);
}

// Comes last: root can write into every folder, so the test runs on as a user who cannot write into the root folder.
static void only_the_default_falls_back_to_temporary_folder(void **state)
{
    char folder[] = "/tmp/clew-variables-XXXXXX";
    struct buffer why = {0};
    (void)state;
    assert_true(geteuid() != 0 || setuid(65534) == 0);
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    expect_file(NULL, "shop-4711.clew");
    expect_file("%n.clew", "shop.clew");
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(setenv("TMPDIR", folder, 1), 0);
    char moved[64];
    (void)snprintf(moved, sizeof moved, "%s/shop-4711.clew", folder);
    expect_file(NULL, moved);
    assert_int_equal(setenv("TMPDIR", "", 1), 0);
    expect_file("", "/tmp/shop-4711.clew");
    assert_int_equal(setenv("TMPDIR", "/nowhere", 1), 0);
    assert_null(variables_file(NULL, &known, &why));
    expect_why(
        &why, "cannot write /nowhere/shop-4711.clew: No such file or directory; choose another place with CLEW_OUTPUT");
    assert_int_equal(unsetenv("TMPDIR"), 0);
    assert_null(variables_file("%n.clew", &known, &why));
    expect_why(&why, "cannot write shop.clew: Permission denied; choose another place with CLEW_OUTPUT");
    assert_null(variables_file("/dev/null/%n", &known, &why));
    expect_why(&why, "cannot write /dev/null/shop: Not a directory; choose another place with CLEW_OUTPUT");
    expect_file("/tmp/%p", "/tmp/4711");
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blanks_separate_words),
        cmocka_unit_test(quotes_are_those_of_a_shell),
        cmocka_unit_test(faults_are_said),
        cmocka_unit_test(split_reverses_quoting),
        cmocka_unit_test(options_are_those_of_record),
        cmocka_unit_test(patterns_are_expanded),
        cmocka_unit_test(names_stay_in_the_folder),
        cmocka_unit_test(unknown_letters_are_refused),
        cmocka_unit_test(only_the_default_falls_back_to_temporary_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
