! What a variable is: its type, dimensions, units, packing and fragments.
module cfa_descriptions
  use, intrinsic :: iso_c_binding, only: c_associated, c_double, c_f_pointer, c_int32_t, c_int64_t, c_loc, c_null_ptr, &
    c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: int16, int32, int64, int8, real32, real64
  use cfa_attributes, only: attribute_owner
  use cfa_c
  use cfa_constants
  use cfa_text, only: decimal, report, text_from
  implicit none
  private
  public :: cfa_dimension, cfa_fragment, described_dimension, variable_description

  ! A dimension of a variable or group.
  type :: cfa_dimension
    character(len=:), allocatable :: name
    character(len=:), allocatable :: path
    integer(int64) :: size = 0
    logical :: unlimited = .false.
  end type

  ! A fragment: the part of the data that it provides, and the files of which any one has it (none if all of it is
  ! missing or one value). A location is blank for the aggregation file itself.
  type :: cfa_fragment
    integer(int64), allocatable :: start(:)
    integer(int64), allocatable :: count(:)
    character(len=:), allocatable :: locations(:)
    character(len=:), allocatable :: identifiers(:)
  end type

  ! All of a variable but its data.
  type, extends(attribute_owner) :: variable_description
  contains
    procedure :: name
    procedure :: path
    ! The type of the data, such as cfa_type_float32, and its name.
    procedure :: type => data_type
    procedure :: type_name
    ! check(stat, errmsg): is the aggregation well formed?
    procedure :: check
    ! With optional stat and errmsg, as all that follow but units, is_aggregated and dialect.
    procedure :: rank => data_rank
    procedure :: shape => data_shape
    procedure :: dimensions
    ! Blank if there are none.
    procedure :: units
    procedure :: is_aggregated
    procedure :: dialect
    ! Of packed data, else 1 and 0; read returns the packed numbers.
    procedure :: scale_factor
    procedure :: add_offset
    ! get_missing_value(value, exists, stat, errmsg): the real64 or int64 number that stands for missing data where a
    ! read has no `valid`.
    generic :: get_missing_value => get_missing_real64, get_missing_int64
    ! The shape of a part that is good to read at a time.
    procedure :: block_shape
    ! The number of fragments along each dimension, and one of them: fragment(index, stat, errmsg).
    procedure :: fragment_grid
    procedure :: fragment
    procedure, private :: get_missing_real64, get_missing_int64
  end type

