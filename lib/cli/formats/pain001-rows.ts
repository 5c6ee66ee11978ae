// pain.001, the file of credit transfers of ISO 20022: a row a transaction, streamed, so that a million of them need no
// more memory than one. What the file says of its own counts and sums is held against what is in it. Entities are never
// resolved, and a DOCTYPE, which could declare some, refuses the file.
import { SaxesParser, type SaxesTagNS } from 'saxes';
import type { Column } from '../../batches/bulk-columns.ts';
import type { FileFormat } from '../../batches/bulk-format.ts';
import { type BulkRow, type CellReader, createCellReader, type XmlPlace } from '../../batches/bulk-row.ts';
import type { RowFault } from '../../batches/row-findings.ts';
import { minorDigits } from '../../gateway/money.ts';
import type { BulkFile } from './bulk-file.ts';
import { type BulkRows, type MessageHeader, notForTables, type ReadingChoices } from './bulk-rows.ts';
import { utf8Of } from './file-text.ts';

type Pain001Format = Extract<FileFormat, { kind: 'pain.001' }>;

/** The columns of the rows, as a file of rejects has them, and the place of each in the XML. */
const columns = [
  { title: 'order_id', path: 'orderId', element: 'PmtId/EndToEndId' },
  { title: 'amount', path: 'params.amount', element: 'Amt/InstdAmt' },
  { title: 'currency', path: 'params.currency', element: 'Amt/InstdAmt/@Ccy' },
  { title: 'payee_name', path: 'context.payee_name', element: 'Cdtr/Nm' },
  { title: 'account_number', path: 'params.account_number', element: 'CdtrAcct/Id' },
  { title: 'BIC', path: 'params.bank_name', element: 'CdtrAgt/FinInstnId' },
  { title: 'order_desc', path: 'params.order_desc', element: 'RmtInf' },
  { title: 'not_before', path: 'notBefore', element: 'ReqdExctnDt' },
  { title: 'payouts_block', element: 'PmtInfId' },
  { title: 'payouts_instruction', element: 'PmtId/InstrId' },
] as const satisfies readonly (Column & { readonly element: string })[];

const elementOf: ReadonlyMap<string, string> = new Map(
  columns.flatMap((it) => ('path' in it ? [[it.path, it.element] as const] : [])),
);

/** Rows of pain.001. */
export function pain001RowsOf(file: BulkFile, format: Pain001Format, choices: ReadingChoices): BulkRows {
  notForTables(choices, 'the elements of pain.001 have one meaning');
  const unused = new Map<string, number>();
  let header: Omit<MessageHeader, 'version'> = {};
  return {
    rejectsAs: 'csv',
    columns,
    unused: () => [...unused].map(([element, count]) => `${element} (${count})`).toSorted(),
    message: () => ({ ...header, version: format.version }),
    titleOf: (path, place) => titleOf(path, place, choices),
    async *read(onBytes) {
      unused.clear();
      const reader = createReader(createCellReader(columns, choices.given), unused);
      const decoder = new TextDecoder();
      for await (const bytes of utf8Of(file.chunks(), format, onBytes))
        yield reader.rowsOf(decoder.decode(bytes, { stream: true }));
      yield reader.end();
      header = reader.header();
    },
  };
}

function titleOf(path: string, place: XmlPlace | undefined, { given }: ReadingChoices): string {
  if (!place) return elementOf.get(path) ?? path;
  const at = `line ${place.line}, ${place.element}`;
  if (path === '') return at;
  if (given[path] !== undefined) return `--${path.replace('Id', '')}`;
  // The day is given beside the transactions, once for all of them.
  const block = place.element.split('/', 1)[0] ?? '';
  return path === 'notBefore' ? `${block}/ReqdExctnDt` : `${at}/${elementOf.get(path) ?? path}`;
}

