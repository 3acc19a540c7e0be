! Reads text: string variables, and char variables whose fastest dimension is the length of the text.
module cfa_strings
  use, intrinsic :: iso_c_binding, only: c_char, c_int32_t, c_int8_t, c_loc, c_null_char, c_null_ptr, c_ptr, &
    c_size_t, c_sizeof, c_associated
  use, intrinsic :: iso_fortran_env, only: int64
  use cfa_c, only: c_read_options, c_strlen, cfa_strings_free, cfa_variable_read
  use cfa_constants, only: cfa_type_char, cfa_err_limit, cfa_ok, cfa_type_string
  use cfa_parts, only: cfa_part
  use cfa_text, only: text_from
  use cfa_watching, only: cfa_progress_callback, follow, watcher
  implicit none
  private
  public :: read_chars, read_strings

contains

  ! The strings of a part, padded to one length; missing ones are blank.
  subroutine read_strings(variable, part, values, valid, status, progress)
    type(c_ptr), intent(in) :: variable
    type(cfa_part), intent(in) :: part
    character(len=:), allocatable, intent(out) :: values(:)
    logical, allocatable, intent(out) :: valid(:)
    integer(c_int32_t), intent(out) :: status
    procedure(cfa_progress_callback), optional :: progress
    type(c_ptr), allocatable, target :: texts(:)
    type(c_read_options) :: options
    type(watcher), target :: observer
    integer(c_size_t) :: longest
    integer(int64) :: i
    integer :: memory

    options%size = c_sizeof(options)
    call follow(options, observer, progress)
    status = cfa_err_limit
    allocate (texts(part%total), valid(part%total), stat=memory)
    if (memory /= 0) return
    status = cfa_variable_read(variable, part%start, part%count, part%step, c_null_ptr, cfa_type_string, &
      size(texts, kind=c_size_t)*c_sizeof(c_null_ptr), c_loc(texts), options)
    if (status /= cfa_ok) return

    longest = 0
    do i = 1, part%total
      valid(i) = c_associated(texts(i))
      if (valid(i)) longest = max(longest, c_strlen(texts(i)))
    end do
    allocate (character(len=longest) :: values(part%total), stat=memory)
    if (memory == 0) then
      do i = 1, part%total
        values(i) = text_from(texts(i))
      end do
    else
      status = cfa_err_limit
    end if
    call cfa_strings_free(texts, size(texts, kind=c_size_t))
  end subroutine

  ! The texts of a part of a char variable; bytes after a NUL, and missing ones, are blank.
  subroutine read_chars(variable, part, values, valid, status, progress)
    type(c_ptr), intent(in) :: variable
    type(cfa_part), intent(in) :: part
    character(len=:), allocatable, intent(out) :: values(:)
    logical, allocatable, intent(out) :: valid(:)
    integer(c_int32_t), intent(out) :: status
    procedure(cfa_progress_callback), optional :: progress
    character(kind=c_char), allocatable, target :: letters(:)
    integer(c_int8_t), allocatable, target :: mask(:)
    type(c_read_options) :: options
    type(watcher), target :: observer
    integer(int64) :: length, total, i, j, k
    integer :: memory

    length = 1
    if (size(part%count) > 0) length = int(part%count(size(part%count)), int64)
    total = 1
    if (size(part%count) > 0) total = product(int(part%count(:size(part%count) - 1), int64))
    status = cfa_err_limit
    allocate (letters(part%total), mask(part%total), stat=memory)
    if (memory /= 0) return
    allocate (character(len=length) :: values(total), stat=memory)
    if (memory /= 0) return
    allocate (valid(total), source=.false., stat=memory)
    if (memory /= 0) return

    options%size = c_sizeof(options)
    call follow(options, observer, progress)
    options%mask = c_loc(mask)
    options%mask_bytes = size(mask, kind=c_size_t)
    status = cfa_variable_read(variable, part%start, part%count, part%step, c_null_ptr, cfa_type_char, &
      size(letters, kind=c_size_t), c_loc(letters), options)
    if (status /= cfa_ok) return
    do i = 1, total
      values(i) = ''
      do j = 1, length
        k = (i - 1)*length + j
        if (letters(k) == c_null_char) exit
        if (mask(k) == 0) cycle
        values(i)(j:j) = letters(k)
      end do
      valid(i) = any(mask((i - 1)*length + 1:i*length) /= 0)
    end do
  end subroutine
end module cfa_strings
