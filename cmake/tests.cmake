# What ctest runs: the program, the C contract (c_tests/), the Fortran module, and programs built against an installation.
# The Rust tests are cargo's, and `make test` runs everything.

add_test(NAME program COMMAND "${stage}/bin/cfa" --version)

find_program(CFA_NCGEN ncgen)
if(CFA_NCGEN)
  find_package(Threads REQUIRED)
  set(fixtures "${PROJECT_BINARY_DIR}/fixtures")
  file(MAKE_DIRECTORY "${fixtures}")
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/c_tests/fixtures/*.cdl")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    configure_file("${source}" "${fixtures}/${name}.cdl" COPYONLY)
    add_test(NAME fixture_${name} COMMAND "${CFA_NCGEN}" -4 -o "${fixtures}/${name}.nc" "${source}")
    set_tests_properties(fixture_${name} PROPERTIES FIXTURES_SETUP c_fixtures)
  endforeach()
  foreach(name IN ITEMS arguments errors fragments meaning metadata options read replacing supplied threads writing
      writing_options fork)
    add_executable(c_${name} "c_tests/${name}.c")
    target_link_libraries(c_${name} PRIVATE cfa::cfa Threads::Threads m)
    add_test(NAME c_${name} COMMAND c_${name} "${fixtures}")
    set_tests_properties(c_${name} PROPERTIES FIXTURES_REQUIRED c_fixtures)
  endforeach()

  add_test(NAME fortran COMMAND "${PROJECT_SOURCE_DIR}/fortran/tests/run.sh" "${stage}")
  set_tests_properties(fortran PROPERTIES SKIP_RETURN_CODE 77)
  add_test(NAME install COMMAND "${PROJECT_SOURCE_DIR}/tests/install.sh" "${stage}")
else()
  message(STATUS "ncgen not found (Debian: netcdf-bin): the tests that need netCDF files are left out")
endif()
