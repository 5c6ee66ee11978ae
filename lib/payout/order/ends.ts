// Which end is due to an order, with the reason for people.
import { longestWaitDays } from '../limits.ts';
import { whereSet } from '../where-set.ts';
import { attemptsOf, type Decision, type End, type Facts, type Reason } from './facts.ts';
import { fold } from './fold.ts';
import type { EndReason } from './standing.ts';
import { decisionsIn, signsOf } from './signs.ts';
import { type Contract, waitHorizonMs } from './time.ts';

/** An end that is to be written. */
export type EndDue = { readonly reason: EndReason } & Reason;

/** The reason's fields alone. */
export const reasonOf = ({ code, message, gatewayCode, httpStatus }: Reason): Reason =>
  whereSet<Reason>({ code, message, gatewayCode, httpStatus });

/** The record of an end, with the signs that it is concluded from. */
export const endOf = (
  facts: Facts,
  due: { readonly id: string; readonly number: number } & EndDue,
  nowMs: number,
): End => ({ ...due, atMs: nowMs, saw: signsOf(facts) });

/** What decides whether an end is due. `verdict`: the end that the writer's job calls for if no attempt of its order lives. */
interface Moment {
  readonly nowMs: number;
  readonly contract?: Pick<Contract, 'endsDenied'> | undefined;
  readonly verdict?: EndDue | undefined;
}

/** The end that is to be written now; undefined if none is. */
export function endDue(facts: Facts, { nowMs, contract, verdict }: Moment): EndDue | undefined {
  const status = fold(facts);
  switch (status.kind) {
    case 'over':
      return status.end ? undefined : { reason: status.reason, ...reasonOfEnd(status.reason, facts) };
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

const unsentTooLong = (facts: Facts): EndDue => ({ reason: 'waited-too-long', ...waitedTooLong(refusalIn(facts)) });

const notAtGateway: Reason = { code: 'NOT_AT_GATEWAY', message: 'the gateway knows no such order' };

/** The last refusal of the order, by its own answer or by a report. */
function refusalIn(facts: Facts): Reason | undefined {
  const last = attemptsOf(facts).at(-1);
  return last?.answer?.kind === 'refused' ? reasonOf(last.answer) : last?.declined;
}

/** The reason of what has waited too long, with what it waited for last. */
export function waitedTooLong(last?: Reason) {
  const message = `it waited for ${longestWaitDays} days${last ? `: ${last.message}` : ' and was never sent'}`;
  return { ...last, code: 'WAITED_TOO_LONG', message } as const;
}

function reasonOfEnd(reason: EndReason, facts: Facts): Reason {
  switch (reason) {
    case 'cancelled':
      return { code: 'CANCELLED', message: decidedBy(facts, 'cancel') };
    case 'decided':
      return { code: 'RELEASED_NOT_PAID', message: decidedBy(facts, 'not-paid') };
    case 'declined': {
      const { answer, declined } = attemptsOf(facts).at(-1) ?? {};
      if (answer?.kind === 'refused' && answer.about === 'order') return reasonOf(answer);
      return declined ?? { code: 'GATEWAY_DECLINED', message: 'the gateway declined it' };
    }
    default:
      return refusalIn(facts) ?? { code: 'NOT_SENT', message: 'refused before it was processed' };
  }
}

/** The person who last decided so, with the reason; empty if there is none. */
function decidedBy(facts: Facts, kind: Decision['kind']): string {
  const last = decisionsIn(facts)
    .filter((it) => it.kind === kind)
    .toSorted((a, b) => a.atMs - b.atMs)
    .at(-1);
  return last ? `${last.by}: ${last.reason}` : '';
}
