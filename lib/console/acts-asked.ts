// The acts as the page asks for them: their forms, what they would do, and doing them. A body is of one act, over one thing or many.
import * as v from 'valibot';
import { type Act, accepted, commandOf, type Given, formOf, previewOf, whoseOf } from '../operate/act.ts';
import { actNames, actOf } from '../operate/acts.ts';
import { viewOf } from '../payout/order/projection.ts';
import { part } from './part.ts';
import type { ConsoleScene } from './scene.ts';
import { orderThing } from './things.ts';
import { UsageError } from '../files/usage-error.ts';

/** The form of every act. */
export const forms = () => Object.fromEntries(actNames.map((name) => [name, formOf(name, actOf(name))]));

const targetsAtMost = 50;
const askedSchema = v.strictObject({
  act: v.picklist(actNames),
  targets: v.pipe(v.array(v.record(v.string(), v.string())), v.minLength(1), v.maxLength(targetsAtMost)),
});

/** What the browser sends; everything else is refused. Throws UsageError, which names the field. */
function actIn(asked: unknown): { readonly act: Act; readonly targets: readonly Given[] } {
  const read = v.safeParse(askedSchema, asked);
  if (!read.success) throw new UsageError('not an act, or about more than 50 things');
  const act = actOf(read.output.act);
  return { act, targets: read.output.targets.map((it) => accepted(act, it)) };
}

/** What an act is about, in a word. */
const whatOf = ({ order, batch, message, merchant, endpoint }: Given): string =>
  order ??
  batch ??
  message?.split('\n').join(', ') ??
  (endpoint ? `${merchant} at ${endpoint}` : (merchant ?? 'every merchant'));

/** The effect of the act on each, by a dry run of the decision itself; whose money it is, and the same commands. */
export async function preview(asked: unknown, { desk, moneyNotice, stage, words }: ConsoleScene) {
  const { act, targets } = actIn(asked);
  const items = [];
  const whose: (readonly string[] | 'every merchant')[] = [];
  for (const it of targets) {
    const shown = await part(() => previewOf(act, desk, it));
    if (shown.kind !== 'found') {
      items.push({ what: whatOf(it), ok: false, why: shown.why, command: commandOf(act, it) });
      continue;
    }
    const { why, seen, order } = shown.value;
    whose.push(whoseOf(act, it, shown.value));
    const found = it['order'] !== undefined && seen !== undefined ? await desk.operator.order(it['order']) : undefined;
    items.push({
      what: whatOf(it),
      ok: why === undefined,
      why,
      seen,
      text: order ? undefined : words.shown(shown.value),
      // The thing as it is at this moment: a decision is about what is shown beside it.
      about: found?.kind === 'found' ? orderThing(viewOf(found.order)) : undefined,
      command: commandOf(act, { ...it, ...(seen !== undefined && { seen }) }),
    });
  }
  const all = whose.includes('every merchant') ? 'every merchant' : (whose as readonly (readonly string[])[]).flat();
  const [first = {}] = targets;
  return { items, effect: act.effect(first), where: (await moneyNotice(all)) ?? stage };
}

/** Carries out the act on one after the other, by the command line's own port. One failure does not stop the others. */
export async function perform(asked: unknown, { desk }: ConsoleScene) {
  const { act, targets } = actIn(asked);
  const items = [];
  for (const it of targets) {
    const ended = await part(() => act.run(desk, it, {}));
    items.push(
      ended.kind === 'found'
        ? { done: ended.value.done, text: ended.value.text, word: ended.value.word }
        : { done: false, text: `${whatOf(it)}: ${ended.why}` },
    );
  }
  return { items };
}
