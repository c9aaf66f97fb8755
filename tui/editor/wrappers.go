package editor

// Wrappers are preset wrappers of commands: those of Python Workforce, plus a shell where a program would otherwise
// run its argument without one. The user replaces the words in capitals. wf quotes the command for the position of
// {}.
var Wrappers = []struct{ Wrapper, What string }{
	{"", "no wrapper"},
	{`bash -c '{}'`, "in bash"},
	{`bash -c '. env.sh && {}'`, "after reading env.sh"},
	{`bash -lc "conda activate ENV && {}"`, "in a conda environment"},
	{`docker run --rm IMAGE sh -c {}`, "in a container"},
	{`ssh ADDRESS {}`, "on another machine"},
	{`parallel {} ::: FILENAMES`, "for many files"},
	{`tmux send-keys {} C-m`, "typed into tmux"},
	{`echo {} >> commands.sh`, "only written down"},
	{`nohup sh -c {} &`, "left behind: ended with the run"},
}
