// Between the command of an act and the act: whose money it is, what it is about, the question, and the outcome.
import {
  type Act,
  accepted,
  type OperatorDesk,
  type Ended,
  type Given,
  previewOf,
  type Shown,
  whoseOf,
} from '../operate/act.ts';
import { interruptible, requireSomebody, saysYes } from './asking.ts';
import { notDone, say } from './command-line.ts';
import { planAsJson, planAsText } from './dead-letters/dlq-text.ts';
import { tellMoney } from './live-money.ts';
import { desk } from './orders/operator-commands.ts';
import { orderAsJson, orderAsText } from './orders/order-text.ts';
import { toolPorts } from './tool-ports.ts';

/** Options of every act. */
export interface CommonOptions {
  readonly json: boolean;
  readonly yes?: boolean;
  /** Only shows what it would do. */
  readonly dryRun?: boolean;
}

/** What a person sees of it. */
export const shownText = ({ order, plan, note, text }: Shown): string | undefined =>
  text ?? (order ? orderAsText(order) : plan && [planAsText(plan), note].filter(Boolean).join('\n'));

/** Does it, as this command line says; returns the exit code. */
export const performAct = (act: Act, given: Given, options: CommonOptions): Promise<number> =>
  perform(act, accepted(act, given), options, desk());

/** A walk over dead letters gives each back before an interruption ends it; everything else ends at once. */
const ending = <T>(act: Act, its: OperatorDesk, work: (its: OperatorDesk) => Promise<T>): Promise<T> =>
  act.isWalk ? interruptible((signal) => work({ ...its, signal })) : work(its);

async function perform(
  act: Act,
  it: Given,
  { json, yes, dryRun = false }: CommonOptions,
  its: OperatorDesk,
): Promise<number> {
  const asks = act.question?.(it, {}) !== undefined;
  if (asks && !yes && !dryRun) requireSomebody('add --yes');
  // A question may depend on what is there.
  const shown = act.question && act.preview ? await ending(act, its, (at) => previewOf(act, at, it)) : {};
  const text = shownText(shown);
  if (dryRun && shown.plan && text !== undefined)
    return say({ json }, { ...planAsJson(shown.plan), note: shown.note }, text);
  if (text !== undefined && shown.why === undefined) process.stderr.write(`${text}\n`);
  await tellMoney(whoseOf(act, it, shown), toolPorts().credentials);
  if (shown.why !== undefined) return notDone({ json }, { outcome: 'refused', why: shown.why }, shown.why);
  const question = act.question?.(it, shown);
  if (question !== undefined && !yes) requireSomebody('add --yes');
  if (question !== undefined && !yes && !(await saysYes(`${act.effect(it)} ${question}`)))
    return notDone({ json }, { outcome: 'declined' }, 'nothing was changed');
  return report(await ending(act, its, (at) => act.run(at, it, shown)), json);
}

function report({ done, text, order, word, value }: Ended, json: boolean): number {
  if (!done) return notDone({ json }, value, text);
  const said = [order && orderAsText(order), text].filter((line) => line !== undefined).join('\n');
  // A word for somebody else is all that a file takes.
  if (word !== undefined && !json) process.stderr.write(`${said}\n\n`);
  return say({ json }, { ...value, ...(order && { order: orderAsJson(order) }) }, word ?? said);
}
