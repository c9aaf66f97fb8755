package api

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"strings"
)

// EncodeQuery returns the query parameters of a question, a struct whose fields have the tag query:"NAME". Zero
// values are left out. A bool is 1 when it is set; with the tag query:"NAME,on" it is on by default, and 0 when it
// is not set. A slice of texts is a repeated parameter, a pointer a JSON value.
func EncodeQuery(question any) url.Values {
	values := url.Values{}
	eachParameter(reflect.ValueOf(question), func(name string, on bool, v reflect.Value) error {
		switch v.Kind() {
		case reflect.Bool:
			if v.Bool() != on {
				values.Set(name, map[bool]string{true: "1", false: "0"}[v.Bool()])
			}
		case reflect.Int, reflect.Int64:
			if v.Int() != 0 {
				values.Set(name, strconv.FormatInt(v.Int(), 10))
			}
		case reflect.Slice:
			for i := range v.Len() {
				values.Add(name, v.Index(i).String())
			}
		case reflect.Pointer:
			if text, err := json.Marshal(v.Interface()); err == nil && !v.IsNil() {
				values.Set(name, string(text))
			}
		default:
			if v.String() != "" {
				values.Set(name, v.String())
			}
		}
		return nil
	})
	return values
}

// DecodeQuery reads query parameters into the question that it points to. Numbers must not be negative.
func DecodeQuery(values url.Values, question any) error {
	return eachParameter(reflect.ValueOf(question).Elem(), func(name string, on bool, v reflect.Value) error {
		text := values.Get(name)
		switch v.Kind() {
		case reflect.Bool:
			v.SetBool(on && text != "0" || text == "1")
		case reflect.Int, reflect.Int64:
			n, err := strconv.ParseInt(text, 10, v.Type().Bits())
			if text != "" && (err != nil || n < 0) {
				return fmt.Errorf("%s=%q is not a number", name, text)
			}
			v.SetInt(n)
		case reflect.Slice:
			for _, text := range values[name] { // a slice that is absent stays nil
				v.Set(reflect.Append(v, reflect.ValueOf(text).Convert(v.Type().Elem())))
			}
		case reflect.Pointer:
			target := reflect.New(v.Type().Elem())
			if json.Unmarshal([]byte(text), target.Interface()) == nil {
				v.Set(target)
			}
		default:
			v.SetString(text)
		}
		return nil
	})
}

// eachParameter calls f for each field of a struct, and of the structs embedded in it, that has a query tag.
func eachParameter(v reflect.Value, f func(name string, on bool, field reflect.Value) error) error {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if field.Anonymous {
			if err := eachParameter(v.Field(i), f); err != nil {
				return err
			}
			continue
		}
		name, option, _ := strings.Cut(field.Tag.Get("query"), ",")
		if name == "" {
			continue
		}
		if err := f(name, option == "on", v.Field(i)); err != nil {
			return err
		}
	}
	return nil
}
