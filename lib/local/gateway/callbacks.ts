// Tells the merchant about final states: GET, repeated at growing pauses until it is answered 200.
// Only loopback hosts are called: a job copied from production must not make a simulator talk to the world.
import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type BookedOrder, isFinal } from './order-book.ts';
import type { CallbackPlan, LifeStep, OrderStatus } from './scenario.ts';

/** One try of one callback. */
export interface CallbackAttempt {
  readonly gatewayOrderId: string;
  readonly status: OrderStatus;
  /** 1 for the first try of a callback, 2 for its first repetition. */
  readonly attempt: number;
  /** HTTP status, or why there is none. */
  readonly answer: number | 'no-answer' | 'not-loopback';
  readonly atMs: number;
}

/** An order whose final states are to be reported. */
interface CallbackTask {
  readonly order: BookedOrder;
  readonly controlKey: string;
  readonly urls: readonly string[];
  readonly plan: CallbackPlan;
}

/** The ports of the sender. */
interface CallbackSender {
  readonly retryDelaysMs: readonly number[];
  readonly wait: (durationMs: number) => Promise<void>;
  readonly nowMs: () => number;
  /** Cuts a call that is under way. */
  readonly closing: AbortSignal;
  readonly onAttempt: (attempt: CallbackAttempt) => void;
}

const answerTimeoutMs = 10_000;
const loopbackHost = /^(?:127(?:\.[0-9]{1,3}){3}|localhost|\[::1\])$/;

/** SHA-1 in hex over status, gateway order id, client order id and control key, all joined without separators. */
export function callbackControl(parts: {
  status: string;
  gatewayOrderId: string;
  clientOrderId: string;
  controlKey: string;
}): string {
  const text = `${parts.status}${parts.gatewayOrderId}${parts.clientOrderId}${parts.controlKey}`;
  return createHash('sha1').update(text, 'utf8').digest('hex');
}

/** Sends all callbacks of an order's life, in real time; ends early, by throwing, when the simulator closes. */
export async function sendCallbacks(sender: CallbackSender, task: CallbackTask): Promise<void> {
  const { plan, urls } = task;
  if (plan.kind === 'none' || urls.length === 0) return;
  const steps = task.order.life.filter((step) => isFinal(step.status));
  await (plan.order === 'newest-first'
    ? sendNewestFirst(sender, { ...task, copies: plan.copies, steps })
    : sendAsItHappened(sender, { ...task, copies: plan.copies, steps }));
}

type Report = CallbackTask & { copies: number; steps: readonly LifeStep[] };

async function sendAsItHappened(sender: CallbackSender, report: Report): Promise<void> {
  // Each step keeps its own time: a callback in repetition does not hold the next one back.
  await Promise.all(
    report.steps.map(async (step) => {
      await sender.wait(step.afterMs);
      await reportStep(sender, report, step);
    }),
  );
}

async function sendNewestFirst(sender: CallbackSender, report: Report): Promise<void> {
  await sender.wait(Math.max(0, ...report.steps.map((step) => step.afterMs)));
  for (const step of report.steps.toReversed()) await reportStep(sender, report, step);
}

async function reportStep(sender: CallbackSender, report: Report, { status }: LifeStep): Promise<void> {
  const query = callbackQuery(report, status);
  for (const url of report.urls) {
    for (let copy = 0; copy < report.copies; copy += 1) {
      await deliverOne(sender, { url, query, status, gatewayOrderId: report.order.gatewayOrderId });
    }
  }
}

function callbackQuery({ order, controlKey }: CallbackTask, status: OrderStatus): URLSearchParams {
  const { gatewayOrderId, clientOrderId } = order;
  return new URLSearchParams({
    status,
    type: order.operation,
    orderid: gatewayOrderId,
    client_orderid: clientOrderId,
    merchant_order: clientOrderId,
    ...(order.amount !== undefined && { amount: order.amount }),
    ...(order.currency !== undefined && { currency: order.currency }),
    control: callbackControl({ status, gatewayOrderId, clientOrderId, controlKey }),
  });
}

interface OneCallback {
  readonly url: string;
  readonly query: URLSearchParams;
  readonly status: OrderStatus;
  readonly gatewayOrderId: string;
}

async function deliverOne(sender: CallbackSender, { url, query, status, gatewayOrderId }: OneCallback): Promise<void> {
  for (const [index, delayMs] of [0, ...sender.retryDelaysMs].entries()) {
    await sender.wait(delayMs);
    const answer = await callOnce(url, query, sender.closing);
    sender.onAttempt({ gatewayOrderId, status, attempt: index + 1, answer, atMs: sender.nowMs() });
    if (answer === 200 || answer === 'not-loopback') return;
  }
}

async function callOnce(url: string, query: URLSearchParams, closing: AbortSignal): Promise<CallbackAttempt['answer']> {
  const target = URL.parse(url);
  if (target === null || !loopbackHost.test(target.hostname)) return 'not-loopback';
  for (const [name, value] of query) target.searchParams.append(name, value);
  const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve) => {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(answerTimeoutMs)]);
    const call = send(target, { signal, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 'no-answer');
    });
    call.on('error', () => resolve('no-answer'));
    call.end();
  });
}
