// Which orders of a file were seen already, in memory that a million rows hardly fill: 96 bits of a digest and the row
// for each order, in one flat table. With 96 bits, two different orders of a million look alike once in 10^17 files,
// and then the file is refused, not paid wrongly.

/** Orders seen so far. */
export interface SeenOrders {
  /** The row that had this order first; undefined when it is this one. */
  firstRow(orderKey: string, row: number): number | undefined;
}

/** Words of a slot: three of the digest, and the row; row 0 marks a free slot. */
const slotWords = 4;
const fullest = 0.75;
/** Doubling would hold half as much again while it copies. */
const growth = 1.5;
const fewestSlots = 1_024;

/**
 * An empty table. `digest` gives at least twelve bytes that no sender can steer into each other. It has room for so many
 * orders from the start, and grows where there are more.
 */
export function createSeenOrders(digest: (text: string) => Buffer, expectedOrders = 0): SeenOrders {
  let slots = Math.ceil((expectedOrders * 1.1) / fullest) + fewestSlots;
  let table = new Uint32Array(slots * slotWords);
  let count = 0;

  /** Where this digest stands, or the free slot where it belongs. */
  function placeOf(a: number, b: number, c: number): number {
    for (let slot = a % slots; ; slot = slot + 1 === slots ? 0 : slot + 1) {
      const at = slot * slotWords;
      if (table[at + 3] === 0) return at;
      if (table[at] === a && table[at + 1] === b && table[at + 2] === c) return at;
    }
  }

  function put(a: number, b: number, c: number, row: number, at: number): void {
    table[at] = a;
    table[at + 1] = b;
    table[at + 2] = c;
    table[at + 3] = row;
  }

  function grow(): void {
    const old = table;
    slots = Math.ceil(slots * growth);
    table = new Uint32Array(slots * slotWords);
    for (let at = 0; at < old.length; at += slotWords) {
      const [a = 0, b = 0, c = 0, row = 0] = [old[at], old[at + 1], old[at + 2], old[at + 3]];
      if (row !== 0) put(a, b, c, row, placeOf(a, b, c));
    }
  }

  return {
    firstRow(orderKey, row) {
      if (count >= slots * fullest) grow();
      const bytes = digest(orderKey);
      const [a, b, c] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(8)];
      const at = placeOf(a, b, c);
      const first = table[at + 3];
      if (first !== 0) return first;
      put(a, b, c, row, at);
      count += 1;
      return undefined;
    },
  };
}
