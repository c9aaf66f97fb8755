#include "go_asm.h"
#include "textflag.h"

// The steps, and why in this order, are explained at vforkExec in vfork_linux.go.

#define SYS_rt_sigprocmask 135
#define SYS_dup3           24
#define SYS_setsid         157
#define SYS_execve         221
#define SYS_exit           93
#define SYS_prlimit64      261
#define SYS_clone3         435

#define SIG_SETMASK          2
#define SIGSET_SIZE          8
#define CLONE_ARGS_SIZE_VER0 64
#define RLIMIT_NOFILE        7
#define EXIT_UNBORN          253	// of a child without a program, as in ForkExec; nobody sees it

// The kernel returns errors as -4095 to -1.
#define FAILED_IF_ERROR \
	CMN	$4095, R0 \
	BCS	failed

#define DUP(from, to) \
	MOVD	from(R19), R0 \
	MOVD	$to, R1 \
	MOVD	$0, R2 \
	MOVD	$SYS_dup3, R8 \
	SVC \
	FAILED_IF_ERROR

// func vforkExec(b *forkArgs) (pid int, errno syscall.Errno)
//
// System calls destroy R0 only, so R19 and R20 last, in the parent and in the child.
TEXT ·vforkExec(SB), NOSPLIT|NOFRAME, $0-24
	MOVD	b+0(FP), R19

	// Block all signals.
	MOVD	$SIG_SETMASK, R0
	ADD	$forkArgs_all, R19, R1
	ADD	$forkArgs_mask, R19, R2
	MOVD	$SIGSET_SIZE, R3
	MOVD	$SYS_rt_sigprocmask, R8
	SVC

	ADD	$forkArgs_clone, R19, R0
	MOVD	$CLONE_ARGS_SIZE_VER0, R1
	MOVD	$SYS_clone3, R8
	SVC
	CBZ	R0, child

	// The parent, after the child has executed its program or has ended.
	MOVD	R0, R20
	MOVD	$SIG_SETMASK, R0
	ADD	$forkArgs_mask, R19, R1
	MOVD	$0, R2
	MOVD	$SIGSET_SIZE, R3
	MOVD	$SYS_rt_sigprocmask, R8
	SVC
	CMN	$4095, R20
	BCS	unborn
	MOVD	R20, pid+8(FP)
	MOVD	ZR, errno+16(FP)
	RET

unborn:
	NEG	R20, R20
	MOVD	$-1, R0
	MOVD	R0, pid+8(FP)
	MOVD	R20, errno+16(FP)
	RET

	// The child. The stack belongs to the parent: nothing is pushed, called or returned.
child:
	MOVD	$SYS_setsid, R8
	SVC
	FAILED_IF_ERROR

	DUP(forkArgs_in, 0)
	DUP(forkArgs_out, 1)
	DUP(forkArgs_err, 2)

	MOVD	$SIG_SETMASK, R0
	ADD	$forkArgs_mask, R19, R1
	MOVD	$0, R2
	MOVD	$SIGSET_SIZE, R3
	MOVD	$SYS_rt_sigprocmask, R8
	SVC

	// As in ForkExec a limit that cannot be set is no error.
	MOVD	forkArgs_limit(R19), R2
	CBZ	R2, world
	MOVD	$0, R0
	MOVD	$RLIMIT_NOFILE, R1
	MOVD	$0, R3
	MOVD	$SYS_prlimit64, R8
	SVC

	// The calls of the world, whose errors count for nothing.
world:
	MOVD	forkArgs_calls(R19), R20
	CBZ	R20, exec
call:
	MOVD	childCall_Number(R20), R8
	CMN	$1, R8
	BEQ	exec
	MOVD	childCall_A(R20), R0
	MOVD	childCall_B(R20), R1
	MOVD	childCall_C(R20), R2
	MOVD	childCall_D(R20), R3
	SVC
	ADD	$childCall__size, R20
	B	call

exec:
	MOVD	forkArgs_path(R19), R0
	MOVD	forkArgs_argv(R19), R1
	MOVD	forkArgs_envp(R19), R2
	MOVD	$SYS_execve, R8
	SVC

failed:
	NEG	R0, R0
	MOVD	R0, forkArgs_errno(R19)
exit:
	MOVD	$EXIT_UNBORN, R0
	MOVD	$SYS_exit, R8
	SVC
	B	exit
