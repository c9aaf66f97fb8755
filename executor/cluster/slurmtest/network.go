//go:build linux

package slurmtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// A separate node has a network with one link, whose other end is on this machine. The link vanishes with the last process
// of the node. The addresses of both ends are 10.77.SUBNET.100+NODE and 10.77.SUBNET.NODE.

func (c *Cluster) nodeAddress(n int) string { return fmt.Sprintf("10.77.%d.%d", c.subnet, n) }

func (c *Cluster) linkName(n int) string { return fmt.Sprintf("wf%d%s", c.subnet, nodeName(n)) }

// separate starts a process for each node that keeps its network, and connects the networks with this machine.
func (c *Cluster) separate() error {
	if c.config.Nodes > 99 {
		return errors.New("at most 99 nodes can be separate")
	}
	for n := 1; n <= c.config.Nodes; n++ {
		// Its name is the last step, so that other processes can wait for it.
		script := fmt.Sprintf("mount --make-rprivate / && mount -t tmpfs -o mode=1777 %[1]s %[2]s && ip link set lo up && hostname %[1]s && exec sleep infinity",
			nodeName(n), c.path("scratch"))
		pid, err := c.daemons.start(request{Name: "network " + nodeName(n), Argv: []string{"/bin/sh", "-c", script}, Namespace: true})
		if err != nil {
			return err
		}
		if err := os.WriteFile(c.path(nodeName(n)+".pid"), []byte(strconv.Itoa(pid)), 0o600); err != nil {
			return err
		}
		if err := c.connect(n, pid); err != nil {
			return err
		}
		err = c.await(func() error {
			out, err := exec.Command(program("nsenter"), "--uts", "--target", strconv.Itoa(pid), "hostname").Output()
			if name := strings.TrimSpace(string(out)); err == nil && name != nodeName(n) {
				return fmt.Errorf("the host name of node %d is %s", n, name)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return c.configureNodes()
}

// connect makes the link of a node. The first one takes a subnet that no other cluster has.
func (c *Cluster) connect(n, pid int) error {
	near := fmt.Sprintf("10.77.%d.%d", c.subnet, 100+n)
	inside := []string{"nsenter", "--net", "--target", strconv.Itoa(pid)}
	for {
		err := run("ip", "link", "add", c.linkName(n), "type", "veth", "peer", "name", "eth0", "netns", strconv.Itoa(pid))
		if err == nil {
			break
		}
		if n > 1 || c.subnet == 255 || !strings.Contains(err.Error(), "exists") {
			return err
		}
		c.subnet++
		near = fmt.Sprintf("10.77.%d.%d", c.subnet, 100+n)
	}
	return errors.Join(
		run("ip", "address", "add", near, "peer", c.nodeAddress(n), "dev", c.linkName(n)),
		run("ip", "link", "set", c.linkName(n), "up"),
		run(append(inside, "ip", "address", "add", c.nodeAddress(n), "peer", near, "dev", "eth0")...),
		run(append(inside, "ip", "link", "set", "eth0", "up")...))
}

// configureNodes writes the configuration again, now that the subnet is known, and one for each node, whose way to the
// controller is its own.
func (c *Cluster) configureNodes() error {
	for n := 1; n <= c.config.Nodes; n++ {
		if err := os.Mkdir(c.path(nodeName(n)), 0o700); err != nil {
			return err
		}
		text := c.conf(fmt.Sprintf("10.77.%d.%d", c.subnet, 100+n))
		if err := os.WriteFile(c.nodeConf(n), []byte(text), 0o600); err != nil {
			return err
		}
		if err := os.Symlink(c.path("cgroup.conf"), c.path(nodeName(n)+"/cgroup.conf")); err != nil {
			return err
		}
	}
	return c.configure()
}

func run(argv ...string) error {
	out, err := exec.Command(program(argv[0]), argv[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

// Cut cuts a separate node off from the controller; the first is 1.
func (c *Cluster) Cut(n int) error { return run("ip", "link", "set", c.linkName(n), "down") }

// Connect connects a node that was cut off.
func (c *Cluster) Connect(n int) error { return run("ip", "link", "set", c.linkName(n), "up") }
