! Opens files and shows their groups.
module cfa_datasets
  use, intrinsic :: iso_c_binding, only: c_associated, c_int32_t, c_loc, c_null_ptr, c_ptr, c_size_t, c_sizeof
  use, intrinsic :: iso_fortran_env, only: int64
  use cfa_attributes, only: attribute_owner
  use cfa_c
  use cfa_constants, only: cfa_err_argument, cfa_err_buffer, cfa_ok
  use cfa_descriptions, only: cfa_dimension, described_dimension
  use cfa_text, only: report, text_for, text_from
  use cfa_variables, only: cfa_variable
  implicit none
  private
  public :: cfa_dataset, cfa_group

  ! A group of a file.
  type, extends(attribute_owner) :: cfa_group
  contains
    procedure :: name => group_name
    procedure :: path => group_path
    procedure :: groups
    procedure :: variables => group_variables
    procedure :: dimensions
  end type

  ! An open file.
  type, extends(attribute_owner) :: cfa_dataset
    type(c_ptr), private :: handle = c_null_ptr
  contains
    ! open(path, fill_missing, lossy_casts, raw_view, ignore_environment, threads, cache_bytes, open_files,
    ! allowed_sources, substitutions, relocate, stat, errmsg): all but path is optional.
    ! - fill_missing: if no version of a fragment exists, its part of the data is missing instead of an error
    ! - lossy_casts: convert fragments even where values change
    ! - raw_view: show variables as stored instead of the aggregated view
    ! - ignore_environment: pass over the environment variables
    ! - threads that a read may use, cache_bytes for decoded chunks, open_files kept at a time
    ! - allowed_sources: 'SIBLINGS', 'LOCAL', 'DEFAULT', 'ALL', or absolute paths and URLs separated by semicolons
    ! - substitutions in fragment locations: '${key}=value;...'; relocate: prefixes that moved, 'from=to;...'
    procedure :: open => open_dataset
    procedure :: close => close_dataset
    procedure :: is_open
    procedure :: name => dataset_name
    procedure :: root
    ! variable(path, stat, errmsg): a variable by its name or path.
    procedure :: variable
    ! The variables of all groups.
    procedure :: variables => dataset_variables
    ! What was odd about the file and its fragments so far, one text each.
    procedure :: warnings
  end type

