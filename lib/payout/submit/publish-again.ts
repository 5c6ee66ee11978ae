// The result for a message that changes nothing about its order.
import type { MerchantAccess } from '../../gateway/ports.ts';
import type { Job } from '../message/job.ts';
import { matchAccount } from '../order/account.ts';
import { attemptsOf } from '../order/facts.ts';
import { isCancelled } from '../order/fold.ts';
import type { Order } from '../order/order.ts';
import { sourceOf } from './claim.ts';
import { type JobEnd, type EndPorts, type JobDelivery, resultOrKept, reused, waits } from './end.ts';

/**
 * The order's result, published again. But an order that was sent to another account (the sandbox, say) is no payment of the
 * account that the message is for: then the result is about the message, unless the order came from this very content.
 */
export function publishAgain(
  order: Order,
  job: Job,
  message: JobDelivery,
  credentials: MerchantAccess | undefined,
  ports: EndPorts,
): JobEnd {
  const account = credentials && accountElsewhere(order, job, message.body, credentials);
  if (account !== undefined) {
    const failure = {
      code: 'ORDER_ID_REUSED',
      message: `this order id was sent to another account of the gateway (${account}); give the new order a new id`,
    } as const;
    return reused(job, message, ports, failure);
  }
  const end = resultOrKept(order, message, ports);
  // While there is no result to publish yet, no delivery may end in silence.
  return end.kind === 'wait' || end.result ? end : waits('busy', message, ports);
}

function accountElsewhere({ facts }: Order, job: Job, body: string, credentials: MerchantAccess): string | undefined {
  const attempts = attemptsOf(facts);
  const account = attempts.at(-1)?.accounts[0];
  // The same file comes to the sandbox first and is to be paid then: its result there is no payment.
  const isSameMode = account?.startsWith('test:') === (credentials.mode === 'test');
  const isOwn = isSameMode && attempts.some(({ source }) => source === sourceOf(job, body));
  if (isOwn || account === undefined || isCancelled(facts)) return undefined;
  return matchAccount({ account, endpointId: job.endpointId }, credentials).kind === 'unknown' ? account : undefined;
}
