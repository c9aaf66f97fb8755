package remote

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"strings"
)

// AskVariable is set for the program that ssh calls with a question; its value is the socket of the keeper.
const AskVariable = "WF_HOST_ASKPASS"

// Ask passes a question of ssh to the keeper, prints the answer and returns the exit status.
func Ask(socket, prompt, hint string, out io.Writer) int {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return 1
	}
	defer conn.Close()
	var a answer
	err = writeLine(conn, Request{Kind: kindAsk, Prompt: prompt, Show: hint == "none"})
	if err == nil {
		err = readLine(bufio.NewReader(conn), &a)
	}
	if err != nil || !a.OK {
		return 1
	}
	fmt.Fprintln(out, a.Text)
	return 0
}

// secret reports whether the answer to a question of ssh is not to be shown. Only the question about an unknown key of a
// machine has another answer than a secret.
func secret(prompt string) bool { return !strings.Contains(prompt, "(yes/no") }

// shortHash returns a name for text, short because the path of a socket is limited.
func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
