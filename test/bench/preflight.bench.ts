// A file in which ten kinds of fault are planted among honest rows: is each of them found, is nothing honest refused or
// warned of, and what does it cost to look?
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createWriteStream, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cardJwks } from '../support/card-keys.ts';
import type { Benchmark, Measurement } from './harness.ts';
import { runTool } from './surroundings/measured-tool.ts';

/** The benchmark of this file; `--jobs` sets the rows. */
export const preflightBenchmarks: readonly Benchmark[] = [
  {
    name: 'preflight',
    description:
      'ten kinds of fault planted in a million rows: those missed, honest rows refused or warned of, CPU, memory',
    run: ({ jobs = 1_000_000 }) => measured(jobs),
  },
];

/** A row as the file has it. */
interface Row {
  readonly id: string;
  readonly amount: string;
  readonly currency: string;
  readonly iban: string;
  readonly bic: string;
  readonly card: string;
}

interface Planted {
  readonly kind: string;
  readonly list: 'faults' | 'warnings';
  readonly spoil: (row: Row, index: number) => Row;
}

const planted: readonly Planted[] = [
  { kind: 'no payee', list: 'faults', spoil: (row) => ({ ...row, iban: '', card: '' }) },
  { kind: 'check digits of the IBAN', list: 'faults', spoil: (row, n) => ({ ...row, iban: mistyped(ibanOf(n)) }) },
  {
    kind: 'length of the IBAN',
    list: 'faults',
    spoil: (row, n) => ({ ...row, iban: ibanOf(n).slice(0, -1), card: '' }),
  },
  { kind: 'no IBAN at all', list: 'faults', spoil: (row) => ({ ...row, iban: '0532013000', card: '' }) },
  { kind: 'no BIC', list: 'faults', spoil: (row) => ({ ...row, bic: 'DEUTZZFF' }) },
  {
    kind: 'check digit of the card',
    list: 'faults',
    spoil: (row, n) => ({ ...row, iban: '', card: otherDigit(cardOf(n)) }),
  },
  { kind: 'no such currency', list: 'faults', spoil: (row) => ({ ...row, currency: 'EUX' }) },
  { kind: 'a currency of the past', list: 'faults', spoil: (row) => ({ ...row, currency: 'DEM' }) },
  { kind: 'the payment of the row before', list: 'warnings', spoil: (_, n) => ({ ...honest(n - 1), id: `INV-${n}` }) },
  {
    kind: 'a bank of another country',
    list: 'warnings',
    spoil: (row, n) => ({ ...row, iban: ibanOf(n), card: '', bic: 'BNPAFRPP' }),
  },
];

/** How far apart they are; a prime, so that each kind falls among honest rows of every sort. */
const apart = 997;

function honest(index: number): Row {
  const pays = index % 4 === 3 ? { iban: '', card: cardOf(index) } : { iban: ibanOf(index), card: '' };
  const amount = `${(index % 9_000) + 1}.${String(index % 100).padStart(2, '0')}`;
  return { id: `INV-${index}`, amount, currency: index % 7 === 0 ? 'USD' : 'EUR', bic: 'DEUTDEFF', ...pays };
}

function ibanOf(index: number): string {
  const bban = `37040044${String(index).padStart(10, '0')}`;
  return `DE${String(98n - (BigInt(`${bban}131400`) % 97n)).padStart(2, '0')}${bban}`;
}

function cardOf(index: number): string {
  const digits = `411111${String(index).padStart(9, '0')}`;
  const sum = [...digits].reduce((total, digit, at) => {
    const value = at % 2 === 0 ? Number(digit) * 2 : Number(digit);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

const otherDigit = (text: string) => `${text.slice(0, -1)}${(Number(text.at(-1)) + 1) % 10}`;
const mistyped = (iban: string) => `${iban.slice(0, 12)}${(Number(iban[12]) + 1) % 10}${iban.slice(13)}`;

async function measured(rows: number): Promise<Measurement> {
  const folder = await mkdtemp(join(tmpdir(), 'payouts-bench-'));
  try {
    const expected = await writeFile(join(folder, 'rows.csv'), rows);
    const [faults, warnings] = [join(folder, 'rows.faults.csv'), join(folder, 'rows.warnings.csv')];
    const lists = ['--output', folder, '--skip-invalid', '--card-keys', join(folder, 'card-keys.json')];
    const layout = join(folder, 'layout.json');
    writeFileSync(layout, JSON.stringify({ columns: { BIC: 'bank_name' } }));
    writeFileSync(join(folder, 'card-keys.json'), JSON.stringify(cardJwks));
    const same = ['--merchant', 'acme-eu', '--operation', 'payout', '--endpoint', '39915', '--layout', layout];
    const took = await runTool('submit', join(folder, 'rows.csv'), '--dry-run', '--json', ...same, ...lists);
    assert.equal(took.code, 3, took.stdout);
    const [inFaults, inWarnings] = await Promise.all([rowsOf(faults), rowsOf(warnings)]);
    const missed = planted.flatMap(({ kind, list }) => {
      const found = list === 'faults' ? inFaults : inWarnings;
      return [...expected].filter(([row, it]) => it === kind && !found.has(row));
    });
    const isPlanted = (list: Planted['list']) => (row: number) =>
      planted.some((it) => it.kind === expected.get(row) && it.list === list);
    const figures = {
      rows,
      plantedKinds: planted.length,
      planted: expected.size,
      missed: missed.length,
      honestRefused: [...inFaults].filter((row) => !isPlanted('faults')(row)).length,
      honestWarned: [...inWarnings].filter((row) => !isPlanted('warnings')(row)).length,
      cpuSeconds: took.cpuSeconds,
      peakMegabytes: took.peakMegabytes,
    };
    return { figures, bounds: boundsOf(rows) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function boundsOf(rows: number): Measurement['bounds'] {
  const most = (figure: string, limit: number) => ({ kind: 'most' as const, figure, most: limit });
  const counts = [most('missed', 0), most('honestRefused', 0), most('honestWarned', 0)];
  return rows === 1_000_000 ? [...counts, most('cpuSeconds', 30), most('peakMegabytes', 400)] : counts;
}

/** Row of the file to what is planted there. */
async function writeFile(path: string, rows: number): Promise<Map<number, string>> {
  const expected = new Map<number, string>();
  const file = createWriteStream(path);
  file.write('order_id,amount,currency,description,IBAN,BIC,card number\n');
  for (let index = 0; index < rows; index += 1) {
    const spoiled = index % apart === apart - 1 ? planted[Math.floor(index / apart) % planted.length] : undefined;
    if (spoiled) expected.set(index + 2, spoiled.kind);
    const { id, amount, currency, iban, bic, card } = spoiled ? spoiled.spoil(honest(index), index) : honest(index);
    const line = `${id},${amount},${currency},Invoice ${index},${iban},${bic},${card}\n`;
    if (!file.write(line)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
  assert.ok(new Set(expected.values()).size === planted.length, 'too few rows for every kind');
  return expected;
}

async function rowsOf(path: string): Promise<Set<number>> {
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n').slice(1);
  return new Set(lines.map((line) => Number(line.slice(0, line.indexOf(',')))));
}
