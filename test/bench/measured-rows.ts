// The comparison with what a team would build, as the page on scaling shows it: measured figures and nothing else.
import { figureOf } from './measured.ts';

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
