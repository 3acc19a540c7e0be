! Text between Fortran and C, and the reporting of failures by optional stat and errmsg.
module cfa_text
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_int32_t, c_loc, c_null_char, &
    c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: error_unit, int64
  use cfa_c, only: c_strlen, cfa_last_error
  use cfa_constants, only: cfa_ok
  implicit none
  private
  public :: decimal, report, set_list, text_for, text_from, text_list

  ! Texts of one length for C, each with its NUL, and pointers to them that end with a null pointer.
  type :: text_list
    character(len=:, kind=c_char), allocatable :: texts(:)
    type(c_ptr), allocatable :: pointers(:)
  end type

contains

  ! A Fortran string for C: as with open(file=), trailing blanks do not count.
  pure function text_for(text) result(c_text)
    character(len=*), intent(in) :: text
    character(len=:, kind=c_char), allocatable :: c_text

    c_text = trim(text)//c_null_char
  end function

  ! A copy of a C string; empty if it is NULL.
  function text_from(c_text) result(text)
    type(c_ptr), intent(in) :: c_text
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer(int64) :: i

    if (.not. c_associated(c_text)) then
      text = ''
      return
    end if
    call c_f_pointer(c_text, letters, [c_strlen(c_text)])
    allocate (character(len=size(letters, kind=int64)) :: text)
    do i = 1, size(letters, kind=int64)
      text(i:i) = letters(i)
    end do
  end function

  ! A number as text without blanks.
  pure function decimal(number) result(text)
    integer(int64), intent(in) :: number
    character(len=:), allocatable :: text
    character(len=20) :: digits

    write (digits, '(i0)') number
    text = trim(digits)
  end function

  ! Reports to the caller how a call ended, as Fortran's own statements do: without stat a failure ends the program, and
  ! errmsg is left as it is on success. `message` takes the place of the library's own.
  subroutine report(status, stat, errmsg, message)
    integer(c_int32_t), intent(in) :: status
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=*), intent(in), optional :: message
    character(len=:), allocatable :: reason

    if (present(stat)) stat = status
    if (status == cfa_ok) return
    if (present(message)) then
      reason = message
    else
      reason = text_from(cfa_last_error())
    end if
    if (present(errmsg)) errmsg = reason
    if (present(stat)) return
    write (error_unit, '(2a)') 'cfa: ', reason
    error stop 1
  end subroutine

  ! Makes a list of texts, without their trailing blanks.
  subroutine set_list(list, texts)
    type(text_list), intent(inout), target :: list
    character(len=*), intent(in) :: texts(:)
    integer :: i

    allocate (character(len=len(texts) + 1) :: list%texts(size(texts)))
    allocate (list%pointers(size(texts) + 1))
    do i = 1, size(texts)
      list%texts(i) = trim(texts(i))//c_null_char
      list%pointers(i) = c_loc(list%texts(i))
    end do
    list%pointers(size(texts) + 1) = c_null_ptr
  end subroutine
end module cfa_text
