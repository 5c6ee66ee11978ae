// Card numbers in every disguise, and the honest references that look most like them: for the bench, the tests and the
// attacks. Made by chance from a seed; the check digits are made here, not by the detector that is measured.

/** Chance from 0 up to 1. */
type Chance = () => number;

const digits = (length: number, chance: Chance) => Array.from({ length }, () => Math.floor(chance() * 10)).join('');
const whole = (from: number, to: number, chance: Chance) => from + Math.floor(chance() * (to - from + 1));
const pick = <T>(list: readonly [T, ...T[]], chance: Chance): T => list[Math.floor(chance() * list.length)] ?? list[0];
const two = (value: number) => String(value).padStart(2, '0');

/** The digits with their check digit behind them (ISO/IEC 7812). */
function withCheckDigit(payload: string): string {
  const sum = [...payload].toReversed().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 2 : 1);
    return total + Math.floor(value / 10) + (value % 10);
  }, 0);
  return payload + String((10 - (sum % 10)) % 10);
}

/** The numbers that the networks issue. Those of thirteen digits are out of use, and as long as an EAN. */
const issued: readonly [readonly [string, number], ...(readonly [string, number])[]] = [
  ['4', 16], ['4', 16], ['4', 16], ['4', 19], ['51', 16], ['53', 16], ['55', 16], ['2221', 16], ['2720', 16],
  ['34', 15], ['37', 15], ['36', 14], ['305', 14], ['3528', 16], ['6011', 16], ['65', 16], ['62', 16], ['62', 19], ['5018', 16],
  ['6304', 16], ['6759', 18], ['2200', 16], ['8600', 16], ['9860', 16], ['9792', 16], ['81', 16],
]; // prettier-ignore

/** A card number that was never issued. */
export function aCardNumber(chance: Chance): string {
  const [prefix, length] = pick(issued, chance);
  return withCheckDigit(prefix + digits(length - prefix.length - 1, chance));
}

const separators: readonly [string, ...string[]] = [
  ' ', '-', '.', '/', '_', ',', ':', '  ', '    ', '\t', '\n', '\u00a0', '\u2009', '\u202f', '\u3000', '\u200b', '\u200d', '\u00ad',
  '\ufeff', '\u2060', '\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2212', '\ufe63', '\uff0d', '\u00b7', '\u2022', '*', '|', '+', '--', ' - ', '" "', '","',
]; // prettier-ignore

const zeros = [
  0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0e50, 0x0ed0, 0x0f20,
  0x1040, 0x17e0, 0x1810, 0x1946, 0x1b50, 0xa620, 0xaa50, 0xff10, 0x104a0, 0x1d7ce, 0x1d7e2, 0x1d7f6, 0x1fbf0,
] as const; // prettier-ignore

/** The number in the groups that are printed on cards. */
function printed(number: string): string[] {
  if (number.length === 15) return [number.slice(0, 4), number.slice(4, 10), number.slice(10)];
  if (number.length === 14) return [number.slice(0, 4), number.slice(4, 10), number.slice(10)];
  return number.match(/.{1,4}/g) ?? [];
}

function anyGroups(number: string, chance: Chance): string[] {
  const groups: string[] = [];
  for (let at = 0; at < number.length; at += groups.at(-1)?.length ?? 1)
    groups.push(number.slice(at, at + whole(1, 8, chance)));
  return groups;
}

const inScript = (zero: number) => (number: string) =>
  [...number].map((digit) => String.fromCodePoint(zero + Number(digit))).join('');
const base64 = (text: string) => Buffer.from(text).toString('base64');
const percent = (text: string) => [...text].map((it) => `%${it.charCodeAt(0).toString(16)}`).join('');
const entities = (text: string) => [...text].map((it) => `&#${it.charCodeAt(0)};`).join('');

