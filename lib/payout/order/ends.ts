// The end that is due to an order, with the reason that people read.
import { longestWaitDays } from '../limits.ts';
import { whereSet } from '../where-set.ts';
import { attemptsOf, type Decision, type End, type Facts, type Said } from './facts.ts';
import { fold } from './fold.ts';
import type { EndReason } from './standing.ts';
import { decisionsIn, signsOf } from './signs.ts';
import { type Contract, waitHorizonMs } from './time.ts';

/** An end that is to be written. */
export type EndDue = { readonly reason: EndReason } & Said;

/** The reason alone, of whatever bears it. */
export const saidOf = ({ code, message, gatewayCode, httpStatus }: Said): Said =>
  whereSet<Said>({ code, message, gatewayCode, httpStatus });

/** An end as the facts have it now. */
export const endOf = (
  facts: Facts,
  it: { readonly id: string; readonly number: number } & EndDue,
  nowMs: number,
): End => ({ ...it, atMs: nowMs, saw: signsOf(facts) });

/** The moment and the contract by which an end is due; `verdict`: the end that the writer's job meets where nothing of its order lives. */
interface Moment {
  readonly nowMs: number;
  readonly contract?: Pick<Contract, 'endsDenied'> | undefined;
  readonly verdict?: EndDue | undefined;
}

/** The end that is to be written now; undefined where none is. */
export function endDue(facts: Facts, { nowMs, contract, verdict }: Moment): EndDue | undefined {
  const status = fold(facts);
  switch (status.kind) {
    case 'over':
      return status.end ? undefined : { reason: status.reason, ...reasonOf(status.reason, facts) };
    case 'new':
      return verdict;
    case 'ready':
      return verdict ?? (nowMs > status.attempt.leaseUntilMs + waitHorizonMs ? unsentTooLong(facts) : undefined);
    case 'held':
      if (status.reason === 'not-at-gateway' && contract?.endsDenied) return { reason: 'denied', ...notAtGateway };
      return status.reason === 'card-data' ? verdict : undefined;
    case 'sending':
    case 'verifying':
    case 'accepted':
    case 'approved':
    case 'in-doubt':
      return undefined;
    default:
      return status satisfies never;
  }
}

const notAtGateway: Said = { code: 'NOT_AT_GATEWAY', message: 'the gateway knows no such order' };

/** The last refusal of the order, by its own answer or by a report. */
function refusalIn(facts: Facts): Said | undefined {
  const last = attemptsOf(facts).at(-1);
  return last?.answer?.kind === 'refused' ? saidOf(last.answer) : last?.declined;
}

function unsentTooLong(facts: Facts): EndDue {
  const why = refusalIn(facts);
  const message = `it waited for ${longestWaitDays} days${why ? `: ${why.message}` : ' and was never sent'}`;
  return { reason: 'waited-too-long', ...why, code: 'WAITED_TOO_LONG', message };
}

function reasonOf(reason: EndReason, facts: Facts): Said {
  switch (reason) {
    case 'cancelled':
      return { code: 'CANCELLED', message: saidBy(facts, 'cancel') };
    case 'decided':
      return { code: 'RELEASED_NOT_PAID', message: saidBy(facts, 'not-paid') };
    case 'declined': {
      const { answer, declined } = attemptsOf(facts).at(-1) ?? {};
      if (answer?.kind === 'refused' && answer.about === 'order') return saidOf(answer);
      return declined ?? { code: 'GATEWAY_DECLINED', message: 'the gateway declined it' };
    }
    default:
      return refusalIn(facts) ?? { code: 'NOT_SENT', message: 'refused before it was processed' };
  }
}

/** The last person who decided so. */
function saidBy(facts: Facts, kind: Decision['kind']): string {
  const last = decisionsIn(facts)
    .filter((it) => it.kind === kind)
    .toSorted((a, b) => a.atMs - b.atMs)
    .at(-1);
  return last ? `${last.by}: ${last.reason}` : '';
}
