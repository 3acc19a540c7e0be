! Lets a Fortran procedure follow a read, and stop it.
module cfa_watching
  use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_funloc, c_int32_t, c_loc, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use cfa_c, only: c_read_options
  implicit none
  private
  public :: cfa_progress_callback, follow, watcher

  abstract interface
    ! Called now and then during a read, in the thread that reads. `fraction`, from 0 to 1, is how much is done;
    ! with .false. the read ends and its stat is cfa_err_cancelled.
    logical function cfa_progress_callback(fraction)
      import :: real64
      real(real64), intent(in) :: fraction
    end function
  end interface

  ! Passes the procedure through C; it must exist as long as the read.
  type :: watcher
    private
    procedure(cfa_progress_callback), pointer, nopass :: progress => null()
  end type

contains

  ! Sets the options of a read so that it calls `progress`, if that is present.
  subroutine follow(options, observer, progress)
    type(c_read_options), intent(inout) :: options
    type(watcher), target, intent(inout) :: observer
    procedure(cfa_progress_callback), optional :: progress

    if (.not. present(progress)) return
    observer%progress => progress
    options%user_data = c_loc(observer)
    options%progress = c_funloc(call_progress)
  end subroutine

  integer(c_int32_t) function call_progress(fraction, user_data) bind(c, name='')
    real(c_double), value :: fraction
    type(c_ptr), value :: user_data
    type(watcher), pointer :: observer

    call c_f_pointer(user_data, observer)
    call_progress = merge(1_c_int32_t, 0_c_int32_t, observer%progress(fraction))
  end function
end module cfa_watching