/** The number alone or in groups, in any characters, encoded once or twice: these must be refused. */
export const disguises: Readonly<Record<string, (number: string, chance: Chance) => string>> = {
  alone: (number) => number,
  'in printed groups': (number, chance) => printed(number).join(pick(separators, chance)),
  'in any groups': (number, chance) => anyGroups(number, chance).join(pick(separators, chance)),
  'in printed groups, separators mixed': (number, chance) =>
    printed(number).reduce((text, group) => text + pick(separators, chance) + group),
  'in any groups, separators mixed': (number, chance) =>
    anyGroups(number, chance).reduce((text, group) => text + pick(separators, chance) + group),
  'digit by digit': (number, chance) => [...number].join(pick(separators, chance)),
  'in digits of another script': (number, chance) => inScript(pick(zeros, chance))(number),
  'in groups of another script': (number, chance) =>
    printed(number)
      .map(inScript(pick(zeros, chance)))
      .join(pick(separators, chance)),
  'with an exponent': (number, chance) => {
    // Spreadsheets drop the zeros behind.
    let round = number;
    while (!round.endsWith('0')) round = aCardNumber(chance);
    return `${round.slice(0, 1)}.${round.slice(1).replace(/0+$/, '')}E+${round.length - 1}`;
  },
  'in digits with marks': (number) => [...number].map((digit) => `${digit}\ufe0f\u20e3`).join(''),
  'within words': (number, chance) => `pay by card ${printed(number).join(pick(separators, chance))} please`,
  'after a number': (number) => `row 12: ${printed(number).join(' ')}`,
  'before its expiry': (number) => `${number} 12/30`,
  'glued to letters': (number) => `PAN${number}x`,
  'percent-encoded': percent,
  'percent-encoded twice': (number) => percent(percent(number)),
  'separators percent-encoded': (number) => encodeURIComponent(printed(number).join(' ')),
  'in Base64': (number) => base64(`card=${number}`),
  'in Base64 twice': (number) => base64(base64(`{"number":"${number}"}`)),
  'in base64url': (number) => Buffer.from(`??>${number}`).toString('base64url'),
  'as entities': entities,
  'as entities, percent-encoded': (number) => encodeURIComponent(entities(number)),
  'as JSON escapes': (number) => [...number].map((digit) => `\\u003${digit}`).join(''),
  'in hexadecimal': (number) => Buffer.from(number).toString('hex'),
  'in JSON within JSON': (number) => JSON.stringify(JSON.stringify({ n: number })),
  'in a URL': (number) => `https://shop.example/return?card=${number}&x=1`,
};

/** The number glued to other digits: masked at the outlets. */
export const gluedForms: Readonly<Record<string, (number: string, chance: Chance) => string>> = {
  'behind other digits': (number, chance) => digits(whole(1, 12, chance), chance) + number,
  'before other digits': (number, chance) => number + digits(whole(1, 12, chance), chance),
  'between other digits': (number, chance) => digits(4, chance) + number + digits(4, chance),
  'before expiry and code': (number, chance) => `${number}12${whole(25, 35, chance)}${digits(3, chance)}`,
};

const bban = {
  DE: 18,
  FR: 23,
  ES: 20,
  IT: 23,
  NL: 14,
  GB: 18,
  AT: 16,
  PL: 24,
  PT: 21,
  BE: 12,
  CH: 17,
  CZ: 20,
} as const;

function anIban(chance: Chance): string {
  const country = pick(['DE', 'FR', 'ES', 'IT', 'NL', 'GB', 'AT', 'PL', 'PT', 'BE', 'CH', 'CZ'] as const, chance);
  const letters = { GB: 'NWBK', NL: 'ABNA', IT: 'X' } as Readonly<Record<string, string>>;
  const bank = letters[country] ?? '';
  const rest = bank + digits(bban[country] - bank.length, chance);
  const number = [...rest, ...country, '0', '0'].map((it) => String(Number.parseInt(it, 36))).join('');
  return country + two(98 - Number(BigInt(number) % 97n)) + rest;
}

