package workspace

// A node inside a container runs once in each instance. People name it as the workfile does, and mean all its instances.
