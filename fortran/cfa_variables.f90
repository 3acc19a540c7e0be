! Reads the data of variables.
module cfa_variables
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int32_t, c_int64_t, c_int8_t, c_loc, c_null_ptr, c_ptr, &
    c_size_t, c_sizeof
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use cfa_c, only: c_read_options, c_no, c_yes, cfa_variable_advise, cfa_variable_rank, cfa_variable_read, &
    cfa_variable_read_unpacked, cfa_variable_select
  use cfa_constants, only: cfa_err_argument, cfa_err_limit, cfa_ok, cfa_type_char, cfa_type_float32, cfa_type_float64, &
    cfa_type_int32, cfa_type_int64, cfa_type_string
  use cfa_descriptions, only: variable_description
  use cfa_parts, only: cfa_part, choose_part, choose_shape, max_rank
  use cfa_strings, only: read_chars, read_strings
  use cfa_text, only: decimal, report, set_list, text_list
  use cfa_watching, only: cfa_progress_callback, follow, watcher
  implicit none
  private
  public :: cfa_variable

  character(len=*), parameter :: no_memory = 'not enough memory for the part that is read'

  ! A variable, aggregated or not.
  type, extends(variable_description) :: cfa_variable
  contains
    ! read(values, start, count, step, valid, lossy, progress, stat, errmsg, unpacked) allocates values, an allocatable
    ! array of real32, real64, int32 or int64, of any rank up to 7. Where the rank is less than that of the variable,
    ! dimensions with a count of 1 are left out, the slowest first; rank 1 takes all elements one after the other.
    ! Without start the part begins at the first element, without count it goes to the last; a negative step goes
    ! backwards. `valid`, an allocatable logical array of any rank that fits, is .false. where data are missing.
    ! Values that do not fit the type of the array are an error unless lossy is .true. With unpacked, numbers are
    ! unpacked, and NaN where they are missing. `progress`, a function as cfa_watching.f90 describes it, is called with
    ! the fraction that is done and may stop the read.
    !
    ! read(values, start, count, step, valid, progress, stat, errmsg) for text allocates a character(len=:) scalar or array
    ! of rank 1; the fastest dimension of a char variable becomes the length.
    generic :: read => read_real32, read_real64, read_int32, read_int64, read_text, read_texts
    ! read_into(values, start, count, step, lossy, progress, stat, errmsg): the same for a scalar or an array that is
    ! allocated already and has as many elements as the part.
    generic :: read_into => read_into_real32, read_into_real64, read_into_int32, read_into_int64
    ! read_unpacked(values, start, count, step, stat, errmsg) allocates values, a real64 array of rank 1, and reads numbers as
    ! they are meant, such as coordinates: unpacked, unsigned where _Unsigned says so, NaN where they are missing.
    procedure :: read_unpacked
    ! select(texts, start, count, stat, errmsg) allocates start and count, int64 arrays for `read`: the part that lies at
    ! coordinates, such as ['time=2001-03', 'lat=45..60']. Both ends are included; dates are compared as far as they are written.
    procedure :: select
    ! advise(start, count, step, stat, errmsg): this part will be read soon.
    procedure :: advise
    procedure, private :: read_real32, read_real64, read_int32, read_int64, read_text, read_texts
    procedure, private :: read_into_real32, read_into_real64, read_into_int32, read_into_int64
  end type

