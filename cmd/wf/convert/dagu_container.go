package convert

import (
	yaml "go.yaml.in/yaml/v3"
)

// executor reads the executor of a step: docker becomes the attribute container, and a shell is what every node has.
// Others have no equivalent.
func (s *daguStep) executor(r *daguReader) func(*yaml.Node) {
	return func(n *yaml.Node) {
		kind := ""
		var config *yaml.Node
		if n.Kind == yaml.ScalarNode {
			kind = scalar(n)
		} else {
			r.fields(n, keys{"type": into(&kind), "config": func(n *yaml.Node) { config = n }})
		}
		switch kind {
		case "", "command", "shell":
			return
		case "docker":
			if config != nil {
				r.container(func(name, value string) { s.attrs[name] = value })(config)
				return
			}
		}
		panic(&Error{Line: n.Line, Msg: "the executor " + clip(kind) + " is not translated", Fix: daguInstead["executor"]})
	}
}

// container reads the image of a container, and leaves out how the container is made. set sets an attribute.
func (r *daguReader) container(set func(name, value string)) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode {
			set("container", scalar(n))
			return
		}
		image := ""
		if n.Kind != yaml.MappingNode {
			fail(n.Line, "a mapping of keys to values was expected")
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			switch key := n.Content[i]; key.Value {
			case "image":
				image = scalar(resolve(n.Content[i+1]))
			case "pull", "autoRemove", "host", "pullPolicy", "platform":
			default:
				r.b.note("line %d: %s of a container is left out: write it as an option of docker run into the attribute container_args", key.Line, clip(key.Value))
			}
		}
		if image == "" {
			panic(&Error{Line: n.Line, Msg: "the container has no image", Fix: "an existing container is used by the command docker exec NAME …"})
		}
		set("container", image)
	}
}
