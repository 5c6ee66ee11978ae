// JSON as its leaves, each with the names that lead to it. The platform's parser judges whether the text is JSON; this
// reader then keeps what the parser throws away: the digits of a number that it would round, and a name that is given
// twice. One pass over the text, whatever stands in it.

/** A text, number, boolean or null, with the names on the way to it; `[]` for an item of an array. */
export interface Leaf {
  readonly path: readonly string[];
  /** The text itself, or the other value's own characters. */
  readonly value: string;
}

/** All leaves of an object, or why they can't be told. */
export type JsonLeaves =
  | { readonly kind: 'leaves'; readonly leaves: readonly Leaf[] }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Answers of the gateway are two levels deep. */
const depthLimit = 16;
const token = /[{}[\],:]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s{}[\],:"]+/gs;

interface Frame {
  readonly isArray: boolean;
  readonly path: readonly string[];
  /** By name, the value's own characters; of what is nested, undefined. */
  readonly seen: Map<string, string | undefined>;
  name: string | undefined;
}

/** Reads an object. Of two values of one name nobody knows which is meant, so they are unreadable. Never throws. */
export function jsonLeaves(text: string): JsonLeaves {
  if (!isWholeObject(text)) return unreadable('the body is not whole JSON');
  const leaves: Leaf[] = [];
  const frames: Frame[] = [];
  for (const [part] of text.matchAll(token)) {
    const frame = frames.at(-1);
    if (part === '}' || part === ']') frames.pop();
    else if (part === ',') {
      if (frame && !frame.isArray) frame.name = undefined;
    } else if (part !== ':') {
      if (frame && !frame.isArray && frame.name === undefined) frame.name = textOf(part);
      else {
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
  if (seen.has(name)) return source === undefined || seen.get(name) !== source;
  seen.set(name, source);
  return false;
}

const pathOf = ({ isArray, path, name = '' }: Frame) => [...path, isArray ? '[]' : name];
const textOf = (quoted: string): string => String(JSON.parse(quoted));
const unreadable = (reason: string): JsonLeaves => ({ kind: 'unreadable', reason });
