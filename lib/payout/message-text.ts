// How a message is written on a queue.

import { withMember } from './json-text.ts';
import type { Result } from './result.ts';

/** As JSON that SQS takes. */
export function messageText(message: object): string {
  return withinSqs(JSON.stringify(message));
}

/** A result as JSON that SQS takes, its context byte for byte as the job's sender wrote it. */
export function resultText({ context, ...result }: Result): string {
  const text = JSON.stringify(result);
  return withinSqs(context === undefined ? text : withMember(text, 'context', context));
}

/** SQS refuses a body with U+FFFE or U+FFFF, which go as JSON escapes instead. */
function withinSqs(json: string): string {
  return json.replace(/[\ufffe\uffff]/g, (it) => `\\u${it.charCodeAt(0).toString(16)}`);
}
