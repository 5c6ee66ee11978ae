// pain.001, the file of credit transfers of ISO 20022: a row a transaction, streamed, so that a million of them need no
// more memory than one. The file's own counts and sums are compared with its content. Entities are never
// resolved, and a DOCTYPE, which could declare some, refuses the file.
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { type Column, pathOfName } from './bulk-columns.ts';
import type { FileFormat } from './bulk-format.ts';
import { type BulkRow, type CellReader, createCellReader, type XmlPlace } from './bulk-row.ts';
import type { RowFault, RowWarning } from './row-findings.ts';
import { minorDigits } from '../gateway/money.ts';
import { type BulkFile, utf8Of } from './bulk-file.ts';
import { UsageError } from './usage-error.ts';
import { type BulkRows, type MessageHeader, notForTables, type ReadingChoices } from './bulk-rows.ts';

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
] as const satisfies readonly ElementColumn[];

/** Elements that name the account's bank. Each goes to the field that the layout names, or to its own, or the payout is refused. */
const bankElements = {
  'CdtrAgt/FinInstnId/BIC': 'bic',
  'CdtrAgt/FinInstnId/ClrSysMmbId/MmbId': 'member',
  'CdtrAgt/FinInstnId/Othr/Id': 'bankId',
  'CdtrAgt/FinInstnId/LEI': 'bankLei',
  'CdtrAgt/BrnchId/Id': 'branch',
  'CdtrAgt/FinInstnId/Nm': 'bankName',
} as const satisfies Readonly<Record<string, Meaning>>;

const ofItself: Readonly<Partial<Record<Meaning, string>>> = { bic: 'params.bank_name', bankName: 'params.bank_name' };

/** A column, with the element that fills it. */
interface ElementColumn extends Column {
  readonly element: string;
}

/** The columns of the bank's elements that the layout sends to a field. Throws UsageError for an element that is not theirs. */
function bankColumns(file: string, { columns: layout }: ReadingChoices): readonly ElementColumn[] {
  const chosen = [...layout].map(([element, field]) => ({ element, path: pathOfName(field) }));
  const wrong = chosen.find(({ element, path }) => !Object.hasOwn(bankElements, element) || path === undefined);
  if (wrong)
    throw new UsageError(
      `the layout of ${file} names "${wrong.element}"; of pain.001 it sends ${Object.keys(bankElements).join(', ')} to a field of the job`,
    );
  return chosen.flatMap(({ element, path }) =>
    path === undefined ? [] : [{ title: path.replace('params.', ''), path, element }],
  );
}

/** Rows of pain.001. */
export function pain001RowsOf(file: BulkFile, format: Pain001Format, choices: ReadingChoices): BulkRows {
  const { columns: _, ...rest } = choices;
  notForTables(rest, 'the elements of pain.001 have one meaning');
  const ofBank = bankColumns(file.name, choices);
  const all: readonly ElementColumn[] = [
    ...columns.filter((it) => !('path' in it) || !ofBank.some(({ path }) => path === it.path)),
    ...ofBank,
  ];
  const unused = new Map<string, number>();
  let header: Omit<MessageHeader, 'version'> = {};
  return {
    rejectsAs: 'csv',
    columns: all,
    unused: () => [...unused].map(([element, count]) => `${element} (${count})`).toSorted(),
    message: () => ({ ...header, version: format.version }),
    titleOf: (path, place) => titleOf(path, place, choices, all),
    async *read(onBytes) {
      unused.clear();
      const reader = createReader(createCellReader(all, choices.given), { version: format.version, all, unused });
      const decoder = new TextDecoder();
      for await (const bytes of utf8Of(file.chunks(), format, onBytes))
        yield reader.rowsOf(decoder.decode(bytes, { stream: true }));
      yield reader.end();
      header = reader.header();
    },
  };
}

