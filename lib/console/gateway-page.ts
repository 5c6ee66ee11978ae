// The simulated gateway of a local run: its faults as switches, and its latest requests with each part of what was signed.
import type { SeenRequest } from '../local/gateway/exchange.ts';

/** Asks the desk of the simulator; with a body, it changes its faults. Its port may be closed: that is one of them. */
export type AskSimulator = (body?: object) => Promise<unknown>;

/** The page of it. */
export async function gatewayPage(ask: AskSimulator) {
  const { recent, ...rest } = (await ask()) as { readonly recent: readonly SeenRequest[] };
  return { ...rest, recent: recent.map(({ baseString, ...it }) => ({ ...it, parts: signatureParts(baseString) })) };
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
