// Inquiries for what must not be there: known card numbers, CVVs and keys, however they are written, and whatever else looks
// like a card number. It reads bytes and knows nothing of the product.

/** What went in, under a name by which a finding can speak of it without repeating it. */
export interface Known {
  readonly name: string;
  readonly value: string;
}

/** Something that must not be there. */
export interface Found {
  readonly where: string;
  readonly what: string;
}

/** The ways in which a value may be written; each is looked for in the text and in the text without its separators. */
function writings(value: string): string[] {
  const bytes = Buffer.from(value);
  const percent = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  const unicode = [...value].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  return [value, encodeURIComponent(value), percent, unicode, bytes.toString('hex'), ...base64Of(bytes)];
}

/** Within a longer text a value falls on one of three places of Base64's groups; its own middle is the same in each. */
function base64Of(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before, 'x'), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const own = whole.slice(before === 0 ? 0 : before + 1, Math.floor(((before + bytes.length) * 8) / 6));
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

const withoutSeparators = (text: string) => text.replaceAll(/\\[nrt]|[\s\-_.,;:|]/g, '');

/** Finds the values and everything that passes for a card number. `allowed` are digits that may look like one. */
export function scan(where: string, text: string, known: readonly Known[], allowed: readonly string[] = []): Found[] {
  const lower = text.toLowerCase();
  const packed = withoutSeparators(lower);
  const found = known.flatMap(({ name, value }) => {
    const isThere = writings(value).some((writing) => {
      const wanted = writing.toLowerCase();
      return lower.includes(wanted) || packed.includes(withoutSeparators(wanted));
    });
    return isThere ? [{ where, what: name }] : [];
  });
  const unknown = cardNumbersIn(text).filter((digits) => !allowed.includes(digits));
  return [
    ...found,
    ...unknown.map((digits) => ({ where, what: `${digits.length} digits that pass for a card number` })),
  ];
}

/** Digits in the lengths and beginnings of the card schemes, with a right check digit (ISO/IEC 7812-1, annex B). */
function cardNumbersIn(text: string): string[] {
  const runs = text.matchAll(/(?<![\w.+/=-])\d(?:[ -]?\d){12,18}(?![\w+/=-])/g);
  return [...runs]
    .map(([run]) => run.replaceAll(/[ -]/g, ''))
    .filter((digits) => /^(4\d{12}(\d{3}){0,2}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|6\d{15})$/.test(digits))
    .filter(hasCheckDigit);
}

function hasCheckDigit(digits: string): boolean {
  const sum = [...digits].toReversed().reduce((total, digit, place) => {
    const weighted = Number(digit) * (place % 2 === 0 ? 1 : 2);
    return total + (weighted > 9 ? weighted - 9 : weighted);
  }, 0);
  return sum % 10 === 0;
}
