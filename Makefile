# `make demo` and `make test` do all set-up themselves; `make help` lists the rest.

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share

.DEFAULT_GOAL := build
.PHONY: help deps build libraries demo test lint bench sanitize install clean

help: ## list these targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 12

deps: ## install the system packages that demo, test and lint use (scripts/packages.txt)
	@scripts/deps.sh

build: libraries ## build build/bin/cfa (a Rust toolchain and a C compiler are enough)
	@scripts/cargo.sh program
	@scripts/cargo.sh contest

libraries: ## build build/lib: libcfa.so, libcfa.a, pkgconfig/cfa.pc, the Fortran module if there is gfortran
	@scripts/cargo.sh shared
	@scripts/cargo.sh static
	@scripts/fortran.sh

demo: deps build ## write a sample aggregation to build/demo, describe it and read from it
	@demo/run.sh

test: ## set up, build, lint and run every test
	@scripts/test.sh

lint: deps ## rustfmt, clippy, rustdoc, shellcheck, file lengths, licences
	@scripts/lint.sh

bench: deps ## time small parts, and whole reads against LIMIT where ../shared/bench is; UPDATE=1 puts the figures into docs
	@scripts/bench.sh

sanitize: deps ## run the C tests with the library under AddressSanitizer
	@scripts/sanitize.sh

install: build ## install program, libraries, header and Fortran module below PREFIX (and DESTDIR); scripts/install.sh has more
	@PREFIX='$(PREFIX)' BINDIR='$(BINDIR)' LIBDIR='$(LIBDIR)' INCLUDEDIR='$(INCLUDEDIR)' DATADIR='$(DATADIR)' \
		DESTDIR='$(DESTDIR)' scripts/install.sh

clean: ## remove build/ and target/
	rm -rf build target
