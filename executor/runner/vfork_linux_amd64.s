#include "go_asm.h"
#include "textflag.h"

// The steps, and why in this order, are explained at vforkExec in vfork_linux.go.

#define SYS_rt_sigprocmask 14
#define SYS_dup3           292
#define SYS_setsid         112
#define SYS_execve         59
#define SYS_exit           60
#define SYS_prlimit64      302
#define SYS_clone3         435

#define SIG_SETMASK          2
#define SIGSET_SIZE          8
#define CLONE_ARGS_SIZE_VER0 64
#define RLIMIT_NOFILE        7
#define EXIT_UNBORN          253	// of a child without a program, as in ForkExec; nobody sees it

// The kernel returns errors as -4095 to -1.
#define FAILED_IF_ERROR \
	CMPQ	AX, $0xfffffffffffff001 \
	JCC	failed

#define DUP(from, to) \
	MOVQ	from(R12), DI \
	MOVQ	$to, SI \
	MOVQ	$0, DX \
	MOVQ	$SYS_dup3, AX \
	SYSCALL \
	FAILED_IF_ERROR

// func vforkExec(b *forkArgs) (pid int, errno syscall.Errno)
//
// System calls destroy AX, CX and R11 only, so R12 and R13 last, in the parent and in the child.
TEXT ·vforkExec(SB), NOSPLIT|NOFRAME, $0-24
	MOVQ	b+0(FP), R12

	// Block all signals.
	MOVQ	$SIG_SETMASK, DI
	LEAQ	forkArgs_all(R12), SI
	LEAQ	forkArgs_mask(R12), DX
	MOVQ	$SIGSET_SIZE, R10
	MOVQ	$SYS_rt_sigprocmask, AX
	SYSCALL

	LEAQ	forkArgs_clone(R12), DI
	MOVQ	$CLONE_ARGS_SIZE_VER0, SI
	MOVQ	$SYS_clone3, AX
	SYSCALL
	TESTQ	AX, AX
	JEQ	child

	// The parent, after the child has executed its program or has ended.
	MOVQ	AX, R13
	MOVQ	$SIG_SETMASK, DI
	LEAQ	forkArgs_mask(R12), SI
	MOVQ	$0, DX
	MOVQ	$SIGSET_SIZE, R10
	MOVQ	$SYS_rt_sigprocmask, AX
	SYSCALL
	CMPQ	R13, $0xfffffffffffff001
	JCC	unborn
	MOVQ	R13, pid+8(FP)
	MOVQ	$0, errno+16(FP)
	RET

unborn:
	NEGQ	R13
	MOVQ	$-1, pid+8(FP)
	MOVQ	R13, errno+16(FP)
	RET

	// The child. The stack belongs to the parent: nothing is pushed, called or returned.
child:
	MOVQ	$SYS_setsid, AX
	SYSCALL
	FAILED_IF_ERROR

	DUP(forkArgs_in, 0)
	DUP(forkArgs_out, 1)
	DUP(forkArgs_err, 2)

	MOVQ	$SIG_SETMASK, DI
	LEAQ	forkArgs_mask(R12), SI
	MOVQ	$0, DX
	MOVQ	$SIGSET_SIZE, R10
	MOVQ	$SYS_rt_sigprocmask, AX
	SYSCALL

	// As in ForkExec a limit that cannot be set is no error.
	MOVQ	forkArgs_limit(R12), DX
	TESTQ	DX, DX
	JEQ	world
	MOVQ	$0, DI
	MOVQ	$RLIMIT_NOFILE, SI
	MOVQ	$0, R10
	MOVQ	$SYS_prlimit64, AX
	SYSCALL

	// The calls of the world, whose errors count for nothing.
world:
	MOVQ	forkArgs_calls(R12), R13
	TESTQ	R13, R13
	JEQ	exec
call:
	MOVQ	childCall_Number(R13), AX
	CMPQ	AX, $-1
	JEQ	exec
	MOVQ	childCall_A(R13), DI
	MOVQ	childCall_B(R13), SI
	MOVQ	childCall_C(R13), DX
	MOVQ	childCall_D(R13), R10
	SYSCALL
	ADDQ	$childCall__size, R13
	JMP	call

exec:
	MOVQ	forkArgs_path(R12), DI
	MOVQ	forkArgs_argv(R12), SI
	MOVQ	forkArgs_envp(R12), DX
	MOVQ	$SYS_execve, AX
	SYSCALL

failed:
	NEGQ	AX
	MOVQ	AX, forkArgs_errno(R12)
exit:
	MOVQ	$EXIT_UNBORN, DI
	MOVQ	$SYS_exit, AX
	SYSCALL
	JMP	exit
