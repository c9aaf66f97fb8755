// Reading what commands write: text with colours, and nothing else that a terminal would obey. It keeps colours and weights
// (SGR) and drops every other escape sequence, control characters, and characters that turn the direction of a line round.

const BIDI = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/;
const LONGEST_LINE = 20000; // characters; the rest of a line is cut

// plainStyle is the style at the start of an output.
const plainStyle = () => ({ fg: '', bg: '', bold: false, dim: false, italic: false, underline: false, inverse: false });

// A Reader turns pieces of an output into lines: lists of {text, style}. A carriage return begins the line anew, as
// progress bars do it. Pieces may end anywhere, also within a sequence.
export class Reader {
  constructor() {
    this.style = plainStyle();
    this.state = 'text';
    this.params = '';
    this.line = [];
    this.length = 0;
    this.returned = false;
  }

  // read takes a piece and returns the lines that it completed. The line that is not complete yet is in this.line.
  read(text) {
    const done = [];
    let from = -1; // where plain text began
    const flush = (to) => {
      if (from >= 0) this.add(text.slice(from, to));
      from = -1;
    };
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (this.state === 'text' && (c === 9 || c >= 0x20 && c !== 0x7f && !(c >= 0x80 && c < 0xa0)) && !(c > 0x600 && BIDI.test(text[i]))) {
        if (from < 0) from = i;
        continue;
      }
      flush(i);
      if (this.state === 'text') this.control(c, done);
      else this.escape(c, text[i], done);
    }
    flush(text.length);
    return done;
  }

  control(c, done) {
    if (c === 10) {
      done.push(this.line);
      this.begin();
    } else if (c === 13) {
      this.returned = true;
    } else if (c === 0x1b) {
      this.state = 'escape';
    } else if (c === 0x9b) {
      this.state = 'csi';
      this.params = '';
    } else if (c === 0x90 || c === 0x98 || c >= 0x9d && c <= 0x9f) {
      this.state = 'string';
    }
  }

  escape(c, char, done) {
    switch (this.state) {
      case 'escape':
        if (char === '[') { this.state = 'csi'; this.params = ''; } else if (']PX^_'.includes(char)) this.state = 'string';
        else if (c >= 0x20 && c < 0x30) this.state = 'charset';
        else { this.state = 'text'; if (c === 10) this.control(c, done); }
        break;
      case 'charset': // ESC ( B and the like have one more character
        this.state = 'text';
        break;
      case 'csi':
        if (c >= 0x40 && c <= 0x7e) {
          this.state = 'text';
          if (char === 'm') this.color(this.params);
        } else if (c === 10 || this.params.length > 100) {
          this.state = 'text';
          if (c === 10) this.control(c, done);
        } else this.params += char;
        break;
      case 'string': // ends with BEL or ESC \
        if (c === 7 || c === 0x9c) this.state = 'text';
        else if (c === 0x1b) this.state = 'ending';
        else if (c === 10) { this.state = 'text'; this.control(c, done); } // an end of a line ends it, or it would hide the rest
        break;
      case 'ending':
        this.state = char === '\\' ? 'text' : 'string';
    }
  }

  begin() {
    this.line = [];
    this.length = 0;
    this.returned = false;
  }

  add(text) {
    if (this.returned) this.begin();
    if (this.length >= LONGEST_LINE) return;
    if (this.length + text.length > LONGEST_LINE) text = text.slice(0, LONGEST_LINE - this.length) + ' …';
    this.length += text.length;
    this.line.push({ text, style: { ...this.style } });
  }

  color(params) {
    if (!/^[\d;:]*$/.test(params)) return;
    const codes = params.split(/[;:]/).map((p) => p === '' ? 0 : Number(p));
    for (let i = 0; i < codes.length; i++) {
      const n = codes[i], s = this.style;
      if (n === 0) this.style = plainStyle();
      else if (n === 1) s.bold = true;
      else if (n === 2) s.dim = true;
      else if (n === 3) s.italic = true;
      else if (n === 4) s.underline = true;
      else if (n === 7) s.inverse = true;
      else if (n === 22) s.bold = s.dim = false;
      else if (n === 23) s.italic = false;
      else if (n === 24) s.underline = false;
      else if (n === 27) s.inverse = false;
      else if (n >= 30 && n <= 37) s.fg = String(n - 30);
      else if (n >= 90 && n <= 97) s.fg = String(n - 90 + 8);
      else if (n === 39) s.fg = '';
      else if (n >= 40 && n <= 47) s.bg = String(n - 40);
      else if (n >= 100 && n <= 107) s.bg = String(n - 100 + 8);
      else if (n === 49) s.bg = '';
      else if (n === 38 || n === 48) {
        const [color, used] = extended(codes.slice(i + 1));
        if (color !== null) s[n === 38 ? 'fg' : 'bg'] = color;
        i += used;
      }
    }
  }
}

// extended reads 5;N or 2;R;G;B. It returns the colour, or null, and the number of codes that belong to it.
function extended(codes) {
  if (codes[0] === 5 && codes[1] >= 0 && codes[1] <= 255) return [palette(codes[1]), 2];
  if (codes[0] === 2 && codes.length >= 4 && codes.slice(1, 4).every((v) => v >= 0 && v <= 255)) return [`rgb(${codes[1]},${codes[2]},${codes[3]})`, 4];
  return [null, codes.length];
}

function palette(n) {
  if (n < 16) return String(n);
  if (n >= 232) { const v = 8 + 10 * (n - 232); return `rgb(${v},${v},${v})`; }
  const level = (v) => v ? 55 + 40 * v : 0;
  return `rgb(${level(Math.floor((n - 16) / 36))},${level(Math.floor((n - 16) / 6) % 6)},${level((n - 16) % 6)})`;
}
