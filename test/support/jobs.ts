// Builders of job messages: each is complete and valid, a story names only the fields that it is about.
import { type Job, parseJob } from '../../lib/payout/message/job.ts';

/** A job message as its sender writes it, before JSON. */
export interface JobBody {
  readonly version: number;
  readonly operation: string;
  readonly merchant: string;
  readonly endpointId: string;
  readonly orderId: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly sealedParams?: string;
  readonly notBefore?: string;
  readonly expiresAt?: string;
  readonly batchId?: string;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly approval?: string;
  /** The end that its sender wants reopened. */
  readonly resends?: string;
}

/** Well-known test card numbers. */
export const testCards = { sender: '4111111111111111', receiver: '5555555555554444' };

/** 10.42 EUR to a bank account. */
export function aPayoutJob(changes: Partial<JobBody> = {}): JobBody {
  const params = {
    amount: '10.42',
    currency: 'EUR',
    order_desc: 'Invoice 123',
    account_number: 'DE89370400440532013000',
    bank_name: 'Deutsche Bank',
  };
  return aJobBody('payout', 'INV-1', params, changes);
}

/** 25.00 USD from card to card. */
export function aTransferJob(changes: Partial<JobBody> = {}): JobBody {
  const params = {
    amount: '25.00',
    currency: 'USD',
    order_desc: 'Rent',
    credit_card_number: testCards.sender,
    card_printed_name: 'JANE DOE',
    cvv2: '737',
    expire_month: '12',
    expire_year: '2030',
    'destination-card-no': testCards.receiver,
  };
  return aJobBody('transfer', 'TRF-1', params, changes);
}

/** 1000 JPY to a card. */
export function aTransferByRefJob(changes: Partial<JobBody> = {}): JobBody {
  const params = {
    amount: '1000',
    currency: 'JPY',
    order_desc: 'Refund',
    'destination-card-no': testCards.receiver,
  };
  return aJobBody('transfer-by-ref', 'REF-1', params, changes);
}

/** The question whether this stored card may send. */
export function anEligibilityJob(changes: Partial<JobBody> = {}): JobBody {
  return aJobBody('pan-eligibility', 'CHK-1', { 'sending-card-ref-id': '1234567890' }, changes);
}

/** The same without these params. */
export function withoutParams(body: JobBody, ...names: string[]): JobBody {
  return { ...body, params: Object.fromEntries(Object.entries(body.params).filter(([name]) => !names.includes(name))) };
}

/** The job of a message body. */
export function jobOf(body: JobBody): Job {
  const parsed = parseJob(JSON.stringify(body));
  if (parsed.kind === 'rejected') throw new Error(`not a job: ${JSON.stringify(parsed.faults)}`);
  return parsed.job;
}

function aJobBody(
  operation: string,
  orderId: string,
  params: Readonly<Record<string, string>>,
  changes: Partial<JobBody>,
): JobBody {
  return {
    version: 1,
    operation,
    merchant: 'acme-eu',
    endpointId: '39915',
    orderId,
    ...changes,
    params: { ...params, ...changes.params },
  };
}
