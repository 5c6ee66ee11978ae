// A workbook as the zip file that it is (ISO/IEC 29500-2): its parts by its directory, each inflated as it is read. A small file may inflate
// without end, so what comes out is counted, and what is beside the directory is never read: a spreadsheet shows none of it.
import { createInflateRaw } from 'node:zlib';
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { UsageError } from './usage-error.ts';
import type { BulkFile } from './bulk-file.ts';

interface Part {
  readonly begin: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly isPacked: boolean;
}

/** The parts of a workbook. */
export type XlsxPackage = Awaited<ReturnType<typeof openPackage>>;

/** The elements of the part's own namespace, in their order. Others are ignored, as a spreadsheet ignores them. */
interface XmlEvents {
  open?(name: string, attribute: (name: string) => string | undefined): void;
  text?(text: string): void;
  close?(name: string): void;
}

/** The workbook can't be read. */
export const damaged = (name: string) =>
  new UsageError(`${name} is a damaged workbook; open it in the spreadsheet program and save it again as XLSX`);

const endMark = 0x06054b50;
const largeEndMark = 0x06064b50;
const largeLocatorMark = 0x07064b50;
const entryMark = 0x02014b50;
const localMark = 0x04034b50;
const largest32 = 0xffffffff;
const endBytes = 22;
const longestComment = 65_535;
/** More than the parts of any workbook. */
const directoryLimitBytes = 4 << 20;

/** Bound on the inflated size of all parts: real workbooks grow twenty times, a hostile one a thousand times. */
const largestRatio = 100;
const smallestLimitBytes = 4 << 20;
/** Of a piece, a thousand times as much is inflated before it is looked at. */
const pieceBytes = 8192;
/** No cell, comment or tag is so long. */
const betweenTagsChars = 1 << 20;
const deepest = 64;