/** A number of goods (GS1): twelve digits, weighted 1 and 3 in turn, and their check digit. */
function anEan(chance: Chance): string {
  const payload = digits(12, chance);
  const sum = [...payload].reduce((total, digit, place) => total + Number(digit) * (place % 2 === 0 ? 1 : 3), 0);
  return payload + String((10 - (sum % 10)) % 10);
}

/** RF, two check digits, and the creditor's own digits. */
function aCreditorReference(chance: Chance): string {
  const own = digits(whole(10, 16, chance), chance);
  return `RF${two(98 - Number(BigInt(`${own}271500`) % 97n))}${own}`;
}

/** Bank, branch, account and check digit, weighted 3, 7 and 1 in turn. */
function aClabe(chance: Chance): string {
  const bank = pick(
    ['002', '012', '014', '021', '072', '127', '137', '638', '646', '661', '684', '706', '722'],
    chance,
  );
  const payload = bank + digits(14, chance);
  const weights = [3, 7, 1];
  const sum = [...payload].reduce(
    (total, digit, place) => total + ((Number(digit) * (weights[place % 3] ?? 0)) % 10),
    0,
  );
  return payload + String((10 - (sum % 10)) % 10);
}

const aMoment = (chance: Chance) =>
  new Date(Date.UTC(2000, 0, 1) + Math.floor(chance() * 1.2e12) + whole(0, 999, chance));

function aTelephone(chance: Chance): string {
  const country = pick(
    ['49', '43', '44', '1', '7', '33', '34', '39', '55', '62', '86', '91', '380', '998', '234'] as const,
    chance,
  );
  const rest = digits(whole(9, Math.min(11, 13 - country.length), chance), chance);
  const [a, b] = [rest.slice(0, 3), rest.slice(3)];
  return pick(
    [
      `+${country}${rest}`, `+${country} ${a} ${b}`, `+${country} (${a}) ${b.slice(0, 3)}-${b.slice(3)}`, `00${country} ${a} ${b}`,
      `+${country}-${a}-${b.slice(0, 4)}-${b.slice(4)}`, `0${a}/${b}`, `491${pick(['5', '6', '7'] as const, chance)}${digits(9, chance)}`,
    ],
    chance,
  ); // prettier-ignore
}

function aTimestamp(chance: Chance): string {
  const moment = aMoment(chance);
  const [day, time] = [moment.toISOString().slice(0, 10), moment.toISOString().slice(11, 19)];
  const [y = '', m = '', d = ''] = day.split('-');
  return pick(
    [
      moment.toISOString(), `${day} ${time}`, `${day} ${time}.${digits(6, chance)}`, `${d}.${m}.${y} ${time}`, `${m}/${d}/${y} ${time}`,
      `${time} ${d}.${m}.${y}`, String(moment.getTime()), `${moment.getTime()}${digits(3, chance)}`, `${y}${m}${d}${time.replaceAll(':', '')}`,
      `${y}${m}${d}T${time.replaceAll(':', '')}Z`, `${day}T${time}+02:00`, `${y}${m}${d}${time.replaceAll(':', '')}${digits(3, chance)}`,
    ],
    chance,
  ); // prettier-ignore
}

