// `payouts todo`: all that waits for a person, in one place. Exit codes: 0 nothing waits, 1 something does, 2 bad input.
import { systemClock } from '../../aws/system.ts';
import { type OperatorOptions, say } from '../command-line.ts';
import { operator } from '../orders/operator-commands.ts';
import { shownQuestion, todoAsText } from './questions.ts';

/** Runs the command; returns the exit code. */
export async function runTodo(options: OperatorOptions): Promise<number> {
  const todo = await operator().todo();
  const { questions, mayBeMore, notRead } = todo;
  // Where nothing could be read, that is the failure of AWS that it is.
  if (questions.length === 0 && notRead[0]) throw notRead[0].error;
  say(
    options,
    { questions: questions.map(shownQuestion), mayBeMore, notRead: notRead.map(({ part }) => part) },
    todoAsText(todo, systemClock.nowMs()),
  );
  return questions.length === 0 ? 0 : 1;
}
