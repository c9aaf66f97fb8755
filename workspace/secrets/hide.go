package secrets

import (
	"encoding/json"
	"reflect"
	"strings"
)

// shownAsIs are the fields of answers, events and records that are shown as they are: names of things, by which programs find
// them, words that wf chooses, and texts of the workfile, where a secret does not belong: an editor would write back what it got.
// All other texts are searched, so a new field is, too.
var shownAsIs = func() map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(`Schema ID Seq Node Nodes Name Names Run Runs Resumes Client Key Workspace Workfile Path
		Folder Cwd Dir File BodyFile Files Executor Version Host Command Line Label Wrapper Shell Selection Exclude Until From Again
		Edges Op When Program PlanStep.After PlanStep.Of Kept Attrs Group Parent Mode Type Status State Result Results Reason Signal SubFlow`) {
		m[name] = true
	}
	return m
}()

// Hide replaces the values of all masks in the texts of v, a pointer to an answer, an event or a record. It copies lists and maps
// that it changes, because others may share them.
func Hide(v any, masks ...*Masks) {
	h := hider{}
	for _, m := range masks {
		if m.Any() {
			h = append(h, m)
		}
	}
	if len(h) > 0 {
		h.fields(reflect.ValueOf(v).Elem())
	}
}

type hider []*Masks

func (h hider) text(s string) string {
	for _, m := range h {
		s = m.Text(s)
	}
	return s
}

var (
	rawType  = reflect.TypeFor[json.RawMessage]()
	textType = reflect.TypeFor[string]()
)

// consistsOfFields reports whether values of a type have fields, which have names of their own.
func consistsOfFields(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return consistsOfFields(t.Elem())
	}
	return t.Kind() == reflect.Struct
}

// fields replaces texts in v, which can be set. A named type of text has words that wf chooses, so it is shown as it is.
func (h hider) fields(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() == textType {
			if s := v.String(); s != "" {
				v.SetString(h.text(s))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			switch f := v.Type().Field(i); {
			case f.Anonymous && f.Type.Kind() == reflect.Struct, f.IsExported() && (!shownAsIs[f.Name] && !shownAsIs[v.Type().Name()+"."+f.Name] || consistsOfFields(f.Type)):
				h.fields(v.Field(i))
			}
		}
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		fresh := reflect.New(v.Type().Elem())
		fresh.Elem().Set(v.Elem())
		h.fields(fresh.Elem())
		v.Set(fresh)
	case reflect.Slice:
		if v.IsNil() || v.Type().Elem().Kind() == reflect.Uint8 {
			h.bytes(v)
			return
		}
		fresh := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(fresh, v)
		for i := range fresh.Len() {
			h.fields(fresh.Index(i))
		}
		v.Set(fresh)
	case reflect.Array:
		for i := range v.Len() {
			h.fields(v.Index(i))
		}
	case reflect.Map:
		h.entries(v)
	case reflect.Interface:
		if !v.IsNil() {
			v.Set(reflect.ValueOf(h.value(v.Interface())))
		}
	}
}

func (h hider) value(value any) any {
	for _, m := range h {
		value = m.Value(value)
	}
	return value
}

// bytes replaces values in JSON and in other bytes.
func (h hider) bytes(v reflect.Value) {
	if v.Len() == 0 {
		return
	}
	for _, m := range h {
		if v.Type() == rawType {
			v.SetBytes(m.JSON(v.Bytes()))
		} else {
			v.SetBytes(m.Bytes(v.Bytes()))
		}
	}
}

// entries replaces texts in the values of a map, and in the keys of a map of any values.
func (h hider) entries(v reflect.Value) {
	if v.IsNil() {
		return
	}
	if values, ok := v.Interface().(map[string]any); ok {
		v.Set(reflect.ValueOf(h.value(values)))
		return
	}
	fresh := reflect.MakeMapWithSize(v.Type(), v.Len())
	for key, value := range v.Seq2() {
		item := reflect.New(v.Type().Elem()).Elem()
		item.Set(value)
		h.fields(item)
		fresh.SetMapIndex(key, item)
	}
	v.Set(fresh)
}
