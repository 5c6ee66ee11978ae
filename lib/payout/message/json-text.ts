// JSON that must come back byte for byte is kept as its text. Read and written anew, a number above 2^53 would be another number, 1.0 would
// be 1, and names that look like numbers would change places.

/** The text of a JSON value, as its sender wrote it; never to be written as JSON once more. */
export type JsonText = string;

/**
 * The text of one member of a JSON object, without the blanks around it; undefined when the object has none of this name.
 * The last of several members with one name counts, as for `JSON.parse`. Only for text that `JSON.parse` has read as an object:
 * then quotes, brackets, colons and commas say where each member begins and ends. Linear.
 */
export function memberText(json: string, name: string): JsonText | undefined {
  let found: JsonText | undefined;
  let depth = 0;
  let member: string | undefined;
  let from = 0;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === '"') {
      const end = closingQuote(json, at);
      if (depth === 1) member ??= JSON.parse(json.slice(at, end + 1)) as string;
      at = end;
    } else if (character === '{' || character === '[') depth += 1;
    else if (character === ':' && depth === 1) from = at + 1;
    else if (character === ']' || (character === '}' && depth > 1)) depth -= 1;
    else if (depth === 1 && (character === ',' || character === '}')) {
      if (member === name) found = json.slice(from, at).trim();
      member = undefined;
    }
  }
  return found;
}

/**
 * The path of a member whose name is given twice, with or without escapes: one reader would take its first value, another its last.
 * Undefined if there is none. Names within the member `but` do not count, because it comes back byte for byte. Only for text that
 * `JSON.parse` has read. Linear.
 */
export function givenTwice(json: string, but: string): readonly string[] | undefined {
  const within: { readonly names?: Set<string>; name: string; isName: boolean }[] = [];
  structure.lastIndex = 0;
  for (let found = structure.exec(json); found; found = structure.exec(json)) {
    const here = within.at(-1);
    switch (found[0]) {
      case '"': {
        const end = closingQuote(json, found.index);
        structure.lastIndex = end + 1;
        if (!here?.isName) break;
        const written = json.slice(found.index + 1, end);
        here.name = written.includes('\\') ? (JSON.parse(`"${written}"`) as string) : written;
        here.isName = false;
        if (here.names?.has(here.name) && (within.length === 1 || within[0]?.name !== but))
          return within.flatMap(({ names, name }) => (names ? [name] : []));
        here.names?.add(here.name);
        break;
      }
      case '{':
        within.push({ names: new Set(), name: '', isName: true });
        break;
      case '[':
        within.push({ name: '', isName: false });
        break;
      case ',':
        if (here) here.isName = here.names !== undefined;
        break;
      default:
        within.pop();
    }
  }
  return undefined;
}

const structure = /["{}[\],]/g;

/** Where the string that begins at `open` ends. */
function closingQuote(json: string, open: number): number {
  const next = json.indexOf('"', open + 1);
  if (json[next - 1] !== '\\') return next;
  let at = open + 1;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}

/** An object's JSON, whatever blanks are around it, with one more member behind the others. */
export function withMember(objectJson: string, name: string, value: JsonText): string {
  const open = objectJson.trim().slice(0, -1).trimEnd();
  return `${open}${open === '{' ? '' : ','}${JSON.stringify(name)}:${value}}`;
}

/**
 * Every string (names too) and every number of a JSON text, strings as they read, numbers as they are written. Unlike
 * the parsed value it shows both values of a name that comes twice. Only for short texts.
 */
export function scalarsOf(json: JsonText): string[] {
  const tokens = json.match(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g) ?? [];
  return tokens.map((token) => (token.startsWith('"') ? (JSON.parse(token) as string) : token));
}

/** The message as JSON that SQS takes. */
export function messageText(message: object): string {
  return withinSqs(JSON.stringify(message));
}

/** SQS refuses a whole message for one of these characters (API reference, SendMessage). */
const refusedBySqs = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** The text with the escapes of JSON in the place of characters that SQS refuses. */
export function withinSqs(text: string): string {
  return text.replace(refusedBySqs, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