contains

  subroutine read_real32(self, values, start, count, step, valid, lossy, progress, stat, errmsg, unpacked)
    class(cfa_variable), intent(in) :: self
    real(real32), allocatable, target, intent(inout) :: values(..)
    class(*), intent(in), optional :: start(:), count(:), step(:)
    logical, allocatable, intent(inout), optional :: valid(..)
    logical, intent(in), optional :: lossy, unpacked
    procedure(cfa_progress_callback), optional :: progress
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(cfa_part) :: part
    type(c_ptr) :: buffer
    integer(int64) :: n(max_rank)
    integer :: failed

    call prepare(self, rank(values), part, n, failed, start, count, step, stat, errmsg)
    if (failed /= cfa_ok) return
    include 'cfa_allocate.inc'
    call fetch(self, part, cfa_type_float32, 4, buffer, failed, valid, lossy, progress, stat, errmsg, unpacked)
  end subroutine

  subroutine read_real64(self, values, start, count, step, valid, lossy, progress, stat, errmsg, unpacked)
    class(cfa_variable), intent(in) :: self
    real(real64), allocatable, target, intent(inout) :: values(..)
    class(*), intent(in), optional :: start(:), count(:), step(:)
    logical, allocatable, intent(inout), optional :: valid(..)
    logical, intent(in), optional :: lossy, unpacked
    procedure(cfa_progress_callback), optional :: progress
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(cfa_part) :: part
    type(c_ptr) :: buffer
    integer(int64) :: n(max_rank)
    integer :: failed

    call prepare(self, rank(values), part, n, failed, start, count, step, stat, errmsg)
    if (failed /= cfa_ok) return
    include 'cfa_allocate.inc'
    call fetch(self, part, cfa_type_float64, 8, buffer, failed, valid, lossy, progress, stat, errmsg, unpacked)
  end subroutine

  subroutine read_int32(self, values, start, count, step, valid, lossy, progress, stat, errmsg, unpacked)
    class(cfa_variable), intent(in) :: self
    integer(int32), allocatable, target, intent(inout) :: values(..)
    class(*), intent(in), optional :: start(:), count(:), step(:)
    logical, allocatable, intent(inout), optional :: valid(..)
    logical, intent(in), optional :: lossy, unpacked
    procedure(cfa_progress_callback), optional :: progress
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(cfa_part) :: part
    type(c_ptr) :: buffer
    integer(int64) :: n(max_rank)
    integer :: failed

    call prepare(self, rank(values), part, n, failed, start, count, step, stat, errmsg)
    if (failed /= cfa_ok) return
    include 'cfa_allocate.inc'
    call fetch(self, part, cfa_type_int32, 4, buffer, failed, valid, lossy, progress, stat, errmsg, unpacked)
  end subroutine

  subroutine read_int64(self, values, start, count, step, valid, lossy, progress, stat, errmsg, unpacked)
    class(cfa_variable), intent(in) :: self
    integer(int64), allocatable, target, intent(inout) :: values(..)
    class(*), intent(in), optional :: start(:), count(:), step(:)
    logical, allocatable, intent(inout), optional :: valid(..)
    logical, intent(in), optional :: lossy, unpacked
    procedure(cfa_progress_callback), optional :: progress
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(cfa_part) :: part
    type(c_ptr) :: buffer
    integer(int64) :: n(max_rank)
    integer :: failed

    call prepare(self, rank(values), part, n, failed, start, count, step, stat, errmsg)
    if (failed /= cfa_ok) return
    include 'cfa_allocate.inc'
    call fetch(self, part, cfa_type_int64, 8, buffer, failed, valid, lossy, progress, stat, errmsg, unpacked)
  end subroutine

  subroutine read_into_real32(self, values, start, count, step, lossy, progress, stat, errmsg)
    class(cfa_variable), intent(in) :: self
    real(real32), contiguous, target, intent(inout) :: values(..)
    class(*), intent(in), optional :: start(:), count(:), step(:)
    logical, intent(in), optional :: lossy
    procedure(cfa_progress_callback), optional :: progress
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(cfa_part) :: part
    integer :: failed

    call prepare_into(self, size(values, kind=int64), part, failed, start, count, step, stat, errmsg)
    if (failed == cfa_ok) call fetch(self, part, cfa_type_float32, 4, c_loc(values), 0, lossy=lossy, progress=progress, &
      stat=stat, errmsg=errmsg)
  end subroutine

  subroutine read_into_real64(self, values, start, count, step, lossy, progress, stat, errmsg)
    class(cfa_variable), intent(in) :: self
    real(real64), contiguous, target, intent(inout) :: values(..)
    class(*), intent(in), optional :: start(:), count(:), step(:)
    logical, intent(in), optional :: lossy
    procedure(cfa_progress_callback), optional :: progress
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(cfa_part) :: part
    integer :: failed

    call prepare_into(self, size(values, kind=int64), part, failed, start, count, step, stat, errmsg)
    if (failed == cfa_ok) call fetch(self, part, cfa_type_float64, 8, c_loc(values), 0, lossy=lossy, progress=progress, &
      stat=stat, errmsg=errmsg)
  end subroutine

  subroutine read_into_int32(self, values, start, count, step, lossy, progress, stat, errmsg)
    class(cfa_variable), intent(in) :: self
    integer(int32), contiguous, target, intent(inout) :: values(..)
    class(*), intent(in), optional :: start(:), count(:), step(:)
    logical, intent(in), optional :: lossy
    procedure(cfa_progress_callback), optional :: progress
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(cfa_part) :: part
    integer :: failed

    call prepare_into(self, size(values, kind=int64), part, failed, start, count, step, stat, errmsg)
    if (failed == cfa_ok) call fetch(self, part, cfa_type_int32, 4, c_loc(values), 0, lossy=lossy, progress=progress, &
      stat=stat, errmsg=errmsg)
  end subroutine

  subroutine read_into_int64(self, values, start, count, step, lossy, progress, stat, errmsg)
    class(cfa_variable), intent(in) :: self
    integer(int64), contiguous, target, intent(inout) :: values(..)
    class(*), intent(in), optional :: start(:), count(:), step(:)
    logical, intent(in), optional :: lossy
    procedure(cfa_progress_callback), optional :: progress
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(cfa_part) :: part
    integer :: failed

    call prepare_into(self, size(values, kind=int64), part, failed, start, count, step, stat, errmsg)
    if (failed == cfa_ok) call fetch(self, part, cfa_type_int64, 8, c_loc(values), 0, lossy=lossy, progress=progress, &
      stat=stat, errmsg=errmsg)
  end subroutine

  subroutine read_text(self, values, start, count, step, progress, stat, errmsg)
    class(cfa_variable), intent(in) :: self
    character(len=:), allocatable, intent(inout) :: values
    class(*), intent(in), optional :: start(:), count(:), step(:)
    procedure(cfa_progress_callback), optional :: progress
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: texts(:)

    values = ''
    call self%read(texts, start, count, step, progress=progress, stat=stat, errmsg=errmsg)
    if (present(stat)) then
      if (stat /= cfa_ok) return
    end if
    if (size(texts) == 1) then
      values = texts(1)
    else
      call report(cfa_err_argument, stat, errmsg, 'the part has '//decimal(size(texts, kind=int64))//' texts, not one')
    end if
  end subroutine

  subroutine read_texts(self, values, start, count, step, valid, progress, stat, errmsg)
    class(cfa_variable), intent(in) :: self
    character(len=:), allocatable, intent(inout) :: values(:)
    class(*), intent(in), optional :: start(:), count(:), step(:)
    logical, allocatable, intent(inout), optional :: valid(:)
    procedure(cfa_progress_callback), optional :: progress
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(cfa_part) :: part
    logical, allocatable :: exists(:)
    integer(int64) :: n(max_rank)
    integer(c_int32_t) :: status
    integer :: failed

    if (allocated(values)) deallocate (values)
    call prepare(self, 1, part, n, failed, start, count, step, stat, errmsg)
    if (failed == cfa_ok) then
      if (self%type() == cfa_type_char) then
        call read_chars(self%variable_handle, part, values, exists, status, progress)
      else
        call read_strings(self%variable_handle, part, values, exists, status, progress)
      end if
      if (status == cfa_err_limit) then
        call report(status, stat, errmsg, no_memory)
      else
        call report(status, stat, errmsg)
      end if
    end if
    if (.not. allocated(values)) allocate (character(len=0) :: values(0))
    if (present(valid) .and. allocated(exists)) call move_alloc(exists, valid)
  end subroutine

  subroutine read_unpacked(self, values, start, count, step, stat, errmsg)
    class(cfa_variable), intent(in) :: self
    real(real64), allocatable, intent(inout) :: values(:)
    class(*), intent(in), optional :: start(:), count(:), step(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(cfa_part) :: part
    integer(int64) :: n(max_rank)
    integer :: failed

    if (allocated(values)) deallocate (values)
    call prepare(self, 1, part, n, failed, start, count, step, stat, errmsg)
    if (failed /= cfa_ok) return
    allocate (values(n(1)), stat=failed)
    if (failed /= 0) then
      call report(cfa_err_limit, stat, errmsg, self%path()//': '//no_memory)
      return
    end if
    call report(cfa_variable_read_unpacked(self%variable_handle, part%start, part%count, part%step, &
      int(n(1), c_size_t), values), stat, errmsg)
  end subroutine

  subroutine select(self, texts, start, count, stat, errmsg)
    class(cfa_variable), intent(in) :: self
    character(len=*), intent(in) :: texts(:)
    integer(int64), allocatable, intent(out) :: start(:), count(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(text_list), target :: list
    integer(c_int64_t), allocatable :: first(:)
    integer(c_size_t), allocatable :: length(:)
    integer(c_size_t) :: rank
    integer(c_int32_t) :: status

    rank = 0
    status = cfa_variable_rank(self%variable_handle, rank)
    allocate (first(rank), length(rank))
    first = 0
    length = 0
    call set_list(list, texts)
    if (status == cfa_ok) status = cfa_variable_select(self%variable_handle, list%pointers, rank, first, length)
    ! Fortran's order and indices from 1.
    start = int(first(rank:1:-1), int64) + 1
    count = int(length(rank:1:-1), int64)
    call report(status, stat, errmsg)
  end subroutine

  subroutine advise(self, start, count, step, stat, errmsg)
    class(cfa_variable), intent(in) :: self
    class(*), intent(in), optional :: start(:), count(:), step(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(cfa_part) :: part
    integer(int64) :: n(max_rank)
    integer :: failed

    call prepare(self, 1, part, n, failed, start, count, step, stat, errmsg)
    if (failed == cfa_ok) &
      call report(cfa_variable_advise(self%variable_handle, part%start, part%count, part%step), stat, errmsg)
  end subroutine

  ! Finds the part, and the shape of an array of the given rank for it; `failed` is cfa_ok if the caller may continue.
  subroutine prepare(self, rank, part, n, failed, start, count, step, stat, errmsg)
    class(cfa_variable), intent(in) :: self
    integer, intent(in) :: rank
    type(cfa_part), intent(out) :: part
    integer(int64), intent(out) :: n(max_rank)
    integer, intent(out) :: failed
    class(*), intent(in), optional :: start(:), count(:), step(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: shape(:)
    character(len=:), allocatable :: message

    n = 0
    if (present(stat)) then
      shape = self%shape(stat, errmsg)
      failed = stat
      if (failed /= cfa_ok) return
    else
      shape = self%shape()
      failed = cfa_ok
    end if
    call choose_part(shape, part, message, start, count, step)
    if (.not. allocated(message)) call choose_shape(part, rank, n, message)
    if (.not. allocated(message)) return
    failed = cfa_err_argument
    call report(failed, stat, errmsg, self%path()//': '//message)
  end subroutine

  ! The same for an array of `total` elements that exists already.
  subroutine prepare_into(self, total, part, failed, start, count, step, stat, errmsg)
    class(cfa_variable), intent(in) :: self
    integer(int64), intent(in) :: total
    type(cfa_part), intent(out) :: part
    integer, intent(out) :: failed
    class(*), intent(in), optional :: start(:), count(:), step(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int64) :: n(max_rank)

    call prepare(self, 1, part, n, failed, start, count, step, stat, errmsg)
    if (failed /= cfa_ok .or. part%total == total) return
    failed = cfa_err_argument
    call report(failed, stat, errmsg, self%path()//': the part has '//decimal(part%total)//' elements, the array '// &
      decimal(total))
  end subroutine

  ! Reads a part into a buffer that has room for it; `failed` is not 0 if that could not be allocated.
  subroutine fetch(self, part, kind, bytes, buffer, failed, valid, lossy, progress, stat, errmsg, unpacked)
    class(cfa_variable), intent(in) :: self
    type(cfa_part), intent(in) :: part
    integer, intent(in) :: kind, bytes, failed
    type(c_ptr), intent(in) :: buffer
    logical, allocatable, intent(inout), optional :: valid(..)
    logical, intent(in), optional :: lossy, unpacked
    procedure(cfa_progress_callback), optional :: progress
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int8_t), allocatable, target :: mask(:)
    type(c_read_options) :: options
    type(watcher), target :: observer
    integer :: memory

    memory = failed
    options%size = c_sizeof(options)
    call follow(options, observer, progress)
    if (present(lossy)) options%lossy = merge(c_yes, c_no, lossy)
    if (present(unpacked)) options%unpacked = merge(c_yes, c_no, unpacked)
    if (present(valid) .and. memory == 0) then
      allocate (mask(part%total), stat=memory)
      options%mask = c_loc(mask)
      options%mask_bytes = part%total
    end if
    if (memory /= 0) then
      call report(cfa_err_limit, stat, errmsg, self%path()//': '//no_memory)
      return
    end if
    call report(cfa_variable_read(self%variable_handle, part%start, part%count, part%step, c_null_ptr, kind, &
      int(bytes*part%total, c_size_t), buffer, options), stat, errmsg)
    if (present(stat)) then
      if (stat /= cfa_ok) return
    end if
    if (present(valid)) call put_mask(part, mask, valid, stat, errmsg)
  end subroutine

  ! Allocates `values` with the shape of a part, and sets it to .true. where the mask says that data are valid.
  subroutine put_mask(part, mask, values, stat, errmsg)
    type(cfa_part), intent(in) :: part
    integer(c_int8_t), intent(in) :: mask(:)
    logical, allocatable, target, intent(inout) :: values(..)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_ptr) :: buffer
    logical, pointer :: elements(:)
    integer(int64) :: n(max_rank)
    integer :: failed
    character(len=:), allocatable :: message

    call choose_shape(part, rank(values), n, message)
    if (allocated(message)) then
      call report(cfa_err_argument, stat, errmsg, 'valid: '//message)
      return
    end if
    include 'cfa_allocate.inc'
    if (failed /= 0) then
      call report(cfa_err_limit, stat, errmsg, 'valid: '//no_memory)
      return
    end if
    call c_f_pointer(buffer, elements, [size(mask, kind=int64)])
    elements = mask /= 0
  end subroutine
end module cfa_variables