/** The elements that are read, from the document on, and what they mean here. All others are counted as unused. */
const meanings = {
  'GrpHdr/MsgId': 'messageId',
  'GrpHdr/CreDtTm': 'createdAt',
  'GrpHdr/NbOfTxs': 'fileCount',
  'GrpHdr/CtrlSum': 'fileSum',
  'PmtInf/PmtInfId': 'block',
  'PmtInf/PmtMtd': 'method',
  'PmtInf/NbOfTxs': 'blockCount',
  'PmtInf/CtrlSum': 'blockSum',
  'PmtInf/ReqdExctnDt': 'day',
  'PmtInf/ReqdExctnDt/Dt': 'day',
  'PmtInf/ReqdExctnDt/DtTm': 'day',
  'PmtInf/CdtTrfTxInf/PmtId/EndToEndId': 'orderId',
  'PmtInf/CdtTrfTxInf/PmtId/InstrId': 'instruction',
  'PmtInf/CdtTrfTxInf/Amt/InstdAmt': 'amount',
  'PmtInf/CdtTrfTxInf/CdtrAgt/FinInstnId/BIC': 'bic',
  'PmtInf/CdtTrfTxInf/CdtrAgt/FinInstnId/BICFI': 'bic',
  'PmtInf/CdtTrfTxInf/Cdtr/Nm': 'payee',
  'PmtInf/CdtTrfTxInf/CdtrAcct/Id/IBAN': 'iban',
  'PmtInf/CdtTrfTxInf/CdtrAcct/Id/Othr/Id': 'account',
  'PmtInf/CdtTrfTxInf/RmtInf/Ustrd': 'remittance',
  'PmtInf/CdtTrfTxInf/RmtInf/Strd/CdtrRefInf/Ref': 'reference',
} as const;

type Meaning = (typeof meanings)[keyof typeof meanings];

const saidAgain: ReadonlySet<Meaning> = new Set(['remittance', 'reference']);

/** An element that is read, or encloses one. */
interface Known {
  readonly path: string;
  readonly meaning?: Meaning;
  readonly children: Map<string, Known>;
}

const known: Known = (() => {
  const root: Known = { path: '', children: new Map() };
  for (const path of Object.keys(meanings)) {
    let at = root;
    const names = path.split('/');
    for (const [index, name] of names.entries()) {
      const here = names.slice(0, index + 1).join('/');
      const of = (meanings as Readonly<Record<string, Meaning>>)[here];
      const child = at.children.get(name) ?? { path: here, children: new Map(), ...(of && { meaning: of }) };
      at.children.set(name, child);
      at = child;
    }
  }
  return { path: '', children: new Map([['Document', { path: '', children: new Map([['CstmrCdtTrfInitn', root]]) }]]) };
})();

/** Counts and sums as they are read, exactly. */
interface Tally {
  count: number;
  sum: bigint;
}

const emptyTally = (): Tally => ({ count: 0, sum: 0n });

/** A sum may have 17 decimals (ISO 20022, DecimalNumber). */
const sumDecimals = 17;
const decimalShape = /^\+?(\d{1,18})(?:\.(\d{0,17}))?$/;

function exact(text: string): bigint | undefined {
  const [, whole, fraction = ''] = decimalShape.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(sumDecimals, '0'));
}

/** XML writes one number in many ways ("0100.500"); a job in one. */
function plainAmount(text: string, currency: string): string {
  const [, whole, fraction = ''] = decimalShape.exec(text) ?? [];
  if (whole === undefined) return text;
  const cents = fraction
    .replace(/0+$/, '')
    .padEnd(fraction === '' ? 0 : Math.min(fraction.length, minorDigits(currency)), '0');
  return `${whole.replace(/^0+(?=\d)/, '')}${cents === '' ? '' : `.${cents}`}`;
}

/** A name longer than this would not fit into what comes back on a result. */
const payeeNameBytes = 160;

/** No file of payments has so much between two elements, or so many around one: what is kept of it stays small. */
const betweenElementsChars = 1 << 20;
const aroundElementsMost = 64;
/** Elements that are not used are named, so many of them at most: a file may make up a name for each. */
const unusedMost = 100;
const unusedNameChars = 128;

const cutName = (name: string | undefined) =>
  name === undefined || Buffer.byteLength(name) <= payeeNameBytes
    ? name
    : new TextDecoder().decode(Buffer.from(name).subarray(0, payeeNameBytes)).replace(/\ufffd$/, '');

const textWithoutEnd = 'has a text, a comment or a tag without end; have it exported anew';

interface Reader {
  /** The rows that end within this text. */
  rowsOf(text: string): BulkRow[];
  /** The faults of the whole file. */
  end(): BulkRow[];
  header(): Omit<MessageHeader, 'version'>;
}

