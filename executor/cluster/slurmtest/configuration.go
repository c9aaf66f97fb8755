//go:build linux

package slurmtest

import (
	"crypto/rand"
	"fmt"
	"maps"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// clusterName is the name of every cluster of this package.
const clusterName = "test"

// slurmdPrefix begins the names of the daemons of nodes.
const slurmdPrefix = "slurmd-"

// home returns the folder of the user of a cluster. It is beside that of the cluster, which may be hidden from the user.
func home(dir string) string { return dir + "-home" }

func nodeName(n int) string { return "n" + strconv.Itoa(n) }

// path returns the path of a file in the folder of the cluster.
func (c *Cluster) path(name string) string { return filepath.Join(c.dir, name) }

// makeFolders makes the folders of the daemons, and links to them by their names, which their plugins look at.
func (c *Cluster) makeFolders() error {
	for _, name := range []string{"bin", "log", "stderr", "munge", "state", "spool", "database", "scratch"} {
		if err := os.Mkdir(c.path(name), 0o700); err != nil {
			return err
		}
	}
	if err := os.Mkdir(c.Home(), 0o700); err != nil {
		return err
	}
	for i := range c.config.Nodes {
		if err := os.Mkdir(c.path("spool/"+nodeName(i+1)), 0o700); err != nil {
			return err
		}
	}
	for _, name := range []string{"slurmctld", "slurmd", "slurmstepd", "slurmdbd"} {
		if path := program(name); path != "" {
			if err := os.Symlink(path, c.path("bin/"+name)); err != nil {
				return err
			}
		}
	}
	// The database may have a user of its own, who must get to its folder.
	if err := os.Chmod(c.dir, 0o755); err != nil {
		return err
	}
	if u, err := user.Lookup(databaseUser()); err == nil {
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		if err := os.Chown(c.path("database"), uid, gid); err != nil {
			return err
		}
	}
	key := make([]byte, 128)
	rand.Read(key) // never fails
	return os.WriteFile(c.path("munge/key"), key, 0o600)
}

func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return strconv.Itoa(os.Getuid())
}

// databaseUser is the user of the database, which does not work as root.
func databaseUser() string {
	if os.Geteuid() == 0 {
		return "mysql"
	}
	return userName()
}

// takePorts finds free ports. Another program can still take one before the daemon that needs it.
func (c *Cluster) takePorts() (err error) {
	if c.host, err = os.Hostname(); err != nil {
		return err
	}
	c.host, _, _ = strings.Cut(c.host, ".")
	for range 2 + c.config.Nodes {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer l.Close()
		c.ports = append(c.ports, l.Addr().(*net.TCPAddr).Port)
	}
	return nil
}

// configure writes the configuration of the daemons and commands.
func (c *Cluster) configure() error {
	// Nothing uses cgroups, but without the name of a plugin slurmd looks for them.
	files := map[string]string{"cgroup.conf": "CgroupPlugin=cgroup/v1\n", "slurm.conf": c.conf("127.0.0.1")}
	if c.config.Accounting {
		files["slurmdbd.conf"] = lines(map[string]string{
			"AuthType": "auth/munge", "AuthInfo": "socket=" + c.path("munge.socket"), "DbdHost": c.host, "DbdAddr": "127.0.0.1",
			"DbdPort": strconv.Itoa(c.ports[1]), "SlurmUser": userName(), "PidFile": c.path("slurmdbd.pid"), "LogFile": c.path("log/slurmdbd"),
			"StorageType": "accounting_storage/mysql", "StorageHost": "localhost", "StorageUser": "slurm", "StoragePass": "slurm",
			"StorageLoc": "slurm_acct_db",
		})
	}
	for name, text := range files {
		if err := os.WriteFile(c.path(name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// conf returns slurm.conf for machines that reach the controller by an address.
func (c *Cluster) conf(controller string) string {
	options := map[string]string{
		"ClusterName": clusterName, "SlurmctldHost": fmt.Sprintf("%s(%s)", c.host, controller), "SlurmctldPort": strconv.Itoa(c.ports[0]),
		"SlurmUser": userName(), "SlurmdUser": userName(), "AuthType": "auth/munge", "AuthInfo": "socket=" + c.path("munge.socket"),
		"SlurmctldLogFile": c.path("log/slurmctld"), "SlurmdLogFile": c.path("log/" + slurmdPrefix + "%n"),
		"StateSaveLocation": c.path("state"), "SlurmdSpoolDir": c.path("spool/%n"),
		"SlurmctldPidFile": c.path("slurmctld.pid"), "SlurmdPidFile": c.path("slurmd-%n.pid"),
		// No cgroups and no affinity, which not every machine has.
		"ProctrackType": "proctrack/pgid", "TaskPlugin": "task/none", "JobAcctGatherType": "jobacct_gather/none",
		"SwitchType": "switch/none", "MpiDefault": "none", "SelectType": "select/cons_tres", "SelectTypeParameters": "CR_CPU",
		"ReturnToService": "2", "MaxJobCount": "100000", "MaxArraySize": "10001",
		"SlurmdParameters":    "config_overrides", // a node may have more processors than the machine
		"SchedulerParameters": "batch_sched_delay=0",
		"BatchStartTimeout":   "300", // a busy machine starts jobs late
		"DebugFlags":          "NO_CONF_HASH",
		// Messages to nodes go directly to each, since separate nodes do not see one another.
		"TreeWidth": "65533",
	}
	if c.config.Accounting {
		options["AccountingStorageType"] = "accounting_storage/slurmdbd"
		options["AccountingStorageHost"] = c.host
		options["AccountingStoragePort"] = strconv.Itoa(c.ports[1])
		options["AccountingStoragePass"] = c.path("munge.socket")
	} else {
		options["AccountingStorageType"] = "accounting_storage/none"
	}
	maps.Copy(options, c.config.Options)
	text := lines(options)
	for i := range c.config.Nodes {
		where := fmt.Sprintf("NodeHostname=%s NodeAddr=127.0.0.1", c.host)
		if c.config.Separate {
			where = "NodeAddr=" + c.nodeAddress(i+1)
		}
		text += fmt.Sprintf("NodeName=%s %s Port=%d CPUs=%d RealMemory=%d State=UNKNOWN\n", nodeName(i+1), where, c.ports[2+i], c.config.CPUs, c.config.Memory)
	}
	return text + fmt.Sprintf("PartitionName=main Nodes=n[1-%d] Default=YES MaxTime=INFINITE State=UP\n", c.config.Nodes)
}

func lines(options map[string]string) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(options)) {
		fmt.Fprintf(&b, "%s=%s\n", key, options[key])
	}
	return b.String()
}

// nodeConf returns the path of slurm.conf for a node.
func (c *Cluster) nodeConf(n int) string {
	if c.config.Separate {
		return c.path(nodeName(n) + "/slurm.conf")
	}
	return c.Conf
}
