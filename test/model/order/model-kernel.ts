// The order's kernel as the world of the model calls it: one order without its item, its queues and its texts.
import type { DecidingLine } from '../../../lib/payout/order/decisions.ts';
import { type Attempt, type Facts, noFacts } from '../../../lib/payout/order/facts.ts';
import type { Report as RealReport } from '../../../lib/payout/order/reports.ts';
import { clockSkewMs, waitHorizonMs } from '../../../lib/payout/order/time.ts';
import { newOrder, type Order as RealOrder } from '../../../lib/payout/order/order.ts';
import type { Kernel } from './kernel.ts';

export type { Attempt, Facts } from '../../../lib/payout/order/facts.ts';

/** The unit of the world's clock: two clocks are three of them apart at most. */
export const unitMs = clockSkewMs / 3;

/** Every horizon is over by then. */
export const farMs = waitHorizonMs * 2;

/** The contract of a merchant, as the world has it. */
export interface Contract {
  readonly skewMs: number;
  readonly quietMs: number;
  readonly horizonMs: number;
  readonly acceptedHorizonMs: number;
  readonly endsDenied: boolean;
  /** Within this time an account names what it has taken. */
  readonly visibleMs: number;
  /** Longer than any queue or repeated callback remembers. */
  readonly lostForMs: number;
}

/** A report, as the world gives it: with another amount, or by a proof that can be cut in two ways. */
export interface Report extends Pick<RealReport, 'account' | 'id' | 'alias' | 'level' | 'amount'> {
  readonly account: string;
  readonly callback?: 'proven' | 'ambiguous';
}

/** An answer of the account to a question by the order's own id. */
export interface Inquiry {
  readonly account: string;
  readonly askedMs: number;
  readonly answeredMs: number;
  readonly found: readonly Report[];
  readonly namesNewest: boolean;
}

/** The order as the world keeps it. */
export interface Order {
  readonly version: number;
  readonly job?: string;
  readonly facts: Facts;
  readonly told: { readonly revision: number; readonly digest?: string; readonly content?: string };
}

/** What a writer knows besides the facts. */
export interface Recording {
  readonly nowMs: number;
  readonly contract: Contract;
  readonly endId: string;
  readonly job?: string;
  readonly verdict?: 'expired' | 'discarded';
}

/** What a person wishes. */
export interface Wish {
  readonly id: string;
  readonly kind: 'paid' | 'not-paid' | 'cancel';
  readonly seen: string;
  readonly by: readonly string[];
  readonly line?: DecidingLine;
}

/** A reason without words. */
export const said = { code: 'NO_ANSWER', message: '' };

