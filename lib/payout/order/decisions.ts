// A person's decision about an order: what was shown, and why it is refused. It covers what the person saw, and nothing that came since.
import { createHash } from 'node:crypto';
import { atMost, attemptsOf, type Decision, type Facts, isBeyond, isPaid } from './facts.ts';
import { fold, type Status } from './fold.ts';
import { livingAttempts } from './living.ts';
import { bears, heardOf, signOf, signsOf, unknownAlive } from './signs.ts';
import { standingOfStatus, standings } from './standing.ts';
import { type Contract, quietAtMs } from './time.ts';

type Quiet = Pick<Contract, 'quietPeriodMs'>;

/** The living attempts in their quiet period: the gateway may still report them. */
const unquiet = (facts: Facts, nowMs: number, contract: Quiet) =>
  livingAttempts(facts).filter((it) => nowMs < quietAtMs(it, contract));

/** The digest of what a person is shown of an order: signs, decisions, and the living attempts in their quiet period. */
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

/** Why this decision is refused now, for people; undefined if it is not. */
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
      return isIdle(status)
        ? undefined
        : "an attempt or a transaction of it may have moved money, so it can't be cancelled";
    case 'paid':
      if (status.kind === 'sending') return 'it is being sent: wait for its answer';
      if (isIdle(status)) return 'none of its attempts can have moved money, so it is not paid';
      if (isNotThere(facts)) return 'the gateway was asked and knows no such order';
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
const tooManyDecisions = `it has ${atMost.decisions} decisions, as many as an order keeps: use a new id`;
const tooManyTransactions = 'the gateway has more transactions of this id than an order keeps: use a new id';

/** True if the account, asked after the lease, knew none of the living attempts; if none lives, not the last one. */
function isNotThere(facts: Facts): boolean {
  const living = livingAttempts(facts);
  const meant = living.length > 0 ? living : attemptsOf(facts).slice(-1);
  const isUnknown = meant.every((it) => Object.keys(it.absent).length > 0 && signOf(it, facts) === '');
  return meant.length > 0 && isUnknown && unknownAlive(facts).length === 0;
}

/** True if no attempt lives: nothing of the order is paid, and nothing can be. */
const isIdle = (status: Status): boolean => !standings[standingOfStatus(status, true)].moneyMayHaveMoved;

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
  const until = new Date(quietAtMs(early, contract)).toISOString();
  return `too early: the gateway may still report it until ${until} (the quiet period after its last lease); decide after that`;
}

/** A line of a report decides "not paid" only if it names the one living transaction, by that transaction's only id. */
function whyNotNamed(facts: Facts, line: DecidingLine | undefined): string | undefined {
  if (!line) return undefined;
  const [only, ...others] = livingAttempts(facts);
  const isNamed = only?.ids.length === 1 && bears(only, line.account, line.id);
  const isOnly = isNamed && others.length === 0 && unknownAlive(facts).length === 0;
  return isOnly ? undefined : 'the line does not name the only transaction of the order';
}

const whyBeyond = (facts: Facts): string | undefined =>
  unknownAlive(facts).some(isBeyond) ? tooManyTransactions : undefined;

/** True if a callback that proves too little says "paid". Then two different persons must decide "not paid". */
export const isSaidPaid = (facts: Facts): boolean =>
  [...livingAttempts(facts).map((it) => heardOf(it, facts)), ...unknownAlive(facts)].some(({ reports }) =>
    reports.includes('said-paid'),
  );
