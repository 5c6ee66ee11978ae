// How a message is written on a queue.

/** As JSON that SQS takes: it refuses a body with U+FFFE or U+FFFF, which go as JSON escapes instead. */
export function messageText(message: object): string {
  return JSON.stringify(message).replace(/[\ufffe\uffff]/g, (it) => `\\u${it.charCodeAt(0).toString(16)}`);
}