contains

  function name(self)
    class(variable_description), intent(in) :: self
    character(len=:), allocatable :: name

    name = text_from(cfa_variable_name(self%variable_handle))
  end function

  function path(self)
    class(variable_description), intent(in) :: self
    character(len=:), allocatable :: path

    path = text_from(cfa_variable_path(self%variable_handle))
  end function

  integer function data_type(self)
    class(variable_description), intent(in) :: self

    data_type = cfa_variable_type(self%variable_handle)
  end function

  function type_name(self)
    class(variable_description), intent(in) :: self
    character(len=:), allocatable :: type_name

    type_name = text_from(cfa_type_name(cfa_variable_type(self%variable_handle)))
  end function

  subroutine check(self, stat, errmsg)
    class(variable_description), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg

    call report(cfa_variable_check(self%variable_handle), stat, errmsg)
  end subroutine

  integer function data_rank(self, stat, errmsg)
    class(variable_description), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_size_t) :: rank

    rank = 0
    call report(cfa_variable_rank(self%variable_handle, rank), stat, errmsg)
    data_rank = int(rank)
  end function

  function data_shape(self, stat, errmsg) result(shape)
    class(variable_description), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: shape(:)

    call sizes(self, cfa_variable_shape, shape, stat, errmsg)
  end function

  function dimensions(self, stat, errmsg)
    class(variable_description), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(cfa_dimension), allocatable :: dimensions(:)
    type(c_ptr) :: handle
    integer(c_size_t) :: rank, i
    integer(c_int32_t) :: status

    rank = 0
    handle = c_null_ptr
    status = cfa_variable_rank(self%variable_handle, rank)
    allocate (dimensions(rank))
    do i = 1, rank
      if (status == cfa_ok) status = cfa_variable_dimension(self%variable_handle, rank - i, handle)
      if (status == cfa_ok) dimensions(i) = described_dimension(handle)
    end do
    call report(status, stat, errmsg)
  end function

  ! A dimension of the C library as a Fortran value.
  function described_dimension(handle) result(described)
    type(c_ptr), intent(in) :: handle
    type(cfa_dimension) :: described

    described%name = text_from(cfa_dimension_name(handle))
    described%path = text_from(cfa_dimension_path(handle))
    described%size = cfa_dimension_size(handle)
    described%unlimited = cfa_dimension_is_unlimited(handle) /= 0
  end function

  function units(self)
    class(variable_description), intent(in) :: self
    character(len=:), allocatable :: units

    units = text_from(cfa_variable_units(self%variable_handle))
  end function

  logical function is_aggregated(self)
    class(variable_description), intent(in) :: self

    is_aggregated = cfa_variable_is_aggregated(self%variable_handle) /= 0
  end function

  integer function dialect(self)
    class(variable_description), intent(in) :: self

    dialect = cfa_variable_dialect(self%variable_handle)
  end function

  real(real64) function scale_factor(self, stat, errmsg)
    class(variable_description), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double) :: offset
    integer(c_int32_t) :: has_scale, has_offset

    scale_factor = 1
    call report(cfa_variable_scale_offset(self%variable_handle, has_scale, scale_factor, has_offset, offset), stat, &
      errmsg)
  end function

  real(real64) function add_offset(self, stat, errmsg)
    class(variable_description), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double) :: scale
    integer(c_int32_t) :: has_scale, has_offset

    add_offset = 0
    call report(cfa_variable_scale_offset(self%variable_handle, has_scale, scale, has_offset, add_offset), stat, errmsg)
  end function

  subroutine get_missing_real64(self, value, exists, stat, errmsg)
    class(variable_description), intent(in) :: self
    real(real64), intent(out) :: value
    logical, intent(out) :: exists
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int8) :: bytes(8)
    integer(int64) :: whole
    logical :: floating

    value = 0
    call missing_bytes(self, bytes, whole, floating, exists, stat, errmsg)
    if (.not. exists) return
    if (floating) then
      if (self%type() == cfa_type_float32) value = transfer(bytes, 0.0_real32)
      if (self%type() == cfa_type_float64) value = transfer(bytes, value)
    else
      value = real(whole, real64)
      if (self%type() == cfa_type_uint64 .and. whole < 0) value = value + 2.0_real64**64
    end if
  end subroutine

  subroutine get_missing_int64(self, value, exists, stat, errmsg)
    class(variable_description), intent(in) :: self
    integer(int64), intent(out) :: value
    logical, intent(out) :: exists
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int8) :: bytes(8)
    logical :: floating

    call missing_bytes(self, bytes, value, floating, exists, stat, errmsg)
    if (exists .and. (floating .or. (self%type() == cfa_type_uint64 .and. value < 0))) then
      exists = .false.
      value = 0
      call report(cfa_err_type, stat, errmsg, 'the missing value of '//self%name()//' is not an integer(int64)')
    end if
  end subroutine

  ! The missing value as it is stored, and for integer types as a number (modulo 2**64).
  subroutine missing_bytes(self, bytes, whole, floating, exists, stat, errmsg)
    class(variable_description), intent(in) :: self
    integer(int8), target, intent(out) :: bytes(8)
    integer(int64), intent(out) :: whole
    logical, intent(out) :: floating, exists
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status, has

    bytes = 0
    whole = 0
    has = 0
    status = cfa_variable_missing_value(self%variable_handle, has, c_loc(bytes), 8_c_size_t)
    exists = status == cfa_ok .and. has /= 0
    floating = self%type() == cfa_type_float32 .or. self%type() == cfa_type_float64
    if (exists) then
      select case (self%type())
      case (cfa_type_int8); whole = bytes(1)
      case (cfa_type_uint8); whole = iand(int(bytes(1), int64), 255_int64)
      case (cfa_type_int16); whole = transfer(bytes, 0_int16)
      case (cfa_type_uint16); whole = iand(int(transfer(bytes, 0_int16), int64), 65535_int64)
      case (cfa_type_int32); whole = transfer(bytes, 0_int32)
      case (cfa_type_uint32); whole = iand(int(transfer(bytes, 0_int32), int64), 4294967295_int64)
      case (cfa_type_int64, cfa_type_uint64); whole = transfer(bytes, 0_int64)
      end select
    end if
    call report(status, stat, errmsg)
  end subroutine

  function block_shape(self, stat, errmsg) result(shape)
    class(variable_description), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: shape(:)

    call sizes(self, cfa_variable_block_shape, shape, stat, errmsg)
  end function

  function fragment_grid(self, stat, errmsg) result(shape)
    class(variable_description), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: shape(:)

    call sizes(self, cfa_variable_fragment_grid, shape, stat, errmsg)
  end function

  ! Calls one of the functions that return a size for each dimension.
  subroutine sizes(self, ask, shape, stat, errmsg)
    class(variable_description), intent(in) :: self
    procedure(cfa_variable_shape) :: ask
    integer(int64), allocatable, intent(out) :: shape(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_size_t) :: rank
    integer(c_int32_t) :: status

    rank = 0
    status = cfa_variable_rank(self%variable_handle, rank)
    allocate (shape(rank), source=0_int64)
    if (status == cfa_ok) status = ask(self%variable_handle, rank, shape)
    shape = shape(rank:1:-1)
    if (status /= cfa_ok) shape = [integer(int64) ::]
    call report(status, stat, errmsg)
  end subroutine

  function fragment(self, index, stat, errmsg)
    class(variable_description), intent(in) :: self
    integer, intent(in) :: index(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(cfa_fragment) :: fragment
    integer(c_int64_t), dimension(size(index)) :: place, start, count
    integer(c_size_t) :: versions, rank
    integer(c_int32_t) :: status

    versions = 0
    start = 0
    count = 0
    place = int(index(size(index):1:-1), c_int64_t) - 1
    status = cfa_variable_rank(self%variable_handle, rank)
    if (status == cfa_ok .and. rank /= size(index)) then
      call no_versions()
      call report(cfa_err_argument, stat, errmsg, 'index has '//decimal(size(index, kind=int64))// &
        ' elements, the variable '//decimal(int(rank, int64))//' dimensions')
      return
    end if
    if (status == cfa_ok) status = cfa_variable_fragment_range(self%variable_handle, place, start, count)
    if (status == cfa_ok) status = cfa_variable_fragment_version_count(self%variable_handle, place, versions)
    call no_versions()
    if (status == cfa_ok) call copy_texts(cfa_variable_fragment_location, fragment%locations)
    if (status == cfa_ok) call copy_texts(cfa_variable_fragment_identifier, fragment%identifiers)
    fragment%start = start(size(start):1:-1) + 1
    fragment%count = count(size(count):1:-1)
    call report(status, stat, errmsg)

  contains

    subroutine no_versions()
      allocate (character(len=0) :: fragment%locations(0), fragment%identifiers(0))
      fragment%start = [integer(int64) ::]
      fragment%count = [integer(int64) ::]
    end subroutine

    ! A text of each version.
    subroutine copy_texts(ask, texts)
      procedure(cfa_variable_fragment_location) :: ask
      character(len=:), allocatable, intent(inout) :: texts(:)
      character(len=:), allocatable, target :: buffer
      integer(c_size_t) :: i, needed, longest

      longest = 1
      do i = 1, versions
        status = ask(self%variable_handle, place, i - 1, c_null_ptr, 0_c_size_t, needed)
        if (status /= cfa_ok .and. status /= cfa_err_buffer) return
        longest = max(longest, needed)
      end do
      deallocate (texts)
      allocate (character(len=longest - 1) :: texts(versions))
      allocate (character(len=longest) :: buffer)
      do i = 1, versions
        status = ask(self%variable_handle, place, i - 1, c_loc(buffer), longest, needed)
        if (status /= cfa_ok) return
        texts(i) = buffer(:needed - 1)
      end do
    end subroutine
  end function
end module cfa_descriptions
