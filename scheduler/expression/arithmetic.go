package expression

import (
	"math"
	"math/bits"
	"time"
)

// add also joins texts and lists and moves times.
func add(v *evaluation, at int, a, b any) any {
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			v.spend(at, (len(x)+len(y))/8)
			return x + y
		}
	case time.Time:
		if y, ok := b.(time.Duration); ok {
			return x.Add(y)
		}
	case time.Duration:
		switch y := b.(type) {
		case time.Duration:
			return x + y
		case time.Time:
			return y.Add(x)
		}
	case int:
		if y, ok := b.(int); ok {
			sum := x + y
			if (sum > x) != (y > 0) && y != 0 {
				tooLarge(at)
			}
			return sum
		}
	}
	if _, text := a.(string); text && isNumber(b) {
		failWith(at, "string(X) makes a text, int(X) a number", "+ joins two texts or adds two numbers, not %s and %s", describe(a), describe(b))
	}
	x, y := floats(at, "+", a, b)
	return x + y
}

func tooLarge(at int) { fail(at, "the number is too large") }

func subtract(v *evaluation, at int, a, b any) any {
	switch x := a.(type) {
	case time.Time:
		switch y := b.(type) {
		case time.Time:
			return x.Sub(y)
		case time.Duration:
			return x.Add(-y)
		}
	case time.Duration:
		if y, ok := b.(time.Duration); ok {
			return x - y
		}
	case int:
		if y, ok := b.(int); ok {
			rest := x - y
			if (rest < x) != (y > 0) && y != 0 {
				tooLarge(at)
			}
			return rest
		}
	}
	x, y := floats(at, "-", a, b)
	return x - y
}

func multiply(v *evaluation, at int, a, b any) any {
	x, okX := a.(int)
	y, okY := b.(int)
	if okX && okY {
		high, _ := bits.Mul64(magnitude(x), magnitude(y))
		product := x * y
		if high != 0 || magnitude(x)*magnitude(y) > math.MaxInt64 {
			tooLarge(at)
		}
		return product
	}
	if d, ok := a.(time.Duration); ok && isNumber(b) {
		return time.Duration(float64(d) * float(b))
	}
	if d, ok := b.(time.Duration); ok && isNumber(a) {
		return time.Duration(float64(d) * float(a))
	}
	f, g := floats(at, "*", a, b)
	return f * g
}

func magnitude(x int) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// divide returns a number with a fraction, also for whole numbers.
func divide(v *evaluation, at int, a, b any) any {
	x, y := floats(at, "/", a, b)
	if y == 0 {
		fail(at, "divides by 0")
	}
	return x / y
}

func remainder(v *evaluation, at int, a, b any) any {
	x, y := whole(at, a), whole(at, b)
	switch y {
	case 0:
		fail(at, "divides by 0")
	case -1:
		return 0 // dividing the least number by -1 overflows on some processors
	}
	return x % y
}

func power(v *evaluation, at int, a, b any) any {
	return math.Pow(floats(at, "^", a, b))
}

// span makes the list of the whole numbers from a to b.
func span(v *evaluation, at int, a, b any) any {
	from, to := whole(at, a), whole(at, b)
	if to < from {
		return []any{}
	}
	if to-from < 0 || to-from >= maxSteps {
		v.spend(at, maxSteps+1)
	}
	v.spend(at, to-from+1)
	list := make([]any, to-from+1)
	for i := range list {
		list[i] = from + i
	}
	return list
}
