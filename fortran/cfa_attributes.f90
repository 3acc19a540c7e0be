! Attributes of variables, groups and datasets.
module cfa_attributes
  use, intrinsic :: iso_c_binding, only: c_associated, c_int32_t, c_loc, c_null_ptr, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use cfa_c, only: cfa_attribute_length, cfa_attribute_name, cfa_attribute_read, cfa_attribute_string, &
    cfa_attribute_text, cfa_attribute_type, cfa_group_attribute, cfa_group_attribute_count, cfa_group_attribute_find, &
    cfa_variable_attribute, cfa_variable_attribute_count, cfa_variable_attribute_find
  use cfa_constants, only: cfa_err_type, cfa_ok, cfa_type_char, cfa_type_float32, cfa_type_float64, cfa_type_int32, &
    cfa_type_int64
  use cfa_text, only: report, text_for, text_from
  implicit none
  private
  public :: attribute_owner

  ! What has attributes: a variable, a group, a dataset (those of its root group). The handles are the library's own;
  ! one of them is set.
  type :: attribute_owner
    type(c_ptr) :: group_handle = c_null_ptr
    type(c_ptr) :: variable_handle = c_null_ptr
  contains
    ! All names, in file order, padded to one length.
    procedure :: attribute_names
    procedure :: has_attribute
    ! attribute_type(name, stat, errmsg): a type, such as cfa_type_float64; 0 if there is no such attribute.
    procedure :: attribute_type
    ! get_attribute(name, value, stat, errmsg): value is a number, an allocatable character(len=:), or an allocatable
    ! array of rank 1 of these. Numbers are converted to the type of value if they fit it.
    generic :: get_attribute => get_text, get_texts, get_real32, get_real64, get_int32, get_int64, &
      get_real32_array, get_real64_array, get_int32_array, get_int64_array
    procedure, private :: find, get_text, get_texts, get_real32, get_real64, get_int32, get_int64, &
      get_real32_array, get_real64_array, get_int32_array, get_int64_array
  end type

