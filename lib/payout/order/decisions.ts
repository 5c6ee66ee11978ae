// A person's decision about an order: what was shown, and why it is refused. It covers what the person saw, and nothing that came since.
import { createHash } from 'node:crypto';
import { atMost, attemptsOf, type Decision, type Facts, isBeyond, isPaid } from './facts.ts';
import { fold, type Status } from './fold.ts';
import { livingAttempts } from './living.ts';
import { bears, heardOf, signOf, signsOf, unknownAlive } from './signs.ts';
import { type Contract, quietAtMs } from './time.ts';

type Quiet = Pick<Contract, 'quietPeriodMs'>;

/** The living attempts of which what was sent may still come to light. */
const unquiet = (facts: Facts, nowMs: number, contract: Quiet) =>
  livingAttempts(facts).filter((it) => nowMs < quietAtMs(it, contract));

/** The digest of what a page shows of an order. It changes also when the quiet period of a living attempt is over. */
export function shownOf(facts: Facts, nowMs: number, contract: Quiet): string {
  const signs = Object.entries(signsOf(facts)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const decisions = Object.keys(facts.decisions).toSorted();
  const tooEarly = unquiet(facts, nowMs, contract).map(({ id }) => id);
  const all = JSON.stringify([signs, decisions, facts.unproven, tooEarly]);
  return createHash('sha256').update(all).digest('base64url').slice(0, 16);
}

/** A line of the gateway's report by which a person decides: what it names, and when the report was drawn. */
export interface DecidingLine {
  readonly account: string;
  readonly id: string;
  readonly drawnMs: number;
}

/** Why the order can't be decided like this now; undefined where it can. */
export function whyUndecided(
  facts: Facts,
  kind: Decision['kind'],
  nowMs = Infinity,
  contract: Quiet = { quietPeriodMs: 0 },
  line?: DecidingLine,
): string | undefined {
  const status = fold(facts);
  switch (kind) {
    case 'cancel':
      if (unknownAlive(facts).some(isBeyond)) return tooManyTransactions;
      return isIdle(status) ? undefined : "it was claimed, so it can't be cancelled any more";
    case 'paid':
      if (isIdle(status) || status.kind === 'sending') return 'nothing of it was sent, so it is not paid';
      if (isNotThere(facts)) return 'the gateway, asked, knows no such order';
      return isFull(facts) ? tooManyDecisions : undefined;
    case 'not-paid':
      if (['new', 'ready', 'over'].includes(status.kind)) return 'nothing of it is in doubt';
      if (status.kind === 'held' && status.reason === 'too-many')
        return 'it had as many attempts as an order may have: cancel it';
      if (isFull(facts)) return tooManyDecisions;
      return (
        whyPaid(facts) ?? whyTooEarly(facts, nowMs, contract, line) ?? whyNotNamed(facts, line) ?? whyBeyond(facts)
      );
    default:
      return kind satisfies never;
  }
}

const isFull = ({ decisions }: Facts): boolean => Object.keys(decisions).length >= atMost.decisions;
const tooManyDecisions = `it bears ${atMost.decisions} decisions already, as many as an order keeps: use a new id`;
const tooManyTransactions = 'the gateway has more transactions of this id than an order keeps: use a new id';

/** True where the account, asked after the lease, knew none of the attempts that may live, or the last one. */
function isNotThere(facts: Facts): boolean {
  const living = livingAttempts(facts);
  const meant = living.length > 0 ? living : attemptsOf(facts).slice(-1);
  const isUnknown = meant.every((it) => Object.keys(it.absent).length > 0 && signOf(it, facts) === '');
  return meant.length > 0 && isUnknown && unknownAlive(facts).length === 0;
}

const idleHolds: ReadonlySet<string> = new Set(['card-data', 'too-many']);

/** True where no attempt lives: nothing of the order is paid, and nothing can be. */
const isIdle = (status: Status): boolean =>
  ['new', 'ready', 'over'].includes(status.kind) || (status.kind === 'held' && idleHolds.has(status.reason));

function whyPaid(facts: Facts): string | undefined {
  const attempts = attemptsOf(facts).filter((it) => isPaid(heardOf(it, facts)));
  const paid = [
    ...attempts.map(({ ids: [id = ''] }) => id),
    ...unknownAlive(facts)
      .filter(isPaid)
      .map(({ id = '' }) => id),
  ];
  if (paid.length === 0 && fold(facts).kind !== 'approved') return undefined;
  return `the gateway has reported ${paid.find(Boolean) ?? 'an order of this id'} as paid: the order is released as paid, or stays held`;
}

function whyTooEarly(facts: Facts, nowMs: number, contract: Quiet, line: DecidingLine | undefined): string | undefined {
  const [early] = unquiet(facts, Math.min(nowMs, line?.drawnMs ?? nowMs), contract);
  if (!early) return undefined;
  const after = new Date(quietAtMs(early, contract)).toISOString();
  return `what was sent may still come to light: decide after ${after} (the quiet period after its last lease)`;
}

/** A line says "not paid" only of the one transaction that lives, by its only id. */
function whyNotNamed(facts: Facts, line: DecidingLine | undefined): string | undefined {
  if (!line) return undefined;
  const [only, ...others] = livingAttempts(facts);
  const isNamed = only?.ids.length === 1 && bears(only, line.account, line.id);
  const isOnly = isNamed && others.length === 0 && unknownAlive(facts).length === 0;
  return isOnly ? undefined : 'the line does not name its only transaction';
}

const whyBeyond = (facts: Facts): string | undefined =>
  unknownAlive(facts).some(isBeyond) ? tooManyTransactions : undefined;

/** True where a callback that proves too little says "paid": two different persons decide that it is not. */
export const isSaidPaid = (facts: Facts): boolean =>
  [...livingAttempts(facts).map((it) => heardOf(it, facts)), ...unknownAlive(facts)].some(({ reports }) =>
    reports.includes('said-paid'),
  );
