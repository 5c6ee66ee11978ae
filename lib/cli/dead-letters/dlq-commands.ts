// `payouts dlq list`.
import { type DeadLetterFilter, fits, scanDeadLetters } from '../../dead-letters/scan-dead-letters.ts';
import { type DeadLetterView, letterView } from '../../dead-letters/dead-letter.ts';
import { walkNote } from '../../operate/acts.ts';
import { interruptible } from '../asking.ts';
import { configured, say } from '../command-line.ts';
import { createDeadLetterPorts } from './dlq-ports.ts';
import { lettersAsText } from './dlq-text.ts';

/** Which letters are meant. */
interface ChoiceOptions extends Omit<DeadLetterFilter, 'messages'> {
  readonly message?: string;
  readonly json: boolean;
  readonly limit?: number;
}

/** `payouts dlq list`: every dead letter, the oldest first. */
export async function listDeadLetters(options: ChoiceOptions): Promise<number> {
  const { limit = Infinity, json, message, ...named } = options;
  const choice = { ...named, messages: message === undefined ? undefined : [message] };
  const its = configured(createDeadLetterPorts);
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
  const note = walkNote(walk);
  if (note !== false) process.stderr.write(`payouts: ${note}\n`);
  return walk.end === 'interrupted' ? 1 : 0;
}
