package graph

// attrSet says which attributes an element really has, so that an empty text and an absent one
// stay different.
type attrSet uint8
