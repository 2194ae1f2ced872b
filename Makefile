# Shortcuts for people; the build itself is CMakeLists.txt. `make` builds build/clew with its agent beside it.
BUILD ?= build
SECONDS ?= 60
# What differs from this commit is a change (make changed); tools/changed says what it is by default.
SINCE ?=
# OFF leaves unit and command line tests out of `make test`: for .ci/run, where the sanitizer build runs them.
UNITS ?= ON
PREFIX ?= /usr/local
GENERATE = cmake -G Ninja -S . $(if $(CI),-DCLEW_WERROR=ON) -DCLEW_UNITS=$(UNITS)

.PHONY: all ui picture demo quick changed test test-slow bench asan asan-quick tsan fuzz soak install format check clean

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet

$(BUILD)/build.ninja:
	@command -v cmake ninja >/dev/null || { echo 'make: cmake or ninja is not installed; run tools/setup' >&2; exit 1; }
	@$(GENERATE) -B $(BUILD) --log-level=WARNING

# The page, ui/dist/page.html, which is committed: building clew itself needs no npm.
ui:
	@tools/npm-packages
	@npm --prefix ui run --silent check
	@npm --prefix ui run --silent build -- --logLevel warn

# Takes the picture of README.md anew.
picture: all
	@CLEW=$(CURDIR)/$(BUILD)/clew CLEW_BUILD=$(CURDIR)/$(BUILD) test/page/run test/page/readme.test.mjs; \
	    cp $(BUILD)/page/shots/readme.png doc/page.png

# Installs what is missing, builds, records a real program and prints the report.
demo:
	@tools/setup
	@$(MAKE) --no-print-directory all
	@tools/demo $(BUILD)

# For the loop of editing: the unit and command line tests that do not take long.
quick: all
	@tools/test $(BUILD) --label-regex '^(unit|cli|reading)$$' --label-exclude '^(long|slow)$$'

# The tests that a change can reach.
changed: all
	@tools/changed $(BUILD) $(SINCE)

# Installs what is missing, builds, runs all tests but the slow ones. The last line is "N passed, N failed".
test:
	@tools/setup
	@$(GENERATE) -B $(BUILD) --log-level=WARNING
	@$(MAKE) --no-print-directory all
	@tools/test $(BUILD) --label-exclude slow

test-slow:
	@tools/setup
	@$(MAKE) --no-print-directory all
	@tools/test $(BUILD) --label-exclude quick

# One line a figure, each measured against plain in the same run.
bench: all
	@bench/run $(BUILD)

# The same tests under sanitizers.
asan: build-asan
	@tools/test build-asan --label-exclude slow

# The unit and command line tests under the address sanitizer, and programs recorded with an agent that has it.
asan-quick: build-asan
	@tools/test build-asan --label-regex '^(unit|cli|sanitized)$$' --label-exclude slow

.PHONY: build-asan
build-asan:
	@$(GENERATE) -B build-asan -DCLEW_SANITIZE=address --log-level=WARNING
	@ninja -C build-asan --quiet

tsan:
	@$(GENERATE) -B build-tsan -DCLEW_SANITIZE=thread --log-level=WARNING
	@ninja -C build-tsan --quiet
	@tools/test build-tsan --label-exclude slow

# SECONDS for each fuzzer, on a copy of its corpus; an input that breaks something is kept in build-fuzz. With SINCE, those
# whose sources are as they were there run for 10 s.
fuzz:
	@CC=clang $(GENERATE) -B build-fuzz -DCLEW_SANITIZE=fuzzer --log-level=WARNING
	@ninja -C build-fuzz --quiet fuzz
	@tools/fuzz build-fuzz $(SECONDS) $(SINCE)

# Recorded programs for SECONDS (an hour), whose memory, descriptors and mappings must not grow.
soak: SECONDS = 3600
soak: all
	@CLEW=$(BUILD)/clew test/soak/run --seconds $(SECONDS)

install: all
	@cmake --install $(BUILD) --prefix $(PREFIX)

format:
	@git ls-files '*.c' '*.h' | xargs clang-format-14 -i

clean:
	@rm -rf build build-asan build-tsan build-fuzz
