// Wire text to reply. The gateway answers JSON or form text and sometimes declares the wrong type, so the content
// decides (gateway-facts.md section 3). Never throws; what can't be read in full is unreadable, and that is doubt.

/** How the end of the body was marked; without a mark a cut body can look like a whole one. */
export type BodyFraming = 'delimited' | 'until-close';

/** The reply's fields as text, or why they could not be read. */
export type GatewayReply =
  | { readonly kind: 'fields'; readonly fields: ReadonlyMap<string, string> }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Reads a reply body. Ids stay text: a 20-digit id does not survive a number. */
export function decodeReply(body: string, framing: BodyFraming): GatewayReply {
  const text = body.trim();
  if (text === '') return { kind: 'unreadable', reason: 'the body is empty' };
  return text.startsWith('{') || text.startsWith('[') ? decodeJson(text) : decodeForm(body, framing);
}

function decodeJson(text: string): GatewayReply {
  let value: object; // by its first character
  try {
    value = JSON.parse(text, sourceText);
  } catch {
    return { kind: 'unreadable', reason: 'the body is not whole JSON' };
  }
  if (Array.isArray(value)) return { kind: 'unreadable', reason: 'the body is JSON but not an object' };
  const fields = new Map<string, string>();
  for (const [name, field] of Object.entries(value)) {
    if (typeof field === 'string') fields.set(name, field.trim());
    else if (typeof field === 'boolean') fields.set(name, String(field));
  }
  if (fields.size === 0) return { kind: 'unreadable', reason: 'the JSON object has no fields' };
  return { kind: 'fields', fields };
}

/** Keeps a number's own digits (the third argument of a reviver, ES2026) where parsing would round them. */
function sourceText(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? String(value)) : value;
}

/**
 * `name=value` pairs joined by `&`, each value followed by a line feed. Where only the closing of the connection marks
 * the end, that last line feed is the sole proof that the last value is whole: an id cut short is another order's id.
 */
function decodeForm(body: string, framing: BodyFraming): GatewayReply {
  if (framing === 'until-close' && !body.endsWith('\n')) {
    return { kind: 'unreadable', reason: 'the form text may have been cut off' };
  }
  const fields = new Map<string, string>();
  for (const pair of body.split('&')) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(at, 0)).trim();
    const value = formDecoded(pair.slice(at + 1));
    if (!/^[A-Za-z0-9_.-]{1,64}$/.test(name) || value === undefined) {
      return { kind: 'unreadable', reason: 'the body is neither JSON nor form text' };
    }
    if (fields.has(name) && fields.get(name) !== value) {
      return { kind: 'unreadable', reason: `the form text has two values of ${name}` };
    }
    fields.set(name, value);
  }
  return { kind: 'fields', fields };
}

function formDecoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value.replaceAll('+', ' ')).trim();
  } catch {
    return undefined;
  }
}
