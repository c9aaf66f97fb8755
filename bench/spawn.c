//go:build ignore
// (a package without cgo may hold C only where the go command is told to look away)

/* spawn: the floor under every runner of commands. It starts N times PROGRAM with its arguments,
 * IN_FLIGHT at once, waits for each, and does nothing else: no graph, no log, no output.
 *
 *     spawn SPAWNERS IN_FLIGHT N PROGRAM [ARGUMENT...]
 *
 * One process cannot start programs as fast as several cores can run them, so the work is divided
 * among SPAWNERS processes. Prints two numbers: the CPU time of the spawners and that of the
 * programs, in microseconds. */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct cpu {
	long own, programs; /* microseconds */
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static long cpu_of(int who)
{
	struct rusage u;
	if (getrusage(who, &u) != 0)
		die("getrusage");
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000L + u.ru_utime.tv_usec + u.ru_stime.tv_usec;
}

static void wait_for_one(void)
{
	int status;
	if (wait(&status) < 0)
		die("wait");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		fprintf(stderr, "spawn: the program failed (wait status %d)\n", status);
		exit(1);
	}
}

/* spawn_all is one spawner; it tells its CPU times through the pipe. */
static void spawn_all(int n, int in_flight, char **argv, int pipe_end)
{
	int running = 0;
	for (int i = 0; i < n; i++) {
		pid_t pid;
		int err;
		if (running == in_flight) {
			wait_for_one();
			running--;
		}
		err = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);
		if (err != 0) {
			fprintf(stderr, "spawn: %s: %s\n", argv[0], strerror(err));
			exit(1);
		}
		running++;
	}
	while (running-- > 0)
		wait_for_one();
	struct cpu c = {cpu_of(RUSAGE_SELF), cpu_of(RUSAGE_CHILDREN)};
	if (write(pipe_end, &c, sizeof c) != sizeof c)
		die("write");
	exit(0);
}

/* share is the part of total that falls to spawner i of n. */
static int share(int total, int n, int i)
{
	return total / n + (i < total % n);
}

int main(int argc, char **argv)
{
	int ends[2];
	struct cpu c, sum = {0, 0};
	if (argc < 5) {
		fprintf(stderr, "usage: spawn SPAWNERS IN_FLIGHT N PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	int spawners = atoi(argv[1]), in_flight = atoi(argv[2]), n = atoi(argv[3]);
	if (spawners < 1 || in_flight < spawners || n < 0) {
		fprintf(stderr, "spawn: needs 1 <= SPAWNERS <= IN_FLIGHT and 0 <= N\n");
		return 2;
	}
	if (pipe(ends) != 0)
		die("pipe");
	for (int i = 0; i < spawners; i++) {
		pid_t pid = fork();
		if (pid < 0)
			die("fork");
		if (pid == 0)
			spawn_all(share(n, spawners, i), share(in_flight, spawners, i), argv + 4, ends[1]);
	}
	for (int i = 0; i < spawners; i++)
		wait_for_one();
	close(ends[1]);
	while (read(ends[0], &c, sizeof c) == sizeof c) {
		sum.own += c.own;
		sum.programs += c.programs;
	}
	printf("%ld %ld\n", sum.own, sum.programs);
	return 0;
}
