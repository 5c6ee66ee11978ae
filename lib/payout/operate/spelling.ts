// Commands as texts print them: how the tool is called, and words as a shell takes them.

/**
 * How every page, remedy and help text calls the tool: `main` of package.json. It works in a clone after `npm ci` with every npm, and
 * runs what is here alone: `npx` outside the clone would fetch what somebody has published under the name.
 */
export const tool = 'node .';

/** Where a person writes what they saw; a command that still has it is refused. */
export const reasonToFill = '<what you saw>';

/** A word as a shell takes it: an order id is its sender's, may be any printable text, and must be no command of its own. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