/** The texts that must pass. */
export const references: Readonly<Record<string, (chance: Chance) => string>> = {
  'invoice number': (chance) =>
    pick(
      [
        `INV-${whole(2015, 2030, chance)}-${digits(6, chance)}`, `RE${whole(2015, 2030, chance)}${digits(5, chance)}`, `${whole(2015, 2030, chance)}/${two(whole(1, 12, chance))}/${digits(4, chance)}`,
        `Invoice ${digits(8, chance)} of ${aMoment(chance).toISOString().slice(0, 10)}`, `F-${digits(10, chance)}`, `${digits(3, chance)}-${digits(7, chance)}`,
      ],
      chance,
    ),
  'order id': (chance) =>
    pick(
      [
        `ORD-${digits(10, chance)}`, `${aMoment(chance).toISOString().slice(0, 10).replaceAll('-', '')}-${digits(6, chance)}`, `${pick(['026', '028', '113', '204', '303', '405', '701'] as const, chance)}-${digits(7, chance)}-${digits(7, chance)}`,
        `A${digits(9, chance)}B`, `WEB/${digits(5, chance)}/${digits(5, chance)}`, `${1_600_000_000_000 + whole(0, 3e11, chance)}-${digits(4, chance)}`,
      ],
      chance,
    ),
  IBAN: anIban,
  'IBAN in groups': (chance) => anIban(chance).replaceAll(/.{4}(?=.)/g, '$& '),
  'telephone number': aTelephone,
  UUID: (chance) => {
    const hex = Array.from({ length: 32 }, () => Math.floor(chance() * 16).toString(16)).join('');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  },
  'UUID without dashes': (chance) => Array.from({ length: 32 }, () => Math.floor(chance() * 16).toString(16)).join(''),
  timestamp: aTimestamp,
  'EAN-13': anEan,
  "creditor's reference (ISO 11649)": aCreditorReference,
  "creditor's reference in groups": (chance) => aCreditorReference(chance).replaceAll(/.{4}(?=.)/g, '$& '),
  'CLABE (account of Mexico)': aClabe,
  'id of a shop (Shopify)': (chance) => String(whole(5_600_000_000_000, 6_999_999_999_999, chance)),
  'retrieval reference number': (chance) => digits(12, chance),
  'acquirer reference number': (chance) => withCheckDigit(`7${digits(21, chance)}`),
  'account of twenty digits': (chance) => digits(20, chance),
  'sum and date': (chance) =>
    `${whole(1, 9999, chance)}.${digits(2, chance)} EUR on ${aMoment(chance).toISOString().slice(0, 10)}`,
}; // prettier-ignore

/** Order ids as shops, merchandise systems and marketplaces make them: two dozen kinds, all of which must pass. */
export const orderIds: Readonly<Record<string, (chance: Chance) => string>> = {
  'ord-NNNNNN-NNNNNNN': (chance) => `ord-${digits(6, chance)}-${digits(7, chance)}`,
  'ord-416130-NNNNNNN': (chance) => `ord-416130-${digits(7, chance)}`,
  'three groups of a marketplace (3-7-7)': (chance) => `${digits(3, chance)}-${digits(7, chance)}-${digits(7, chance)}`,
  'three groups of an auction house (2-5-5)': (chance) => `${digits(2, chance)}-${digits(5, chance)}-${digits(5, chance)}`,
  'hash and number': (chance) => `#${digits(whole(4, 7, chance), chance)}`,
  'nine digits with noughts': (chance) => `000${digits(6, chance)}`,
  'document of ten digits, and its year': (chance) => `45${digits(8, chance)}-${whole(2020, 2030, chance)}`,
  'document, item and schedule line': (chance) => `45${digits(8, chance)}/${digits(5, chance)}/${digits(4, chance)}`,
  'S and five digits': (chance) => `S${digits(5, chance)}`,
  'invoice of a year': (chance) => `INV-${whole(2020, 2030, chance)}-${digits(6, chance)}`,
  'year, month, number by slashes': (chance) =>
    `${whole(2020, 2030, chance)}/${two(whole(1, 12, chance))}/${digits(whole(4, 8, chance), chance)}`,
  'day and number': (chance) => `${aMoment(chance).toISOString().slice(0, 10).replaceAll('-', '')}-${digits(6, chance)}`,
  'day, shop, till, receipt': (chance) =>
    `${aMoment(chance).toISOString().slice(0, 10)}-${digits(4, chance)}-${digits(2, chance)}-${digits(5, chance)}`,
  'milliseconds and four digits': (chance) => `${1_600_000_000_000 + whole(0, 3e11, chance)}-${digits(4, chance)}`,
  'a UUID': (chance) => references['UUID']?.(chance) ?? '',
  'a UUID without dashes': (chance) => references['UUID without dashes']?.(chance) ?? '',
  'a ULID': (chance) =>
    `01${Array.from({ length: 24 }, () => '0123456789ABCDEFGHJKMNPQRSTVWXYZ'.charAt(whole(0, 31, chance))).join('')}`,
  'seller, batch, position': (chance) => `${digits(5, chance)}.${digits(3, chance)}.${digits(6, chance)}`,
  'customer and invoice': (chance) => `K${digits(6, chance)}-R${digits(8, chance)}`,
  'an id of a shop (Shopify)': (chance) => String(whole(5_600_000_000_000, 6_999_999_999_999, chance)),
  'an EAN-13': anEan,
  "a creditor's reference": aCreditorReference,
  'an account of Mexico': aClabe,
  'a snowflake': (chance) => `1${digits(18, chance)}`,
}; // prettier-ignore