contains

  function attribute_names(self) result(names)
    class(attribute_owner), intent(in) :: self
    character(len=:), allocatable :: names(:)
    integer(c_size_t) :: total, i
    integer :: longest

    if (c_associated(self%variable_handle)) then
      total = cfa_variable_attribute_count(self%variable_handle)
    else
      total = cfa_group_attribute_count(self%group_handle)
    end if
    longest = 0
    do i = 1, total
      longest = max(longest, len(name_at(i)))
    end do
    allocate (character(len=longest) :: names(total))
    do i = 1, total
      names(i) = name_at(i)
    end do

  contains

    function name_at(index) result(name)
      integer(c_size_t), intent(in) :: index
      character(len=:), allocatable :: name

      if (c_associated(self%variable_handle)) then
        name = text_from(cfa_attribute_name(cfa_variable_attribute(self%variable_handle, index - 1)))
      else
        name = text_from(cfa_attribute_name(cfa_group_attribute(self%group_handle, index - 1)))
      end if
    end function
  end function

  logical function has_attribute(self, name)
    class(attribute_owner), intent(in) :: self
    character(len=*), intent(in) :: name
    type(c_ptr) :: attribute

    has_attribute = self%find(name, attribute) == cfa_ok
  end function

  integer function attribute_type(self, name, stat, errmsg)
    class(attribute_owner), intent(in) :: self
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_ptr) :: attribute
    integer(c_int32_t) :: status

    attribute_type = 0
    status = self%find(name, attribute)
    if (status == cfa_ok) attribute_type = cfa_attribute_type(attribute)
    call report(status, stat, errmsg)
  end function

  subroutine get_text(self, name, value, stat, errmsg)
    class(attribute_owner), intent(in) :: self
    character(len=*), intent(in) :: name
    character(len=:), allocatable, intent(inout) :: value
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_ptr) :: attribute, text
    integer(c_int32_t) :: status

    value = ''
    status = self%find(name, attribute)
    if (status /= cfa_ok) then
      call report(status, stat, errmsg)
      return
    end if
    text = cfa_attribute_text(attribute)
    if (.not. c_associated(text)) then
      call report(cfa_err_type, stat, errmsg, 'attribute '//trim(name)//' is not one text')
      return
    end if
    value = text_from(text)
    call report(cfa_ok, stat, errmsg)
  end subroutine

  subroutine get_texts(self, name, value, stat, errmsg)
    class(attribute_owner), intent(in) :: self
    character(len=*), intent(in) :: name
    character(len=:), allocatable, intent(inout) :: value(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_ptr) :: attribute
    type(c_ptr), allocatable :: texts(:)
    integer(c_int32_t) :: status
    integer(c_size_t) :: i, total
    integer :: longest

    total = 0
    status = self%find(name, attribute)
    if (status == cfa_ok) then
      ! A char attribute is one text, and its length that of the text.
      total = cfa_attribute_length(attribute)
      if (cfa_attribute_type(attribute) == cfa_type_char) total = 1
    end if
    allocate (texts(total))
    longest = 0
    do i = 1, total
      if (status /= cfa_ok) exit
      if (cfa_attribute_type(attribute) == cfa_type_char) then
        texts(i) = cfa_attribute_text(attribute)
      else
        status = cfa_attribute_string(attribute, i - 1, texts(i))
      end if
      if (status == cfa_ok) longest = max(longest, len(text_from(texts(i))))
    end do
    if (status /= cfa_ok) total = 0
    if (allocated(value)) deallocate (value)
    allocate (character(len=longest) :: value(total))
    do i = 1, total
      value(i) = text_from(texts(i))
    end do
    call report(status, stat, errmsg)
  end subroutine

  subroutine get_real32(self, name, value, stat, errmsg)
    class(attribute_owner), intent(in) :: self
    character(len=*), intent(in) :: name
    real(real32), intent(inout) :: value
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(real32), target :: number
    type(c_ptr) :: attribute
    integer(c_int32_t) :: status

    status = self%find(name, attribute)
    if (status == cfa_ok) status = cfa_attribute_read(attribute, cfa_type_float32, c_loc(number), 4_c_size_t)
    if (status == cfa_ok) value = number
    call report(status, stat, errmsg)
  end subroutine

  subroutine get_real64(self, name, value, stat, errmsg)
    class(attribute_owner), intent(in) :: self
    character(len=*), intent(in) :: name
    real(real64), intent(inout) :: value
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(real64), target :: number
    type(c_ptr) :: attribute
    integer(c_int32_t) :: status

    status = self%find(name, attribute)
    if (status == cfa_ok) status = cfa_attribute_read(attribute, cfa_type_float64, c_loc(number), 8_c_size_t)
    if (status == cfa_ok) value = number
    call report(status, stat, errmsg)
  end subroutine

  subroutine get_int32(self, name, value, stat, errmsg)
    class(attribute_owner), intent(in) :: self
    character(len=*), intent(in) :: name
    integer(int32), intent(inout) :: value
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int32), target :: number
    type(c_ptr) :: attribute
    integer(c_int32_t) :: status

    status = self%find(name, attribute)
    if (status == cfa_ok) status = cfa_attribute_read(attribute, cfa_type_int32, c_loc(number), 4_c_size_t)
    if (status == cfa_ok) value = number
    call report(status, stat, errmsg)
  end subroutine

  subroutine get_int64(self, name, value, stat, errmsg)
    class(attribute_owner), intent(in) :: self
    character(len=*), intent(in) :: name
    integer(int64), intent(inout) :: value
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int64), target :: number
    type(c_ptr) :: attribute
    integer(c_int32_t) :: status

    status = self%find(name, attribute)
    if (status == cfa_ok) status = cfa_attribute_read(attribute, cfa_type_int64, c_loc(number), 8_c_size_t)
    if (status == cfa_ok) value = number
    call report(status, stat, errmsg)
  end subroutine

  subroutine get_real32_array(self, name, value, stat, errmsg)
    class(attribute_owner), intent(in) :: self
    character(len=*), intent(in) :: name
    real(real32), allocatable, target, intent(inout) :: value(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_ptr) :: attribute
    integer(c_int32_t) :: status

    if (allocated(value)) deallocate (value)
    status = self%find(name, attribute)
    if (status == cfa_ok) then
      allocate (value(cfa_attribute_length(attribute)))
      status = cfa_attribute_read(attribute, cfa_type_float32, c_loc(value), 4*size(value, kind=c_size_t))
    end if
    if (status /= cfa_ok) value = [real(real32) ::]
    call report(status, stat, errmsg)
  end subroutine

  subroutine get_real64_array(self, name, value, stat, errmsg)
    class(attribute_owner), intent(in) :: self
    character(len=*), intent(in) :: name
    real(real64), allocatable, target, intent(inout) :: value(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_ptr) :: attribute
    integer(c_int32_t) :: status

    if (allocated(value)) deallocate (value)
    status = self%find(name, attribute)
    if (status == cfa_ok) then
      allocate (value(cfa_attribute_length(attribute)))
      status = cfa_attribute_read(attribute, cfa_type_float64, c_loc(value), 8*size(value, kind=c_size_t))
    end if
    if (status /= cfa_ok) value = [real(real64) ::]
    call report(status, stat, errmsg)
  end subroutine

  subroutine get_int32_array(self, name, value, stat, errmsg)
    class(attribute_owner), intent(in) :: self
    character(len=*), intent(in) :: name
    integer(int32), allocatable, target, intent(inout) :: value(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_ptr) :: attribute
    integer(c_int32_t) :: status

    if (allocated(value)) deallocate (value)
    status = self%find(name, attribute)
    if (status == cfa_ok) then
      allocate (value(cfa_attribute_length(attribute)))
      status = cfa_attribute_read(attribute, cfa_type_int32, c_loc(value), 4*size(value, kind=c_size_t))
    end if
    if (status /= cfa_ok) value = [integer(int32) ::]
    call report(status, stat, errmsg)
  end subroutine

  subroutine get_int64_array(self, name, value, stat, errmsg)
    class(attribute_owner), intent(in) :: self
    character(len=*), intent(in) :: name
    integer(int64), allocatable, target, intent(inout) :: value(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_ptr) :: attribute
    integer(c_int32_t) :: status

    if (allocated(value)) deallocate (value)
    status = self%find(name, attribute)
    if (status == cfa_ok) then
      allocate (value(cfa_attribute_length(attribute)))
      status = cfa_attribute_read(attribute, cfa_type_int64, c_loc(value), 8*size(value, kind=c_size_t))
    end if
    if (status /= cfa_ok) value = [integer(int64) ::]
    call report(status, stat, errmsg)
  end subroutine

  integer(c_int32_t) function find(self, name, attribute) result(status)
    class(attribute_owner), intent(in) :: self
    character(len=*), intent(in) :: name
    type(c_ptr), intent(out) :: attribute

    attribute = c_null_ptr
    if (c_associated(self%variable_handle)) then
      status = cfa_variable_attribute_find(self%variable_handle, text_for(name), attribute)
    else
      status = cfa_group_attribute_find(self%group_handle, text_for(name), attribute)
    end if
  end function
end module cfa_attributes
