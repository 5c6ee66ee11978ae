// Records parted by the hash of their key into temporary files, so that what belongs together is compared in memory, one
// part after the other, however much there is in all. The files are of this user alone and are gone in the end.
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Parts of records. */
export interface Partitions {
  /** Adds a record to the part of its key; tabs and line feeds become blanks. */
  add(key: string, fields: readonly string[]): void;
  /** Ends the writing; then the parts, one after the other, each a line a record: key and fields, parted by tabs. */
  read(): Generator<Iterable<string>>;
  /** Removes the files. */
  remove(): void;
}

/** What waits to be written, of all parts together. Bytes, as strings that wait are garbage that grows old. */
const bufferedBytes = 8 << 20;
/** A part is held in memory as orders, which take several times its bytes. */
const partBytes = 1 << 20;

/** Parts for inputs of so many bytes together: small enough to be held in memory, few enough to be open at once. */
export function partsForBytes(bytes: number): number {
  return Math.min(512, Math.max(8, Math.ceil(bytes / partBytes)));
}

/** Opens as many parts in a new temporary folder. */
export function createPartitions(count: number): Partitions {
  const folder = mkdtempSync(join(tmpdir(), 'payouts-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const files = Array.from({ length: count }, (_, n) => {
    const path = join(folder, String(n));
    const buffer = Buffer.allocUnsafe(Math.floor(bufferedBytes / count));
    return { path, handle: openSync(path, 'w', 0o600), buffer, used: 0 };
  });
  type PartFile = (typeof files)[number];

  function flush(file: PartFile): void {
    writeSync(file.handle, file.buffer, 0, file.used);
    file.used = 0;
  }

  return {
    add(key, fields) {
      const file = files[hashOf(key) % count];
      if (!file) return;
      let line = inOneField(key);
      for (const field of fields) line += `\t${inOneField(field)}`;
      line += '\n';
      // Three bytes a character at most.
      if (file.used + 3 * line.length > file.buffer.length) flush(file);
      if (3 * line.length > file.buffer.length) writeSync(file.handle, line);
      else file.used += file.buffer.write(line, file.used);
    },
    *read() {
      for (const file of files) {
        flush(file);
        closeSync(file.handle);
      }
      for (const { path } of files) yield linesIn(readFileSync(path, 'utf8'));
    },
    remove() {
      process.off('exit', remove);
      remove();
    },
  };
}

/** Names from outside may hold anything. */
function inOneField(text: string): string {
  return text.includes('\t') || text.includes('\n') ? text.replace(/[\t\n]/g, ' ') : text;
}

/** One after the other: a part as a list of lists takes several times the memory. */
function* linesIn(text: string): Generator<string> {
  let from = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
    yield text.slice(from, end);
    from = end + 1;
  }
}

/** FNV-1a, 32 bits: spreads keys that differ in their last digit alone. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
