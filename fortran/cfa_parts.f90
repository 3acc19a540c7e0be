! Which part of a variable is read: start, count and step, from Fortran's order of dimensions and indices from 1 to C's.
module cfa_parts
  use, intrinsic :: iso_c_binding, only: c_int64_t, c_size_t
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use cfa_text, only: decimal
  implicit none
  private
  public :: choose_part, choose_shape, cfa_part, max_rank

  ! Ranks of arrays that `read` allocates.
  integer, parameter :: max_rank = 7

  ! A part in C's order, indices from 0; `total` is its number of elements.
  type :: cfa_part
    integer(c_int64_t), allocatable :: start(:), step(:)
    integer(c_size_t), allocatable :: count(:)
    integer(int64) :: total = 0
  end type

contains

  ! Fills in what is not given: step 1, from the first element (the last, with a negative step), all that follow.
  ! `message` is allocated if the part is not within the shape (of the variable, in Fortran's order).
  subroutine choose_part(shape, part, message, start, count, step)
    integer(int64), intent(in) :: shape(:)
    type(cfa_part), intent(out) :: part
    character(len=:), allocatable, intent(out) :: message
    class(*), intent(in), optional :: start(:), count(:), step(:)
    integer(int64), dimension(size(shape)) :: first, length, distance, most
    integer :: i

    distance = 1
    if (present(step)) call take('step', step, distance, message)
    first = merge(max(shape, 1_int64), 1_int64, distance < 0)
    if (present(start)) call take('start', start, first, message)
    if (allocated(message)) return

    do i = 1, size(shape)
      if (distance(i) == 0 .or. distance(i) == -huge(1_int64) - 1) then
        message = 'step is '//decimal(distance(i))//' along '//place(i)
        return
      else if (first(i) < 1 .or. first(i) > max(shape(i), 1_int64)) then
        message = 'start is '//decimal(first(i))//' along '//place(i)//', which has '//decimal(shape(i))//' elements'
        return
      else if (shape(i) < 1) then
        most(i) = 0
      else if (distance(i) > 0) then
        most(i) = (shape(i) - first(i))/distance(i) + 1
      else
        most(i) = (first(i) - 1)/(-distance(i)) + 1
      end if
    end do

    length = most
    if (present(count)) call take('count', count, length, message)
    if (allocated(message)) return
    part%total = 1
    do i = 1, size(shape)
      if (length(i) < 0 .or. length(i) > most(i)) then
        message = 'count is '//decimal(length(i))//' along '//place(i)//', which has '//decimal(most(i))//' from start on'
        return
      end if
    end do
    do i = 1, size(shape)
      if (any(length == 0)) then
        part%total = 0
      else if (length(i) > ishft(huge(1_int64), -3)/part%total) then
        message = 'the part has too many elements for memory'
        return
      else
        part%total = part%total*length(i)
      end if
    end do

    part%start = first(size(shape):1:-1) - 1
    part%count = int(length(size(shape):1:-1), c_size_t)
    part%step = distance(size(shape):1:-1)
  end subroutine

  ! The shape of an array of a given rank for a part: dimensions of one element are left out, the slowest first, until
  ! it fits; an array of rank 1 takes all elements one after the other.
  subroutine choose_shape(part, rank, shape, message)
    type(cfa_part), intent(in) :: part
    integer, intent(in) :: rank
    integer(int64), intent(out) :: shape(max_rank)
    character(len=:), allocatable, intent(inout) :: message
    integer(int64), allocatable :: lengths(:)
    integer :: i

    shape = 1
    lengths = int(part%count, int64)
    i = 1
    do while (size(lengths) > rank .and. i <= size(lengths))
      if (lengths(i) == 1) then
        lengths = [lengths(:i - 1), lengths(i + 1:)]
      else
        i = i + 1
      end if
    end do
    if (rank == 1) then
      shape(1) = part%total
    else if (size(lengths) == rank .and. rank <= max_rank) then
      shape(:rank) = lengths(rank:1:-1)
    else
      message = 'an array of rank '//decimal(int(rank, int64))//' does not fit a part of a variable of rank '// &
        decimal(size(part%count, kind=int64))
    end if
  end subroutine

  ! Takes integers of either kind.
  subroutine take(what, given, numbers, message)
    character(len=*), intent(in) :: what
    class(*), intent(in) :: given(:)
    integer(int64), intent(inout) :: numbers(:)
    character(len=:), allocatable, intent(inout) :: message

    if (size(given) /= size(numbers)) then
      message = what//' has '//decimal(size(given, kind=int64))//' elements, the variable '// &
        decimal(size(numbers, kind=int64))//' dimensions'
      return
    end if
    select type (given)
    type is (integer(int32))
      numbers = given
    type is (integer(int64))
      numbers = given
    class default
      message = what//' is not of type integer(int32) or integer(int64)'
    end select
  end subroutine

  pure function place(dimension) result(text)
    integer, intent(in) :: dimension
    character(len=:), allocatable :: text

    text = 'dimension '//decimal(int(dimension, int64))
  end function
end module cfa_parts
