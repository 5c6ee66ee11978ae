// The demand of a random world: its merchants with their contracts, and the lines of a job file.
import type { OperationName } from '../../lib/gateway/operations.ts';
import type { Chance } from './chance.ts';
import { brokenLine, type JobLine, jobLine } from './jobs.ts';
import type { Contract } from './merchants.ts';
import { stormLastsMs } from './random-weather.ts';
import { beginningMs } from './timeline.ts';
import type { World } from './world.ts';
import type { JobBody } from '../support/jobs.ts';

const minuteMs = 60_000;

const inAll = <T>(it: T) => ({ EUR: it, USD: it, JPY: it });
/** The contract of each merchant. */
export const contracts: Readonly<Record<string, Contract>> = {
  acme: { statusInquiry: false, duplicateOrderIds: 'accepted' },
  bern: { statusInquiry: true, duplicateOrderIds: 'accepted', resubmitUnknownOrders: true, doubtHorizonSeconds: 7_200 },
  cato: { statusInquiry: false, duplicateOrderIds: 'refused' },
  dora: { statusInquiry: true, duplicateOrderIds: 'refused', doubtHorizonSeconds: 7_200 },
  emil: {
    statusInquiry: true,
    duplicateOrderIds: 'accepted',
    resubmitUnknownOrders: true,
    doubtHorizonSeconds: 3_600,
    caps: inAll({ single: '50', perDay: '30' }),
  },
  fara: {
    statusInquiry: true,
    duplicateOrderIds: 'accepted',
    doubtHorizonSeconds: 600,
    doubtLimits: inAll('15'),
  },
};
/** The same, where two persons must release dora's payouts. */
export const contractsOfTwoPersons: typeof contracts = {
  ...contracts,
  dora: { statusInquiry: true, duplicateOrderIds: 'refused', doubtHorizonSeconds: 7_200, twoPersonRelease: true },
};
/** The names of the merchants. */
export const merchants = ['acme', 'bern', 'cato', 'dora', 'emil', 'fara'] as const;
/** Batches that some lines belong to. */
export const batches = ['monday', 'tuesday'] as const;

/** The operations that senders ask for. */
const asked = [
  'transfer',
  'transfer-by-ref',
  'payout',
  'payout',
  'payout',
  'pan-eligibility',
] as const satisfies OperationName[];

/** The approvals of lines that two persons must release, and for the others the fields that the contract refuses. */
export function oddsOf(
  { contracts: its, merchants: { approvals } }: World,
  chance: Chance,
): NonNullable<LinesDrawn['oddsOf']> {
  return ({ merchant, operation }, index) => {
    const isCheck = operation === 'pan-eligibility';
    if (!its[merchant]?.twoPersonRelease) return !isCheck && chance.happens(0.02) ? { outsideContract: true } : {};
    const untilMs = beginningMs + chance.pick([5, 20, 600]) * minuteMs;
    if (chance.happens(0.4)) return { approve: null };
    const approve = (body: JobBody) => ({ body: approvals.approve(body, `approved-${index}`, untilMs), untilMs });
    return { card: undefined, approve };
  };
}

type Drawn = Parameters<typeof jobLine>[0];

/** The options of the lines. */
interface LinesDrawn {
  readonly cards?: boolean;
  /** The odds of a line. */
  readonly oddsOf?: (line: Drawn, index: number) => Partial<Drawn>;
}

/** A job file. */
export function drawLines(chance: Chance, jobs: number, { cards = false, oddsOf }: LinesDrawn = {}): JobLine[] {
  return Array.from({ length: jobs }, (_, index) => {
    if (chance.happens(0.01)) return brokenLine(`{"version":1,"orderId":"${index}"`);
    // Some order ids are used twice, for the same amount (a job file with a line twice) or for another.
    const number = chance.happens(0.05) ? chance.between(0, index) : index;
    const wholeUnits = chance.happens(0.02) ? 99 : 10 + (number % 7);
    const operation = chance.pick(asked);
    // A job of an unknown merchant goes round for a day, about a hundred times.
    const merchant = chance.happens(0.0005) ? 'nobody' : (merchants[number % merchants.length] ?? 'acme');
    const expiresAt = chance.happens(0.03)
      ? { expiresAt: new Date(beginningMs + chance.between(0, stormLastsMs)).toISOString() }
      : {};
    const batchId = chance.happens(0.2) ? { batchId: chance.pick(batches) } : {};
    const card = cards && operation === 'transfer' ? cardOf(number) : {};
    const drawn = { operation, merchant, orderId: `order-${number}`, wholeUnits, ...expiresAt, ...batchId, ...card };
    return jobLine({ ...drawn, ...oddsOf?.(drawn, index) });
  });
}

/** The card by the order's number alone: the same order is asked for in the same way each time. */
function cardOf(number: number): { readonly card?: 'number' | 'number and CVV' } {
  if (number % 2 === 0) return { card: 'number and CVV' };
  return number % 4 === 1 ? { card: 'number' } : {};
}