// Long: one state, moved by what the parser meets; each of its functions is short.
function createReader(readCells: CellReader, unused: Map<string, number>): Reader {
  const parser = new SaxesParser({ position: true, xmlns: true });
  let rows: BulkRow[] = [];
  let row = 0;
  let values: Partial<Record<Meaning, string>> = {};
  let header: Partial<Record<Meaning, string>> = {};
  let block: Partial<Record<Meaning, string>> = {};
  let [blocks, transactions] = [0, 0];
  let [inFile, inBlock] = [emptyTally(), emptyTally()];
  let [headerAt, blockAt, beganAt] = [1, 1, 1];
  let stopped = false;
  /** Elements around the present one, as far as they are known; and how deep within an unknown one. */
  const around: Known[] = [known];
  let unknownDepth = 0;
  let text = '';
  let currency = '';
  let namespace = '';
  let sinceElement = 0;

  const ofFile = (element: string, fault: string, line = parser.line): void => {
    if (!stopped) rows.push({ row: row + 1, faults: [{ path: '', fault }], place: { line, element }, cutOff: true });
  };

  function stop(fault: string, element = 'Document'): void {
    ofFile(element, fault);
    stopped = true;
  }

  function checkTally(
    element: string,
    said: { count?: string | undefined; sum?: string | undefined },
    found: Tally,
    line: number,
  ): void {
    if (said.count === undefined) {
      if (element === 'GrpHdr') ofFile('GrpHdr/NbOfTxs', 'is missing; it says how many payments the file has', line);
    } else if (Number(said.count) !== found.count) {
      const fault = `says another number of payments than the ${found.count} that are there: the file is not whole, or was changed`;
      ofFile(`${element}/NbOfTxs`, fault, line);
    }
    if (said.sum !== undefined && exact(said.sum) !== found.sum)
      ofFile(
        `${element}/CtrlSum`,
        'is not the sum of the payments that are there: the file is not whole, or was changed',
        line,
      );
  }

  function endOfTransaction(): void {
    // The parser reads its piece of text to the end, whatever is wrong with it.
    if (stopped) return;
    row += 1;
    const amount = values.amount ?? '';
    const units = exact(amount);
    for (const tally of [inFile, inBlock]) {
      tally.count += 1;
      tally.sum += units ?? 0n;
    }
    const cells = [
      values.orderId,
      plainAmount(amount, currency),
      currency,
      cutName(values.payee),
      values.iban ?? values.account,
      values.bic,
      values.remittance ?? values.reference,
      dayOf(block.day),
      block.block,
      values.instruction,
    ].map((it) => it ?? '');
    const read = readCells.row(cells, row);
    const place = { line: beganAt, element: `PmtInf[${blocks}]/CdtTrfTxInf[${transactions}]` };
    if (read) rows.push({ ...read, faults: [...read.faults, ...faultsOf(values, block)], place });
    else rows.push({ row, faults: [{ path: '', fault: 'says nothing of a payment' }], place });
  }

  const open: Readonly<Record<string, () => unknown>> = {
    GrpHdr() {
      headerAt = parser.line;
      values = {};
    },
    PmtInf() {
      blockAt = parser.line;
      blocks += 1;
      transactions = 0;
      block = {};
      inBlock = emptyTally();
    },
    'PmtInf/CdtTrfTxInf'() {
      transactions += 1;
      beganAt = parser.line;
      values = {};
      currency = '';
    },
  };
  const close: Readonly<Record<string, () => unknown>> = {
    GrpHdr: () => (header = values),
    'PmtInf/CdtTrfTxInf': endOfTransaction,
    PmtInf() {
      const element = `PmtInf[${blocks}]`;
      checkTally(element, { count: block.blockCount, sum: block.blockSum }, inBlock, blockAt);
      if (block.method !== 'TRF') ofFile(`${element}/PmtMtd`, 'is not TRF: no credit transfer is asked for', blockAt);
    },
  };

  parser.on('error', () =>
    stop(`is not well-formed XML at line ${parser.line}, column ${parser.column}; what follows could not be read`),
  );
  parser.on('doctype', () => stop('has a DOCTYPE, which no file of payments needs; have it exported without'));
  parser.on('opentag', ({ local, uri, attributes }: SaxesTagNS) => {
    sinceElement = 0;
    if (around.length === 1 && unknownDepth === 0) namespace = uri;
    const child = unknownDepth > 0 ? undefined : around.at(-1)?.children.get(local);
    // Another program would pass over it, and pay what is beside it, or nothing.
    if (child && uri !== namespace)
      stop('is of another namespace than its document; have it exported anew', child.path);
    if (!child) {
      if (unknownDepth === 0) noteUnused(around.at(-1), local);
      unknownDepth += 1;
      if (unknownDepth > aroundElementsMost) stop('has elements within elements without end; have it exported anew');
      return;
    }
    around.push(child);
    text = '';
    if (child.meaning === 'amount') currency = (attributes['Ccy']?.value ?? '').trim();
    open[child.path]?.();
  });
  parser.on('text', (some) => (text += some));
  parser.on('cdata', (some) => (text += some));
  parser.on('closetag', () => {
    if (unknownDepth > 0) return void (unknownDepth -= 1);
    const element = around.pop();
    if (element?.meaning) note(element.path, element.meaning, text.trim());
    text = '';
    if (element) close[element.path]?.();
  });

  /**
   * A payment may have several lines of remittance, and references; all else is said once, or a program may show what another does not
   * pay.
   */
  function note(path: string, meaning: Meaning, value: string): void {
    if (value === '') return;
    const isOfBlock = around.length === 4 && around[3]?.path === 'PmtInf';
    const target = isOfBlock || meaning === 'day' ? block : values;
    const before = target[meaning];
    if (before !== undefined && before.length > betweenElementsChars) return stop(textWithoutEnd);
    const isOther = (meaning === 'iban' && values.account) || (meaning === 'account' && values.iban);
    if (isOther || (before !== undefined && !saidAgain.has(meaning)))
      return stop('is said twice, and nobody can say which is meant; have it exported anew', path);
    target[meaning] = before !== undefined && meaning === 'remittance' ? `${before} ${value}` : value;
  }

  function noteUnused(parent: Known | undefined, name: string): void {
    // Above the customer's credit transfer there is nothing else.
    if (!parent || around.length < 3) return stop('is no customer credit transfer (CstmrCdtTrfInitn)');
    const path = parent.path === '' ? name : `${parent.path}/${name}`;
    const named = unused.has(path) || unused.size < unusedMost ? path.slice(0, unusedNameChars) : '… and others';
    unused.set(named, (unused.get(named) ?? 0) + 1);
  }

  function taken(): BulkRow[] {
    const some = rows;
    rows = [];
    return some;
  }

  return {
    rowsOf(some) {
      if (!stopped) parser.write(some);
      sinceElement += some.length;
      if (sinceElement > betweenElementsChars) stop(textWithoutEnd);
      return taken();
    },
    end() {
      if (!stopped) parser.close();
      if (!stopped) checkTally('GrpHdr', { count: header.fileCount, sum: header.fileSum }, inFile, headerAt);
      return taken();
    },
    header: () => ({
      ...(header.messageId !== undefined && { messageId: header.messageId }),
      ...(header.createdAt !== undefined && { createdAt: header.createdAt }),
      ...(header.fileCount !== undefined && { count: header.fileCount }),
      ...(header.fileSum !== undefined && { sum: header.fileSum }),
    }),
  };
}

