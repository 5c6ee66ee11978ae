// Tables of the pages that are measured figures and nothing else.
import type { Bound } from './harness.ts';
import { figureOf, type Kept, measured } from './measured.ts';

const number = (value: number) =>
  Math.abs(value) < 1_000
    ? String(Number(value.toPrecision(3)))
    : Math.round(Number(value.toPrecision(4))).toLocaleString('en-US');

/** `oursCpuMs` as `ours CPU ms`. */
const words = (figure: string) =>
  figure
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll(/\b(cpu|aws|sqs|kb|mb|csv)\b/g, (it) => it.toUpperCase());

const boundText = (bound: Bound) =>
  bound.kind === 'least' ? `at least ${number(bound.least)}` : `at most ${number(bound.most)}`;

/** Each figure, and its bound where it has one. Of very many that share a bound the worst, and how many there are. */
function figuresText({ figures, bounds }: Kept): string {
  const all = Object.entries(figures).map(([figure, value]) => ({
    figure,
    value,
    bound: bounds.find((it) => it.figure === figure),
  }));
  if (all.length > 24) {
    const groups = Map.groupBy(all, ({ bound }) => (bound ? boundText(bound) : ''));
    return [...groups]
      .filter(([text]) => text !== '')
      .map(([text, its]) => {
        const values = its.map(({ value }) => value);
        const worst = text.startsWith('at least') ? Math.min(...values) : Math.max(...values);
        return `the worst of ${its.length} ${number(worst)} (${text})`;
      })
      .join('; ');
  }
  return all
    .map(({ figure, value, bound }) => `${words(figure)} ${number(value)}${bound ? ` (${boundText(bound)})` : ''}`)
    .join('; ');
}

/** Every benchmark's figures. */
export const measuredRows = (): string[][] =>
  Object.entries(measured).map(([name, its]) => [
    `\`${name}\``,
    its.description,
    figuresText(its),
    `${its.measuredOn}, ${number(Number(its.loadOfACore.toFixed(1)))}`,
  ]);

/** The sides of the comparison, as the page names them. Of a process that is new only what it comes to out of the box. */
const sides = [
  { name: 'ours', says: 'this worker', isCold: true },
  {
    name: 'powertools',
    says: 'Powertools batch + idempotency + axios, as it comes: a call for each result',
    isCold: true,
  },
  { name: 'powertoolsInTens', says: 'the same, results in tens as here', isCold: false },
  { name: 'powertoolsInTensFresh', says: 'the same, and a connection for each payment as here', isCold: false },
  { name: 'middy', says: 'middy + fetch, as it comes; no ledger, so that a second delivery pays again', isCold: true },
  { name: 'middyInTens', says: 'the same, results in tens', isCold: false },
  { name: 'bare', says: 'the same calls without any library, deadline or retry: a floor, no worker', isCold: true },
] as const;

const withCapital = (name: string) => name.replace(/^./, (letter) => letter.toUpperCase());

/** CPU of a job beside the peers: in tens, alone, and as the first of a new process. */
export const peerRows = (): string[][] =>
  sides.map(({ name, says, isCold }) => {
    const cells = (benchmark: string, label: string) => {
      const ms = String(Number(figureOf(benchmark, `${name}CpuMs`).toPrecision(2)));
      return name === 'ours' ? [ms, ''] : [ms, figureOf(benchmark, `${label}${withCapital(name)}`).toFixed(2)];
    };
    const isWarm = name !== 'bare';
    return [
      says,
      ...(isWarm ? cells('peers-in-tens', 'beside') : ['', '']),
      ...(isWarm ? cells('peers-alone', 'beside') : ['', '']),
      ...(isCold ? cells('cold-start', 'cpuBeside') : ['', '']),
    ];
  });