/** The kernel under the names that the world uses. */
export function modelOf(kernel: Kernel) {
  const contractOf = (it: Contract) => ({
    quietPeriodMs: it.quietMs,
    horizonMs: it.horizonMs,
    acceptedHorizonMs: it.acceptedHorizonMs,
    endsDenied: it.endsDenied,
    visibleAfterMs: it.visibleMs + it.skewMs,
    namesNewest: false,
  });

  function factsOfReport(facts: Facts, { callback, amount, ...it }: Report, version: number): Facts {
    const isOther = callback === 'proven' && amount !== undefined;
    const kind = callback === 'ambiguous' ? ('doubtful' as const) : isOther ? ('contradicting' as const) : callback;
    const more = { ...(kind && { callback: kind }), ...(!callback && amount !== undefined && { amount }) };
    return kernel.factsOfReport(facts, { ...it, ...more, atMs: 1 }, version);
  }

  function realOf({ version, job, facts, told }: Order, fixed: string | undefined): RealOrder {
    const content = (fixed ?? job) === undefined ? undefined : { fingerprint: fixed ?? job ?? '', ...anyPayout };
    const published = { revision: told.revision, digest: told.digest ?? '', atMs: 0 };
    return { ...newOrder('m/o', 1, content), version, facts, published };
  }

  return {
    atMost: kernel.atMost,
    join: kernel.join,
    fold: kernel.fold,
    maySend: kernel.maySend,
    signsOf: kernel.signsOf,
    attemptsOf: kernel.attemptsOf,
    ofAttempt: kernel.ofAttempt,
    factsOfAnswer: kernel.factsOfAnswer,
    factsOfReport,
    noFacts,
    newOrder: { version: 0, facts: noFacts, told: { revision: 0 } } as Order,
    seen: (facts: Facts, nowMs: number, contract: Contract) => kernel.shownOf(facts, nowMs, contractOf(contract)),

    factsOfInquiry(facts: Facts, it: Inquiry, contract: Contract, version: number): Facts {
      const { account, askedMs, answeredMs, found } = it;
      const named = found.map(({ id }) =>
        id === undefined
          ? undefined
          : kernel.attemptsOf(facts).findLast((attempt) => kernel.bears(attempt, account, id)),
      );
      const numbers = named.map((attempt) => attempt?.number ?? Infinity);
      const isSilent = found.length === 0 || (it.namesNewest && numbers.every((number) => number < Infinity));
      const silence = { account, askedMs, answeredMs, ...(found.length > 0 && { names: Math.max(...numbers) }) };
      const absent = isSilent ? kernel.factsOfSilence(facts, silence, contractOf(contract)) : noFacts;
      return found.reduce(
        (all, report) => kernel.join(all, factsOfReport(kernel.join(facts, all), report, version)),
        absent,
      );
    },

    /** With what an order begins that a restored ledger does not hold; its `lost` attempt has the moment of the pause as its lease. */
    beginning(lost: Attempt, nowMs: number, { skewMs, lostForMs }: Contract, sentMs?: number): Facts {
      const isOld = sentMs !== undefined && sentMs <= lost.leaseUntilMs + skewMs;
      const isLong = nowMs > lost.leaseUntilMs + lostForMs;
      if (isOld || (sentMs === undefined && !isLong)) return kernel.ofAttempt(lost);
      return isLong ? noFacts : { ...noFacts, dropped: { ...noFacts.dropped, lost: true } };
    },

    decide(facts: Facts, { id, kind, seen, by, line }: Wish, nowMs: number, contract: Contract): Facts | string {
      const terms = contractOf(contract);
      if (seen !== kernel.shownOf(facts, nowMs, terms)) return 'something came since';
      const why = kernel.whyUndecided(facts, kind, nowMs, terms, line);
      if (why !== undefined) return why;
      if (kind === 'not-paid' && kernel.isSaidPaid(facts) && new Set(by).size < 2) return 'two persons decide';
      const decision = { id, kind, by: by.join(), reason: '', atMs: nowMs, saw: kernel.signsOf(facts) };
      return { ...noFacts, decisions: { [id]: decision } };
    },

    /** The order with these facts and with all that follows; the very same one where nothing is new. */
    recorded(before: Order, added: Facts, { nowMs, contract, endId, job = before.job, verdict }: Recording): Order {
      const fixed = before.job ?? job;
      const real = realOf(before, fixed);
      const due = verdict && job === fixed && { reason: verdict, code: 'EXPIRED', message: '' };
      const it = { nowMs, contract: contractOf(contract), endId, ...(due && { verdict: due }) };
      let next = kernel.recorded(real, added, it);
      if (next === real && fixed === before.job) return before;
      if (next === real) next = kernel.withRevision({ ...real, version: real.version + 1 }, real);
      const { revision, digest } = next.published;
      const isNews = revision !== before.told.revision;
      const { result, failure, endId: name, attempts } = kernel.viewOf(next);
      const says = { status: result, code: failure?.code, endId: name, attempts };
      const content = isNews ? JSON.stringify(says) : before.told.content;
      return {
        ...before,
        ...(fixed !== undefined && { job: fixed }),
        version: next.version,
        facts: next.facts,
        told: { revision, digest, ...(content !== undefined && { content }) },
      };
    },
  };
}

const anyPayout = { operation: 'payout', endpointId: '1' } as const;

/** The kernel of the model. */
export type ModelKernel = ReturnType<typeof modelOf>;