/** Disguises that count in a name: all others are a sender's own text in a field that has a shape. */
export const inNames = ['alone', 'in printed groups', 'in digits of another script', 'in digits with marks', 'after a number', 'before its expiry', 'glued to letters'] as const; // prettier-ignore

/** Slips that people make, beside {@link disguises}: found by one rule each. */
export const realDisguises: Readonly<Record<string, (number: string) => string>> = {
  'markup between the groups': (number) => printed(number).map((it) => `<b>${it}</b>`).join('<br/>'),
  'parts of a JSON text': (number) => JSON.stringify(Object.fromEntries(printed(number).map((it, at) => [`part${at}`, it]))),
  'UTF-16 in Base64': (number) => Buffer.from(`card ${number}`, 'utf16le').toString('base64'),
}; // prettier-ignore

const nth = (position: number, piece: string) => `${position + 1}) ${piece}`;
const inWords = 'zero one two three four five six seven eight nine'.split(' ');
const codes = (radix: number, pad: number) => (number: string) =>
  [...number].map((it) => it.charCodeAt(0).toString(radix).padStart(pad, '0'));

/**
 * Spellings by which an answer may repeat the number that it was sent, beside {@link disguises}: all of them are found by comparing with
 * that very number, whatever its network and check digit. Each in pieces, of which any may be in a field of its own.
 */
export const echoes: Readonly<Record<string, (number: string) => readonly string[]>> = {
  backwards: (number) => [[...number].toReversed().join('')],
  'backwards in groups': (number) => printed([...number].toReversed().join('')),
  'in numbered groups': (number) => printed(number).map((it, at) => nth(at, it)),
  'in numbered groups, the last one first': (number) => printed(number).map((it, at) => nth(at, it)).toReversed(),
  'digit by digit, numbered': (number) => [...number].map((it, at) => nth(at, it)),
  'in halves': (number) => [number.slice(0, 8), number.slice(8)],
  'in thirds, glued to letters': (number) => [`a${number.slice(0, 6)}b`, `c${number.slice(6, 11)}d`, `e${number.slice(11)}f`],
  'with one digit more between all': (number) => [[...number].join('0')],
  'in words': (number) => [...number].map((it) => inWords[Number(it)] ?? ''),
  'in letters that look like digits': (number) => [number.replaceAll('1', 'l').replaceAll('0', 'O')],
  'in hexadecimal, byte by byte': (number) => codes(16, 2)(number).map((it) => `0x${it}`),
  'in hexadecimal, as one value': (number) => [BigInt(number).toString(16).toUpperCase()],
  'to the base of 36': (number) => [BigInt(number).toString(36)],
  'in octal escapes': (number) => codes(8, 3)(number).map((it) => `\\${it}`),
  'in decimal codes': (number) => codes(10, 2)(number),
  'percent-encoded three times': (number) => [encodeURIComponent(encodeURIComponent(percent(number)))],
  'in EBCDIC': (number) => [...number].map((it) => `F${it}`),
}; // prettier-ignore

/** As many digits of a number may be shown (PCI DSS 3.4.1: the first six and the last four; eight and four of sixteen). */
export const shownOf = (number: string) => [number.slice(0, 6), number.slice(-4)] as const;
