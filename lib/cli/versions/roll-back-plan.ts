// Which versions of the functions to go back to: a decision over what Lambda has published, before anything is changed.

/** A published version of a function. */
interface Version {
  readonly number: number;
  /** Of the commit that it was built from; undefined where the description says none. */
  readonly commit: string | undefined;
}

/** A function behind its alias. */
export interface Published {
  readonly functionName: string;
  /** The version that the alias names. */
  readonly live: number;
  readonly versions: readonly Version[];
}

/** One alias to be set. */
export interface Step {
  readonly functionName: string;
  readonly from: number;
  readonly to: number;
}

/** What to do, or why nothing can be done. */
export type RollBackPlan =
  | { readonly kind: 'steps'; readonly commit: string; readonly steps: readonly Step[] }
  | { readonly kind: 'impossible'; readonly reason: string };

/** The commit of a version, as its description says. */
export function commitIn(description: string | undefined): string | undefined {
  return /\(commit ([^)]+)\)$/.exec(description ?? '')?.[1];
}

/** The commits that can be gone to, the newest first. */
export function commitsOf(functions: readonly Published[]): readonly string[] {
  const newestFirst = [...(functions[0]?.versions ?? [])].toSorted((a, b) => b.number - a.number);
  const commits = newestFirst.flatMap(({ commit }) => (commit === undefined ? [] : [commit]));
  return [...new Set(commits)].filter((commit) => functions.every((it) => versionOf(it, commit) !== undefined));
}

/** The commit that a function runs now. */
export function liveCommitOf({ live, versions }: Published): string | undefined {
  return versions.find(({ number }) => number === live)?.commit;
}

/** The plan: to the given commit, without one to that which was live before the present one. All functions, or none. */
export function planRollBack(functions: readonly Published[], to: string | undefined): RollBackPlan {
  if (functions.length === 0) return impossible('the stack has no function behind an alias: deploy this version first');
  const commits = commitsOf(functions);
  const target = to === undefined ? commitBefore(functions, commits) : commitsNamed(commits, to);
  const [commit, ...others] = target;
  if (commit === undefined) {
    const known = commits.length > 0 ? `there are ${commits.join(', ')}` : 'no commit is published of every function';
    return impossible(
      `there is no version ${to === undefined ? 'before the present one' : `of commit ${to}`}: ${known}`,
    );
  }
  if (others.length > 0) return impossible(`${to} begins the name of several: ${target.join(', ')}`);
  const steps = functions.flatMap((it): Step[] => {
    const number = versionOf(it, commit);
    return number === undefined || number === it.live
      ? []
      : [{ functionName: it.functionName, from: it.live, to: number }];
  });
  return { kind: 'steps', commit, steps };
}

/** One whole name, or all that begin with it. */
const commitsNamed = (commits: readonly string[], name: string): readonly string[] =>
  commits.includes(name) ? [name] : commits.filter((it) => it.startsWith(name));

/** The newest that every function had before the one that is live; where one is back already, the others follow it. */
function commitBefore(functions: readonly Published[], commits: readonly string[]): readonly string[] {
  const places = functions.map((it) => commits.indexOf(liveCommitOf(it) ?? ''));
  const [oldest, newest] = [Math.max(...places), Math.min(...places)];
  if (newest < 0) return [];
  const commit = commits[oldest === newest ? newest + 1 : oldest];
  return commit === undefined ? [] : [commit];
}

function versionOf({ versions }: Published, commit: string): number | undefined {
  const numbers = versions.filter((it) => it.commit === commit).map(({ number }) => number);
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}

const impossible = (reason: string): RollBackPlan => ({ kind: 'impossible', reason });
