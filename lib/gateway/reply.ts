// From the body of an answer to its fields. The gateway answers JSON or form text and sometimes declares the wrong type, so the
// beginning of the text decides:
//
// - A text that begins as fields do (`{`, `[` or `name=`) must be fields to its end, each name with one value. If it is cut, doubled
//   or an array, it is unreadable. So is an unmarked text that may have been cut before its first `=`.
// - Any other text (HTML, plain words, nothing) is a page. A load balancer answers like this. It was read: no field was cut from it.
//
// Unreadable is doubt whatever the status, or a cut refusal would send an order again that the gateway has. A page is not: its status
// counts, or a load balancer's bad day would hold every order. Never throws.

/** How the end of the body is marked. Without a mark (`until-close`) a cut body can look whole. */
export type BodyFraming = 'delimited' | 'until-close';

/**
 * True if the body may have been cut: only the closing of the connection marks its end. JSON marks its own end.
 */
export const mayGoOn = ({ framing, body }: { readonly framing: BodyFraming; readonly body: string }): boolean =>
  framing === 'until-close' && !body.trimStart().startsWith('{');

/** The reply's fields as text, or why there are none. */
export type GatewayReply =
  | {
      readonly kind: 'fields';
      /** The fields of the outermost level. */
      readonly fields: ReadonlyMap<string, string>;
      /** The fields of all levels. */
      readonly leaves: readonly Leaf[];
    }
  /** Text that does not begin as fields do. */
  | { readonly kind: 'page'; readonly reason: string; readonly text: string }
  /** The fields cannot be known. */
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Reads a reply body. Ids stay text: a 20-digit id does not survive a number. */
export function decodeReply(body: string, framing: BodyFraming): GatewayReply {
  const text = body.trim();
  if (text.startsWith('[')) return { kind: 'unreadable', reason: 'the body is an array, not an object' };
  if (text.startsWith('{')) return decodeJson(text);
  if (/^[A-Za-z0-9_.-]{1,64}\s{0,8}=/.test(text)) return decodeForm(body, framing);
  if (framing === 'until-close' && /^[A-Za-z0-9_.-]{0,64}$/.test(text))
    return { kind: 'unreadable', reason: 'the body may have been cut off' };
  return page(text);
}

function decodeJson(text: string): GatewayReply {
  const read = jsonLeaves(text);
  if (read.kind === 'unreadable') return read;
  const leaves = read.leaves.map(({ path, value }) => ({ path, value: value.trim() }));
  const outermost = leaves.filter(({ path, value }) => path.length === 1 && value !== 'null');
  if (leaves.length === 0) return { kind: 'unreadable', reason: 'the JSON object has no fields' };
  return { kind: 'fields', fields: new Map(outermost.map(({ path, value }) => [path[0] ?? '', value])), leaves };
}

function page(text: string): GatewayReply {
  if (text === '') return { kind: 'page', reason: 'the body is empty', text };
  // oxlint-disable-next-line no-control-regex -- what is no text at all has an unnamed coding
  if (/[\u0000-\u0008\u000e-\u001f]/.test(text)) return { kind: 'unreadable', reason: 'the body is no text' };
  return { kind: 'page', reason: 'the body is neither JSON nor form text', text };
}

/**
 * `name=value` pairs joined by `&`, each value followed by a line feed. If only the closing of the connection marks the end, the last
 * line feed is the only proof that the last value is whole: an id that is cut short is another order's id.
 */
