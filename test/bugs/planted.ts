// A bug as a change of text, and a list of bugs as people write it (test/world/bugs.txt).

/** One change: what is in a file exactly once, and what is there instead. */
export interface TextEdit {
  /** The path in the repository. */
  readonly file: string;
  readonly was: string;
  readonly is: string;
}

/** The walks through simulated worlds: random ones, worlds of a lane, cuts of one job, ways to an end, lost ledgers. */
export const walkKinds = ['seeds', 'lanes', 'cuts', 'paths', 'restores'] as const;

/** The kind of a walk. */
export type WalkKind = (typeof walkKinds)[number];

/** A bug of the list. */
export interface PlantedBug {
  readonly name: string;
  /** The law of an order's kernel that it breaks (test/payout/order/laws.ts). */
  readonly law?: string;
  /** The walk that is known to find it; absent: any may, or none. */
  readonly foundBy?: WalkKind;
  /** The promise that it breaks, in the referee's words. */
  readonly breaks: RegExp;
  /** So rare that a short hunt may miss it. */
  readonly isSeldom: boolean;
  readonly edits: readonly TextEdit[];
}

/** The text of a file with these changes. Throws if one of them does not find its text exactly once. */
export function withEdits(file: string, text: string, edits: readonly TextEdit[]): string {
  return edits
    .filter((it) => it.file === file)
    .reduce((before, { was, is }) => {
      if (before.split(was).length !== 2) throw new Error(`${file} has this text not exactly once: ${was}`);
      return before.replace(was, () => is);
    }, text);
}

/**
 * The bugs of a list: paragraphs of a name, the walk with the promise, and diffs without numbers. A paragraph of a path alone is the
 * file of those after it that name none.
 */
export function readBugs(list: string): readonly PlantedBug[] {
  let common = '';
  return list.split('\n\n').flatMap((paragraph) => {
    const lines = paragraph.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const [name = '', how, ...diff] = lines;
    if (how === undefined) {
      common = name || common;
      return [];
    }
    const [, law, walk = '', seldom, breaks = '.'] = /^(L\d+ )?(\w+)(, seldom)?(?:: (.*))?$/.exec(how) ?? [];
    const foundBy = walkKinds.find((it) => it === walk);
    const found = { breaks: new RegExp(breaks), isSeldom: seldom !== undefined, ...(foundBy && { foundBy }) };
    return [{ name, ...(law !== undefined && { law: law.trim() }), ...found, edits: editsOf(diff, common) }];
  });
}

function editsOf(diff: readonly string[], common: string): readonly TextEdit[] {
  const edits: TextEdit[] = [];
  let file = common;
  let [was, is]: [string[], string[]] = [[], []];
  const ends = () => {
    if (was.length > 0) edits.push({ file, was: was.join('\n'), is: is.join('\n') });
    [was, is] = [[], []];
  };
  for (const line of diff) {
    if (line.startsWith('+')) is.push(line.slice(1));
    else {
      if (is.length > 0) ends();
      if (line.startsWith('-')) was.push(line.slice(1));
      else file = line;
    }
  }
  ends();
  return edits;
}
