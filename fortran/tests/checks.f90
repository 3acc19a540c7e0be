! What a test program needs: expectations that are counted, and named when they do not hold.
module checks
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  private
  public :: expect, finish

  integer :: held = 0, broken = 0

contains

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what

    if (holds) then
      held = held + 1
    else
      broken = broken + 1
      write (error_unit, '(2a)') 'does not hold: ', what
    end if
  end subroutine

  subroutine finish(name)
    character(len=*), intent(in) :: name

    print '(a, 2(a, i0), a)', name, ': ', held, ' hold, ', broken, ' do not'
    if (broken > 0) error stop 1
  end subroutine
end module checks
