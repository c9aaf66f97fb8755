//go:build linux

package slurmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// packages are the packages of Debian that contain the programs.
var packages = map[string]string{
	"munged": "munge", "slurmctld": "slurmctld", "slurmd": "slurmd", "slurmstepd": "slurmd", "sbatch": "slurm-client",
	"slurmdbd": "slurmdbd", "mariadbd": "mariadb-server", "mariadb": "mariadb-client", "mariadb-install-db": "mariadb-server",
	"ip": "iproute2", "nsenter": "util-linux",
}

// missing returns a *MissingError if a program is not there.
func missing(config Config) error {
	needed := []string{"munged", "slurmctld", "slurmd", "slurmstepd", "sbatch"}
	if config.Accounting {
		needed = append(needed, "slurmdbd", "mariadbd", "mariadb", "mariadb-install-db")
	}
	if config.Separate {
		needed = append(needed, "ip", "nsenter")
	}
	var list []string
	for _, name := range needed {
		if program(name) == "" && !slices.Contains(list, packages[name]) {
			list = append(list, packages[name])
		}
	}
	if len(list) == 0 {
		return nil
	}
	return &MissingError{list}
}

// program returns the path of a program, or "". The names of Debian's alternatives come first: with the package
// slurm-wlm-emulator, the usual names are those of programs that cannot start a cluster.
func program(name string) string {
	for _, dir := range []string{"/usr/sbin", "/usr/local/sbin", "/sbin"} {
		for _, file := range []string{name + "-wlm", name} {
			path := filepath.Join(dir, file)
			if info, err := os.Stat(path); err == nil && info.Mode()&0o111 != 0 {
				return path
			}
		}
	}
	path, _ := exec.LookPath(name)
	return path
}

// A daemons is the supervisor of a cluster, for which this process starts daemons.
type daemons struct {
	dir string
	cmd *exec.Cmd

	once sync.Once // guards err
	err  error

	mu  sync.Mutex // held during a request
	in  io.WriteCloser
	out *json.Decoder
}

// newDaemons starts a supervisor.
func newDaemons(dir string) (*daemons, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	d := &daemons{dir: dir, cmd: exec.Command(self)}
	d.cmd.Env = append(os.Environ(), superviseVariable+"="+dir)
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // it survives Ctrl-C long enough to clean up
	in, err := d.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	d.in, d.out = in, json.NewDecoder(out)
	return d, d.cmd.Start()
}

func (d *daemons) do(r request) (answer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var a answer
	err := json.NewEncoder(d.in).Encode(r)
	if err == nil {
		err = d.out.Decode(&a)
	}
	switch {
	case err != nil:
		return a, fmt.Errorf("the supervisor of the daemons: %w", err)
	case a.Error != "":
		return a, errors.New(a.Error)
	}
	return a, nil
}

// start starts a daemon, whose outputs go to a file with its name.
func (d *daemons) start(r request) (pid int, err error) {
	r.Do, r.Dir, r.Log = "start", d.dir, filepath.Join(d.dir, "stderr", r.Name)
	r.Env = append(os.Environ(), r.Env...)
	a, err := d.do(r)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", r.Name, err)
	}
	return a.PID, nil
}

func (d *daemons) signal(name string, sig syscall.Signal) error {
	_, err := d.do(request{Do: "signal", Name: name, Signal: sig})
	return err
}

// stop ends a daemon with a signal.
func (d *daemons) stop(name string, sig syscall.Signal) error {
	if err := d.signal(name, sig); err != nil {
		return err
	}
	_, err := d.do(request{Do: "wait", Name: name, Timeout: patience})
	return err
}

// end ends the supervisor, which ends all others.
func (d *daemons) end() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.once.Do(func() {
		d.in.Close()
		d.err = d.cmd.Wait()
	})
	return d.err
}

// startMunge starts the daemon that proves to the others who a user is.
func (c *Cluster) startMunge() error {
	_, err := c.daemons.start(request{Name: "munged", Argv: []string{program("munged"), "--foreground", "--force",
		"--key-file=" + c.path("munge/key"), "--seed-file=" + c.path("munge/seed"), "--pid-file=" + c.path("munge/pid"),
		"--socket=" + c.path("munge.socket"), "--log-file=" + c.path("log/munged")}})
	if err != nil {
		return err
	}
	return c.await(func() error { return dial("unix", c.path("munge.socket")) })
}

// startDatabase starts the database of the accounting, and the daemon before it.
func (c *Cluster) startDatabase() error {
	data, socket := c.path("database"), c.path("database/socket")
	user := "--user=" + databaseUser()
	install := exec.Command(program("mariadb-install-db"), "--no-defaults", user, "--datadir="+data, "--skip-test-db", "--auth-root-authentication-method=normal")
	if out, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w: %s", install.Args, err, out)
	}
	_, err := c.daemons.start(request{Name: "mariadbd", Argv: []string{program("mariadbd"), "--no-defaults", user, "--datadir=" + data, "--socket=" + socket,
		"--skip-networking", "--pid-file=" + c.path("database/pid"), "--innodb-buffer-pool-size=64M", "--innodb-lock-wait-timeout=900"}})
	if err != nil {
		return err
	}
	if err := c.await(func() error { return dial("unix", socket) }); err != nil {
		return err
	}
	sql := exec.Command(program("mariadb"), "--no-defaults", "--socket="+socket, "--user=root", "--execute="+
		"create database slurm_acct_db; create user slurm@localhost identified by 'slurm'; grant all on slurm_acct_db.* to slurm@localhost")
	if out, err := sql.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w: %s", sql.Args, err, out)
	}
	// The client library of slurmdbd finds the socket by this variable only.
	_, err = c.daemons.start(request{Name: "slurmdbd", Argv: []string{c.path("bin/slurmdbd"), "-D"}, Env: append(c.Env(), "MYSQL_UNIX_PORT="+socket)})
	if err != nil {
		return err
	}
	return c.await(func() error {
		_, err := c.Output("sacctmgr", "--immediate", "add", "cluster", clusterName)
		return err
	})
}

// startController starts slurmctld and waits until it answers.
func (c *Cluster) startController() error {
	if _, err := c.daemons.start(request{Name: "slurmctld", Argv: []string{c.path("bin/slurmctld"), "-D", "-f", c.Conf}, Env: c.Env()}); err != nil {
		return err
	}
	return c.await(func() error {
		if err := dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(c.ports[0]))); err != nil {
			return err
		}
		_, err := c.Output("scontrol", "ping")
		return err
	})
}

func (c *Cluster) startNodes() error {
	for i := range c.config.Nodes {
		if err := c.StartNode(i + 1); err != nil {
			return err
		}
	}
	return nil
}

// StartNode starts slurmd on a node; the first is 1.
func (c *Cluster) StartNode(n int) error {
	conf := c.nodeConf(n)
	argv := []string{c.path("bin/slurmd"), "-D", "-N", nodeName(n), "-f", conf, "-d", c.path("bin/slurmstepd")}
	if c.config.Separate {
		pid, err := os.ReadFile(c.path(nodeName(n) + ".pid"))
		if err != nil {
			return err
		}
		argv = append([]string{program("nsenter"), "--net", "--uts", "--mount", "--target", string(pid)}, argv...)
	}
	_, err := c.daemons.start(request{Name: slurmdPrefix + nodeName(n), Argv: argv, Env: []string{"SLURM_CONF=" + conf}})
	return err
}

func dial(network, address string) error {
	conn, err := net.DialTimeout(network, address, time.Second)
	if err != nil {
		return err
	}
	return conn.Close()
}
