package fence

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"
)

// An Abandoned is a fence that names a holder on another machine and is not locked by it. The holder may be gone, or alive on a
// file system that keeps locks on one machine. No daemon of this machine can take the fence meanwhile. The caller calls Clear or
// Close.
type Abandoned struct {
	Holder Holder
	f      *Fence
	volume volume
}

// FindAbandoned returns the fence at path if it names a holder on another machine than own, otherwise nil. A *TakenError means
// that a living daemon has it.
func FindAbandoned(path string, own Holder) (*Abandoned, error) {
	return thisVolume.findAbandoned(path, own)
}

func (v volume) findAbandoned(path string, own Holder) (*Abandoned, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	f, _, err := open(path)
	if err != nil {
		return nil, err
	}
	if err := v.lock(f.file, v.shared(f.file)); err != nil {
		return nil, errors.Join(f.lockError(err), f.file.Close())
	}
	h, _ := readHolder(f.file)
	if !h.Elsewhere(own) {
		h, _ = readOwner(path + ownerSuffix)
	}
	if !h.Elsewhere(own) {
		return nil, f.file.Close()
	}
	return &Abandoned{h, f, v}, nil
}

// GivesSigns reports whether the holder gives signs of life while it lives. A holder whose own disk this is, such as a server of
// NFS, gives none.
func (a *Abandoned) GivesSigns() bool {
	_, err := signOf(a.f.path + ownerSuffix)
	return err == nil
}

// WatchTime is how long Alive watches for a sign of life.
func (a *Abandoned) WatchTime() time.Duration { return 3 * a.volume.beat }

// Alive watches for a sign of life of the holder, and returns true when there is one. It compares no clocks: any change is a
// sign.
func (a *Abandoned) Alive(ctx context.Context) (bool, error) {
	first, err := signOf(a.f.path + ownerSuffix)
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, a.WatchTime(), errSilent)
	defer cancel()
	tick := time.NewTicker(a.volume.beat / 10)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), errSilent) {
				return false, nil
			}
			return false, ctx.Err()
		}
		if now, err := signOf(a.f.path + ownerSuffix); err != nil || !now.Equal(first) {
			return true, nil
		}
	}
}

var errSilent = errors.New("no sign of life")

// signOf returns the time of the latest sign of life. It opens the file, because a client of NFS asks the server only then.
func signOf(path string) (time.Time, error) {
	file, err := os.Open(path)
	if err != nil {
		return time.Time{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// Clear removes the holder, so that any machine can take the fence, and ends the use of a.
func (a *Abandoned) Clear() error {
	err := os.Remove(a.f.path + ownerSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(a.f.file.Truncate(0), err, a.f.file.Sync(), a.f.file.Close())
}

// Close changes nothing and ends the use of a.
func (a *Abandoned) Close() { a.f.file.Close() }
