// What kind of file this is, told by its first bytes: a wrong guess here would read every row wrongly, so what is not
// plain UTF-8 text of a known form is refused with the way to mend it.

/** How a file is read. */
export type FileFormat =
  /** `skipBytes`: what stands before the header, a byte order mark or Excel's line "sep=;". */
  | { readonly kind: 'csv'; readonly delimiter: string; readonly skipBytes: number }
  | { readonly kind: 'jsonl'; readonly skipBytes: number };

/** A format, or why the file can't be read, with the remedy. */
export type ToldFormat = FileFormat | { readonly kind: 'refused'; readonly why: string };

/** How many of the first bytes are looked at. */
export const sniffedBytes = 65_536;

const saveAsCsv = 'save it as "CSV UTF-8 (comma delimited)"';

/** Files that begin like this are something else. */
const foreign: readonly { readonly bytes: readonly number[]; readonly why: string }[] = [
  { bytes: [0xff, 0xfe], why: `is UTF-16; ${saveAsCsv}` },
  { bytes: [0xfe, 0xff], why: `is UTF-16; ${saveAsCsv}` },
  { bytes: [0x50, 0x4b, 0x03, 0x04], why: `is a spreadsheet or another zip file; ${saveAsCsv}` },
  { bytes: [0xd0, 0xcf, 0x11, 0xe0], why: `is an old spreadsheet (xls); ${saveAsCsv}` },
  { bytes: [0x1f, 0x8b], why: 'is compressed; pipe it: `gunzip -c FILE | npx payouts submit - --yes`' },
  { bytes: [0x25, 0x50, 0x44, 0x46], why: 'is a PDF; ask for the data as CSV' },
];

const byteOrderMark = [0xef, 0xbb, 0xbf];
const startsWith = (head: Uint8Array, bytes: readonly number[]) => bytes.every((byte, at) => head[at] === byte);

/** Tells the format by the content, and by the name or `wanted` where the content says nothing. */
export function tellFormat(head: Uint8Array, name: string, wanted?: FileFormat['kind']): ToldFormat {
  const known = foreign.find(({ bytes }) => startsWith(head, bytes));
  if (known) return refused(known.why);
  // UTF-16 without a mark, or no text at all.
  if (head.includes(0)) return refused(`holds zero bytes, so it is not UTF-8 text; ${saveAsCsv}`);
  const markBytes = startsWith(head, byteOrderMark) ? byteOrderMark.length : 0;
  const text = new TextDecoder().decode(head.subarray(markBytes));
  if (text.trim() === '') return refused('is empty');
  const kind = wanted ?? kindOf(text, name);
  if (kind === 'array') return refused('is one JSON array; write one object per line: jq -c ".[]" FILE');
  if (kind === 'jsonl') return { kind, skipBytes: markBytes };
  const [, separator] = /^sep=(.)\r?\n/.exec(text) ?? [];
  const skipBytes =
    markBytes + (separator === undefined ? 0 : Buffer.byteLength(text.slice(0, text.indexOf('\n') + 1)));
  return { kind, delimiter: separator ?? delimiterOf(text), skipBytes };
}

function refused(why: string): ToldFormat {
  return { kind: 'refused', why };
}

function kindOf(text: string, name: string): FileFormat['kind'] | 'array' {
  const first = text.trimStart()[0];
  if (first === '{') return 'jsonl';
  if (first === '[') return 'array';
  return /\.(jsonl|ndjson)$/i.test(name) ? 'jsonl' : 'csv';
}

/** The sign that the header has most of, outside its quotes. */
function delimiterOf(text: string): string {
  const header = text.replace(/"(?:[^"]|"")*"/g, '').split(/\r\n|\n|\r/, 1)[0] ?? '';
  const counts = [',', ';', '\t', '|'].map((sign) => ({ sign, count: header.split(sign).length - 1 }));
  const [most] = counts.toSorted((a, b) => b.count - a.count);
  return most?.sign ?? ',';
}