contains

  subroutine open_dataset(self, path, fill_missing, lossy_casts, raw_view, ignore_environment, threads, cache_bytes, &
    open_files, allowed_sources, substitutions, relocate, stat, errmsg)
    class(cfa_dataset), intent(inout) :: self
    character(len=*), intent(in) :: path
    logical, intent(in), optional :: fill_missing, lossy_casts, raw_view, ignore_environment
    integer, intent(in), optional :: threads, open_files
    integer(int64), intent(in), optional :: cache_bytes
    character(len=*), intent(in), optional :: allowed_sources, substitutions, relocate
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable, target :: sources, replacements, moves
    type(c_open_options) :: options
    type(c_ptr) :: handle
    integer(c_int32_t) :: status

    call self%close()
    options%size = c_sizeof(options)
    if (present(fill_missing)) options%missing_fragments = merge(c_missing_fill, c_missing_error, fill_missing)
    if (present(lossy_casts)) options%lossy_casts = merge(c_yes, c_no, lossy_casts)
    if (present(raw_view)) options%raw_view = merge(c_yes, c_no, raw_view)
    if (present(ignore_environment)) options%ignore_environment = merge(c_yes, c_no, ignore_environment)
    if (present(threads)) options%num_threads = threads
    if (present(open_files)) options%max_open_files = open_files
    if (present(cache_bytes)) then
      options%cache_bytes = cache_bytes
      if (cache_bytes == 0) options%cache_disabled = c_yes
      if (cache_bytes < 0) then
        call report(cfa_err_argument, stat, errmsg, 'cache_bytes is negative')
        return
      end if
    end if
    if (present(allowed_sources)) then
      sources = text_for(allowed_sources)
      options%allowed_sources = c_loc(sources)
    end if
    if (present(substitutions)) then
      replacements = text_for(substitutions)
      options%substitutions = c_loc(replacements)
    end if
    if (present(relocate)) then
      moves = text_for(relocate)
      options%relocate = c_loc(moves)
    end if

    handle = c_null_ptr
    status = cfa_dataset_open(text_for(path), options, handle)
    if (status == cfa_ok) then
      self%handle = handle
      self%group_handle = cfa_dataset_root(handle)
    end if
    call report(status, stat, errmsg)
  end subroutine

  ! Does nothing for a dataset that is not open.
  subroutine close_dataset(self)
    class(cfa_dataset), intent(inout) :: self

    call cfa_dataset_free(self%handle)
    self%handle = c_null_ptr
    self%group_handle = c_null_ptr
  end subroutine

  logical function is_open(self)
    class(cfa_dataset), intent(in) :: self

    is_open = c_associated(self%handle)
  end function

  function dataset_name(self) result(name)
    class(cfa_dataset), intent(in) :: self
    character(len=:), allocatable :: name

    name = text_from(cfa_dataset_name(self%handle))
  end function

  function root(self)
    class(cfa_dataset), intent(in) :: self
    type(cfa_group) :: root

    root%group_handle = self%group_handle
  end function

  function variable(self, path, stat, errmsg)
    class(cfa_dataset), intent(in) :: self
    character(len=*), intent(in) :: path
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(cfa_variable) :: variable

    call report(cfa_dataset_variable_find(self%handle, text_for(path), variable%variable_handle), stat, errmsg)
  end function

  function dataset_variables(self) result(variables)
    class(cfa_dataset), intent(in) :: self
    type(cfa_variable), allocatable :: variables(:)
    integer(c_size_t) :: i

    allocate (variables(cfa_dataset_variable_count(self%handle)))
    do i = 1, size(variables)
      variables(i)%variable_handle = cfa_dataset_variable(self%handle, i - 1)
    end do
  end function

  function warnings(self, stat, errmsg)
    class(cfa_dataset), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: warnings(:)
    character(len=:), allocatable, target :: buffer
    integer(c_size_t) :: i, total, needed, longest
    integer(c_int32_t) :: status

    total = 0
    longest = 1
    status = cfa_dataset_warning_count(self%handle, total)
    do i = 1, total
      status = cfa_dataset_warning_copy(self%handle, i - 1, c_null_ptr, 0_c_size_t, needed)
      if (status /= cfa_ok .and. status /= cfa_err_buffer) exit
      status = cfa_ok
      longest = max(longest, needed)
    end do
    allocate (character(len=longest) :: buffer)
    if (status /= cfa_ok) total = 0
    allocate (character(len=longest - 1) :: warnings(total))
    do i = 1, total
      if (status == cfa_ok) status = cfa_dataset_warning_copy(self%handle, i - 1, c_loc(buffer), longest, needed)
      if (status == cfa_ok) warnings(i) = buffer(:needed - 1)
    end do
    call report(status, stat, errmsg)
  end function

  function group_name(self) result(name)
    class(cfa_group), intent(in) :: self
    character(len=:), allocatable :: name

    name = text_from(cfa_group_name(self%group_handle))
  end function

  function group_path(self) result(path)
    class(cfa_group), intent(in) :: self
    character(len=:), allocatable :: path

    path = text_from(cfa_group_path(self%group_handle))
  end function

  function groups(self)
    class(cfa_group), intent(in) :: self
    type(cfa_group), allocatable :: groups(:)
    integer(c_size_t) :: i

    allocate (groups(cfa_group_group_count(self%group_handle)))
    do i = 1, size(groups)
      groups(i)%group_handle = cfa_group_group(self%group_handle, i - 1)
    end do
  end function

  function group_variables(self) result(variables)
    class(cfa_group), intent(in) :: self
    type(cfa_variable), allocatable :: variables(:)
    integer(c_size_t) :: i

    allocate (variables(cfa_group_variable_count(self%group_handle)))
    do i = 1, size(variables)
      variables(i)%variable_handle = cfa_group_variable(self%group_handle, i - 1)
    end do
  end function

  function dimensions(self)
    class(cfa_group), intent(in) :: self
    type(cfa_dimension), allocatable :: dimensions(:)
    integer(c_size_t) :: i

    allocate (dimensions(cfa_group_dimension_count(self%group_handle)))
    do i = 1, size(dimensions)
      dimensions(i) = described_dimension(cfa_group_dimension(self%group_handle, i - 1))
    end do
  end function
end module cfa_datasets
