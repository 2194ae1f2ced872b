// Command lines in the form in which they are recorded.
#include "collector/session/command_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { WORDS_MAX = 8 };

static void expect(const char *configuration, const char *const *words, const char *expected)
{
    char *copy[WORDS_MAX + 1] = {0};
    for (size_t i = 0; words[i]; i++) {
        copy[i] = strdup(words[i]);
        assert_non_null(copy[i]);
    }
    char *line = command_line(copy, text_of(configuration));
    assert_string_equal(line, expected);
    free(line);
    for (size_t i = 0; words[i]; i++) {
        free(copy[i]);
    }
}

#define WORDS(...)        \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }

static void test_quotes(void **state)
{
    (void)state;
    expect("", WORDS("dotnet", "a b.dll", "", "it's", "--fast=1"), "dotnet 'a b.dll' '' 'it'\\''s' --fast=1");
}

static void test_secrets(void **state)
{
    (void)state;
    expect("", WORDS("app", "--password=X y", "last"), "app --password=REDACTED last");
    expect("", WORDS("app", "--password", "X y", "last"), "app --password REDACTED last");
    expect("", WORDS("app", "-Token", "X", "-v", "X"), "app -Token REDACTED -v X");
    expect("", WORDS("app", "-p:password=X", "-p:Name=Y"), "app -p:password=REDACTED -p:Name=Y");
    expect("", WORDS("app", "/password:X", "/db-password", "X"), "app /password:REDACTED /db-password REDACTED");
    expect("", WORDS("env", "DB_PASSWORD=X=Y", "app"), "env DB_PASSWORD=REDACTED app");
    expect("", WORDS("app", "--ConnectionStrings:Main", "X"), "app --ConnectionStrings:REDACTED REDACTED");
    expect("", WORDS("app", "--db", "Server=a;Password=X;User=b"), "app --db 'Server=a;Password=REDACTED'");
    expect("", WORDS("app", "http://host/?v=1&token=X"), "app 'http://host/?v=1&token=REDACTED'");
    expect("", WORDS("sh", "-c", "SECRET=X app"), "sh -c SECRET=REDACTED");
    expect("", WORDS("sh", "-c", "app --password X"), "sh -c 'app --password REDACTED'");
    expect("", WORDS("app", "--password", "--token", "X"), "app --password REDACTED REDACTED");
    expect("", WORDS("app", "--password"), "app --password");
    expect("", WORDS("dotnet", "/srv/secrets/app.dll", "run", "/srv/secrets", "x:y"),
           "dotnet /srv/secrets/app.dll run /srv/secrets x:y");
    expect("", WORDS("app", "--password=", "X"), "app --password= X");
}

static void test_names_of_the_session(void **state)
{
    (void)state;
    expect("redact *pin*\n", WORDS("app", "--Pin=1", "--password=X"), "app --Pin=REDACTED --password=X");
    expect("redact \n", WORDS("app", "--password=X"), "app --password=X");
}

static void test_of_a_process(void **state)
{
    (void)state;
    char *line = command_of_process(getpid(), text_of(""));
    assert_non_null(strstr(line, "command"));
    free(line);
    line = command_of_process(-1, text_of(""));
    assert_string_equal(line, "");
    free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quotes),
        cmocka_unit_test(test_secrets),
        cmocka_unit_test(test_names_of_the_session),
        cmocka_unit_test(test_of_a_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
