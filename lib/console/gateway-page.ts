// The simulated gateway of a local run: its faults as switches, and its latest requests with each part of what was signed.
import * as v from 'valibot';

const seenSchema = v.object({
  faults: v.string(),
  choices: v.array(v.object({ name: v.string(), description: v.string() })),
  counts: v.record(v.string(), v.number()),
  recent: v.array(
    v.object({
      id: v.number(),
      atMs: v.number(),
      operation: v.string(),
      endpointId: v.string(),
      orderId: v.string(),
      login: v.string(),
      answer: v.string(),
      baseString: v.string(),
      signature: v.string(),
    }),
  ),
});

/** The simulator, as the console reaches it. */
export interface Simulator {
  readonly look: () => Promise<object>;
  /** Throws UsageError for faults that it does not know. */
  readonly setFaults: (name: string) => Promise<void>;
}

/** The simulator at this address. Its port may be closed: that is one of its faults. */
export function createSimulator(ask: (body?: object) => Promise<unknown>): Simulator {
  return {
    async look() {
      const { recent, ...rest } = v.parse(seenSchema, await ask());
      const shown = recent.map(({ baseString, ...it }) => ({
        ...it,
        parts: signatureParts(baseString),
      }));
      return { ...rest, recent: shown };
    },
    setFaults: async (name) => void (await ask({ faults: name })),
  };
}

/** One part of a signature base string (RFC 5849, section 3.4.1.1): encoded, and what it means. Joined they are the base string. */
function signatureParts(baseString: string) {
  const [method = '', uri = '', parameters = ''] = baseString.split('&');
  const part = (kind: string, text: string, means: string) => ({ kind, text, means });
  const pairs = parameters.split('%26').flatMap((pair, index) => {
    const at = pair.indexOf('%3D');
    const [name, value] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 3)];
    const own = name.startsWith('oauth_') ? 'protocol' : 'field';
    return [
      ...(index === 0 ? [] : [part('separator', '%26', 'and')]),
      part(`${own} name`, name, decodedTwice(name)),
      part('separator', '%3D', 'is'),
      part(`${own} value`, value, decodedTwice(value)),
    ];
  });
  return [
    part('method', method, 'the request method'),
    part('separator', '&', 'and'),
    part('address', uri, decoded(uri)),
    part('separator', '&', 'and'),
    ...(parameters === '' ? [] : pairs),
  ];
}

/** A text that card data were cut out of may be no encoding any more. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const decodedTwice = (text: string) => decoded(decoded(text));
