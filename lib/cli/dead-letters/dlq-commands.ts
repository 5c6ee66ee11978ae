// The looks at dead letters. Exit codes: 0 done, 1 interrupted, 2 bad input.
import {
  chosenBy,
  type DeadLetterFilter,
  fits,
  scanDeadLetters,
  type Walk,
} from '../../dead-letters/scan-dead-letters.ts';
import { type DeadLetterView, letterView } from '../../dead-letters/dead-letter.ts';
import { planRedrive } from '../../dead-letters/redrive-dead-letters.ts';
import { walkNote } from '../../operate/acts.ts';
import { interruptible } from '../asking.ts';
import { configured, partsOf, say } from '../command-line.ts';
import { createDeadLetterPorts } from './dlq-ports.ts';
import { lettersAsText, planAsJson, planAsText } from './dlq-text.ts';

/** Which letters are meant. */
interface ChoiceOptions extends Omit<DeadLetterFilter, 'messages'> {
  readonly message?: string;
  readonly json: boolean;
  readonly limit?: number;
}

function choiceOf({ message, json: _json, limit: _limit, ...choice }: ChoiceOptions): DeadLetterFilter {
  if (choice.order !== undefined) partsOf(choice.order);
  return { ...choice, ...(message !== undefined && { messages: [message] }) };
}

const ports = () => configured(createDeadLetterPorts);

/** `payouts dlq list`: every dead letter, the oldest first. */
export async function listDeadLetters(options: ChoiceOptions): Promise<number> {
  const { limit = Infinity, json } = options;
  const choice = choiceOf(options);
  const its = ports();
  const found: DeadLetterView[] = [];
  const walk = await interruptible((signal) =>
    scanDeadLetters(
      async (deadLetters) => {
        found.push(...deadLetters.map(letterView).filter((view) => fits(view, choice)));
        return { enough: found.length >= limit };
      },
      its,
      { signal },
    ),
  );
  const shown = found.toSorted((a, b) => a.sentAtMs - b.sentAtMs).slice(0, limit);
  const deadLetters = shown.map(({ sentAtMs, ...it }) => ({ ...it, sentAt: new Date(sentAtMs).toISOString() }));
  say({ json }, { deadLetters, walk }, lettersAsText(shown, its.clock.nowMs(), walk.seen === 0));
  return endOf(walk);
}

/** `payouts dlq plan`: what each would do if it were sent again now. */
export async function planDeadLetters(options: ChoiceOptions): Promise<number> {
  const chooses = chosenBy(choiceOf(options));
  const { plan, walk } = await interruptible((signal) => planRedrive(chooses, ports(), { signal }));
  say(options, planAsJson(plan), planAsText(plan));
  return endOf(walk);
}

/** The note on a walk that did not see everything; its exit code. */
function endOf(walk: Walk): number {
  const note = walkNote(walk);
  if (note !== false) process.stderr.write(`payouts: ${note}\n`);
  return walk.end === 'interrupted' ? 1 : 0;
}
