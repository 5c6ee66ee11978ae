// The format of a file, recognised by its first bytes: a wrong guess here would read every row wrongly, so a file in none of
// the known formats is refused, by its name if it has one, with the way to correct it.
import { tool } from '../payout/operate/spelling.ts';

/** Text of a file: `skipBytes` come before it, counted in UTF-8: a byte order mark, or Excel's line "sep=;". */
export interface TextFormat {
  /** The name of the encoding for `TextDecoder`. */
  readonly encoding: string;
  readonly skipBytes: number;
}

/** The way to read this file. */
export type FileFormat =
  | ({ readonly kind: 'csv'; readonly delimiter: string } & TextFormat)
  | ({ readonly kind: 'jsonl' } & TextFormat)
  | ({ readonly kind: 'pain.001'; readonly version: Pain001Version } & TextFormat)
  | { readonly kind: 'xlsx' };

/** Versions of pain.001 that are read. */
const pain001Versions = ['pain.001.001.03', 'pain.001.001.09'] as const;
/** A version of pain.001 that is read. */
export type Pain001Version = (typeof pain001Versions)[number];

/** A format, or why the file can't be read, with the remedy. */
type RecognizedFormat = FileFormat | { readonly kind: 'refused'; readonly why: string };

/** The number of the first bytes that are looked at. */
export const sniffedBytes = 65_536;

const saveAsCsv = 'save it as "CSV UTF-8 (comma delimited)"';
const exportAnother = 'export the payments as pain.001, CSV or XLSX';

/** Files that begin with these bytes have another format. */
const foreignBytes: readonly { readonly bytes: readonly number[]; readonly why: string }[] = [
  { bytes: [0xd0, 0xcf, 0x11, 0xe0], why: 'is an old spreadsheet (xls); save it as XLSX' },
  { bytes: [0x1f, 0x8b], why: `is compressed; pipe it: \`gunzip -c FILE | ${tool} submit - --yes\`` },
  { bytes: [0x25, 0x50, 0x44, 0x46], why: 'is a PDF; ask for the data as CSV' },
];

interface ForeignText {
  readonly shape: RegExp;
  readonly why: string;
}

/** XML that looks like this has another format. The first that fits wins. */
const foreignXml: readonly ForeignText[] = [
  { shape: /^\s*<(!doctype html|html)\b/i, why: `is a web page; ${exportAnother}` },
  { shape: /xsd:pain\.008\./, why: 'is a direct debit (pain.008): it takes money from others, and pays none' },
  { shape: /xsd:pain\.001\.001\.0[39]\b/, why: '' },
  {
    shape: /xsd:pain\.001\./,
    why: 'is pain.001 of a version that is not read; have it exported as pain.001.001.03 or pain.001.001.09',
  },
  { shape: /xsd:pain\.002\./, why: "is a bank's answer (pain.002) to a file of payments, and asks for none" },
  { shape: /xsd:pain\.007\./, why: 'calls payments back (pain.007), and asks for none' },
  { shape: /xsd:pacs\.\d/, why: `is a message between banks (pacs); ${exportAnother}` },
  { shape: /xsd:camt\.\d/, why: "is a bank's statement (camt): it tells of payments, and asks for none" },
  { shape: /^/, why: `is XML of a kind that is not read; ${exportAnother}` },
];

