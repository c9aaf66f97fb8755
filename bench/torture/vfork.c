//go:build ignore
// (a package without cgo may hold C only where the go command is told to look away)

/* vfork: a process that waits in the kernel, in state D, for a child that never goes on. Until the
 * child is gone, no signal but KILL gets through to the parent; the child ignores TERM. */
#include <signal.h>
#include <unistd.h>

int main(void)
{
	signal(SIGTERM, SIG_IGN);
	if (vfork() == 0)
		for (;;)
			pause();
	return 0;
}