function titleOf(
  path: string,
  place: XmlPlace | undefined,
  { given }: ReadingChoices,
  all: readonly ElementColumn[],
): string {
  const element = all.find((it) => it.path === path)?.element ?? path;
  if (!place) return element;
  const at = `line ${place.line}, ${place.element}`;
  if (path === '') return at;
  if (given[path] !== undefined) return `--${path.replace('Id', '')}`;
  // The day is given beside the transactions, once for all of them.
  const block = place.element.split('/', 1)[0] ?? '';
  return path === 'notBefore' ? `${block}/ReqdExctnDt` : `${at}/${element}`;
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
  'PmtInf/DbtrAcct/Id/IBAN': 'debtor',
  'PmtInf/DbtrAcct/Id/Othr/Id': 'debtor',
  'PmtInf/ReqdExctnDt': 'day',
  'PmtInf/ReqdExctnDt/Dt': 'day',
  'PmtInf/ReqdExctnDt/DtTm': 'day',
  'PmtInf/CdtTrfTxInf/PmtId/EndToEndId': 'orderId',
  'PmtInf/CdtTrfTxInf/PmtId/InstrId': 'instruction',
  'PmtInf/CdtTrfTxInf/Amt/InstdAmt': 'amount',
  'PmtInf/CdtTrfTxInf/CdtrAgt/FinInstnId/BIC': 'bic',
  'PmtInf/CdtTrfTxInf/CdtrAgt/FinInstnId/BICFI': 'bic',
  'PmtInf/CdtTrfTxInf/CdtrAgt/FinInstnId/ClrSysMmbId/MmbId': 'member',
  'PmtInf/CdtTrfTxInf/CdtrAgt/FinInstnId/Othr/Id': 'bankId',
  'PmtInf/CdtTrfTxInf/CdtrAgt/FinInstnId/LEI': 'bankLei',
  'PmtInf/CdtTrfTxInf/CdtrAgt/FinInstnId/Nm': 'bankName',
  'PmtInf/CdtTrfTxInf/CdtrAgt/BrnchId/Id': 'branch',
  'PmtInf/CdtTrfTxInf/Cdtr/Nm': 'payee',
  'PmtInf/CdtTrfTxInf/CdtrAcct/Id/IBAN': 'iban',
  'PmtInf/CdtTrfTxInf/CdtrAcct/Id/Othr/Id': 'account',
  'PmtInf/CdtTrfTxInf/RmtInf/Ustrd': 'remittance',
  'PmtInf/CdtTrfTxInf/RmtInf/Strd/CdtrRefInf/Ref': 'remittance',
} as const;

type Meaning = (typeof meanings)[keyof typeof meanings];

/** The values that a block of transactions has in common. */
const ofBlock: ReadonlySet<Meaning> = new Set(['block', 'method', 'blockCount', 'blockSum', 'day', 'debtor']);

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
      const child = at.children.get(name) ?? { path: here, children: new Map(), meaning: of };
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

