# `make demo` and `make test` do all set-up themselves; `make help` lists the rest.

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
# The folder beside GDAL's library, where the installed GDAL looks for plugins. Another PREFIX has a folder of its own,
# which GDAL_DRIVER_PATH can name.
GDALPLUGINS ?= $(if $(filter /usr /usr/local,$(PREFIX)),$(shell scripts/gdal_plugins_dir.sh),$(LIBDIR)/gdalplugins)

.DEFAULT_GOAL := build
.PHONY: help deps build plugin wheel demo test test-gdal soak lint bench sanitize install clean

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 12

deps: ## install the system packages that the targets use (scripts/packages.txt); FOR=demo: those of one target
	@scripts/deps.sh $(FOR)

# The plugin too, where the headers of GDAL are, and the Fortran module, where gfortran is.
build: ## build everything below build/ (a Rust toolchain and a C compiler are enough for program and libraries)
	@scripts/cargo.sh products $$(if command -v $${GDAL_CONFIG:-gdal-config} >/dev/null; then echo plugin; fi)
	@scripts/fortran.sh

plugin: ## build the GDAL driver build/gdalplugins/gdal_CFA.so (needs gdal-config and a C++ compiler)
	@scripts/cargo.sh plugin

wheel: ## build the Python package, build/wheels/libcfa-*.whl, for every Linux of 2014 and later
	@scripts/deps.sh wheel
	@scripts/cargo.sh wheel

demo: ## write a sample aggregation to build/demo, describe it, read from it and open it with GDAL
	@scripts/deps.sh demo
	@$(MAKE) --no-print-directory build
	@demo/run.sh

test: ## set up, build, lint and run every test
	@scripts/test.sh

test-gdal: ## run the tests of the GDAL driver; SUITE=trixie or sid: in that Debian (root; 2.5 GB), QGIS=1: its QGIS
	@$(if $(SUITE),scripts/test_gdal_suite.sh $(SUITE) $(if $(QGIS),qgis) || [ $$? -eq 77 ],scripts/test_gdal.sh)

soak: ## run the long forms of the stress tests: threads, random cases, other suites of Debian
	@scripts/deps.sh soak
	@$(MAKE) --no-print-directory build
	@scripts/soak.sh

lint: ## rustfmt, clippy, rustdoc, shellcheck, file lengths, licences
	@scripts/deps.sh lint
	@scripts/lint.sh

bench: ## time small parts, and whole reads against LIMIT where ../shared/bench is; UPDATE=1 puts the figures into docs
	@scripts/deps.sh bench
	@scripts/bench.sh

sanitize: ## run the C tests with the library under AddressSanitizer and ThreadSanitizer
	@scripts/deps.sh test
	@scripts/sanitize.sh

# Installs what was built: root often has no cargo.
install: ## install program, libraries, header and Fortran module below PREFIX; scripts/install.sh has more
	@PREFIX='$(PREFIX)' BINDIR='$(BINDIR)' LIBDIR='$(LIBDIR)' INCLUDEDIR='$(INCLUDEDIR)' DATADIR='$(DATADIR)' \
		DESTDIR='$(DESTDIR)' scripts/install.sh
	@if [ -e build/gdalplugins/gdal_CFA.so ]; then \
		install -D -m 755 build/gdalplugins/gdal_CFA.so "$(DESTDIR)$(GDALPLUGINS)/gdal_CFA.so"; fi
	@for plugin in $(wildcard build/gdalplugins/wheels/*/gdal_CFA.so); do \
		install -D -m 755 $$plugin "$(DESTDIR)$(LIBDIR)/cfa/gdalplugins/$${plugin#build/gdalplugins/wheels/}"; done

clean: ## remove build/ and target/
	rm -rf build target