/** Opens a workbook. Throws UsageError. */
export async function openPackage(file: BulkFile) {
  const parts = await directoryOf(file);
  // Each part is as long as the directory says, or the workbook is damaged.
  const wholeBytes = [...parts.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  if (wholeBytes > Math.max(smallestLimitBytes, file.sizeBytes * largestRatio))
    throw new UsageError(`${file.name} is too large when it is unpacked; save it as CSV`);

  async function* inflated(part: Part): AsyncGenerator<Buffer> {
    const local = await file.slice(part.begin, 30);
    if (local.length < 30 || local.readUInt32LE(0) !== localMark) throw damaged(file.name);
    const begin = part.begin + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
    const inflate = part.isPacked ? createInflater() : undefined;
    let bytes = 0;
    for (let read = 0; read < part.packedBytes; read += pieceBytes) {
      const packed = await file.slice(begin + read, Math.min(pieceBytes, part.packedBytes - read));
      const unpacked = inflate ? await inflate(packed) : packed;
      if (!unpacked) throw damaged(file.name);
      bytes += unpacked.length;
      if (bytes > part.bytes) throw damaged(file.name);
      yield unpacked;
    }
    if (bytes !== part.bytes) throw damaged(file.name);
  }

  return {
    /** Reads a part of XML, a piece at a time. */
    async *parse(path: string, events: XmlEvents): AsyncGenerator<void> {
      const part = parts.get(path);
      if (!part) throw damaged(file.name);
      const parser = xmlParser(events, () => damaged(file.name));
      for await (const chunk of inflated(part)) {
        parser.write(chunk);
        yield;
      }
      parser.end();
    },
  };
}

/** Inflates one piece after the other; undefined if the bytes are no deflated ones. */
function createInflater(): (piece: Buffer) => Promise<Buffer | undefined> {
  const inflate = createInflateRaw();
  let chunks: Buffer[] = [];
  let isDamaged = false;
  inflate.on('data', (chunk: Buffer) => chunks.push(chunk));
  inflate.on('error', () => (isDamaged = true));
  return async (piece) => {
    await new Promise<void>((resolve) => {
      inflate.once('close', resolve);
      inflate.write(piece, () => {
        inflate.off('close', resolve);
        resolve();
      });
    });
    const whole = Buffer.concat(chunks);
    chunks = [];
    return isDamaged ? undefined : whole;
  };
}

function xmlParser({ open, text, close }: XmlEvents, damage: () => UsageError) {
  const parser = new SaxesParser({ xmlns: true });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let [own, depth, foreign, sinceTag] = ['', 0, 0, 0];
  // At once: the parser reads its whole piece, and is slow among elements in elements.
  const fail = () => {
    throw damage();
  };
  parser.on('error', fail);
  parser.on('doctype', fail);
  parser.on('opentag', ({ uri, local, attributes }: SaxesTagNS) => {
    sinceTag = 0;
    depth += 1;
    if (depth === 1) own = uri;
    if (depth > deepest) fail();
    if (foreign > 0 || uri !== own) return void (foreign += 1);
    open?.(local, (name) => attributes[name]?.value);
  });
  parser.on('text', (some) => (foreign > 0 ? undefined : text?.(some)));
  parser.on('cdata', (some) => (foreign > 0 ? undefined : text?.(some)));
  parser.on('closetag', ({ local }: SaxesTagNS) => {
    sinceTag = 0;
    depth -= 1;
    if (foreign > 0) return void (foreign -= 1);
    close?.(local);
  });
  return {
    write(chunk: Buffer): void {
      try {
        parser.write(decoder.decode(chunk, { stream: true }));
      } catch (error) {
        throw error instanceof UsageError ? error : damage();
      }
      sinceTag += chunk.length;
      if (sinceTag > betweenTagsChars) fail();
    },
    end: () => void parser.close(),
  };
}

async function directoryOf(file: BulkFile): Promise<ReadonlyMap<string, Part>> {
  const parts = new Map<string, Part>();
  const { offset, size } = await endOf(file);
  if (size > directoryLimitBytes) throw damaged(file.name);
  const directory = await file.slice(offset, size);
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === entryMark;) {
    const [nameBytes, extraBytes, noteBytes] = [28, 30, 32].map((from) => directory.readUInt16LE(at + from)) as [
      number,
      number,
      number,
    ];
    const name = directory.toString('utf8', at + 46, at + 46 + nameBytes);
    const method = directory.readUInt16LE(at + 10);
    const isSealed = (directory.readUInt16LE(at + 8) & 1) !== 0;
    // Two parts of one name: programs differ in which of them they show.
    if (parts.has(name) || isSealed || (method !== 0 && method !== 8)) throw damaged(file.name);
    const extra = directory.subarray(at + 46 + nameBytes, at + 46 + nameBytes + extraBytes);
    const [bytes, packedBytes, begin] = sizesOf(directory, at, extra);
    parts.set(name, { begin, packedBytes, bytes, isPacked: method === 8 });
    at += 46 + nameBytes + extraBytes + noteBytes;
  }
  return parts;
}

/** Its sizes and its place, which are in a field of their own if they may need 64 bits. */
function sizesOf(directory: Buffer, at: number, extra: Buffer): [bytes: number, packedBytes: number, begin: number] {
  let large: Buffer = Buffer.alloc(0);
  for (let from = 0; from + 4 <= extra.length; from += 4 + extra.readUInt16LE(from + 2))
    if (extra.readUInt16LE(from) === 1) large = extra.subarray(from + 4, from + 4 + extra.readUInt16LE(from + 2));
  return [24, 20, 42].map((from) => {
    const small = directory.readUInt32LE(at + from);
    if (small !== largest32 || large.length < 8) return small;
    const value = Number(large.readBigUInt64LE(0));
    large = large.subarray(8);
    return value;
  }) as [number, number, number];
}

async function endOf(file: BulkFile): Promise<{ readonly offset: number; readonly size: number }> {
  const tail = await file.slice(Math.max(0, file.sizeBytes - endBytes - longestComment), endBytes + longestComment);
  for (let at = tail.length - endBytes; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== endMark || tail.readUInt16LE(at + 20) !== tail.length - at - endBytes) continue;
    const offset = tail.readUInt32LE(at + 16);
    if (offset !== largest32) return { offset, size: tail.readUInt32LE(at + 12) };
    if (at < 20 || tail.readUInt32LE(at - 20) !== largeLocatorMark) break;
    const large = await file.slice(Number(tail.readBigUInt64LE(at - 12)), 56);
    if (large.length < 56 || large.readUInt32LE(0) !== largeEndMark) break;
    return { offset: Number(large.readBigUInt64LE(48)), size: Number(large.readBigUInt64LE(40)) };
  }
  throw damaged(file.name);
}
