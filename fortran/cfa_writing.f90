! Makes, checks, converts and extracts aggregation files.
!
!     call cfa_create('year.nc', ['jan.nc', 'feb.nc', 'mar.nc'])
!     call cfa_check('year.nc', violated, fragments=.true.)
!     call cfa_convert('year.nc', 'old.nc', dialect=cfa_dialect_cfa_0_6_2)
!     call cfa_extract('year.nc', 'march.nc', select=['time=2001-03'])
!
! Files are written without libnetcdf, whatever the program does with it meanwhile. New files take their names when all is
! written. A file that is read, or is a fragment of one that is read, is never replaced.
module cfa_writing
  use, intrinsic :: iso_c_binding, only: c_char, c_int32_t, c_int64_t, c_loc, c_size_t, c_sizeof
  use, intrinsic :: iso_fortran_env, only: int64
  use cfa_c, only: c_check_options, c_convert_options, c_create_options, c_extract_options, c_locations_absolute, &
    c_locations_relative, c_no, c_open_options, c_yes, cfa_aggregation_check, cfa_aggregation_convert, &
    cfa_aggregation_create, cfa_aggregation_extract
  use cfa_text, only: report, set_list, text_for, text_list
  implicit none
  private
  public :: cfa_check, cfa_convert, cfa_create, cfa_extract

