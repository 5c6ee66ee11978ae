// A signature base string taken apart, so that a person sees what each part of it is (RFC 5849 section 3.4.1.1).

/** One part of the base string, encoded. */
interface SignaturePart {
  readonly kind: 'method' | 'uri' | 'separator' | 'name' | 'value' | 'protocol-name' | 'protocol-value';
  readonly text: string;
  /** Decoded, for a person. */
  readonly means: string;
}

/** All parts in their order; joined they are the base string again. */
export function signatureParts(baseString: string): SignaturePart[] {
  const [method = '', uri = '', parameters = ''] = baseString.split('&');
  const separator = (text: string, means: string): SignaturePart => ({ kind: 'separator', text, means });
  const pairs = parameters.split('%26').flatMap((pair, index): SignaturePart[] => {
    const at = pair.indexOf('%3D');
    const [name, value] = [pair.slice(0, at), pair.slice(at + 3)];
    const own = name.startsWith('oauth_') ? 'protocol-' : '';
    return [
      ...(index === 0 ? [] : [separator('%26', 'and')]),
      { kind: `${own}name` as SignaturePart['kind'], text: name, means: twiceDecoded(name) },
      separator('%3D', 'is'),
      { kind: `${own}value` as SignaturePart['kind'], text: value, means: twiceDecoded(value) },
    ];
  });
  return [
    { kind: 'method', text: method, means: 'the request method' },
    separator('&', 'and'),
    { kind: 'uri', text: uri, means: decodeURIComponent(uri) },
    separator('&', 'and'),
    ...(parameters === '' ? [] : pairs),
  ];
}

const twiceDecoded = (text: string) => decodeURIComponent(decodeURIComponent(text));
