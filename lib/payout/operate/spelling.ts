// Commands and numbers as texts print them: how the tool is called, and words as a shell takes them.

/**
 * How every page, remedy and help text calls the tool: `main` of package.json. It works in a clone after `npm ci` with every npm, and runs
 * only what is here: `npx` outside the clone would fetch whatever is published under the name.
 */
export const tool = 'node .';

/** Where a person writes the reason into a printed command; a command that still has this text is refused. */
export const reasonToFill = '<what you saw>';

/** The text quoted for a shell: an order id may be any printable text, and must not act as a command. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** As in "1 job", "3 jobs"; the plural of an English noun that takes an s. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