contains

  ! Makes an aggregation file of the files that hold its parts. The order of the files does not matter where they have
  ! coordinates. An aggregation of that name that holds no data of its own is replaced. Files may be http, https and s3
  ! addresses; the settings of the environment (CFA_HTTP_CONCURRENCY and so on) apply to them.
  !
  ! variables, dimensions   the data variables to take, and the dimensions to join along; all if absent
  ! new_dimension           made of files that have the same coordinates, in their order; after its name may follow a
  !                         source of labels (=attribute:ATTRIBUTE, =name:PATTERN, =path:PATTERN, =path)
  ! dialect, format         cfa_dialect_ and cfa_format_ numbers; CF-1.13 and netCDF-4 if absent
  ! absolute                name the fragments by absolute URIs; else relative to the aggregation file
  ! base                    put before the relative names, such as the URL of a server
  ! update                  add the files to an aggregation file, to no other sort of file; create it if it is absent
  ! expand                  names may be directories, patterns and @lists
  ! record_state            record size and time of each file, so that readers notice a change
  ! allow_gaps              accept coordinates that do not follow each other
  ! overwrite               replace also what is not an aggregation or holds data of its own
  ! record_chunks           record where the chunks of each file lie, so that readers need not parse it
  ! drs_version             of several releases of a file (in folders like v20190101) this one; else the newest
  ! skip_bad                go on without files that cannot be read
  ! prune                   with update, remove fragments whose files are gone: cfa_prune_files, cfa_prune_folders
  ! keep_attributes         global attributes of the files to keep, as text variables along the dimensions in which they differ
  subroutine cfa_create(path, files, variables, dimensions, new_dimension, dialect, format, absolute, base, update, &
      expand, record_state, allow_gaps, threads, history, stat, errmsg, overwrite, record_chunks, &
      drs_version, skip_bad, prune, keep_attributes)
    character(len=*), intent(in) :: path, files(:)
    character(len=*), intent(in), optional :: variables(:), dimensions(:), new_dimension, base, history, drs_version
    character(len=*), intent(in), optional :: keep_attributes(:)
    integer, intent(in), optional :: dialect, format, threads, prune
    logical, intent(in), optional :: absolute, update, expand, record_state, allow_gaps, overwrite
    logical, intent(in), optional :: record_chunks, skip_bad
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(text_list), target :: names, wanted, joined, kept
    character(len=:, kind=c_char), allocatable, target :: dimension_text, base_text, history_text, release_text
    type(c_create_options) :: options

    options%size = c_sizeof(options)
    if (present(dialect)) options%dialect = dialect
    if (present(format)) options%format = format
    if (present(threads)) options%num_threads = threads
    if (present(absolute)) options%locations = merge(c_locations_absolute, c_locations_relative, absolute)
    if (present(update)) options%update = choice(update)
    if (present(expand)) options%expand = choice(expand)
    if (present(record_state)) options%record_state = choice(record_state)
    if (present(allow_gaps)) options%allow_gaps = choice(allow_gaps)
    if (present(overwrite)) options%overwrite = choice(overwrite)
    if (present(record_chunks)) options%record_chunks = choice(record_chunks)
    if (present(skip_bad)) options%skip_bad = choice(skip_bad)
    if (present(prune)) options%prune = prune
    if (present(drs_version)) then
      release_text = text_for(drs_version)
      options%drs_version = c_loc(release_text)
    end if
    if (present(new_dimension)) then
      dimension_text = text_for(new_dimension)
      options%new_dimension = c_loc(dimension_text)
    end if
    if (present(base)) then
      base_text = text_for(base)
      options%base = c_loc(base_text)
    end if
    if (present(history)) then
      history_text = text_for(history)
      options%history = c_loc(history_text)
    end if
    if (present(variables)) then
      call set_list(wanted, variables)
      options%variables = c_loc(wanted%pointers)
    end if
    if (present(dimensions)) then
      call set_list(joined, dimensions)
      options%dimensions = c_loc(joined%pointers)
    end if
    if (present(keep_attributes)) then
      call set_list(kept, keep_attributes)
      options%keep_attributes = c_loc(kept%pointers)
    end if
    call set_list(names, files)
    call report(cfa_aggregation_create(text_for(path), names%pointers, size(files, kind=c_size_t), options), stat, errmsg)
  end subroutine

  ! Checks a file against the rules of its convention. violated receives how many requirements are not met; a file that can be
  ! read and is wrong is no failure.
  !
  ! fragments                  open every fragment
  ! html_report, json_report   files to write what was found to; the page has a map of the fragments. Only former reports
  !                            are replaced
  subroutine cfa_check(path, violated, fragments, html_report, json_report, stat, errmsg)
    character(len=*), intent(in) :: path
    integer(int64), intent(out) :: violated
    logical, intent(in), optional :: fragments
    character(len=*), intent(in), optional :: html_report, json_report
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:, kind=c_char), allocatable, target :: html, json
    type(c_check_options) :: options
    integer(c_int64_t) :: found
    integer(c_int32_t) :: status

    options%size = c_sizeof(options)
    if (present(fragments)) options%fragments = choice(fragments)
    if (present(html_report)) then
      html = text_for(html_report)
      options%html_report = c_loc(html)
    end if
    if (present(json_report)) then
      json = text_for(json_report)
      options%json_report = c_loc(json)
    end if
    found = 0
    status = cfa_aggregation_check(text_for(path), options, found)
    violated = found
    call report(status, stat, errmsg)
  end subroutine

  ! Writes an aggregation file in another dialect or with other locations. Fragments stay where they are. An aggregation of
  ! that name that holds no data of its own is replaced.
  !
  ! dialect, format   cfa_dialect_ and cfa_format_ numbers; CF-1.13 and netCDF-4 if absent
  ! absolute          write all local locations as absolute ones (.true.) or as relative ones (.false.)
  ! relocate          location prefixes that moved, from=to;...
  ! overwrite         replace also what is not an aggregation or holds data of its own
  subroutine cfa_convert(path, new_path, dialect, format, absolute, relocate, stat, errmsg, overwrite)
    character(len=*), intent(in) :: path, new_path
    integer, intent(in), optional :: dialect, format
    logical, intent(in), optional :: absolute, overwrite
    character(len=*), intent(in), optional :: relocate
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:, kind=c_char), allocatable, target :: moves
    type(c_open_options), target :: open_options
    type(c_convert_options) :: options

    options%size = c_sizeof(options)
    if (present(dialect)) options%dialect = dialect
    if (present(format)) options%format = format
    if (present(absolute)) options%locations = merge(c_locations_absolute, c_locations_relative, absolute)
    if (present(overwrite)) options%overwrite = choice(overwrite)
    if (present(relocate)) then
      moves = text_for(relocate)
      open_options%size = c_sizeof(open_options)
      open_options%relocate = c_loc(moves)
      options%open = c_loc(open_options)
    end if
    call report(cfa_aggregation_convert(text_for(path), text_for(new_path), options), stat, errmsg)
  end subroutine

  ! Writes the data of an aggregation file as one plain netCDF-4 file, with coordinates and what else the variables refer to.
  !
  ! variables     the variables to take; the whole file if absent
  ! select        parts of dimensions by coordinates, such as ['time=2001-03', 'lat=45..60']
  ! compression   the level, 1 to 9, or cfa_compression_none; 1 if absent
  ! shuffle       shuffle bytes before they are compressed; .true. if absent
  ! overwrite     replace a file that exists; one that is read is never replaced
  subroutine cfa_extract(path, new_path, variables, select, compression, shuffle, overwrite, stat, errmsg)
    character(len=*), intent(in) :: path, new_path
    character(len=*), intent(in), optional :: variables(:), select(:)
    integer, intent(in), optional :: compression
    logical, intent(in), optional :: shuffle, overwrite
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(text_list), target :: wanted, parts
    type(c_extract_options) :: options

    options%size = c_sizeof(options)
    if (present(compression)) options%compression = compression
    if (present(shuffle)) options%shuffle = choice(shuffle)
    if (present(overwrite)) options%overwrite = choice(overwrite)
    if (present(variables)) then
      call set_list(wanted, variables)
      options%variables = c_loc(wanted%pointers)
    end if
    if (present(select)) then
      call set_list(parts, select)
      options%select = c_loc(parts%pointers)
    end if
    call report(cfa_aggregation_extract(text_for(path), text_for(new_path), options), stat, errmsg)
  end subroutine

  integer(c_int32_t) function choice(yes)
    logical, intent(in) :: yes

    choice = merge(c_yes, c_no, yes)
  end function
end module cfa_writing