function decodeForm(body: string, framing: BodyFraming): GatewayReply {
  const pairs = body.split('&').map((pair) => {
    const at = pair.indexOf('=');
    return [pair.slice(0, Math.max(at, 0)).trim(), pair.slice(at + 1)] as const;
  });
  if (!pairs.every(([name]) => /^[A-Za-z0-9_.-]{1,64}$/.test(name)))
    return { kind: 'unreadable', reason: 'the body is not whole form text' };
  if (framing === 'until-close' && !body.endsWith('\n')) {
    return { kind: 'unreadable', reason: 'the form text may have been cut off' };
  }
  const [fields, seen] = [new Map<string, string>(), new Map<string, string>()];
  for (const [name, encoded] of pairs) {
    const value = formDecoded(encoded);
    if (value === undefined) return { kind: 'unreadable', reason: 'the form text has a broken escape' };
    if ((seen.get(name.toLowerCase()) ?? value) !== value) {
      return { kind: 'unreadable', reason: `the form text has two values of ${name}` };
    }
    seen.set(name.toLowerCase(), value);
    fields.set(name, value);
  }
  return { kind: 'fields', fields, leaves: [...fields].map(([name, value]) => ({ path: [name], value })) };
}

/** UTF-8, or else ISO-8859-1, the charset of the interface document: every octet is a character of it. */
function formDecoded(value: string): string | undefined {
  const text = value.replaceAll('+', ' ');
  if (/%(?![0-9a-f]{2})/i.test(text)) return undefined;
  try {
    return decodeURIComponent(text).trim();
  } catch {
    return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))).trim();
  }
}

// JSON as its leaves, each with the names that lead to it. JSON.parse judges whether the text is JSON. This reader keeps what
// JSON.parse drops: digits of long numbers, and names that are given twice.

/** A text, number, boolean or null, with the names on the way to it; `[]` for an item of an array. */
export interface Leaf {
  readonly path: readonly string[];
  /** The text itself, or the other value's own characters. */
  readonly value: string;
}

/** All leaves of an object, or why they can't be read. */
type JsonLeaves =
  | { readonly kind: 'leaves'; readonly leaves: readonly Leaf[] }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Answers of the gateway are two levels deep. */
const depthLimit = 16;
/** Twice as long as a name of form text. */
const nameLimit = 128;
const token = /[{}[\],:]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s{}[\],:"]+/gs;

interface Frame {
  readonly isArray: boolean;
  readonly path: readonly string[];
  /** Values by name in lower case, in their own characters; undefined for a nested one. */
  readonly seen: Map<string, string | undefined>;
  name: string | undefined;
}

/** Reads an object. Two values of one name are unreadable: the right one is unknown. Never throws. */
function jsonLeaves(text: string): JsonLeaves {
  if (!isWholeObject(text)) return unreadable('the body is not whole JSON');
  const leaves: Leaf[] = [];
  const frames: Frame[] = [];
  for (const [part] of text.matchAll(token)) {
    const frame = frames.at(-1);
    if (part === '}' || part === ']') frames.pop();
    else if (part === ',') {
      if (frame && !frame.isArray) frame.name = undefined;
    } else if (part !== ':') {
      if (frame && !frame.isArray && frame.name === undefined) {
        frame.name = textOf(part);
        // A long name is read again for every value beneath it.
        if (frame.name.length > nameLimit) return unreadable('the JSON has a name that is too long');
      } else {
        const isNested = part === '{' || part === '[';
        if (frame && isSecond(frame, isNested ? undefined : part))
          return unreadable('the JSON has two values of one name');
        const path = frame ? pathOf(frame) : [];
        if (!isNested) leaves.push({ path, value: part.startsWith('"') ? textOf(part) : part });
        else if (frames.length === depthLimit) return unreadable('the JSON is nested too deeply');
        else frames.push({ isArray: part === '[', path, seen: new Map(), name: undefined });
      }
    }
  }
  return { kind: 'leaves', leaves };
}

function isWholeObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** True when the frame has another value of this name already. */
function isSecond({ isArray, name, seen }: Frame, source: string | undefined): boolean {
  if (isArray || name === undefined) return false;
  const plain = name.toLowerCase();
  if (seen.has(plain)) return source === undefined || seen.get(plain) !== source;
  seen.set(plain, source);
  return false;
}

const pathOf = ({ isArray, path, name = '' }: Frame) => [...path, isArray ? '[]' : name];
const textOf = (quoted: string): string => String(JSON.parse(quoted));
const unreadable = (reason: string): JsonLeaves => ({ kind: 'unreadable', reason });
