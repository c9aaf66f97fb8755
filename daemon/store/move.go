package store

import (
	"bytes"
	"context"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// Move moves all values of a workspace and its runs to another workspace. The history was moved before: values of runs
// that it does not have are dropped.
func (s *Store) Move(ctx context.Context, from, to string) error {
	return s.callFile(ctx, func(f *file) error {
		return s.update(f, func(t *turn) error { return t.move(from, to) })
	})
}

// move moves the scopes of one workspace.
func (t *turn) move(from, to string) error {
	scopes, err := t.scopesOf(from)
	for _, old := range scopes {
		if err == nil {
			err = t.moveScope(old, Scope{strings.Replace(old.name, from, to, 1)})
		}
	}
	return err
}

// scopesOf returns the scopes of a workspace and of its runs.
func (t *turn) scopesOf(workspace string) (scopes []Scope, err error) {
	err = t.tx.Bucket(valuesBucket).ForEach(func(name, _ []byte) error {
		scope := Scope{string(name)}
		if of, _, isRun := scope.run(); scope == Workfile(workspace) || isRun && of == workspace {
			scopes = append(scopes, scope)
		}
		return nil
	})
	return scopes, err
}

// moveScope moves the values of one scope. It drops damaged values, which cannot be read.
func (t *turn) moveScope(old, scope Scope) error {
	type value struct {
		key, data []byte
		expires   int64
	}
	b := t.tx.Bucket(valuesBucket).Bucket([]byte(old.name))
	var list []value
	err := b.ForEach(func(key, record []byte) error {
		expires, data, problem := decode(key, record)
		if problem == "" && !expired(expires, t.now) {
			list = append(list, value{bytes.Clone(key), bytes.Clone(data), expires})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, v := range list {
		if err := t.removeExpiry(b, old, v.key); err != nil {
			return err
		}
		if err := t.put(scope, v.key, v.expires, v.data); err != nil {
			return err
		}
	}
	t.wrote = true
	return t.tx.Bucket(valuesBucket).DeleteBucket([]byte(old.name))
}

// Drop removes all values of a workspace and its runs.
func (s *Store) Drop(ctx context.Context, workspace string) error {
	return s.callFile(ctx, func(f *file) error {
		var names [][]byte
		err := f.view(func(tx *bolt.Tx) error {
			t := &turn{s: s, tx: tx}
			scopes, err := t.scopesOf(workspace)
			for _, scope := range scopes {
				names = append(names, []byte(scope.name))
			}
			return err
		})
		if err != nil {
			return s.failed(err)
		}
		return s.drop(f, names)
	})
}
