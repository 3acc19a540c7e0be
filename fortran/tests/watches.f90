! Functions that follow a read: one that goes on and one that stops it. Both note when they were called.
module watches
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: go_on, last, seen, stop_at_once, watch

  integer :: calls = 0
  real(real64) :: done = -1

contains

  subroutine watch()
    calls = 0
    done = -1
  end subroutine

  integer function seen()
    seen = calls
  end function

  real(real64) function last()
    last = done
  end function

  logical function go_on(fraction)
    real(real64), intent(in) :: fraction

    go_on = fraction >= done .and. fraction <= 1
    calls = calls + 1
    done = fraction
  end function

  logical function stop_at_once(fraction)
    real(real64), intent(in) :: fraction

    stop_at_once = fraction > 1
    calls = calls + 1
  end function
end module watches
