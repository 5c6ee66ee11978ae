// Eight-byte digests and the first row of each: a million of them in 24 MB, where a Map would take five times that.

/** Rows by digest. */
export interface DigestTable {
  /** The first row of the digest; undefined, and noted, where it is this one. */
  firstRow(digest: Uint8Array, row: number): number | undefined;
  /** The row of the digest that begins at this byte; undefined for none. */
  rowAt(bytes: Uint8Array, begin: number): number | undefined;
  readonly size: number;
}

const smallest = 1_024;
/** A fuller table is doubled. */
const fullest = 0.7;

/** An empty table. Rows are numbered from 1. */
export function createDigestTable(): DigestTable {
  let slots = { high: new Uint32Array(smallest), low: new Uint32Array(smallest), rows: new Uint32Array(smallest) };
  let size = 0;

  /** The place of the digest, or the one that it would have. */
  function place(high: number, low: number): number {
    const mask = slots.rows.length - 1;
    let at = low & mask;
    while (slots.rows[at] !== 0 && (slots.high[at] !== high || slots.low[at] !== low)) at = (at + 1) & mask;
    return at;
  }

  function put(high: number, low: number, row: number): number | undefined {
    const at = place(high, low);
    if (slots.rows[at] !== 0) return slots.rows[at];
    slots.high[at] = high;
    slots.low[at] = low;
    slots.rows[at] = row;
    return undefined;
  }

  function double(): void {
    const { high, low, rows } = slots;
    const length = rows.length * 2;
    slots = { high: new Uint32Array(length), low: new Uint32Array(length), rows: new Uint32Array(length) };
    for (let at = 0; at < rows.length; at += 1) if (rows[at] !== 0) put(high[at] ?? 0, low[at] ?? 0, rows[at] ?? 0);
  }

  return {
    firstRow(digest, row) {
      if (size > slots.rows.length * fullest) double();
      const first = put(wordAt(digest, 0), wordAt(digest, 4), row);
      if (first === undefined) size += 1;
      return first;
    },
    rowAt: (bytes, begin) => slots.rows[place(wordAt(bytes, begin), wordAt(bytes, begin + 4))] || undefined,
    get size() {
      return size;
    },
  };
}

function wordAt(bytes: Uint8Array, at: number): number {
  const high = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
  const low = ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
  return ((high << 16) | low) >>> 0;
}