// Long: one state, moved by what the parser meets; each of its functions is short.
function createReader(
  readCells: CellReader,
  { version, all, unused }: { version: string; all: readonly ElementColumn[]; unused: Map<string, number> },
) {
  const parser = new SaxesParser({ position: true, xmlns: true });
  const namespace = `urn:iso:std:iso:20022:tech:xsd:${version}`;
  let rows: BulkRow[] = [];
  let row = 0;
  let values: Partial<Record<Meaning, string>> = {};
  let header: Partial<Record<Meaning, string>> = {};
  let block: Partial<Record<Meaning, string>> = {};
  let debtor: string | undefined;
  let [blocks, transactions] = [0, 0];
  let [inFile, inBlock] = [emptyTally(), emptyTally()];
  let [headerAt, blockAt, beganAt] = [1, 1, 1];
  let stopped = false;
  /** Elements around the present one, as far as they are known; and how deep within an unknown one. */
  const around: Known[] = [known];
  let unknownDepth = 0;
  let text = '';
  let currency = '';
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
    stated: { count?: string | undefined; sum?: string | undefined },
    found: Tally,
    line: number,
  ): void {
    if (stated.count === undefined) {
      if (element === 'GrpHdr') ofFile('GrpHdr/NbOfTxs', 'is missing; it says how many payments the file has', line);
    } else if (Number(stated.count) !== found.count) {
      const fault = `says another number of payments than the ${found.count} that are there: the file is not whole, or was changed`;
      ofFile(`${element}/NbOfTxs`, fault, line);
    }
    if (stated.sum !== undefined && exact(stated.sum) !== found.sum)
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
    const { sent, lost } = bankOf(values);
    const texts: Readonly<Record<string, string | undefined>> = {
      orderId: values.orderId,
      'params.amount': plainAmount(amount, currency),
      'params.currency': currency,
      'context.payee_name': cutName(values.payee),
      'params.account_number': values.iban ?? values.account,
      'params.order_desc': values.remittance,
      notBefore: dayOf(block.day),
      PmtInfId: block.block,
      'PmtId/InstrId': values.instruction,
      ...sent,
    };
    const read = readCells.row(
      all.map(({ path, element }) => texts[path ?? element] ?? ''),
      row,
    );
    const place = { line: beganAt, element: `PmtInf[${blocks}]/CdtTrfTxInf[${transactions}]` };
    const faults = [...faultsOf(values, block), ...(values.iban === undefined ? lost.map(lostBank) : [])];
    if (values.iban !== undefined) for (const element of lost) countUnused(`PmtInf/CdtTrfTxInf/${element}`);
    const warnings = transactions === 1 ? debtorWarnings() : [];
    if (read)
      rows.push({
        ...read,
        faults: [...read.faults, ...faults],
        warnings,
        place,
      });
    else rows.push({ row, faults: [{ path: '', fault: 'says nothing of a payment' }], place });
  }

  /** The fields of the payee's bank, and the elements of it that go nowhere. */
  function bankOf(of: typeof values) {
    const sent: Record<string, string> = {};
    const lost: string[] = [];
    const found = Object.entries(bankElements).map(([element, meaning]) => {
      const path = all.find((it) => it.element === element)?.path;
      return { element, meaning, path, text: of[meaning] };
    });
    // What the layout names first.
    for (const { element, meaning, path = ofItself[meaning], text } of found.toSorted(
      (x, y) => Number(y.path !== undefined) - Number(x.path !== undefined),
    )) {
      if (text === undefined) continue;
      if (path !== undefined && sent[path] === undefined) sent[path] = text;
      // Beside a BIC these say nothing more.
      else if ((meaning === 'bankName' || meaning === 'bankLei') && of.bic !== undefined)
        countUnused(`PmtInf/CdtTrfTxInf/${element}`);
      else lost.push(element);
    }
    return { sent, lost };
  }

  /** All is paid from the merchant's one account. */
  function debtorWarnings(): RowWarning[] {
    const own = block.debtor?.toUpperCase() ?? '';
    debtor ??= own;
    const warning = 'is of a block with another debtor account (DbtrAcct) than the first; all is paid from one';
    return own === debtor ? [] : [{ kind: 'debtor', path: '', warning }];
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
  parser.on('opentag', ({ uri, local, attributes }: SaxesTagNS) => {
    sinceElement = 0;
    if (uri !== namespace) stop(`has an element of another namespace than ${version}; have it exported without`);
    const child = unknownDepth > 0 ? undefined : around.at(-1)?.children.get(local);
    if (!child) {
      if (unknownDepth === 0) noteUnused(around.at(-1), local);
      unknownDepth += 1;
      if (unknownDepth > aroundElementsMost) stop('has elements within elements without end; have it exported anew');
      return;
    }
    around.push(child);
    text = '';
    if (child.meaning === 'amount') currency = attributes['Ccy']?.value.trim() ?? '';
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
    const target = ofBlock.has(meaning) ? block : values;
    const before = target[meaning];
    if (before !== undefined && before.length > betweenElementsChars) return stop(textWithoutEnd);
    const isOther = (meaning === 'iban' && values.account) || (meaning === 'account' && values.iban);
    if (isOther || (before !== undefined && meaning !== 'remittance'))
      return stop('has two values, and the right one is unknown; have it exported anew', path);
    target[meaning] = before === undefined ? value : `${before} ${value}`;
  }

  function noteUnused(parent: Known | undefined, name: string): void {
    // Above the customer's credit transfer there is nothing else.
    if (!parent || around.length < 3) return stop('is no customer credit transfer (CstmrCdtTrfInitn)');
    countUnused(parent.path === '' ? name : `${parent.path}/${name}`);
  }

  function countUnused(path: string): void {
    const named = unused.has(path) || unused.size < unusedMost ? path.slice(0, unusedNameChars) : '… and others';
    unused.set(named, (unused.get(named) ?? 0) + 1);
  }

  function taken(): BulkRow[] {
    const some = rows;
    rows = [];
    return some;
  }

  return {
    /** The rows that end within this text. */
    rowsOf(some: string): BulkRow[] {
      if (!stopped) parser.write(some);
      sinceElement += some.length;
      if (sinceElement > betweenElementsChars) stop(textWithoutEnd);
      return taken();
    },
    /** The faults of the whole file. */
    end(): BulkRow[] {
      if (!stopped) parser.close();
      if (!stopped) checkTally('GrpHdr', { count: header.fileCount, sum: header.fileSum }, inFile, headerAt);
      return taken();
    },
    header: () => ({
      messageId: header.messageId,
      createdAt: header.createdAt,
      count: header.fileCount,
      sum: header.fileSum,
    }),
  };
}

/** By this day banks mean the next that is possible. */
const atOnce = '1999-01-01';

const lostBank = (element: string): RowFault => ({
  path: '',
  fault: `names the payee's bank by ${element}, which is sent nowhere; say its field in a layout: {"columns": {"${element}": "bank_branch"}}`,
});

/** A day begins in its own zone, and without one in UTC, wherever the file is read: two persons must see the same moment. */
function dayOf(day: string | undefined): string | undefined {
  if (day === undefined || day === atOnce) return undefined;
  const [, date, zone = 'Z'] = /^(\d{4}-\d{2}-\d{2})(Z|[+-]\d{2}:\d{2})?$/.exec(day) ?? [];
  if (date !== undefined) return `${date}T00:00:00${zone}`;
  return /(?:Z|[+-]\d{2}:\d{2})$/.test(day) ? day : `${day}Z`;
}

/** Findings that only the XML shows. */
function faultsOf(values: Partial<Record<Meaning, string>>, block: Partial<Record<Meaning, string>>): RowFault[] {
  const faults: RowFault[] = [];
  const add = (path: string, fault: string) => void faults.push({ path, fault });
  if (values.amount === undefined) add('params.amount', 'is missing; an amount to be converted (EqvtAmt) is not taken');
  if (values.iban !== undefined && !/^[A-Z]{2}\d{2}[A-Za-z0-9]{1,30}$/.test(values.iban))
    add('params.account_number', 'is no IBAN: those begin with a country and two digits; take it from the payee again');
  if (block.day === undefined) add('notBefore', 'is missing');
  return faults;
}
