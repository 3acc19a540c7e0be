! Opens aggregation netCDF files (CF-1.13 section 2.8, CFA) and returns their data as if they were stored in one file;
! makes, checks and converts such files.
!
!     type(cfa_dataset) :: dataset
!     type(cfa_variable) :: tas
!     real(real32), allocatable :: values(:, :, :)
!
!     call dataset%open('tas.nc')
!     tas = dataset%variable('tas')
!     call tas%read(values, start=[1, 1, 201], count=[72, 36, 1])
!     call dataset%close()
!
! Rules that hold for all procedures:
! - Dimensions are in Fortran's order, the fastest first; indices begin at 1.
! - Every procedure that can fail has the optional arguments stat and errmsg, as Fortran's own statements. stat is cfa_ok
!   (0) or one of the cfa_err_ codes; errmsg says what is wrong and is left as it is on success. Without
!   stat a failure stops the program with its message. After a failure the result of a function is empty and an array
!   to be read is not defined.
! - start, count and step may be integers of kind int32 or int64.
! - Trailing blanks of names and paths do not count.
! - A dataset is open until close is called. A copy of it is the same open file, not another one: close one of them, and use
!   neither the others nor groups and variables of the dataset after that. (There is no finalizer: gfortran copies
!   components of derived types without their defined assignment, and would close a file twice.)
! - Any number of threads may use a dataset at once; open and close it in one thread.
!
! The types are defined, and their procedures described, in cfa_datasets.f90 (cfa_dataset, cfa_group), cfa_variables.f90
! (cfa_variable: reading), cfa_watching.f90 (following a read, and stopping it), cfa_descriptions.f90 (cfa_variable: all
! else; cfa_dimension, cfa_fragment), cfa_attributes.f90 (attributes of all of these) and cfa_constants.f90 (types,
! dialects, status codes); cfa_create, cfa_check, cfa_convert and cfa_extract are in cfa_writing.f90.
module cfa
  use, intrinsic :: iso_c_binding, only: c_int32_t, c_loc, c_null_ptr, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: real64
  use cfa_c, only: cfa_status_name, cfa_file_identify, cfa_time_format, cfa_version_features, &
    cfa_version_string
  use cfa_constants
  use cfa_datasets, only: cfa_dataset, cfa_group
  use cfa_descriptions, only: cfa_dimension, cfa_fragment
  use cfa_text, only: report, text_for, text_from
  use cfa_variables, only: cfa_variable
  use cfa_watching, only: cfa_progress_callback
  use cfa_writing, only: cfa_check, cfa_convert, cfa_create, cfa_extract
  implicit none
  public
  private :: c_int32_t, c_loc, c_null_ptr, c_ptr, c_size_t, real64, report, text_for, text_from
  private :: cfa_status_name, cfa_file_identify, cfa_time_format, cfa_version_features, cfa_version_string

contains

  ! The version of the library.
  function cfa_version() result(version)
    character(len=:), allocatable :: version

    version = text_from(cfa_version_string())
  end function

  ! What the library was built with, separated by blanks.
  function cfa_features() result(features)
    character(len=:), allocatable :: features

    features = text_from(cfa_version_features())
  end function

  ! The name of a value of stat, such as CFA_ERR_UNITS.
  function cfa_error_name(status) result(name)
    integer, intent(in) :: status
    character(len=:), allocatable :: name

    name = text_from(cfa_status_name(status))
  end function

  ! Checks whether a file has an aggregation variable, without opening fragments. dialect receives the convention that it
  ! follows.
  logical function cfa_is_aggregation(path, dialect, stat, errmsg)
    character(len=*), intent(in) :: path
    integer, intent(out), optional :: dialect
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status, found, its_dialect

    found = 0
    its_dialect = cfa_dialect_none
    status = cfa_file_identify(text_for(path), found, its_dialect)
    cfa_is_aggregation = status == cfa_ok .and. found /= 0
    if (present(dialect)) dialect = merge(int(its_dialect), cfa_dialect_none, cfa_is_aggregation)
    call report(status, stat, errmsg)
  end function

  ! A time as a date, such as 2001-03-01 12:00:00. value is as read_unpacked returns it; units and calendar are the
  ! attributes of a time variable; without calendar it is the standard one.
  function cfa_date(value, units, calendar, stat, errmsg) result(date)
    real(real64), intent(in) :: value
    character(len=*), intent(in) :: units
    character(len=*), intent(in), optional :: calendar
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: date
    character(len=:), allocatable, target :: buffer, name
    type(c_ptr) :: calendar_name
    integer(c_size_t) :: needed
    integer(c_int32_t) :: status

    calendar_name = c_null_ptr
    if (present(calendar)) then
      name = text_for(calendar)
      calendar_name = c_loc(name)
    end if
    date = ''
    needed = 0
    allocate (character(len=64) :: buffer)
    status = cfa_time_format(text_for(units), calendar_name, value, c_loc(buffer), 64_c_size_t, needed)
    if (status == cfa_err_buffer) then
      deallocate (buffer)
      allocate (character(len=needed) :: buffer)
      status = cfa_time_format(text_for(units), calendar_name, value, c_loc(buffer), needed, needed)
    end if
    if (status == cfa_ok) date = buffer(:needed - 1)
    call report(status, stat, errmsg)
  end function
end module cfa