/** Texts that begin like this have another format. */
const foreignTexts: readonly ForeignText[] = [
  { shape: /^\{\\rtf/, why: `is a text document (RTF); ${exportAnother}` },
  { shape: /^(?:\{1:[^]*?)?:20:[^]*?\n:28D:/, why: `is a SWIFT MT101; ${exportAnother}` },
  { shape: /^(?:\{1:[^]*?)?:20:[^]*?\n:32A:/, why: `is a SWIFT MT103; ${exportAnother}` },
  {
    shape: /^(?:\{1:[^]*?)?:20:[^]*?\n:60[FM]:/,
    why: "is a bank's statement (MT940): it tells of payments, and asks for none",
  },
  { shape: /^\{1:F/, why: `is a SWIFT message; ${exportAnother}` },
  { shape: /^101 [ \d]\d{9}.{80}\r?\n5/, why: `is a NACHA (ACH) file; ${exportAnother}` },
  { shape: /^(?:VOL1|UHL1)/, why: `is a Bacs (Standard 18) file; ${exportAnother}` },
  { shape: /^0128C[LG]K/, why: `is a DTAUS file, which banks no longer take; ${exportAnother}` },
];

const byteOrderMark = [0xef, 0xbb, 0xbf];
const zipFile = [0x50, 0x4b, 0x03, 0x04];
const startsWith = (head: Uint8Array, bytes: readonly number[]) => bytes.every((byte, at) => head[at] === byte);

/** Recognises the format by the content, and by the name if the content says nothing. */
export function recognizeFormat(head: Uint8Array, name: string): RecognizedFormat {
  const known = foreignBytes.find(({ bytes }) => startsWith(head, bytes));
  if (known) return refused(known.why);
  if (startsWith(head, zipFile)) return formatOfZip(Buffer.from(head).toString('latin1'));
  const encoding = encodingOf(head);
  if (encoding === undefined) return refused(`holds zero bytes, so it is no text; ${saveAsCsv}`);
  const markBytes = startsWith(head, byteOrderMark) ? byteOrderMark.length : 0;
  const text = new TextDecoder(encoding).decode(head);
  if (text.trim() === '') return refused('is empty');
  const foreign = (/^\s*</.test(text) ? foreignXml : foreignTexts).find(({ shape }) => shape.test(text));
  if (foreign && foreign.why !== '') return refused(foreign.why);
  const kind = kindOf(text, name);
  switch (kind) {
    case 'array':
      return refused('is one JSON array; write one object per line: jq -c ".[]" FILE');
    case 'pain.001':
      return formatOfXml(text, encoding);
    case 'jsonl':
      return { kind, encoding, skipBytes: markBytes };
    case 'csv': {
      const [line, separator] = /^sep=(.)\r?\n/.exec(text) ?? [''];
      return { kind, delimiter: separator ?? delimiterOf(text), encoding, skipBytes: markBytes + line.length };
    }
  }
}

function refused(why: string): RecognizedFormat {
  return { kind: 'refused', why };
}

/** The names of a zip's first files are in its head. */
function formatOfZip(text: string): RecognizedFormat {
  if (/\[Content_Types\]\.xml|xl\/(workbook|worksheets|_rels)/.test(text)) return { kind: 'xlsx' };
  if (text.includes('opendocument.spreadsheet')) return refused('is an OpenDocument spreadsheet; save it as XLSX');
  return refused('is a zip file; unpack it, and name the file that is in it');
}

/** UTF-16 is recognised by its mark, or by every other byte of plain text being zero. Undefined for bytes that are no text. */
function encodingOf(head: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | undefined {
  if (startsWith(head, [0xff, 0xfe])) return 'utf-16le';
  if (startsWith(head, [0xfe, 0xff])) return 'utf-16be';
  if (!head.includes(0)) return 'utf-8';
  const zeros = [0, 0];
  for (const [at, byte] of head.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (even === 0 && odd > head.length / 4) return 'utf-16le';
  return odd === 0 && even > head.length / 4 ? 'utf-16be' : undefined;
}

/** A file in bytes may name its own encoding in its first line. */
function formatOfXml(text: string, encoding: string): RecognizedFormat {
  const version = pain001Versions.find((it) => text.includes(it));
  if (!version) return refused(`is no pain.001; ${exportAnother}`);
  const declared = /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.-]+)["']/.exec(text)?.[1];
  const isBytes = encoding === 'utf-8' && declared !== undefined;
  try {
    return {
      kind: 'pain.001',
      version,
      encoding: new TextDecoder(isBytes ? declared : encoding).encoding,
      skipBytes: 0,
    };
  } catch {
    return refused(`is written in ${declared}, which is not read; have it exported in UTF-8`);
  }
}

function kindOf(text: string, name: string): 'csv' | 'jsonl' | 'pain.001' | 'array' {
  const first = text.trimStart()[0];
  if (first === '{') return 'jsonl';
  if (first === '[') return 'array';
  if (first === '<') return 'pain.001';
  return /\.(jsonl|ndjson)$/i.test(name) ? 'jsonl' : 'csv';
}

/** The sign that the header has most of, outside its quotes. */
function delimiterOf(text: string): string {
  const header = text.replace(/"(?:[^"]|"")*"/g, '').split(/\r\n|\n|\r/, 1)[0] ?? '';
  const counts = [',', ';', '\t', '|'].map((sign) => ({ sign, count: header.split(sign).length - 1 }));
  const [most] = counts.toSorted((a, b) => b.count - a.count);
  return most?.sign ?? ',';
}