/** A day begins in UTC, wherever the file is read: two persons must see the same moment. */
function dayOf(day: string | undefined): string | undefined {
  if (day === undefined) return undefined;
  const date = /^(\d{4}-\d{2}-\d{2})(?:Z|[+-]\d{2}:\d{2})?$/.exec(day)?.[1];
  if (date !== undefined) return `${date}T00:00:00Z`;
  return /(?:Z|[+-]\d{2}:\d{2})$/.test(day) ? day : `${day}Z`;
}

/** Findings that only the XML shows. */
function faultsOf(values: Partial<Record<Meaning, string>>, block: Partial<Record<Meaning, string>>): RowFault[] {
  const faults: RowFault[] = [];
  const add = (path: string, fault: string) => void faults.push({ path, fault });
  if (values.orderId === 'NOTPROVIDED')
    add('orderId', 'is NOTPROVIDED; each payment needs an id of its own, which is used once');
  if (values.amount === undefined) add('params.amount', 'is missing; an amount to be converted (EqvtAmt) is not taken');
  if (values.iban !== undefined && !/^[A-Z]{2}\d{2}[A-Za-z0-9]{1,30}$/.test(values.iban))
    add('params.account_number', 'is no IBAN: those begin with a country and two digits; take it from the payee again');
  if (block.day === undefined) add('notBefore', 'is missing');
  return faults;
}
