// Reading a channel that carries one JSON object per line.
//
// A line that is no JSON object is noise (a banner, a log line, a bare number), never an error: real programs print them. What is JSON
// is what the Rust SDK takes for it, so that a plugin says the same in each language.

/** Nested deeper is noise: a parser that calls itself would fill the stack, and that ends a session. */
const DEEPEST = 127;
/** Where a text may hold half a character: JSON can say it, and no text of the contract can. */
const HALF = /\\u[dD][89a-fA-F]/;
/** Where a number may be too large: of that an infinity would be made. */
const LARGE = /\d[eE]\+?\d{3}|(?<!\d)\d{200}/;

/** The JSON object on a line, or null. */
export function readObject(line) {
  if (isDeep(line)) return null;
  try {
    const value = HALF.test(line) || LARGE.test(line) ? JSON.parse(line, sound) : JSON.parse(line);
    return value !== null && typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function sound(name, value) {
  if (!name.isWellFormed() || (typeof value === "string" && !value.isWellFormed())) throw new SyntaxError("half a character");
  if (typeof value === "number" && !Number.isFinite(value)) throw new SyntaxError("a number that is too large");
  return value;
}

function isDeep(line) {
  if (count(line, "[", DEEPEST) + count(line, "{", DEEPEST) <= DEEPEST) return false;
  const mark = /["[\]{}]/g;
  let depth = 0;
  for (let found = mark.exec(line); found; found = mark.exec(line)) {
    if (found[0] === '"') mark.lastIndex = textEnd(line, found.index);
    else if (found[0] === "[" || found[0] === "{") depth += 1;
    else depth -= 1;
    if (depth > DEEPEST) return true;
  }
  return false;
}

/** How often a character stands in a line; counted no further than one beyond `most`. */
function count(line, character, most) {
  let found = 0;
  for (let at = line.indexOf(character); at >= 0 && found <= most; at = line.indexOf(character, at + 1)) found += 1;
  return found;
}

/** Behind the text that begins at this quotation mark; the line's end where it has none. */
function textEnd(line, begin) {
  for (let at = line.indexOf('"', begin + 1); at >= 0; at = line.indexOf('"', at + 1)) {
    let before = at;
    while (line[before - 1] === "\\") before -= 1;
    if ((at - before) % 2 === 0) return at + 1;
  }
  return line.length;
}
